//! Servers and clients over loopback.

mod exchange;
mod limits;
mod restart;
mod support;
#[cfg(feature = "webtransport")]
mod web;
