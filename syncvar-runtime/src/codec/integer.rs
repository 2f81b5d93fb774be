//! `ZigZag` and `Fixed`: integers by magnitude, or in their full size.

use super::SyncCodec;
use crate::schema::TypeSchema;
use crate::wire::{unzigzag, unzigzag_128, zigzag, zigzag_128};
use crate::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue};

/// Signed integers near 0: -1 takes one byte instead of the five or nine of UNet.
///
/// 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4, packed in the encoding `Unet`. In `Compact` and `Mirror` these are
/// integers of variable length, the default form of `i32` and `i64` there. For `i8` to `i64` without loss, and for
/// `i128`, which is a varint in every encoding.
///
/// ```
/// use syncvar::{codec::{SyncCodec, ZigZag}, wire::NetworkWriter};
///
/// let mut writer = NetworkWriter::new();
/// writer.write(&-3_i32);
/// assert_eq!(writer.as_bytes().len(), 5);
/// writer.truncate(0);
/// ZigZag::write(&-3_i32, &mut writer);
/// assert_eq!(writer.as_bytes(), [5]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ZigZag;

/// Integers and characters in the full size of their type, lowest byte first: for numbers that are usually
/// large, such as hashes and random identifiers.
///
/// For `u8` to `u128`, `i8` to `i128`, and `char` in 4 bytes; without loss, with equal bytes in every encoding.
/// In `Mirror` these are the bytes of `WriteInt`, `WriteUInt`, `WriteLong` and `WriteULong`.
///
/// ```
/// use syncvar::{codec::{Fixed, SyncCodec}, wire::NetworkWriter};
///
/// let mut writer = NetworkWriter::new();
/// writer.write(&u32::MAX);
/// assert_eq!(writer.as_bytes().len(), 5);
/// writer.truncate(0);
/// Fixed::write(&u32::MAX, &mut writer);
/// assert_eq!(writer.as_bytes(), [255; 4]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

macro_rules! zigzag {
    ($($type:ident: |$writer:ident, $value:ident| $write:expr, |$reader:ident| $read:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl SyncCodec<$type> for ZigZag {
            const SCHEMA: TypeSchema = TypeSchema::Encoded {
                codec: "ZigZag",
                parameters: &[],
                value: &<$type as SyncValue>::SCHEMA,
            };

            #[inline]
            fn write($value: &$type, $writer: &mut NetworkWriter) {
                $write;
            }

            #[inline]
            fn read($reader: &mut NetworkReader<'_>) -> Result<$type, ReadError> {
                $read
            }

            #[inline]
            fn same(value: &$type, other: &$type) -> bool {
                value == other
            }
        }
    )*};
}

zigzag! {
    i8: |writer, value| write_zigzag(i64::from(*value), writer), |reader| read_zigzag(reader, "i8");
    i16: |writer, value| write_zigzag(i64::from(*value), writer), |reader| read_zigzag(reader, "i16");
    i32: |writer, value| write_zigzag(i64::from(*value), writer), |reader| read_zigzag(reader, "i32");
    i64: |writer, value| write_zigzag(*value, writer), |reader| read_zigzag(reader, "i64");
    i128: |writer, value| writer.write_varint_128(zigzag_128(*value)),
        |reader| reader.read_varint_128().map(unzigzag_128);
}

#[inline]
fn write_zigzag(value: i64, writer: &mut NetworkWriter) {
    writer.write_unsigned_wide(zigzag(value));
}

#[inline]
fn read_zigzag<T: TryFrom<i64>>(
    reader: &mut NetworkReader<'_>,
    target: &'static str,
) -> Result<T, ReadError> {
    let start = reader.mark();
    let number = reader.read_unsigned_wide()?;
    match unzigzag(number).try_into() {
        Ok(value) => Ok(value),
        Err(_) => Err(reader.out_of_range(start, number, target)),
    }
}

macro_rules! fixed {
    ($($type:ident: $write:ident, $read:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl SyncCodec<$type> for Fixed {
            const SCHEMA: TypeSchema = TypeSchema::Encoded {
                codec: "Fixed",
                parameters: &[],
                value: &<$type as SyncValue>::SCHEMA,
            };

            #[inline]
            fn write(value: &$type, writer: &mut NetworkWriter) {
                writer.$write(*value);
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<$type, ReadError> {
                reader.$read()
            }

            #[inline]
            fn same(value: &$type, other: &$type) -> bool {
                value == other
            }
        }
    )*};
}

fixed! {
    i8: write_i8, read_i8;
    i16: write_i16, read_i16;
    i32: write_i32, read_i32;
    i64: write_i64, read_i64;
    u8: write_u8, read_u8;
    u16: write_u16, read_u16;
    u32: write_u32, read_u32;
    u64: write_u64, read_u64;
    i128: write_i128, read_i128;
    u128: write_u128, read_u128;
}

#[diagnostic::do_not_recommend]
impl SyncCodec<char> for Fixed {
    const SCHEMA: TypeSchema = TypeSchema::Encoded {
        codec: "Fixed",
        parameters: &[],
        value: &<char as SyncValue>::SCHEMA,
    };

    #[inline]
    fn write(value: &char, writer: &mut NetworkWriter) {
        writer.write_u32(u32::from(*value));
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<char, ReadError> {
        let start = reader.mark();
        let number = reader.read_u32()?;
        match char::from_u32(number) {
            Some(character) => Ok(character),
            None => Err(reader.error_since(start, ReadErrorKind::InvalidChar(number))),
        }
    }

    #[inline]
    fn same(value: &char, other: &char) -> bool {
        value == other
    }
}
