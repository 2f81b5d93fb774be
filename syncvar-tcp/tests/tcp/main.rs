//! Servers and clients over real sockets.

mod exchange;
mod misbehaviour;
mod support;
