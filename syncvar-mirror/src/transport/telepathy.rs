//! Telepathy, Mirror's TCP transport: messages as frames.
//!
//! [`MirrorHost`](super::MirrorHost) and [`MirrorPeer`](super::MirrorPeer) bring the sockets. What is
//! here is for those who have their own: [`Frames`] takes a stream apart, and [`head`] is what goes
//! before a message. Section 7 of WIRE.md is the layout.

mod frame;
mod link;
mod port;
mod socket;
mod wire;

pub use frame::{FrameError, Frames, head};
pub(super) use port::Port;
pub(super) use wire::Wire;
