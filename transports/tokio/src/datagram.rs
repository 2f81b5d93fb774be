//! Sockets of connections over datagrams.
//!
//! The core of each connection is that of KCP. A [`Dialect`] is the format around it: that of Mirror, or
//! that of this crate.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

mod clients;
mod cookies;
mod dialect;
mod hello_rate;
mod link;
#[cfg(feature = "kcp")]
mod mirror;
#[cfg(feature = "udp")]
mod own;
mod socket;

pub(crate) use dialect::Dialect;
pub(crate) use link::DatagramLink;
#[cfg(feature = "kcp")]
pub(crate) use mirror::Mirror;
#[cfg(feature = "udp")]
pub(crate) use own::Own;
pub(crate) use socket::DatagramListener;
