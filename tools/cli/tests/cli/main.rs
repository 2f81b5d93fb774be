//! The tool `syncvar`, run as a program.

mod check;
mod files;
mod support;
mod types;
