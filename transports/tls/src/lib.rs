//! TLS of the transports: the [`Identity`] of a server, and the [`Trust`] of a client.
//!
//! Both use rustls with ring, in TLS 1.3. No verifier of the platform takes part.
//!
//! ```
//! use syncvar::tls::{Identity, Trust};
//!
//! # fn main() -> std::io::Result<()> {
//! // Without files: a certificate for 14 days at most, replaced in time.
//! let identity = Identity::generated(&["localhost", "127.0.0.1"])?;
//! // The client learns the hashes by a way that it trusts.
//! let trust = Trust::hashes(identity.hashes());
//! # let _ = trust;
//! # Ok(())
//! # }
//! ```
#![warn(clippy::print_stdout)]

#[cfg(feature = "generate")]
mod generated;
mod hash;
mod identity;
mod trust;

pub use hash::CertHash;
pub use identity::Identity;
pub use trust::Trust;

use std::io;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;

/// Returns the only provider of cryptography.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn invalid(text: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text.to_string())
}
