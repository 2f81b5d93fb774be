//! `Integer`: integers of a type in their form on the wire.

use crate::codec::BitWidth;
use crate::value::Value;
use crate::wire::{unzigzag, unzigzag_128, zigzag, zigzag_128};
use crate::{Fixed, NetworkReader, NetworkWriter, ReadResult, SyncCodec, SyncValue};

/// Layout of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Number of bits of the type.
    pub width: Width,
    /// Set for a type with negative numbers.
    pub is_signed: bool,
    /// Set for a type without 0.
    pub is_non_zero: bool,
    /// Form on the wire.
    pub form: Form,
}

/// Number of bits of an integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// 8 bits.
    W8,
    /// 16 bits.
    W16,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
    /// 128 bits.
    W128,
}

/// Form of an integer on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The form of the encoding.
    Plain,
    /// The codec `ZigZag`.
    ZigZag,
    /// The codec `Fixed`.
    Fixed,
    /// The codec `Bits`, with a number of bits.
    Bits(u32),
}

impl Width {
    /// Returns the number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::W8 => 8,
            Self::W16 => 16,
            Self::W32 => 32,
            Self::W64 => 64,
            Self::W128 => 128,
        }
    }

    /// Returns the number of bytes.
    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::W8 => 1,
            Self::W16 => 2,
            Self::W32 => 4,
            Self::W64 => 8,
            Self::W128 => 16,
        }
    }
}

/// Runs an expression with the integer type of a width and sign.
macro_rules! with_type {
    ($integer:expr, $type:ident => $run:expr) => {
        match ($integer.width, $integer.is_signed) {
            (Width::W8, true) => with_type!(@ i8, $type, $run),
            (Width::W16, true) => with_type!(@ i16, $type, $run),
            (Width::W32, true) => with_type!(@ i32, $type, $run),
            (Width::W64, true) => with_type!(@ i64, $type, $run),
            (Width::W128, true) => with_type!(@ i128, $type, $run),
            (Width::W8, false) => with_type!(@ u8, $type, $run),
            (Width::W16, false) => with_type!(@ u16, $type, $run),
            (Width::W32, false) => with_type!(@ u32, $type, $run),
            (Width::W64, false) => with_type!(@ u64, $type, $run),
            (Width::W128, false) => with_type!(@ u128, $type, $run),
        }
    };
    (@ $concrete:ident, $type:ident, $run:expr) => {{
        type $type = $concrete;
        $run
    }};
}

impl Integer {
    /// Returns a type in the form of the encoding.
    pub const fn plain(width: Width, is_signed: bool) -> Self {
        Self {
            width,
            is_signed,
            is_non_zero: false,
            form: Form::Plain,
        }
    }

    /// Returns whether an integer is in the range of the type and its form.
    pub fn contains(&self, value: &Value) -> bool {
        let fits = match value {
            Value::Integer(0) if self.is_non_zero => false,
            Value::Integer(number) => with_type!(self, T => T::try_from(*number).is_ok()),
            Value::Unsigned(_) => self.width == Width::W128 && !self.is_signed,
            _ => false,
        };
        fits && match self.form {
            Form::Bits(_) => self.bits_of(value).is_some(),
            _ => true,
        }
    }

    /// Returns the number in the bits of the codec `Bits`, if it fits.
    fn bits_of(&self, value: &Value) -> Option<u64> {
        let Form::Bits(bits) = self.form else {
            return None;
        };
        if self.is_signed {
            BitWidth(bits).signed_bits(value.as_i64()?)
        } else {
            BitWidth(bits).unsigned_bits(value.as_u64()?)
        }
    }

    pub(super) fn read(&self, reader: &mut NetworkReader<'_>) -> ReadResult<Value> {
        let start = reader.mark();
        let value = match self.form {
            Form::Plain => with_type!(self, T => reader.read::<T>()?.into()),
            Form::Fixed => with_type!(self, T => <Fixed as SyncCodec<T>>::read(reader)?.into()),
            Form::ZigZag if self.width == Width::W128 => {
                Value::from(unzigzag_128(reader.read_varint_128()?))
            }
            Form::ZigZag => Value::from(unzigzag(reader.read_unsigned_wide()?)),
            Form::Bits(bits) if self.is_signed => {
                let width = BitWidth(bits);
                Value::from(width.to_signed(width.read(reader)?))
            }
            Form::Bits(bits) => Value::from(BitWidth(bits).read(reader)?),
        };
        if (self.is_non_zero || self.form != Form::Plain) && !self.contains(&value) {
            let number = value.as_i64().map_or(u64::MAX, i64::cast_unsigned);
            return Err(reader.out_of_range(start, number, "an integer of the schema"));
        }
        Ok(value)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value was checked to fit"
    )]
    pub(super) fn write(&self, value: &Value, writer: &mut NetworkWriter) {
        let number = match value {
            Value::Integer(number) => *number,
            // The bits of a number beyond `i128`.
            Value::Unsigned(number) => number.cast_signed(),
            _ => 0,
        };
        match self.form {
            Form::Plain => with_type!(self, T => (number as T).write(writer)),
            Form::Fixed => {
                with_type!(self, T => <Fixed as SyncCodec<T>>::write(&(number as T), writer));
            }
            Form::ZigZag if self.width == Width::W128 => {
                writer.write_varint_128(zigzag_128(number));
            }
            Form::ZigZag => writer.write_unsigned_wide(zigzag(number as i64)),
            Form::Bits(bits) => BitWidth(bits).write(self.bits_of(value), writer),
        }
    }
}
