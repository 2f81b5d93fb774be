//! Mirror's messages: what stands in a batch.
//!
//! Each is a struct that knows its name, from which its id is made, and its bytes; [`Message`] is any of
//! them, as it came. Pieces of bytes inside a message are borrowed from it. Layouts and examples stand in
//! the crate's `WIRE.md`, section 5.
//!
//! A server and a client do all this themselves. The types are public for tools and tests.
//!
//! ```
//! use syncvar_mirror::message::{CommandMessage, Message, NetworkMessage};
//! use syncvar_runtime::NetId;
//!
//! let command = CommandMessage {
//!     net_id: NetId(300),
//!     component_index: 1,
//!     function_hash: 0xffff,
//!     payload: Some(&[1, 2, 3]),
//! };
//! let bytes = command.to_bytes()?;
//! assert_eq!(&bytes[..], b"\xd4\x98\xf1\x3c\x01\xff\xff\x04\x01\x02\x03");
//! assert_eq!(Message::decode(&bytes)?, Message::Command(command));
//! # Ok::<(), syncvar_mirror::MirrorError>(())
//! ```
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

mod authenticator;
mod call;
mod object;
mod part;
mod session;
mod state;
#[cfg(test)]
mod tests;
mod time;
mod user;

pub use authenticator::{AuthRequestMessage, AuthResponseMessage};
pub use call::{CommandMessage, RpcMessage};
pub use object::{
    ChangeOwnerMessage, ObjectDestroyMessage, ObjectHideMessage, ObjectSpawnFinishedMessage,
    ObjectSpawnStartedMessage, SpawnFlags, SpawnMessage,
};
pub use session::{AddPlayerMessage, NotReadyMessage, ReadyMessage, SceneMessage, SceneOperation};
pub use state::{
    EntityStateMessage, EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta,
};
pub use time::{NetworkPingMessage, NetworkPongMessage, TimeSnapshotMessage};
pub use user::{MirrorMessage, ReceivedMessage};
pub(crate) use user::{UserMessages, encode_user};

use bytes::Bytes;
use syncvar_runtime::{Encoding, NetworkReader, NetworkWriter, ReadError};

use crate::{MirrorError, hash16};

/// One of Mirror's own messages. Mirror's `NetworkMessage`.
pub trait NetworkMessage<'a>: Sized {
    /// The full .NET name of its type.
    const NAME: &'static str;

    /// What names it on the wire.
    const ID: u16 = hash16(Self::NAME);

    /// Writes its fields, without the id.
    fn write(&self, writer: &mut NetworkWriter);

    /// Reads its fields, behind the id.
    ///
    /// # Errors
    ///
    /// When the message ends too early, or has a value that cannot be.
    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError>;

    /// Writes the id and the fields.
    fn encode(&self, writer: &mut NetworkWriter) {
        writer.write_u16(Self::ID);
        self.write(writer);
    }

    /// Its bytes, with the id.
    ///
    /// # Errors
    ///
    /// [`MirrorError::Unwritable`] when something in it is longer than it can be.
    fn to_bytes(&self) -> Result<Bytes, MirrorError> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        self.encode(&mut writer);
        match writer.take_error() {
            None => Ok(writer.take_bytes()),
            Some(error) => Err(MirrorError::Unwritable {
                message: Self::NAME,
                error,
            }),
        }
    }
}

