//! The tool `syncvar`, run as a program.

mod check;
mod files;
mod logs;
mod servers;
mod support;
mod types;
