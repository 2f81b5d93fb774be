//! The tool `syncvar`, run as a program.

mod broadcasts;
mod check;
mod files;
mod logs;
mod relays;
mod replays;
mod servers;
mod support;
mod types;
