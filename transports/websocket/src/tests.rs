//! A server, native clients, and clients that write bytes by hand, over loopback.

mod exchange;
mod limits;
#[cfg(feature = "mirror")]
mod mirror;
mod misbehaviour;
mod pages;
mod support;
#[cfg(feature = "tls")]
mod tls;
