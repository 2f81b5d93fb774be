//! Mirror's transports, on tokio: Telepathy (TCP) and KCP (UDP).

mod game;
mod host;
mod options;
mod peer;

#[cfg(feature = "kcp")]
pub mod kcp;
#[cfg(feature = "telepathy")]
pub mod telepathy;

pub use options::TransportOptions;

#[cfg(test)]
mod tests;
