//! Messages that are longer than the client takes.

use super::{ClientState, NetworkClient};
use crate::packet::Entries;
use crate::{MAX_BYTES, MessageType, NetworkReader, ReadError, ReadErrorKind};

impl NetworkClient {
    /// What is wrong with a payload that is longer than the limit.
    #[inline]
    pub(super) fn too_long(&self, payload: &[u8]) -> Option<ReadError> {
        let (length, limit) = (payload.len(), self.config.max_message_size.max(MAX_BYTES));
        let kind = ReadErrorKind::MessageTooLong { length, limit };
        (length > limit).then(|| NetworkReader::new(&[]).error(kind))
    }

    /// Passes over a message that is too long, and poisons the objects that it is about: they are told
    /// by the first bytes of its entries.
    #[cold]
    pub(super) fn refuse(
        &mut self,
        message_type: MessageType,
        payload: &[u8],
        error: ReadError,
    ) -> Result<(), ReadError> {
        match (self.state, message_type) {
            (ClientState::Disconnected, _) => Ok(()),
            (ClientState::Connected, MessageType::UpdateBatch) => {
                for entry in Entries::new(payload) {
                    let (object, changes) = entry?;
                    if self.find(object, changes).is_some() {
                        self.poison(object, error.clone());
                    } else {
                        self.pass_over_unread(object);
                    }
                }
                Ok(())
            }
            (ClientState::Connected, MessageType::SpawnBatch) => {
                let mut result = Ok(());
                for entry in Entries::new(payload) {
                    let (object, said) = entry?;
                    result = result.and(self.take_spawn(object, said, Some(&error)));
                }
                result
            }
            _ => Err(error),
        }
    }
}
