//! Servers and clients over loopback.

mod exchange;
mod limits;
mod support;
