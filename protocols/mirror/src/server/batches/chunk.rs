//! Memory for messages of single connections.

use bytes::{Bytes, BytesMut};

use crate::batch::framed;
use crate::server::batches::frame::put_message;

/// Size of a chunk in bytes.
const CHUNK_SIZE: usize = 4096;

/// Memory from which messages are cut: a message is a slice of a shared allocation.
#[derive(Debug, Default)]
pub(crate) struct MessageChunk(BytesMut);

impl MessageChunk {
    /// Returns the joined parts of a message.
    pub(crate) fn join(&mut self, parts: [&[u8]; 2]) -> Bytes {
        self.reserve(parts.iter().map(|part| part.len()).sum());
        for part in parts {
            self.0.extend_from_slice(part);
        }
        self.0.split().freeze()
    }

    /// Returns the bytes of a batch with a further message.
    pub(crate) fn batch(&mut self, before: &[u8], message: &[u8]) -> Bytes {
        self.reserve(before.len() + framed(message.len()));
        self.0.extend_from_slice(before);
        put_message(&mut self.0, &[message]);
        self.0.split().freeze()
    }

    /// Reserves memory for a message, so that the message does not move.
    fn reserve(&mut self, length: usize) {
        if self.0.capacity() < length {
            self.0.reserve(length.max(CHUNK_SIZE));
        }
    }
}
