//! The messages: their numbers, and for each its encoding and decoding side by side.
//!
//! A packet is messages back to back; a message is the size of its payload (`u16`), its type
//! (`i16`) and the payload; [`frame`] knows what one looks like that is too long for that. Numbers up
//! to 47 are UNet's where UNet has the message; those that it leaves free carry what it does not
//! have: 20 to 33. Tables: WIRE.md.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "all fields are written by one signature"
)]

mod call;
mod disconnect;
mod framing;
mod scene;

pub(crate) use call::{Incoming, Name, frame, named, write_header};
pub(crate) use disconnect::{from_wire, number, text};
pub use framing::Framing;
pub(crate) use framing::frames;
pub(crate) use scene::ObjectSpawnScene;
pub(crate) use syncvar_runtime::packet::{FRAME, Frame, LONG_FRAME, frame_length, long_head};

use crate::{
    MessageStart, NetId, NetworkHash128, NetworkReader, NetworkWriter, Quaternion, ReadError,
    ReadErrorKind, Vector3,
};

/// The number of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MessageType {
    /// Server to client: an object is gone for everyone.
    ObjectDestroy = 1,
    /// Server to client: a remote call, as UNet writes it.
    Rpc = 2,
    /// Server to client: the full state of an object.
    ObjectSpawn = 3,
    /// Client to server: a remote call, as UNet writes it.
    Command = 5,
    /// Server to client: an event of an object, as UNet writes it.
    SyncEvent = 7,
    /// Server to client: changed fields of an object.
    UpdateVars = 8,
    /// Server to client: the full state of an object that both sides have made themselves.
    ObjectSpawnScene = 10,
    /// Server to client: 0 before, 1 after the objects a joining client is given; 2, which is ours, when
    /// the server's scene is complete.
    SpawnFinished = 12,
    /// Server to client: an object is gone for this client.
    ObjectHide = 13,
    /// Server to client: whether this client owns an object.
    LocalClientAuthority = 15,
    /// Client to server: send the full state of an object again. Ours.
    Resync = 20,
    /// Server to client, before a refusal: the description of one prefab. Ours.
    Schema = 21,
    /// Server to client: changed fields of several objects. Ours.
    UpdateBatch = 22,
    /// Server to client: the full states of several objects. Ours.
    SpawnBatch = 23,
    /// Server to client: the head of a message of more than [`MAX_BYTES`](crate::MAX_BYTES). Statistics
    /// count it as the message that it is. Ours.
    Long = 24,
    /// Either way: a remote call or an event of an object. Ours.
    Call = 25,
    /// Client to server: what the owner of an object has written to it. Ours.
    OwnerWrite = 26,
    /// Client to server: what time is it? Ours.
    Ping = 27,
    /// Server to client: the answer to a ping. Ours.
    Pong = 28,
    /// Server to client: an object has another parent. Ours.
    SetParent = 29,
    /// Server to client: the fields of an object that only its owner may read, for a new owner. Ours.
    OwnerState = 30,
    /// Server to client: what was sent about an object that this client has not been given counts for
    /// nothing. Ours.
    Void = 31,
    /// Client to server: let me in. Server to client: you are in. Ours.
    Connect = 32,
    /// Either way: the connection ends, and why. Ours.
    Disconnect = 33,
    /// Client to server: send me the objects.
    Ready = 35,
    /// Server to client: you will get no more objects until you are ready again.
    NotReady = 36,
}

impl MessageType {
    /// All of them, ordered by number.
    pub const ALL: [Self; 26] = [
        Self::ObjectDestroy,
        Self::Rpc,
        Self::ObjectSpawn,
        Self::Command,
        Self::SyncEvent,
        Self::UpdateVars,
        Self::ObjectSpawnScene,
        Self::SpawnFinished,
        Self::ObjectHide,
        Self::LocalClientAuthority,
        Self::Resync,
        Self::Schema,
        Self::UpdateBatch,
        Self::SpawnBatch,
        Self::Long,
        Self::Call,
        Self::OwnerWrite,
        Self::Ping,
        Self::Pong,
        Self::SetParent,
        Self::OwnerState,
        Self::Void,
        Self::Connect,
        Self::Disconnect,
        Self::Ready,
        Self::NotReady,
    ];

