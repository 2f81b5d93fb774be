//! `ZenohError`.

use std::error::Error;
use std::fmt;

/// Reason why a node does not join its fleet.
#[derive(Debug)]
#[non_exhaustive]
pub enum ZenohError {
    /// The name of the world is empty, too long, or has a character that keys do not have.
    World(String),
    /// An address is neither `tls/` with certificates nor `tcp/` on loopback.
    Endpoint(String),
    /// zenoh refuses a setting, an address or a file.
    Zenoh(zenoh::Error),
}

impl fmt::Display for ZenohError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World(world) => write!(
                f,
                "world {world:?}: a name has 1 to 64 letters, digits, `-`, `_` and `.`"
            ),
            Self::Endpoint(endpoint) => write!(
                f,
                "address {endpoint:?}: nodes talk by `tls/HOST:PORT` with certificates, or by `tcp/` on loopback"
            ),
            Self::Zenoh(error) => write!(f, "zenoh: {error}"),
        }
    }
}

impl Error for ZenohError {}
