//! Messages above the client's size limit.

use super::{ClientState, NetworkClient};
use crate::MessageType;
use syncvar_runtime::packet::Entries;
use syncvar_runtime::{MAX_BYTES, NetworkReader, ReadError, ReadErrorKind};

impl NetworkClient {
    /// Returns the error of a payload above the limit.
    #[inline]
    pub(super) fn too_long(&self, payload: &[u8]) -> Option<ReadError> {
        let (length, limit) = (
            payload.len(),
            self.context.config.max_message_size.max(MAX_BYTES),
        );
        let kind = ReadErrorKind::MessageTooLong { length, limit };
        (length > limit).then(|| NetworkReader::new(&[]).error(kind))
    }

    /// Skips a message above the limit and poisons its objects. Their ids are in the first bytes of its
    /// entries.
    #[cold]
    pub(super) fn skip_oversized(
        &mut self,
        message_type: MessageType,
        payload: &[u8],
        error: ReadError,
    ) -> Result<(), ReadError> {
        match (self.session.state, message_type) {
            (ClientState::Disconnected, _) => Ok(()),
            (ClientState::Connected, MessageType::UpdateBatch) => {
                for entry in Entries::new(payload) {
                    let (object, changes) = entry?;
                    if self.find(object, changes, None).is_some() {
                        self.poison(object, error.clone());
                    } else {
                        self.skip_update(object);
                    }
                }
                Ok(())
            }
            (ClientState::Connected, MessageType::SpawnBatch) => {
                let mut result = Ok(());
                for entry in Entries::new(payload) {
                    let (object, snapshot) = entry?;
                    result = result.and(self.take_spawn(object, snapshot, Some(&error)));
                }
                result
            }
            _ => Err(error),
        }
    }
}
