//! Bytes of packets.

use syncvar::SyncValue;
use syncvar::wire::{Encoding, NetworkWriter};

/// Payload of a message. WIRE.md, sections 1 to 4, has the layouts.
#[derive(Clone, Debug)]
pub struct Payload {
    encoding: Encoding,
    bytes: Vec<u8>,
}

impl Payload {
    /// Returns an empty payload.
    #[must_use]
    pub fn new(encoding: Encoding) -> Self {
        let bytes = Vec::new();
        Self { encoding, bytes }
    }

    /// Appends bytes.
    #[must_use]
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Appends a value in the form of a field.
    ///
    /// # Panics
    ///
    /// If the encoding cannot express the value.
    #[must_use]
    pub fn value(mut self, value: &impl SyncValue) -> Self {
        let mut writer = NetworkWriter::with_encoding(self.encoding);
        writer.write(value);
        assert_eq!(writer.error(), None);
        self.bytes.extend_from_slice(writer.as_bytes());
        self
    }

    /// Appends a number: packed in `Unet`, a varint elsewhere.
    #[must_use]
    pub fn number(self, number: usize) -> Self {
        self.value(&u64::try_from(number).unwrap_or(u64::MAX))
    }

    /// Appends a packed number, in each encoding.
    #[must_use]
    pub fn packed(mut self, number: u32) -> Self {
        let mut writer = NetworkWriter::new();
        writer.write(&number);
        self.bytes.extend_from_slice(writer.as_bytes());
        self
    }

    /// Appends the number of elements of a sequence.
    #[must_use]
    pub fn count(self, count: usize) -> Self {
        match self.encoding {
            Encoding::Unet => {
                let count = u16::try_from(count).unwrap_or(u16::MAX);
                self.raw(&count.to_le_bytes())
            }
            _ => self.number(count),
        }
    }

    /// Appends the head of an operation on a collection.
    #[must_use]
    pub fn operation(self, number: u8, position: usize) -> Self {
        match self.encoding {
            Encoding::Unet => self.raw(&[number]).number(position),
            _ => self.number(position * 8 + usize::from(number)),
        }
    }

    /// Appends parts a number of times.
    #[must_use]
    pub fn times(self, count: usize, part: impl Fn(Self, usize) -> Self) -> Self {
        (0..count).fold(self, part)
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether the payload is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the message with its head. A long payload has the long form.
    #[must_use]
    pub fn message(self, number: i16) -> Vec<u8> {
        if let Ok(length) = u16::try_from(self.bytes.len()) {
            return [
                &length.to_le_bytes()[..],
                &number.to_le_bytes(),
                &self.bytes,
            ]
            .concat();
        }
        let length = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        let head = [6, 0, 24, 0];
        [
            &head[..],
            &length.to_le_bytes(),
            &number.to_le_bytes(),
            &self.bytes,
        ]
        .concat()
    }
}
