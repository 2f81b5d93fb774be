//! `NetworkWriter`: appends without half-written values.

mod patches;

use std::mem;

use bytes::Bytes;

use super::context::{SerializeContext, SerializeReport};
use super::{Encoding, MAX_BYTES, WriteError, WriteErrorKind};

/// Appends values to a growing buffer, in the bytes of an [`Encoding`].
///
/// [`write`](Self::write) takes any `SyncValue` and writes it in the form of a behaviour's field.
/// The methods named by a type are UNet's own `NetworkWriter` calls, of fixed
/// layout, little-endian, and in `Mirror` Mirror's calls.
///
/// A value without a form on the wire (in UNet a string of more than 32 767 bytes) writes no byte and is
/// recorded as [`error`](Self::error); the server then discards the whole message instead of
/// sending a half.
///
/// ```
/// use syncvar::wire::NetworkWriter;
///
/// let mut writer = NetworkWriter::new();
/// writer.write(&-1_i32);         // as a field: packed
/// writer.write_i32(-1);          // fixed: four bytes
/// writer.write_string("hi");
/// assert_eq!(writer.as_bytes(), b"\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x02\0hi");
/// ```
#[derive(Debug, Default)]
pub struct NetworkWriter {
    buffer: Vec<u8>,
    /// Bytes taken last; their memory returns when the returned handles are dropped.
    taken: Bytes,
    encoding: Encoding,
    pub(super) context: SerializeContext,
    pub(super) report: SerializeReport,
    /// Place of the next value: the behaviour, and the field as `Behaviour.field`.
    behaviour: Option<&'static str>,
    field: Option<&'static str>,
    error: Option<WriteError>,
}

/// Position of a message; [`NetworkWriter::finish_message`] writes its size there.
#[derive(Debug)]
#[must_use = "a message without its size cannot be read: call `finish_message`"]
pub struct MessageStart(usize);

impl NetworkWriter {
    /// Creates an empty writer in the `Unet` encoding.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty writer in the given encoding.
    #[inline]
    pub fn with_encoding(encoding: Encoding) -> Self {
        Self {
            encoding,
            ..Self::default()
        }
    }

    /// Returns the encoding of the bytes.
    #[inline]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the bytes written so far.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Returns the number of bytes written so far.
    #[inline]
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns whether no byte has been written.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Returns the first value without a form on the wire.
    #[inline]
    pub fn error(&self) -> Option<WriteError> {
        self.error
    }

    #[inline]
    pub(crate) fn has_error(&self) -> bool {
        self.error.is_some()
    }

    /// Takes the error, so that the writer can be used further.
    #[inline]
    pub fn take_error(&mut self) -> Option<WriteError> {
        self.error.take()
    }

    /// Declares that a value lacks a form on the wire; the current message is discarded.
    ///
    /// ```
    /// # use syncvar::wire::{NetworkWriter, WriteErrorKind};
    /// let mut writer = NetworkWriter::new();
    /// writer.fail(WriteErrorKind::Custom("a route needs at least one waypoint"));
    /// assert!(writer.error().is_some());
    /// ```
    #[cold]
    #[inline(never)]
    pub fn fail(&mut self, kind: WriteErrorKind) {
        let offset = self.buffer.len();
        let error = WriteError::new(kind, offset, self.behaviour, self.field);
        self.error.get_or_insert(error);
    }

    /// Names the next field, as `Behaviour.field`, for an error.
    ///
    /// The derive calls it on every write; hand-written code should do so as well.
    ///
    /// ```
    /// # use syncvar::wire::NetworkWriter;
    /// let mut writer = NetworkWriter::new();
    /// writer.at("Player.motto").write(&"x".repeat(40_000));
    /// assert_eq!(writer.error().unwrap().field(), Some("Player.motto"));
    /// ```
    #[inline]
    pub fn at(&mut self, field: &'static str) -> &mut Self {
        self.field = Some(field);
        self
    }

    /// Names the behaviour of the next values, or none.
    #[inline]
    pub fn at_behaviour(&mut self, behaviour: Option<&'static str>) {
        self.behaviour = behaviour;
        self.field = None;
    }

    /// Reports the operations that the snapshot of a collection leaves to later deltas.
    pub(crate) fn report_pending(&mut self, operations: usize) {
        self.report.pending = self.report.pending.max(operations);
    }

    /// Reports the memory of elements, for the limit of an owner's fields.
    #[inline]
    pub(crate) fn report_elements<T>(&mut self, count: usize, more: usize) {
        let memory = count.wrapping_mul(size_of::<T>().wrapping_add(more));
        self.report.memory = self.report.memory.wrapping_add(memory);
        self.report.elements = self.report.elements.wrapping_add(count);
    }

