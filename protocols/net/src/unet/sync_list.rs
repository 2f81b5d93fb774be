//! UNet's message 9: one operation on one list.
//!
//! The server and client of this library do not use it: the operations of a
//! [`SyncList`](syncvar_runtime::SyncList) are part of the behaviour's delta. It serves programs that exchange
//! messages with a real UNet. Layout: WIRE.md, section 4.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects
)]

mod apply;
mod operation;

pub use apply::ListError;
pub use operation::ListOperation;

use syncvar_runtime::{
    Encoding, NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue,
    WriteErrorKind,
};

/// Operation on a list of an object. UNet's server sends it immediately to all observers, on the
/// behaviour's channel.
///
/// Payload, after UNet HLAPI 1.1.1:
///
/// | bytes | content |
/// | --- | --- |
/// | packed | id of the object |
/// | packed | [hash](ListHash) of the list |
/// | 1 | [operation](ListOperation) |
/// | packed | position, or 0 |
/// | rest | element, or the default element |
///
/// [`write`](Self::write) and [`read`](Self::read) handle the payload. The header is the common one:
///
/// ```
/// use syncvar::{NetId, SyncList, unet::{ListHash, ListOperation, SyncListMessage}, wire::{NetworkReader, NetworkWriter}};
///
/// let message = SyncListMessage {
///     net_id: NetId(1),
///     list_hash: ListHash::of("SyncListsOnly", "ints"),
///     operation: ListOperation::Add { index: 0, value: 5 },
/// };
/// let mut writer = NetworkWriter::new();
/// let start = writer.start_message(SyncListMessage::<i32>::TYPE);
/// message.write(&mut writer);
/// writer.finish_message(start);
/// assert_eq!(writer.as_bytes(), b"\x09\0\x09\0\x01\xfb\x8c\xcd\xd5\x72\0\0\x05");
///
/// let mut reader = NetworkReader::new(&writer.as_bytes()[4..]);
/// let received = SyncListMessage::<i32>::read(&mut reader)?;
/// let mut list = SyncList::new();
/// received.operation.apply(&mut list)?;
/// assert_eq!(list, [5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncListMessage<T> {
    /// Id of the object.
    pub net_id: NetId,
    /// Hash of the list.
    pub list_hash: ListHash,
    /// Operation on the list.
    pub operation: ListOperation<T>,
}

impl<T> SyncListMessage<T> {
    /// Number of the message.
    pub const TYPE: i16 = 9;
}

impl<T: SyncValue> SyncListMessage<T> {
    /// Appends the payload.
    ///
    /// An element or a position that has no form is an [`error`](NetworkWriter::error) of the writer,
    /// and so is a writer of another dialect than [`Encoding::Unet`].
    pub fn write(&self, writer: &mut NetworkWriter)
    where
        T: Default,
    {
        if writer.encoding() != Encoding::Unet {
            return writer.fail(WriteErrorKind::Custom(OTHER_ENCODING));
        }
        writer.write_packed_u32(self.net_id.0);
        writer.write_packed_u32(self.list_hash.0);
        self.operation.write(writer);
    }

    /// Reads a payload. [`ListHash::peek`] identifies the list, and with it the element type.
    ///
    /// # Errors
    ///
    /// When bytes are missing or left over, when the operation is none of UNet's, when the element
    /// cannot be read, and when the reader is of another dialect than [`Encoding::Unet`].
    pub fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let (net_id, list_hash) = read_address(reader)?;
        let message = Self {
            net_id,
            list_hash,
            operation: ListOperation::read(reader)?,
        };
        reader.finish()?;
        Ok(message)
    }
}

const OTHER_ENCODING: &str = "a message of UNet's in another encoding";

fn read_address(reader: &mut NetworkReader<'_>) -> Result<(NetId, ListHash), ReadError> {
    if reader.encoding() != Encoding::Unet {
        return Err(reader.error(ReadErrorKind::Custom(OTHER_ENCODING)));
    }
    let net_id = NetId(reader.read_packed_u32()?);
    Ok((net_id, ListHash(reader.read_packed_u32()?)))
}

/// Hash of a list in UNet's messages: of the declaring class and the list's name.
///
/// Both sides must use the names of the C# source: the class without its namespace; for an inherited
/// list, the base class.
///
/// ```
/// # use syncvar::unet::ListHash;
/// assert_eq!(ListHash::of("SyncListsOnly", "ints"), ListHash(1_926_614_412));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListHash(pub u32);

impl ListHash {
    /// Returns the hash of the text `class:List:field`. It starts at 0; each UTF-16 unit is added to 31
    /// times the previous hash, modulo 2^32.
    pub fn of(class: &str, field: &str) -> Self {
        let text = [class, ":List:", field];
        let units = text.into_iter().flat_map(str::encode_utf16);
        Self(units.fold(0_u32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(unit.into())
        }))
    }

    /// Returns the object and the list of a payload. The reader does not advance.
    ///
    /// # Errors
    ///
    /// When bytes are missing, and when the reader is of another dialect than [`Encoding::Unet`].
    pub fn peek(reader: &NetworkReader<'_>) -> Result<(NetId, Self), ReadError> {
        read_address(&mut reader.clone())
    }
}

#[cfg(test)]
mod tests;
