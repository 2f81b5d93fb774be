//! Hosts and peers over real sockets, with a server that says everything back.

mod end;
mod exchange;
mod misbehaviour;
mod support;
mod ticks;
