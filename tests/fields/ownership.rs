//! Who reads and who writes which field, and when a field is sent.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::type_complexity,
    reason = "small numbers that travel exactly, and whole states as tuples"
)]
#![allow(
    clippy::needless_pass_by_value,
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_self,
    reason = "hooks, thresholds and checks have the signature that they are called with"
)]

mod changing;
mod checks;
mod component;
mod former;
mod groups;
mod hooked;
mod intervals;
mod reading;
mod relay;
mod unsent;
mod writing;

use syncvar::prelude::*;
use syncvar::{Framing, ServerConfig};
use syncvar_testing::Crowd;

/// Returns a value that a test finds in the bytes of a packet, in each framing.
fn marker(number: u8) -> String {
    format!("marker-{number:03}")
}

/// Returns a server with this framing.
fn crowd(prefabs: fn() -> Prefabs, framing: Framing) -> Crowd {
    let config = ServerConfig {
        framing,
        ..ServerConfig::default()
    };
    Crowd::new(prefabs, config)
}

const DIALECTS: [Framing; 2] = [Framing::Unet, Framing::Compact];
