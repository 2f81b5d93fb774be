//! Mirror's messages: the content of batches.
//!
//! Each struct knows its name, which determines its id, and its bytes; [`Message`] contains each kind.
//! Byte strings in a decoded message are borrowed. The crate's `WIRE.md`, section 5, has layouts
//! and examples.
//!
//! Servers and clients contain all this. The types are public for tools and tests.
//!
//! ```
//! use syncvar::mirror::message::{CommandMessage, Message, NetworkMessage};
//! use syncvar::NetId;
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
mod identification;
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
pub use identification::{
    DeviceAuthRequestMessage, DeviceAuthResponseMessage, NameAuthRequestMessage,
    NameAuthResponseMessage,
};
pub use object::{
    ChangeOwnerMessage, ObjectDestroyMessage, ObjectHideMessage, ObjectSpawnFinishedMessage,
    ObjectSpawnStartedMessage, SpawnFlags, SpawnMessage,
};
pub use session::{AddPlayerMessage, NotReadyMessage, ReadyMessage, SceneMessage, SceneOperation};
pub use state::{
    EntityStateMessage, EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta,
};
pub use time::{NetworkPingMessage, NetworkPongMessage, TimeSnapshotMessage};
pub use user::MirrorMessage;
pub(crate) use user::{UserMessages, encode_user};

use bytes::Bytes;
use syncvar_runtime::{Encoding, NetworkReader, NetworkWriter, ReadError};

use crate::{MirrorError, hash16};

/// A protocol message. Mirror's `NetworkMessage`.
pub trait NetworkMessage<'a>: Sized {
    /// Full .NET name of the type.
    const NAME: &'static str;

    /// Id on the wire.
    const ID: u16 = hash16(Self::NAME);

    /// Writes the fields, without the id.
    fn write(&self, writer: &mut NetworkWriter);

    /// Reads the fields, behind the id.
    ///
    /// # Errors
    ///
    /// Fails if the message ends too early or has an invalid value.
    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError>;

    /// Writes the id and the fields.
    fn encode(&self, writer: &mut NetworkWriter) {
        writer.write_u16(Self::ID);
        self.write(writer);
    }

    /// Returns the bytes, with the id.
    ///
    /// # Errors
    ///
    /// [`MirrorError::Unwritable`] if a part is too long.
    fn to_bytes(&self) -> Result<Bytes, MirrorError> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        self.encode(&mut writer);
        check_written(&mut writer, Self::NAME)?;
        Ok(writer.take_bytes())
    }
}

/// Returns the error of a written message.
pub(crate) fn check_written(
    writer: &mut NetworkWriter,
    message: &'static str,
) -> Result<(), MirrorError> {
    match writer.take_error() {
        None => Ok(()),
        Some(error) => Err(MirrorError::Unwritable { message, error }),
    }
}

/// Declares all protocol messages.
macro_rules! protocol {
    ($($variant:ident($message:ident $(<$life:lifetime>)?),)*) => {
        /// Any decoded message.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[expect(missing_docs, reason = "documented by the structs")]
        #[non_exhaustive]
        pub enum Message<'a> {
            $($variant($message $(<$life>)?),)*
            /// A message that is not Mirror's: a user message, or an unknown one.
            Other {
                /// The id.
                id: u16,
                /// The bytes behind the id.
                payload: &'a [u8],
            },
        }

        impl<'a> Message<'a> {
            /// Reads a message of a batch. Bytes behind its last field are ignored, as in Mirror.
            ///
            /// # Errors
            ///
            /// [`MirrorError::NoMessageId`] for fewer than 2 bytes, and [`MirrorError::Message`] if it
            /// ends too early or has an invalid value.
            pub fn decode(message: &'a [u8]) -> Result<Self, MirrorError> {
                let Some((id, payload)) = message.split_first_chunk() else {
                    let length = message.len();
                    return Err(MirrorError::NoMessageId { length });
                };
                match u16::from_le_bytes(*id) {
                    $($message::ID => read(payload).map(Self::$variant),)*
                    id => Ok(Self::Other { id, payload }),
                }
            }

            /// Returns the id of the type.
            pub fn id(&self) -> u16 {
                match self {
                    $(Self::$variant(_) => $message::ID,)*
                    Self::Other { id, .. } => *id,
                }
            }
        }

        /// Ids of the protocol messages, which user messages must not have.
        pub(crate) const PROTOCOL: &[(u16, &str)] = &[$(($message::ID, $message::NAME),)*];
    };
}

protocol! {
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
}

fn read<'a, M: NetworkMessage<'a>>(payload: &'a [u8]) -> Result<M, MirrorError> {
    let mut reader = NetworkReader::with_encoding(payload, Encoding::Mirror);
    M::read(&mut reader).map_err(|error| MirrorError::Message {
        message: M::NAME,
        error,
    })
}