    /// Removes all bytes after the first `length`.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.buffer.truncate(length);
    }

    /// Removes all bytes, for a use in the given encoding.
    pub fn restart(&mut self, encoding: Encoding) {
        if self.encoding == encoding {
            self.truncate(0);
        } else {
            *self = Self::with_encoding(encoding);
        }
    }

    /// Takes all bytes written so far, without copying.
    ///
    /// Two buffers alternate: once all handles to the buffer of the call before last have been dropped,
    /// its memory is reused, and the only allocation left is the small reference
    /// count of the returned bytes.
    pub fn take_bytes(&mut self) -> Bytes {
        if self.buffer.is_empty() {
            return Bytes::new();
        }
        let next = match mem::take(&mut self.taken).try_into_mut() {
            Ok(mut unused) => {
                unused.clear();
                Vec::from(unused)
            }
            Err(_still_held) => Vec::with_capacity(self.buffer.len()),
        };
        self.taken = Bytes::from(mem::replace(&mut self.buffer, next));
        self.taken.clone()
    }

    /// Gives all bytes written so far away, with their memory.
    pub(crate) fn give_bytes(&mut self) -> Bytes {
        Bytes::from(mem::take(&mut self.buffer))
    }

    #[inline]
    pub(super) fn write_array<const N: usize>(&mut self, bytes: [u8; N]) {
        self.buffer.extend_from_slice(&bytes);
    }

    /// Writes one byte, 0 or 1.
    #[inline]
    pub fn write_bool(&mut self, value: bool) {
        self.write_array([u8::from(value)]);
    }

    /// Writes the low byte of a UTF-16 code unit: UNet's `Write(char)`, which loses the remaining bits. A `char`
    /// field is written packed and whole instead; use `write(&c)`.
    #[inline]
    pub fn write_char_low_byte(&mut self, code_unit: u16) {
        let [low, _] = code_unit.to_le_bytes();
        self.write_array([low]);
    }

    /// Writes raw bytes, without a length.
    #[inline]
    pub fn write_bytes(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Begins a message: reserves its size field and writes its type.
    ///
    /// ```
    /// # use syncvar::wire::NetworkWriter;
    /// let mut writer = NetworkWriter::new();
    /// let start = writer.start_message(143);
    /// writer.write_string("hi");
    /// writer.finish_message(start);
    /// assert_eq!(writer.as_bytes(), b"\x04\0\x8f\0\x02\0hi");
    /// ```
    #[inline]
    pub fn start_message(&mut self, message_type: i16) -> MessageStart {
        let start = MessageStart(self.buffer.len());
        let [low, high] = message_type.to_le_bytes();
        self.write_array([0, 0, low, high]);
        start
    }

    /// Ends a message: writes the size of its payload into the reserved field.
    ///
    /// A payload of more than [`MAX_BYTES`] is an [`error`](Self::error).
    #[expect(clippy::needless_pass_by_value, reason = "a message is finished once")]
    pub fn finish_message(&mut self, start: MessageStart) {
        let MessageStart(start) = start;
        let length = self.buffer.len().saturating_sub(start).saturating_sub(4);
        match u16::try_from(length) {
            Ok(size) => self.patch_u16(start, size),
            Err(_) => self.fail(WriteErrorKind::MessageTooLarge {
                length,
                limit: MAX_BYTES,
            }),
        }
    }
}

macro_rules! fixed {
    ($($name:ident, $type:ty, $bytes:literal;)*) => {
        impl NetworkWriter {
            $(
                #[doc = concat!("`", stringify!($type), "` in ", $bytes, ", least significant byte first.")]
                #[inline]
                pub fn $name(&mut self, value: $type) {
                    self.write_array(value.to_le_bytes());
                }
            )*
        }
    };
}

fixed! {
    write_u8, u8, "1 byte";
    write_i8, i8, "1 byte";
    write_u16, u16, "2 bytes";
    write_i16, i16, "2 bytes";
    write_u32, u32, "4 bytes";
    write_i32, i32, "4 bytes";
    write_u64, u64, "8 bytes";
    write_i64, i64, "8 bytes";
    write_u128, u128, "16 bytes";
    write_i128, i128, "16 bytes";
    write_f32, f32, "4 bytes, bit for bit";
    write_f64, f64, "8 bytes, bit for bit";
}

#[cfg(test)]
mod tests {
    use super::NetworkWriter;

    /// Takes the bytes and returns their address.
    fn taken(writer: &mut NetworkWriter, bytes: &[u8]) -> (bytes::Bytes, *const u8) {
        writer.write_bytes(bytes);
        let place = writer.as_bytes().as_ptr();
        let taken = writer.take_bytes();
        assert_eq!((&taken[..], taken.as_ptr()), (bytes, place), "not copied");
        assert!(writer.is_empty());
        (taken, place)
    }

    #[test]
    fn two_buffers_alternate_when_released_in_time() {
        let mut writer = NetworkWriter::new();
        let places: Vec<_> = (0..6).map(|_| taken(&mut writer, &[7; 100]).1).collect();
        assert_eq!(places[2..4], places[4..6]);
        assert_eq!(places[0], places[2]);
    }

    #[test]
    fn held_buffer_is_never_overwritten() {
        let mut writer = NetworkWriter::new();
        let held: Vec<_> = (0..5_u8)
            .map(|number| taken(&mut writer, &[number; 20]).0)
            .collect();
        for (number, bytes) in (0..).zip(held) {
            assert_eq!(bytes[..], [number; 20]);
        }
        assert!(writer.take_bytes().is_empty(), "nothing has been written");
    }
}
