//! Servers and clients over loopback.

mod exchange;
mod limits;
mod support;
#[cfg(feature = "webtransport")]
mod web;
