//! The bytes of the floor: variable-length integers, written and read by hand.

#![expect(
    clippy::inline_always,
    reason = "the floor must not depend on what the compiler deems worth inlining"
)]

use super::workload::Values;

/// A bit for each of the eight fields.
pub(crate) const ALL_FIELDS: u64 = 0xFF;

/// Bit of the only field in a change of [`Fields::One`](super::workload::Fields::One).
pub(crate) const HEALTH: u64 = 1;

/// Writes the number of an object, then its mask and fields.
pub(crate) fn write_object(buffer: &mut Vec<u8>, object: u32, mask: u64, values: &Values) {
    write_varint(buffer, object.into());
    write_delta(buffer, mask, values);
}

/// Reads the number of an object; [`read_delta`] reads the rest.
pub(crate) fn read_object(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(read_varint(bytes)?).ok()
}

/// Writes the mask, then its fields.
#[inline(always)]
pub(crate) fn write_delta(buffer: &mut Vec<u8>, mask: u64, values: &Values) {
    write_varint(buffer, mask);
    write_fields(buffer, mask, values);
}

/// Reads into existing values.
#[inline(always)]
pub(crate) fn read_delta(bytes: &mut &[u8], values: &mut Values) -> Option<()> {
    let mask = read_varint(bytes)?;
    read_fields(bytes, mask, values)
}

#[inline(always)]
pub(crate) fn write_fields(buffer: &mut Vec<u8>, mask: u64, values: &Values) {
    if mask & HEALTH != 0 {
        write_integer(buffer, values.health);
    }
    if mask & 1 << 1 != 0 {
        write_integer(buffer, values.score);
    }
    if mask & 1 << 2 != 0 {
        write_integer(buffer, values.balance);
    }
    if mask & 1 << 3 != 0 {
        write_integer(buffer, values.seed);
    }
    if mask & 1 << 4 != 0 {
        buffer.extend_from_slice(&values.x.to_le_bytes());
    }
    if mask & 1 << 5 != 0 {
        buffer.extend_from_slice(&values.y.to_le_bytes());
    }
    if mask & 1 << 6 != 0 {
        buffer.extend_from_slice(&values.z.to_le_bytes());
    }
    if mask & 1 << 7 != 0 {
        write_varint(buffer, values.name.len() as u64);
        buffer.extend_from_slice(values.name.as_bytes());
    }
}

/// Reads into existing values; the string keeps its memory.
#[inline(always)]
pub(crate) fn read_fields(bytes: &mut &[u8], mask: u64, values: &mut Values) -> Option<()> {
    if mask & HEALTH != 0 {
        values.health = read_integer(bytes)?;
    }
    if mask & 1 << 1 != 0 {
        values.score = read_integer(bytes)?;
    }
    if mask & 1 << 2 != 0 {
        values.balance = read_integer(bytes)?;
    }
    if mask & 1 << 3 != 0 {
        values.seed = read_integer(bytes)?;
    }
    if mask & 1 << 4 != 0 {
        values.x = read_float(bytes)?;
    }
    if mask & 1 << 5 != 0 {
        values.y = read_float(bytes)?;
    }
    if mask & 1 << 6 != 0 {
        values.z = read_float(bytes)?;
    }
    if mask & 1 << 7 != 0 {
        let length = usize::try_from(read_varint(bytes)?).ok()?;
        let (name, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        values.name.clear();
        values.name.push_str(str::from_utf8(name).ok()?);
    }
    Some(())
}

#[inline(always)]
fn read_float(bytes: &mut &[u8]) -> Option<f32> {
    let (float, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(f32::from_le_bytes(*float))
}

/// Encodes small numbers of either sign as small numbers (zigzag).
#[inline(always)]
fn write_integer(buffer: &mut Vec<u8>, value: i32) {
    let zigzag = ((value << 1) ^ (value >> 31)).cast_unsigned();
    write_varint(buffer, zigzag.into());
}

#[inline(always)]
fn read_integer(bytes: &mut &[u8]) -> Option<i32> {
    let zigzag = u32::try_from(read_varint(bytes)?).ok()?;
    Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
}

#[inline(always)]
fn write_varint(buffer: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        let [low, ..] = value.to_le_bytes();
        buffer.push(low | 0x80);
        value >>= 7;
    }
    let [low, ..] = value.to_le_bytes();
    buffer.push(low);
}

#[inline(always)]
fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    let mut shift = 0;
    while shift < u64::BITS {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
    None
}
