//! State over packets that get lost: sequences, acknowledgements and the fates of sent packets.
//!
//! Without I/O and without a clock.

pub(crate) mod ack;
pub(crate) mod header_bytes;
pub(crate) mod sequence;
