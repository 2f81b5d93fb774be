//! Servers and clients over real sockets, and the recorded bytes of Mirror's transports.
#![cfg(all(
    feature = "tcp",
    feature = "udp",
    feature = "telepathy",
    feature = "kcp"
))]

mod frame_loop;
mod kcp_interop;
mod mirror;
mod recorded;
mod tcp;
mod udp;
