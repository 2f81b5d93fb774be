//! UNet's message 9: one operation on one of its lists.
//!
//! A server and a client of this library neither send nor take it: what changes in a
//! [`SyncList`](crate::SyncList) travels in the behaviour's own changes. It is here for programs that
//! speak to a real UNet by messages of their own. Layout: SPEC of the recordings, WIRE.md, section 4.
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

use crate::{
    Encoding, NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue,
    WriteErrorKind,
};

/// One operation on one list of one object, as UNet's server sends it to the clients that observe the
/// object, at once and on the channel of the behaviour.
///
/// The payload, after UNet HLAPI 1.1.1:
///
/// | bytes | what |
/// | --- | --- |
/// | packed | the object's id |
/// | packed | the [hash](ListHash) of the list |
/// | 1 | the [operation](ListOperation) |
/// | packed | the position, or 0 |
/// | the rest | the element, or the default one |
///
/// [`write`](Self::write) and [`read`](Self::read) are about the payload. The header around it is that
/// of every message:
///
/// ```
/// use syncvar::{
///     ListHash, ListOperation, NetId, NetworkReader, NetworkWriter, SyncList, SyncListMessage,
/// };
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
    /// The object.
    pub net_id: NetId,
    /// Which of its lists.
    pub list_hash: ListHash,
    /// What has been done to the list.
    pub operation: ListOperation<T>,
}

impl<T> SyncListMessage<T> {
    /// The number of the message.
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

    /// Takes a payload. What type the elements have is known from [`ListHash::peek`].
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

/// What stands for a list in UNet's messages: a hash of the class that declares it and its name there.
///
/// Both ends have to name them as the C# source does: the class without its namespace, and of a list in
/// a base class the base class.
///
/// ```
/// # use syncvar::ListHash;
/// assert_eq!(ListHash::of("SyncListsOnly", "ints"), ListHash(1_926_614_412));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListHash(pub u32);

impl ListHash {
    /// The hash of a list: of the text `class:List:field`, from 0 on, each UTF-16 unit is added to 31
    /// times the hash so far, modulo 2^32.
    pub fn of(class: &str, field: &str) -> Self {
        let text = [class, ":List:", field];
        let units = text.into_iter().flat_map(str::encode_utf16);
        Self(units.fold(0_u32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(unit.into())
        }))
    }

    /// Which list of which object a payload is about. The reader stays where it is.
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
