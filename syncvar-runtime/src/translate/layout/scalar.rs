//! `Scalar`: numbers, truth values, characters and references.

use super::error::{ValueError, ValueErrorKind};
use crate::codec::{BitWidth, Steps};
use crate::schema::MAX_BEHAVIOURS;
use crate::value::{Value, narrow, widen};
use crate::wire::{unzigzag, unzigzag_128, zigzag, zigzag_128};
use crate::{
    Fixed, Half, NetId, NetRef, NetworkReader, NetworkWriter, ReadErrorKind, ReadResult, SyncCodec,
    SyncValue,
};

/// Layout of a value without parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A truth value.
    Bool,
    /// A character.
    Char,
    /// A character in 4 bytes.
    FixedChar,
    /// An integer.
    Integer(Integer),
    /// Nanoseconds of a duration: a `u32` below 10^9.
    Nanoseconds,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
    /// A float in 2 bytes. It has 32 bits on both ends, or 64.
    Half {
        /// Set if the float has 64 bits.
        is_wide: bool,
    },
    /// A float as a step of a range.
    Quantized {
        /// The steps.
        steps: QuantizedSteps,
        /// Set if the float has 64 bits.
        is_wide: bool,
    },
    /// A reference to an object.
    NetRef,
    /// A reference to a behaviour.
    BehaviourRef,
}

/// Steps of a quantised float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantizedSteps(pub(super) Steps);

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
    const fn bytes(self) -> usize {
        match self {
            Self::W8 => 1,
            Self::W16 => 2,
            Self::W32 => 4,
            Self::W64 => 8,
            Self::W128 => 16,
        }
    }
}

impl Scalar {
    /// Byte in a sequence of bytes.
    pub const BYTE: Self = Self::Integer(Integer {
        form: Form::Fixed,
        ..Integer::plain(Width::W8, false)
    });

