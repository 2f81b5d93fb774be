//! `BufferSerializer`: one function for writing and reading.

use super::SynchronizeError;
use crate::{NetworkReader, NetworkWriter, SyncCodec, SyncValue};

/// Writes values, or reads them into the same places. The caller chooses the direction, so that the
/// function reads exactly the values that it writes.
///
/// ```
/// use syncvar::{behaviour::BufferSerializer, error::SynchronizeError, wire::{NetworkReader, NetworkWriter}};
///
/// fn serialize(
///     pair: &mut (u32, String),
///     serializer: &mut BufferSerializer<'_, '_>,
/// ) -> Result<(), SynchronizeError> {
///     serializer.serialize_value(&mut pair.0)?;
///     serializer.serialize_value(&mut pair.1)
/// }
///
/// let mut writer = NetworkWriter::new();
/// serialize(&mut (7, "hi".into()), &mut BufferSerializer::writing(&mut writer))?;
///
/// let mut reader = NetworkReader::new(writer.as_bytes());
/// let mut received = Default::default();
/// serialize(&mut received, &mut BufferSerializer::reading(&mut reader))?;
/// assert_eq!(received, (7, "hi".into()));
/// # Ok::<(), SynchronizeError>(())
/// ```
#[derive(Debug)]
pub struct BufferSerializer<'a, 'b>(Direction<'a, 'b>);

#[derive(Debug)]
enum Direction<'a, 'b> {
    Write(&'a mut NetworkWriter),
    Read(&'a mut NetworkReader<'b>),
}

impl<'a, 'b> BufferSerializer<'a, 'b> {
    /// Creates a serializer that writes.
    pub fn writing(writer: &'a mut NetworkWriter) -> Self {
        Self(Direction::Write(writer))
    }

    /// Creates a serializer that reads.
    pub fn reading(reader: &'a mut NetworkReader<'b>) -> Self {
        Self(Direction::Read(reader))
    }

    /// Returns whether it writes.
    pub fn is_writer(&self) -> bool {
        matches!(self.0, Direction::Write(_))
    }

    /// Returns whether it reads.
    pub fn is_reader(&self) -> bool {
        matches!(self.0, Direction::Read(_))
    }

    /// Returns the writer, if it writes, for data that is not a value.
    pub fn writer(&mut self) -> Option<&mut NetworkWriter> {
        match &mut self.0 {
            Direction::Write(writer) => Some(writer),
            Direction::Read(_) => None,
        }
    }

    /// Returns the reader, if it reads, for data that is not a value.
    pub fn reader(&mut self) -> Option<&mut NetworkReader<'b>> {
        match &mut self.0 {
            Direction::Write(_) => None,
            Direction::Read(reader) => Some(reader),
        }
    }

    /// Writes a value, or reads into it, in the form of a field. A read keeps the memory of the value and its
    /// members that do not travel.
    ///
    /// # Errors
    ///
    /// When the value lacks a form on the wire, or the bytes do not hold such a value.
    pub fn serialize_value<T: SyncValue>(&mut self, value: &mut T) -> Result<(), SynchronizeError> {
        match &mut self.0 {
            Direction::Write(writer) => {
                value.write(writer);
                check(writer)
            }
            Direction::Read(reader) => Ok(value.read_in_place(reader)?),
        }
    }

    /// Like [`serialize_value`](Self::serialize_value), with a codec:
    /// `serializer.serialize_with::<Half, _>(&mut self.speed)`.
    ///
    /// # Errors
    ///
    /// Like [`serialize_value`](Self::serialize_value).
    pub fn serialize_with<C, T>(&mut self, value: &mut T) -> Result<(), SynchronizeError>
    where
        C: SyncCodec<T>,
        T: Clone + Send + Sync + 'static,
    {
        match &mut self.0 {
            Direction::Write(writer) => {
                C::write(value, writer);
                check(writer)
            }
            Direction::Read(reader) => Ok(C::read_in_place(value, reader)?),
        }
    }
}

fn check(writer: &NetworkWriter) -> Result<(), SynchronizeError> {
    writer.error().map_or(Ok(()), |error| Err(error.into()))
}
