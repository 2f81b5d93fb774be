//! Messages: numbers, encoding and decoding.
//!
//! A packet is a sequence of messages. A message is the size of its payload (`u16`), its type (`i16`)
//! and the payload; [`Frame`] has the long form. The numbers up to 47 are UNet's. Extensions use the
//! free numbers 19 to 33 and 39 to 44. Tables: WIRE.md.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "all fields are written by one signature"
)]

mod call;
mod command_refused;
mod connect;
mod disconnect;
mod framing;
mod inputs;
mod message_type;
mod schema_part;
mod session;
mod spawn;

pub(crate) use call::{
    CallName, Incoming, frame, frame_number, named, write_address, write_header,
};
pub(crate) use command_refused::CommandRefused;
pub use command_refused::RefusalReason;
pub(crate) use connect::{Accepted, ClientBuild, Connect, MAX_BUILD, ServerPace, Start};
pub(crate) use disconnect::Disconnect;
pub use framing::Framing;
pub(crate) use framing::{CHUNK_SIZE, datagram_size, frames};
pub(crate) use inputs::{InputTicks, MAX_INPUTS, UnknownBase, read_inputs, write_inputs};
pub use message_type::MessageType;
pub(crate) use schema_part::SchemaPart;
pub(crate) use session::{Counts, Grant, GrantKind, JoinRequest, MAX_RETURN, Return};
pub(crate) use spawn::{ObjectSpawn, ObjectSpawnScene};
pub(crate) use syncvar_runtime::unstable::packet::{
    FRAME, Frame, LONG_FRAME, frame_length, long_head,
};

use syncvar_runtime::{
    MessageStart, NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind,
};

/// Flag in an entry of a `SpawnBatch`: a scene id follows.
pub(crate) const SCENE_ID: u64 = 1;

/// Flag in an entry of a `SpawnBatch`: the id of the parent follows.
pub(crate) const PARENT: u64 = 2;

/// Parts of a tick in a `View`.
pub(crate) const VIEW_PARTS: f64 = 256.0;

/// Byte of an `OwnerState` before its behaviours: the client reads the fields of the object's group no
/// more. No object has as many behaviours.
pub(crate) const LEAVES_GROUP: u8 = 255;

/// Version of the handshake in [`Connect`].
pub(crate) const PROTOCOL_VERSION: u32 = 7;

/// Length of the longest [`View`].
pub(crate) const LONGEST_VIEW: usize = FRAME + 9;

/// Message with a fixed layout.
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

    /// Decodes a payload. Trailing bytes are an error.
    fn decode(payload: &[u8]) -> Result<Self, ReadError> {
        let mut reader = NetworkReader::new(payload);
        let message = Self::read_payload(&mut reader)?;
        reader.finish()?;
        Ok(message)
    }
}

/// Begins a message. The caller writes the payload and finishes it.
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

            fn write_payload(&self, writer: &mut NetworkWriter) {
                // Empty messages do not use the writer.
                let _ = &writer;
                $($write(writer, &self.$field);)*
            }

            fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                let _ = &reader;
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
    /// Packed id, one byte for the owner flag.
    LocalClientAuthority { net_id: NetId = write_id, read_id, authority: bool = write, read }
    /// Packed id.
    Resync { net_id: NetId = write_id, read_id }
    /// Packed id of the child, packed id of the parent or 0.
    SetParent { child: NetId = write_id, read_id, parent: NetId = write_id, read_id }
    /// Packed own time of the client, in microseconds.
    Ping { time: u64 = write_packed_wide, read_packed_wide }
    /// Packed time of the ping, packed own time of the server in microseconds, packed ticks per second.
    Pong {
        time: u64 = write_packed_wide, read_packed_wide,
        server_time: u64 = write_packed_wide, read_packed_wide,
        tick_rate: u32 = write_packed, read_packed
    }
    /// Packed server time of a `Pong`, in microseconds.
    Echo { server_time: u64 = write_packed_wide, read_packed_wide }
    /// Packed id.
    Void { net_id: NetId = write_id, read_id }
    /// Packed id, packed number of the player, sign-extended.
    Owner { net_id: NetId = write_id, read_id, number: u32 = write_packed, read_packed }
    /// Number of the player in two bytes, payload of the program.
    AddPlayer { number: u16 = write_u16, read_u16, payload: Vec<u8> = write, read }
    /// Number of the player in two bytes.
    RemovePlayer { number: u16 = write_u16, read_u16 }
    /// Packed tick, one byte: least lead of the inputs over it in ticks, plus 128, or 0; packed tick behind the newest input
    /// or 0; packed number of refused inputs.
    InputState {
        tick: u64 = write_packed_wide, read_packed_wide,
        lead: u8 = write_u8, read_u8,
        end: u64 = write_packed_wide, read_packed_wide,
        refused: u32 = write_packed, read_packed
    }
    /// Packed tick of the client's view, in 256ths.
    View { time: u64 = write_packed_wide, read_packed_wide }
    /// Addresses, as a `Vec<String>`.
    Alternates { addresses: Vec<String> = write, read }
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

fn write<T: syncvar_runtime::SyncValue>(writer: &mut NetworkWriter, value: &T) {
    writer.write(value);
}

fn read<T: syncvar_runtime::SyncValue>(reader: &mut NetworkReader<'_>) -> Result<T, ReadError> {
    reader.read()
}

fn write_u8(writer: &mut NetworkWriter, value: &u8) {
    writer.write_u8(*value);
}

fn read_u8(reader: &mut NetworkReader<'_>) -> Result<u8, ReadError> {
    reader.read_u8()
}

fn write_u16(writer: &mut NetworkWriter, value: &u16) {
    writer.write_u16(*value);
}

fn read_u16(reader: &mut NetworkReader<'_>) -> Result<u16, ReadError> {
    reader.read_u16()
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

/// Returns the error of an unknown or unexpected message.
pub(crate) fn unknown(frame: Frame<'_>) -> ReadError {
    NetworkReader::new(frame.payload).error(ReadErrorKind::UnknownMessage(frame.message_type))
}
