//! The value of a field that was never received.

use bytes::Bytes;

use super::{CollectionKind, EnumLayout, Layout, Scalar, StructLayout};
use crate::NetRef;
use crate::value::{MapValue, SetValue, StructValue, Value, VariantValue};

/// Limit of the values inside a zero value. A schema can state an array of any length in a few bytes.
pub(crate) const MAX_ZEROS: usize = 65_536;

impl Layout {
    /// Returns the value of a field that was never received: 0, an empty text, no elements, the first variant, none; 1 for a
    /// number that is never 0. `None` for a type of the program, and for more than 65 536 values in arrays.
    pub fn zero(&self) -> Option<Value> {
        self.zero_within(&mut MAX_ZEROS.clone())
    }

    /// Like [`zero`](Self::zero), within a number of values, which it takes from `left`.
    pub(crate) fn zero_within(&self, left: &mut usize) -> Option<Value> {
        *left = left.checked_sub(1)?;
        Some(match self {
            Self::Scalar(scalar) => scalar.zero(),
            Self::Text { .. } => Value::EMPTY,
            Self::Bytes => Value::Bytes(Bytes::new()),
            Self::Raw(length) => {
                *left = left.checked_sub(*length)?;
                Value::Bytes(vec![0; *length].into())
            }
            Self::Rotation(names) => {
                let identity = [0.0, 0.0, 0.0, 1.0].map(Value::Float);
                Value::Struct(StructValue::new(
                    std::sync::Arc::clone(names),
                    identity.into(),
                ))
            }
            Self::Struct(layout) => Value::Struct(layout.zero_within(left)?),
            Self::Enum(EnumLayout { variants, .. }) => {
                let variant = variants.first()?;
                Value::Variant(Box::new(VariantValue {
                    name: std::sync::Arc::clone(&variant.name),
                    members: variant.members.zero_within(left)?,
                }))
            }
            Self::Array(layout) => {
                let elements = (0..layout.count).map(|_| layout.element.zero_within(left));
                Value::List(elements.collect::<Option<_>>()?)
            }
            Self::Sequence(_) => Value::List(Vec::new()),
            Self::Set(_) => SetValue::default().into(),
            Self::Map(_) => MapValue::default().into(),
            Self::Optional(_) => Value::Optional(None),
            Self::Collection(layout) => match layout.kind {
                CollectionKind::List => Value::List(Vec::new()),
                CollectionKind::Set => SetValue::default().into(),
                CollectionKind::Dictionary => MapValue::default().into(),
            },
            Self::Measured(_) => return None,
        })
    }
}

impl StructLayout {
    fn zero_within(&self, left: &mut usize) -> Option<StructValue> {
        let members = self.members.iter().map(|member| member.zero_within(left));
        Some(self.value(members.collect::<Option<_>>()?))
    }
}

impl Scalar {
    fn zero(self) -> Value {
        match self {
            Self::Bool => Value::Bool(false),
            Self::Char | Self::FixedChar => Value::Char('\0'),
            Self::Integer(integer) => Value::Integer(integer.is_non_zero.into()),
            Self::Nanoseconds => Value::Integer(0),
            Self::F32 | Self::F64 | Self::Half { .. } => Value::Float(0.0),
            Self::Quantized { steps, .. } => Value::Float(steps.0.nearest_to_zero()),
            Self::NetRef => Value::Object(NetRef::NONE),
            Self::BehaviourRef => Value::Behaviour {
                object: NetRef::NONE,
                index: 0,
            },
        }
    }
}
