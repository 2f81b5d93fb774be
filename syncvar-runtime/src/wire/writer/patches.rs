//! Values at earlier positions of the buffer.

use super::NetworkWriter;
use crate::wire::{MAX_BYTES, WriteErrorKind};

impl NetworkWriter {
    /// Reserves a `u16` and returns its position.
    #[inline]
    pub fn reserve_u16(&mut self) -> usize {
        let position = self.buffer.len();
        self.write_array([0, 0]);
        position
    }

    /// Writes a reserved `u16`.
    pub(crate) fn patch_u16(&mut self, position: usize, value: u16) {
        if let Some(room) = position
            .checked_add(2)
            .and_then(|end| self.buffer.get_mut(position..end))
        {
            room.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Writes a `u64` over the eight bytes at a position.
    pub(crate) fn patch_u64(&mut self, position: usize, value: u64) {
        if let Some(room) = position
            .checked_add(8)
            .and_then(|end| self.buffer.get_mut(position..end))
        {
            room.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Sets bits of an earlier byte.
    #[inline]
    pub fn add_bits(&mut self, position: usize, bits: usize) {
        if let Some(byte) = self.buffer.get_mut(position) {
            let [bits, ..] = bits.to_le_bytes();
            *byte |= bits;
        }
    }

    /// Inserts a number at a position.
    pub(crate) fn insert_varint(&mut self, position: usize, value: u64) {
        self.insert(position, |writer| writer.write_varint(value));
    }

    /// Writes a number over a byte 0, and inserts its further bytes.
    #[inline]
    pub(crate) fn patch_varint(&mut self, position: usize, value: u64) {
        let [low, ..] = value.to_le_bytes();
        let is_long = value >= 0x80;
        if let Some(byte) = self.buffer.get_mut(position) {
            *byte = low | u8::from(is_long) << 7;
        }
        if is_long {
            self.insert_varint(position.saturating_add(1), value >> 7);
        }
    }

    /// Removes the byte at a position.
    pub(crate) fn remove_byte(&mut self, position: usize) {
        if position < self.buffer.len() {
            self.buffer.remove(position);
        }
    }

    /// Inserts the output of a function at a position.
    pub(crate) fn insert(&mut self, position: usize, write: impl FnOnce(&mut Self)) {
        let end = self.buffer.len();
        write(self);
        let length = self.buffer.len().saturating_sub(end);
        if let Some(moved) = self.buffer.get_mut(position..) {
            moved.rotate_right(length);
        }
    }

    /// Writes the number of following bytes into the two bytes at `position`.
    pub fn patch_length(&mut self, position: usize) {
        let length = self.buffer.len().saturating_sub(position).saturating_sub(2);
        match u16::try_from(length) {
            Ok(size) => self.patch_u16(position, size),
            Err(_) => self.fail(WriteErrorKind::MessageTooLarge {
                length,
                limit: MAX_BYTES,
            }),
        }
    }
}
