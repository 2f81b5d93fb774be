//! Packets of a connection: headers, ticks, sequences, acknowledgements and the fates of sent packets.
//!
//! Without I/O and without a clock. Times are durations since any start that stays the same.

pub(crate) mod ack;
pub(crate) mod header;
pub(crate) mod header_bytes;
pub(crate) mod losses;
#[cfg(test)]
mod model;
pub(crate) mod receiver;
pub(crate) mod round_trip;
pub(crate) mod sender;
pub(crate) mod sequence;
pub(crate) mod settings;
pub(crate) mod stream;