    /// The number on the wire.
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// The message type with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|message_type| message_type.number() == number)
    }

    /// Its position in [`ALL`](Self::ALL).
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::ObjectDestroy => 0,
            Self::Rpc => 1,
            Self::ObjectSpawn => 2,
            Self::Command => 3,
            Self::SyncEvent => 4,
            Self::UpdateVars => 5,
            Self::ObjectSpawnScene => 6,
            Self::SpawnFinished => 7,
            Self::ObjectHide => 8,
            Self::LocalClientAuthority => 9,
            Self::Resync => 10,
            Self::Schema => 11,
            Self::UpdateBatch => 12,
            Self::SpawnBatch => 13,
            Self::Long => 14,
            Self::Call => 15,
            Self::OwnerWrite => 16,
            Self::Ping => 17,
            Self::Pong => 18,
            Self::SetParent => 19,
            Self::OwnerState => 20,
            Self::Void => 21,
            Self::Connect => 22,
            Self::Disconnect => 23,
            Self::Ready => 24,
            Self::NotReady => 25,
        }
    }
}

/// The version of the handshake that [`Connect`] announces.
pub(crate) const PROTOCOL_VERSION: u32 = 3;

/// Flag of an entry of a `SpawnBatch`: a scene id follows.
pub(crate) const SCENE_ID: u64 = 1;

/// Flag of an entry of a `SpawnBatch`: the id of the parent follows.
pub(crate) const PARENT: u64 = 2;

/// A message of fixed layout.
pub(crate) trait Message: Sized {
    const TYPE: MessageType;

    fn write_payload(&self, writer: &mut NetworkWriter);

    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError>;

    /// Appends the whole message.
    fn encode(&self, writer: &mut NetworkWriter) {
        let start = begin(Self::TYPE, writer);
        self.write_payload(writer);
        writer.finish_message(start);
    }

    /// Reads a payload; nothing may be left over.
    fn decode(payload: &[u8]) -> Result<Self, ReadError> {
        let mut reader = NetworkReader::new(payload);
        let message = Self::read_payload(&mut reader)?;
        reader.finish()?;
        Ok(message)
    }
}

/// Begins a message whose payload the caller writes.
pub(crate) fn begin(message_type: MessageType, writer: &mut NetworkWriter) -> MessageStart {
    writer.start_message(message_type.number())
}

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty = $write:ident, $read:ident),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
        }

        impl Message for $name {
            const TYPE: MessageType = MessageType::$name;

            #[allow(unused_variables, reason = "some messages are empty")]
            fn write_payload(&self, writer: &mut NetworkWriter) {
                $($write(writer, &self.$field);)*
            }

            #[allow(unused_variables, reason = "some messages are empty")]
            fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                Ok(Self { $($field: $read(reader)?),* })
            }
        }
    )*};
}

messages! {
    /// Packed id.
    ObjectDestroy { net_id: NetId = write_id, read_id }
    /// Packed 0, 1 or 2.
    SpawnFinished { state: u32 = write_packed, read_packed }
    /// Packed id.
    ObjectHide { net_id: NetId = write_id, read_id }
    /// Packed id, one byte.
    LocalClientAuthority { net_id: NetId = write_id, read_id, authority: bool = write, read }
    /// Packed id.
    Resync { net_id: NetId = write_id, read_id }
    /// Packed id, packed id of the parent or 0.
    SetParent { child: NetId = write_id, read_id, parent: NetId = write_id, read_id }
    /// Packed: the client's own time, in microseconds.
    Ping { time: u64 = write_packed_wide, read_packed_wide }
    /// Packed: the time of the ping; the server's own time, in microseconds; ticks in a second.
    Pong {
        time: u64 = write_packed_wide, read_packed_wide,
        server_time: u64 = write_packed_wide, read_packed_wide,
        tick_rate: u32 = write_packed, read_packed
    }
    /// Packed id.
    Void { net_id: NetId = write_id, read_id }
    /// One byte, text.
    Disconnect { reason: u8 = write_u8, read_u8, text: String = write, read }
    /// Empty.
    Ready {}
    /// Empty.
    NotReady {}
}

fn write_id(writer: &mut NetworkWriter, net_id: &NetId) {
    writer.write_packed_u32(net_id.0);
}

fn read_id(reader: &mut NetworkReader<'_>) -> Result<NetId, ReadError> {
    reader.read_packed_u32().map(NetId)
}

fn write<T: crate::SyncValue>(writer: &mut NetworkWriter, value: &T) {
    writer.write(value);
}