/// Any message, as it came.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the structs say it")]
#[non_exhaustive]
pub enum Message<'a> {
    Ready(ReadyMessage),
    NotReady(NotReadyMessage),
    AddPlayer(AddPlayerMessage),
    Scene(SceneMessage<'a>),
    ObjectSpawnStarted(ObjectSpawnStartedMessage),
    ObjectSpawnFinished(ObjectSpawnFinishedMessage),
    Spawn(SpawnMessage<'a>),
    ChangeOwner(ChangeOwnerMessage),
    ObjectDestroy(ObjectDestroyMessage),
    ObjectHide(ObjectHideMessage),
    EntityState(EntityStateMessage<'a>),
    UnreliableBaseline(EntityStateMessageUnreliableBaseline<'a>),
    UnreliableDelta(EntityStateMessageUnreliableDelta<'a>),
    Command(CommandMessage<'a>),
    Rpc(RpcMessage<'a>),
    TimeSnapshot(TimeSnapshotMessage),
    Ping(NetworkPingMessage),
    Pong(NetworkPongMessage),
    /// One that is not Mirror's own: the game's, or nobody's.
    Other {
        /// What names it.
        id: u16,
        /// What stands behind the id.
        payload: &'a [u8],
    },
}

impl<'a> Message<'a> {
    /// Reads a message as it stands in a batch. Bytes behind its last field are ignored, as Mirror does.
    ///
    /// # Errors
    ///
    /// [`MirrorError::NoMessageId`] when it has fewer than 2 bytes, and [`MirrorError::Message`] when it
    /// ends too early or has a value that cannot be.
    pub fn decode(message: &'a [u8]) -> Result<Self, MirrorError> {
        let Some((id, payload)) = message.split_first_chunk() else {
            let length = message.len();
            return Err(MirrorError::NoMessageId { length });
        };
        match u16::from_le_bytes(*id) {
            ReadyMessage::ID => read(payload).map(Self::Ready),
            NotReadyMessage::ID => read(payload).map(Self::NotReady),
            AddPlayerMessage::ID => read(payload).map(Self::AddPlayer),
            SceneMessage::ID => read(payload).map(Self::Scene),
            ObjectSpawnStartedMessage::ID => read(payload).map(Self::ObjectSpawnStarted),
            ObjectSpawnFinishedMessage::ID => read(payload).map(Self::ObjectSpawnFinished),
            SpawnMessage::ID => read(payload).map(Self::Spawn),
            ChangeOwnerMessage::ID => read(payload).map(Self::ChangeOwner),
            ObjectDestroyMessage::ID => read(payload).map(Self::ObjectDestroy),
            ObjectHideMessage::ID => read(payload).map(Self::ObjectHide),
            EntityStateMessage::ID => read(payload).map(Self::EntityState),
            EntityStateMessageUnreliableBaseline::ID => read(payload).map(Self::UnreliableBaseline),
            EntityStateMessageUnreliableDelta::ID => read(payload).map(Self::UnreliableDelta),
            CommandMessage::ID => read(payload).map(Self::Command),
            RpcMessage::ID => read(payload).map(Self::Rpc),
            TimeSnapshotMessage::ID => read(payload).map(Self::TimeSnapshot),
            NetworkPingMessage::ID => read(payload).map(Self::Ping),
            NetworkPongMessage::ID => read(payload).map(Self::Pong),
            id => Ok(Self::Other { id, payload }),
        }
    }

    /// The id of its type.
    pub fn id(&self) -> u16 {
        match self {
            Self::Ready(_) => ReadyMessage::ID,
            Self::NotReady(_) => NotReadyMessage::ID,
            Self::AddPlayer(_) => AddPlayerMessage::ID,
            Self::Scene(_) => SceneMessage::ID,
            Self::ObjectSpawnStarted(_) => ObjectSpawnStartedMessage::ID,
            Self::ObjectSpawnFinished(_) => ObjectSpawnFinishedMessage::ID,
            Self::Spawn(_) => SpawnMessage::ID,
            Self::ChangeOwner(_) => ChangeOwnerMessage::ID,
            Self::ObjectDestroy(_) => ObjectDestroyMessage::ID,
            Self::ObjectHide(_) => ObjectHideMessage::ID,
            Self::EntityState(_) => EntityStateMessage::ID,
            Self::UnreliableBaseline(_) => EntityStateMessageUnreliableBaseline::ID,
            Self::UnreliableDelta(_) => EntityStateMessageUnreliableDelta::ID,
            Self::Command(_) => CommandMessage::ID,
            Self::Rpc(_) => RpcMessage::ID,
            Self::TimeSnapshot(_) => TimeSnapshotMessage::ID,
            Self::Ping(_) => NetworkPingMessage::ID,
            Self::Pong(_) => NetworkPongMessage::ID,
            Self::Other { id, .. } => *id,
        }
    }
}

/// Mirror's own messages: no message of a game may have one of these ids.
pub(crate) const OWN: [(u16, &str); 18] = [
    name_of::<ReadyMessage>(),
    name_of::<NotReadyMessage>(),
    name_of::<AddPlayerMessage>(),
    name_of::<SceneMessage<'_>>(),
    name_of::<ObjectSpawnStartedMessage>(),
    name_of::<ObjectSpawnFinishedMessage>(),
    name_of::<SpawnMessage<'_>>(),
    name_of::<ChangeOwnerMessage>(),
    name_of::<ObjectDestroyMessage>(),
    name_of::<ObjectHideMessage>(),
    name_of::<EntityStateMessage<'_>>(),
    name_of::<EntityStateMessageUnreliableBaseline<'_>>(),
    name_of::<EntityStateMessageUnreliableDelta<'_>>(),
    name_of::<CommandMessage<'_>>(),
    name_of::<RpcMessage<'_>>(),
    name_of::<TimeSnapshotMessage>(),
    name_of::<NetworkPingMessage>(),
    name_of::<NetworkPongMessage>(),
];

const fn name_of<'a, M: NetworkMessage<'a>>() -> (u16, &'static str) {
    (M::ID, M::NAME)
}

fn read<'a, M: NetworkMessage<'a>>(payload: &'a [u8]) -> Result<M, MirrorError> {
    let mut reader = NetworkReader::with_encoding(payload, Encoding::Mirror);
    M::read(&mut reader).map_err(|error| MirrorError::Message {
        message: M::NAME,
        error,
    })
}
