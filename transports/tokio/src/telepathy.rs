//! Telepathy, Mirror's TCP transport: messages as frames.
//!
//! `MirrorHost` and `MirrorPeer` bring the sockets. The items here are for programs with their own
//! sockets: [`Frames`] reads a stream, and [`head`] is the head of a frame. Section 7 of WIRE.md
//! documents the layout.

pub use crate::frames::{FrameError, Frames, head};
