//! Carrier of `syncvar-fleet` over [zenoh](https://zenoh.io): relays and zones on several machines, without a broker.
//!
//! ```
//! use syncvar_fleet::{Carrier, NodeId, Role};
//! use syncvar_zenoh::{ZenohCarrier, ZenohConfig};
//!
//! let mut config = ZenohConfig::new("world-7", Role::Origin);
//! config.listen.push("tcp/127.0.0.1:0".into()); // `tls/` with certificates beyond this machine
//! let origin = ZenohCarrier::open(NodeId(1), &config)?;
//! assert!(origin.nodes().is_empty());
//! # Ok::<(), syncvar_zenoh::ZenohError>(())
//! ```

mod carrier;
mod config;
mod error;
mod keys;
mod mailbox;
mod question;
mod session;

pub use carrier::ZenohCarrier;
pub use config::{TlsFiles, ZenohConfig};
pub use error::ZenohError;
