//! Hosts and peers over real sockets, with an echo server.

mod echo;
mod end;
mod exchange;
mod kcp_limits;
mod limits;
mod misbehaviour;
mod support;
mod ticks;
