//! `StateMessage`: a message of an accepted connection, of a packet or kept since an earlier one.

use crate::MessageType;
use crate::message::Frame;

/// Message of an accepted connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateMessage<'a> {
    pub(super) channel: u8,
    pub(super) message_type: MessageType,
    pub(super) payload: &'a [u8],
}

impl<'a> StateMessage<'a> {
    /// Returns the message for an error.
    pub(super) fn frame(self) -> Frame<'a> {
        Frame {
            message_type: self.message_type.number(),
            payload: self.payload,
            long: false,
        }
    }
}