fn read<T: crate::SyncValue>(reader: &mut NetworkReader<'_>) -> Result<T, ReadError> {
    reader.read()
}

fn write_packed(writer: &mut NetworkWriter, value: &u32) {
    writer.write_packed_u32(*value);
}

fn read_packed(reader: &mut NetworkReader<'_>) -> Result<u32, ReadError> {
    reader.read_packed_u32()
}

fn write_packed_wide(writer: &mut NetworkWriter, value: &u64) {
    writer.write_packed_u64(*value);
}

fn read_packed_wide(reader: &mut NetworkReader<'_>) -> Result<u64, ReadError> {
    reader.read_packed_u64()
}

fn write_u8(writer: &mut NetworkWriter, value: &u8) {
    writer.write_u8(*value);
}

fn read_u8(reader: &mut NetworkReader<'_>) -> Result<u8, ReadError> {
    reader.read_u8()
}

/// Packed protocol version; from the client its schema hash in 8 bytes, from the server 0; one byte
/// for a dialect: the one that the client asks for, or the one that the server is going to speak.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Connect {
    pub(crate) version: u32,
    pub(crate) schema_hash: u64,
    pub(crate) framing: Framing,
}

impl Message for Connect {
    const TYPE: MessageType = MessageType::Connect;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_packed_u32(self.version);
        writer.write_u64(self.schema_hash);
        writer.write_u8(self.framing.number());
    }

    /// What another version has to say beyond its number is not looked at.
    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let version = reader.read_packed_u32()?;
        if version != PROTOCOL_VERSION {
            reader.read_bytes(reader.remaining())?;
            let (schema_hash, framing) = (0, Framing::Unet);
            return Ok(Self {
                version,
                schema_hash,
                framing,
            });
        }
        Ok(Self {
            version,
            schema_hash: reader.read_u64()?,
            framing: match reader.read_u8()? {
                0 => Framing::Unet,
                1 => Framing::Compact,
                other => {
                    let (what, value) = ("framing", other.into());
                    return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
                }
            },
        })
    }
}

/// The full state of an object: packed id, asset id, position, the state of all behaviours with
/// its length in two bytes, rotation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectSpawn<'a> {
    pub(crate) net_id: NetId,
    pub(crate) asset_id: NetworkHash128,
    pub(crate) position: Vector3,
    pub(crate) state: &'a [u8],
    pub(crate) rotation: Quaternion,
}

impl<'a> ObjectSpawn<'a> {
    /// Appends the message; `write_state` appends what the behaviours have to say.
    pub(crate) fn encode(
        writer: &mut NetworkWriter,
        (net_id, asset_id): (NetId, NetworkHash128),
        (position, rotation): (Vector3, Quaternion),
        write_state: impl FnOnce(&mut NetworkWriter),
    ) {
        let start = begin(MessageType::ObjectSpawn, writer);
        write_id(writer, &net_id);
        writer.write(&asset_id);
        writer.write(&position);
        let length = writer.reserve_u16();
        write_state(writer);
        writer.patch_length(length);
        writer.write(&rotation);
        writer.finish_message(start);
    }

    /// Reads a payload. The rotation may be missing, as UNet allows.
    pub(crate) fn decode(payload: &'a [u8]) -> Result<Self, ReadError> {
        let mut reader = NetworkReader::new(payload);
        let spawn = Self {
            net_id: read_id(&mut reader)?,
            asset_id: reader.read()?,
            position: reader.read()?,
            state: reader.read_bytes_and_size()?,
            rotation: match reader.remaining() {
                0 => Quaternion::IDENTITY,
                _ => reader.read()?,
            },
        };
        reader.finish()?;
        Ok(spawn)
    }
}

/// An error for a message that this side does not know or does not expect.
pub(crate) fn unknown(frame: Frame<'_>) -> ReadError {
    NetworkReader::new(frame.payload).error(ReadErrorKind::UnknownMessage(frame.message_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_finds_its_type_and_the_list_is_ordered() {
        for message_type in MessageType::ALL {
            assert_eq!(
                MessageType::from_number(message_type.number()),
                Some(message_type)
            );
            assert_eq!(MessageType::ALL[message_type.index()], message_type);
        }
        assert!(MessageType::ALL.is_sorted());
        assert_eq!(MessageType::from_number(6), None);
    }
}
