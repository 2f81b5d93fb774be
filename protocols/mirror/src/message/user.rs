//! Messages of a game.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use syncvar_runtime::{Encoding, NetworkReader, NetworkWriter, ReadError, SyncValue};

use super::OWN;
use crate::{MirrorError, hash16};

/// A message of a game: a C# struct that is a `NetworkMessage`. The fields are those of the struct, in the
/// same order.
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
    /// The full .NET name of its type: `Namespace.Type`, with `Outer+Inner` for a type inside another.
    const NAME: &'static str;

    /// What names it on the wire.
    const ID: u16 = hash16(Self::NAME);
}

/// A message of the game that has come.
#[derive(Clone)]
pub struct ReceivedMessage {
    name: &'static str,
    value: Arc<dyn Any + Send + Sync>,
}

impl ReceivedMessage {
    /// The full .NET name of its type.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The message, if it is of this type.
    pub fn get<M: MirrorMessage>(&self) -> Option<&M> {
        self.value.downcast_ref()
    }
}

impl fmt::Debug for ReceivedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReceivedMessage").field(&self.name).finish()
    }
}

/// It is the same one, not another one with the same content.
impl PartialEq for ReceivedMessage {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.value, &other.value)
    }
}

/// The messages of a game that are known.
#[derive(Default)]
pub(crate) struct UserMessages(FxHashMap<u16, UserMessage>);

struct UserMessage {
    name: &'static str,
    read: fn(&mut NetworkReader<'_>) -> Result<Arc<dyn Any + Send + Sync>, ReadError>,
}

impl UserMessages {
    /// Adds one.
    ///
    /// # Panics
    ///
    /// When its id is already taken, by one of Mirror's or of the game's.
    pub(crate) fn register<M: MirrorMessage>(&mut self) {
        let known = self.0.get(&M::ID).map(|known| known.name);
        let own = OWN.iter().find(|(id, _)| *id == M::ID);
        let taken = known.or(own.map(|(_, name)| *name));
        assert!(
            taken.is_none(),
            "message `{}` has the id {}, which is that of `{}`: give it another name",
            M::NAME,
            M::ID,
            taken.unwrap_or_default()
        );
        let message = UserMessage {
            name: M::NAME,
            read: |reader| Ok(Arc::new(M::read(reader)?)),
        };
        self.0.insert(M::ID, message);
    }

    /// Reads what stands behind an id, as the configuration limits it. Bytes that are left over are
    /// ignored, as Mirror does.
    pub(crate) fn read(
        &self,
        id: u16,
        payload: &[u8],
        max_elements: usize,
    ) -> Result<ReceivedMessage, MirrorError> {
        let Some(UserMessage { name, read }) = self.0.get(&id) else {
            return Err(MirrorError::UnknownMessage { id });
        };
        let mut reader =
            NetworkReader::with_encoding(payload, Encoding::Mirror).with_max_elements(max_elements);
        match read(&mut reader) {
            Ok(value) => Ok(ReceivedMessage { name, value }),
            Err(error) => Err(MirrorError::Message {
                message: name,
                error,
            }),
        }
    }
}

/// Writes a message of the game, with its id.
pub(crate) fn encode_user<M: MirrorMessage>(
    message: &M,
    writer: &mut NetworkWriter,
) -> Result<(), MirrorError> {
    writer.write_u16(M::ID);
    message.write(writer);
    match writer.take_error() {
        None => Ok(()),
        Some(error) => Err(MirrorError::Unwritable {
            message: M::NAME,
            error,
        }),
    }
}
