//! The bytes of the floor: variable-length integers, written and read by hand.

use super::workload::Values;

/// A bit for each of the eight fields.
pub(crate) const ALL_FIELDS: u64 = 0xFF;

/// The bit of the field that changes when only one does.
pub(crate) const HEALTH: u64 = 1;

pub(crate) fn write_object(buffer: &mut Vec<u8>, object: u32, mask: u64, values: &Values) {
    write_varint(buffer, object.into());
    write_varint(buffer, mask);
    write_fields(buffer, mask, values);
}

/// The number of the object and its mask; the fields follow.
pub(crate) fn read_object(bytes: &mut &[u8]) -> Option<(usize, u64)> {
    let object = usize::try_from(read_varint(bytes)?).ok()?;
    Some((object, read_varint(bytes)?))
}

#[inline]
pub(crate) fn write_fields(buffer: &mut Vec<u8>, mask: u64, values: &Values) {
    let integers = [values.health, values.score, values.balance, values.seed];
    for (bit, value) in integers.into_iter().enumerate() {
        if mask & (1 << bit) != 0 {
            write_varint(buffer, zigzag(value).into());
        }
    }
    for (bit, value) in [values.x, values.y, values.z].into_iter().enumerate() {
        if mask & (1 << (bit + 4)) != 0 {
            buffer.extend_from_slice(&value.to_le_bytes());
        }
    }
    if mask & (1 << 7) != 0 {
        write_varint(buffer, values.name.len() as u64);
        buffer.extend_from_slice(values.name.as_bytes());
    }
}

/// Reads into values that are there already, whose string keeps its memory.
#[inline]
pub(crate) fn read_fields(bytes: &mut &[u8], mask: u64, values: &mut Values) -> Option<()> {
    let integers = [
        &mut values.health,
        &mut values.score,
        &mut values.balance,
        &mut values.seed,
    ];
    for (bit, value) in integers.into_iter().enumerate() {
        if mask & (1 << bit) != 0 {
            *value = unzigzag(u32::try_from(read_varint(bytes)?).ok()?);
        }
    }
    let coordinates = [&mut values.x, &mut values.y, &mut values.z];
    for (bit, value) in coordinates.into_iter().enumerate() {
        if mask & (1 << (bit + 4)) != 0 {
            let (taken, rest) = bytes.split_first_chunk()?;
            *value = f32::from_le_bytes(*taken);
            *bytes = rest;
        }
    }
    if mask & (1 << 7) != 0 {
        let length = usize::try_from(read_varint(bytes)?).ok()?;
        let (taken, rest) = bytes.split_at_checked(length)?;
        values.name.clear();
        values.name.push_str(str::from_utf8(taken).ok()?);
        *bytes = rest;
    }
    Some(())
}

#[inline]
fn write_varint(buffer: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        let [low, ..] = value.to_le_bytes();
        buffer.push(low | 0x80);
        value >>= 7;
    }
    let [low, ..] = value.to_le_bytes();
    buffer.push(low);
}

#[inline]
fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Small numbers of either sign become small.
#[inline]
fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)).cast_unsigned()
}

#[inline]
fn unzigzag(value: u32) -> i32 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}
