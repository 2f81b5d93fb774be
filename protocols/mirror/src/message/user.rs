//! User messages.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::{
    Encoding, NetworkReader, NetworkWriter, ReadError, ReceivedMessage, SyncValue,
};

use super::{PROTOCOL, check_written};
use crate::{MirrorError, hash16};

/// A user message: a C# struct that is a `NetworkMessage`. Its fields are those of the struct, in
/// the same order.
///
/// Both sides register it with [`MirrorPrefabs::message`](crate::MirrorPrefabs::message).
///
/// ```
/// use syncvar::mirror::{MirrorMessage, MirrorPrefabs};
/// use syncvar::prelude::*;
///
/// #[derive(SyncValue, Clone, PartialEq)]
/// struct ChatMessage {
///     text: String,
/// }
///
/// impl MirrorMessage for ChatMessage {
///     const NAME: &'static str = "Game.Net.ChatMessage";
/// }
///
/// let prefabs = MirrorPrefabs::new().message::<ChatMessage>();
/// # let _ = prefabs;
/// assert_eq!(ChatMessage::ID, 41_812);
/// ```
pub trait MirrorMessage: SyncValue {
    /// Full .NET name of the type: `Namespace.Type`, with `Outer+Inner` for a nested type.
    const NAME: &'static str;

    /// Id on the wire.
    const ID: u16 = hash16(Self::NAME);
}

/// Registered user messages.
#[derive(Default)]
pub(crate) struct UserMessages(FxHashMap<u16, UserMessage>);

struct UserMessage {
    /// Full .NET name, the text of received messages.
    name: &'static str,
    shared: Arc<str>,
    read: fn(Arc<str>, &mut NetworkReader<'_>) -> Result<ReceivedMessage, ReadError>,
}

impl UserMessages {
    /// Registers a message.
    ///
    /// # Panics
    ///
    /// Panics if its id is in use, by Mirror or by the game.
    pub(crate) fn register<M: MirrorMessage>(&mut self) {
        let known = self.0.get(&M::ID).map(|known| known.name);
        let own = PROTOCOL.iter().find(|(id, _)| *id == M::ID);
        let taken = known.or(own.map(|(_, name)| *name));
        assert!(
            taken.is_none(),
            "message `{}` has the id {} of `{}`: rename it",
            M::NAME,
            M::ID,
            taken.unwrap_or_default()
        );
        let message = UserMessage {
            name: M::NAME,
            shared: M::NAME.into(),
            read: |name, reader| Ok(ReceivedMessage::new(name, M::read(reader)?)),
        };
        self.0.insert(M::ID, message);
    }

    /// Reads the bytes behind an id, within a budget. Further bytes are ignored, as in
    /// Mirror.
    pub(crate) fn read(
        &self,
        id: u16,
        payload: &[u8],
        budget: &mut ReadBudget,
    ) -> Result<ReceivedMessage, MirrorError> {
        let Some(UserMessage { name, shared, read }) = self.0.get(&id) else {
            return Err(MirrorError::UnknownMessage { id });
        };
        let mut reader =
            NetworkReader::with_encoding(payload, Encoding::Mirror).with_budget(*budget);
        let result = read(Arc::clone(shared), &mut reader);
        *budget = reader.budget();
        result.map_err(|error| MirrorError::Message {
            message: name,
            error,
        })
    }
}

/// Writes a user message, with its id.
pub(crate) fn encode_user<M: MirrorMessage>(
    message: &M,
    writer: &mut NetworkWriter,
) -> Result<(), MirrorError> {
    writer.write_u16(M::ID);
    message.write(writer);
    check_written(writer, M::NAME)
}
