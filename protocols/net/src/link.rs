//! Packets of a connection: headers, ticks, acknowledgements and the repair of losses, equal on both ends.

pub(crate) mod ack;
pub(crate) mod header;
pub(crate) mod header_bytes;
pub(crate) mod sequence;
pub(crate) mod stream;
