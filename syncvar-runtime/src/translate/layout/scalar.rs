//! `Scalar`: numbers, truth values, characters and references.

use super::error::{ValueError, ValueErrorKind};
use super::integer::{Form, Integer, Width};
use crate::codec::{BitWidth, Steps};
use crate::schema::MAX_BEHAVIOURS;
use crate::value::{Value, narrow, widen};
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
