//! Telepathy, Mirror's TCP transport: messages as frames.
//!
//! [`MirrorHost`](super::MirrorHost) and [`MirrorPeer`](super::MirrorPeer) bring the sockets. What is
//! here is for those who have their own: [`Frames`] takes a stream apart, and [`head`] is what goes
//! before a message. Section 7 of WIRE.md is the layout.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

mod frame;
mod link;
mod port;
mod socket;
mod wire;

pub use frame::{FrameError, Frames, head};
pub(super) use port::Port;
pub(super) use wire::Wire;

use crate::Limits;
use crate::transport::TransportOptions;

/// What a connection carries.
fn limits(options: &TransportOptions) -> Limits {
    Limits {
        batch_threshold: options.max_frame,
        max_reliable: options.max_frame,
        max_unreliable: options.max_frame,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_mirrors_unless_the_options_say_otherwise() {
        assert_eq!(limits(&TransportOptions::default()), Limits::TELEPATHY);
    }
}