    /// Returns the length of each value in bytes, in both encodings, if all values have the same.
    pub const fn fixed(&self) -> Option<usize> {
        match self {
            Self::Bool => Some(1),
            Self::FixedChar | Self::F32 => Some(4),
            Self::F64 => Some(8),
            Self::Half { .. } => Some(2),
            Self::Quantized { steps, .. } => Some(steps.0.bytes()),
            Self::Integer(Integer { width, form, .. }) => match form {
                Form::Fixed => Some(width.bytes()),
                Form::Bits(bits) => Some(BitWidth(*bits).bytes()),
                Form::Plain | Form::ZigZag => None,
            },
            Self::Char | Self::Nanoseconds | Self::NetRef | Self::BehaviourRef => None,
        }
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a value.
    #[inline]
    pub fn read(&self, reader: &mut NetworkReader<'_>) -> ReadResult<Value> {
        Ok(match self {
            Self::Bool => Value::Bool(reader.read_bool()?),
            Self::Char => Value::Char(reader.read()?),
            Self::FixedChar => Value::Char(Fixed::read(reader)?),
            Self::Integer(integer) => return integer.read(reader),
            Self::Nanoseconds => Value::Integer(read_nanoseconds(reader)?.into()),
            Self::F32 => Value::Float(widen(reader.read_f32()?)),
            Self::F64 => Value::Float(reader.read_f64()?),
            Self::Half { .. } => Value::Float(Half::read(reader)?),
            Self::Quantized { steps, is_wide } => {
                let value = steps.0.decode(reader)?;
                Value::Float(if *is_wide {
                    value
                } else {
                    widen(narrow(value))
                })
            }
            Self::NetRef => Value::Object(reader.read()?),
            Self::BehaviourRef => return read_behaviour(reader),
        })
    }

    /// Returns the value that a related value stands for: a character in a text, the number of an object, a pair for a
    /// behaviour.
    pub(super) fn related(&self, value: &Value) -> Option<Value> {
        let object = |number: &Value| Some(NetRef::from(NetId(number.as_u64()?.try_into().ok()?)));
        match (self, value) {
            (Self::Char | Self::FixedChar, Value::Text(text)) => {
                let mut characters = text.chars();
                let first = characters.next()?;
                characters.next().is_none().then_some(Value::Char(first))
            }
            (Self::NetRef, Value::Integer(_)) => object(value).map(Value::Object),
            (Self::BehaviourRef, Value::List(parts)) => match &**parts {
                [number, index] => Some(Value::Behaviour {
                    object: object(number)?,
                    index: index.as_u64()?.try_into().ok()?,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Checks whether a value fits.
    ///
    /// # Errors
    ///
    /// When the value is of a different kind, or out of range.
    pub fn check(&self, value: &Value) -> Result<(), ValueError> {
        match (self, value) {
            (Self::Bool, Value::Bool(_))
            | (Self::Char | Self::FixedChar, Value::Char(_))
            | (Self::F64, Value::Float(_))
            | (Self::NetRef, Value::Object(_)) => Ok(()),
            (Self::Integer(integer), Value::Integer(_) | Value::Unsigned(_)) => {
                if integer.contains(value) {
                    return Ok(());
                }
                Err(out_of_range(value))
            }
            (Self::Nanoseconds, Value::Integer(nanos)) if (0..1_000_000_000).contains(nanos) => {
                Ok(())
            }
            (Self::F32 | Self::Half { .. }, Value::Float(number)) if is_narrow(*number) => Ok(()),
            (Self::Quantized { steps, .. }, Value::Float(number)) if steps.0.contains(*number) => {
                Ok(())
            }
            (Self::BehaviourRef, Value::Behaviour { index, .. })
                if usize::from(*index) < MAX_BEHAVIOURS =>
            {
                Ok(())
            }
            (Self::F32 | Self::F64 | Self::Half { .. } | Self::Quantized { .. }, _) => {
                match value.as_f64() {
                    Some(number) if !matches!(value, Value::Float(_)) => {
                        self.check(&Value::Float(number))
                    }
                    Some(_) => Err(out_of_range(value)),
                    None => Err(ValueError::wrong_type(self.kind(), value.kind())),
                }
            }
            (Self::Nanoseconds, Value::Integer(_))
            | (Self::BehaviourRef, Value::Behaviour { .. }) => Err(out_of_range(value)),
            _ => Err(ValueError::wrong_type(self.kind(), value.kind())),
        }
    }

    /// Writes a value. Floats take the nearest value of their form.
    ///
    /// # Errors
    ///
    /// When the value does not fit: see [`check`](Self::check). No byte is written then.
    pub fn write(&self, value: &Value, writer: &mut NetworkWriter) -> Result<(), ValueError> {
        self.check(value)?;
        let float = || value.as_f64().unwrap_or_default();
        match (self, value) {
            (Self::Bool, Value::Bool(value)) => writer.write_bool(*value),
            (Self::Char, Value::Char(value)) => value.write(writer),
            (Self::FixedChar, Value::Char(value)) => Fixed::write(value, writer),
            (Self::Integer(integer), _) => integer.write(value, writer),
            (Self::Nanoseconds, Value::Integer(nanos)) => {
                writer.write_unsigned(u32::try_from(*nanos).unwrap_or_default());
            }
            (Self::F32, _) => writer.write_f32(narrow(float())),
            (Self::F64, _) => writer.write_f64(float()),
            (Self::Half { .. }, _) => Half::write(&float(), writer),
            (Self::Quantized { steps, .. }, _) => steps.0.encode(float(), writer),
            (Self::NetRef, Value::Object(object)) => object.write(writer),
            (Self::BehaviourRef, Value::Behaviour { object, index }) => {
                object.write(writer);
                if !object.is_none() {
                    index.write(writer);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the kind of the type, for errors.
    const fn kind(&self) -> &'static str {
        match self {
            Self::Bool => "a bool",
            Self::Char | Self::FixedChar => "a character",
            Self::Integer(_) | Self::Nanoseconds => "an integer",
            Self::F32 | Self::F64 | Self::Half { .. } | Self::Quantized { .. } => "a float",
            Self::NetRef => "an object",
            Self::BehaviourRef => "a behaviour",
        }
    }
}

#[cold]
fn out_of_range(value: &Value) -> ValueError {
    ValueError::new(ValueErrorKind::OutOfRange(value.to_string()))
}

/// Returns whether a float of 64 bits is not infinite by the conversion to 32 bits alone.
fn is_narrow(number: f64) -> bool {
    !number.is_finite() || narrow(number).is_finite()
}

/// Reads a reference to a behaviour.
fn read_behaviour(reader: &mut NetworkReader<'_>) -> ReadResult<Value> {
    let object: NetRef = reader.read()?;
    let mut index = 0;
    if !object.is_none() {
        let start = reader.mark();
        index = reader.read_unsigned("position of a behaviour")?;
        if usize::from(index) >= MAX_BEHAVIOURS {
            let (what, value) = ("position of a behaviour", index.into());
            return Err(reader.error_since(start, ReadErrorKind::InvalidValue { what, value }));
        }
    }
    Ok(Value::Behaviour { object, index })
}

/// Reads the nanoseconds of a duration.
fn read_nanoseconds(reader: &mut NetworkReader<'_>) -> ReadResult<u32> {
    let start = reader.mark();
    let nanos: u32 = reader.read()?;
    if nanos >= 1_000_000_000 {
        let (what, value) = ("number of nanoseconds", nanos.into());
        return Err(reader.error_since(start, ReadErrorKind::InvalidValue { what, value }));
    }
    Ok(nanos)
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

    fn read(&self, reader: &mut NetworkReader<'_>) -> ReadResult<Value> {
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
    fn write(&self, value: &Value, writer: &mut NetworkWriter) {
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
