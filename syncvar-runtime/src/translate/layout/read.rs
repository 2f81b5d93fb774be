//! Values from bytes.

use bytes::Bytes;

use super::{ArrayLayout, EnumLayout, Layout, StructLayout};
use crate::value::{StructValue, Value, VariantValue};
use crate::{NetworkReader, Quaternion, ReadErrorKind, ReadResult, SmallestThree, SyncCodec};

impl Layout {
    /// Reads a value.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a value, or the value exceeds the budget of the reader.
    pub fn read_value(&self, reader: &mut NetworkReader<'_>) -> ReadResult<Value> {
        Ok(match self {
            Self::Scalar(scalar) => return scalar.read(reader),
            Self::Text { longest } => Value::Text(read_text(*longest, reader)?),
            Self::Bytes => Value::Bytes(Bytes::copy_from_slice(reader.read_byte_sequence()?)),
            Self::Raw(length) => Value::Bytes(Bytes::copy_from_slice(reader.read_bytes(*length)?)),
            Self::Rotation(names) => {
                let rotation: Quaternion = SmallestThree::read(reader)?;
                let Quaternion { x, y, z, w } = rotation;
                Value::Struct(StructValue::new(
                    std::sync::Arc::clone(names),
                    [x, y, z, w].map(Value::from).into(),
                ))
            }
            Self::Struct(layout) => Value::Struct(layout.read_value(reader)?),
            Self::Enum(layout) => layout.read_value(reader)?,
            Self::Sequence(element) | Self::Set(element) => {
                let count = reader.read_count()?;
                Value::List(element.read_many(count, reader)?)
            }
            Self::Array(ArrayLayout { element, count, .. }) => {
                Value::List(element.read_many(*count, reader)?)
            }
            Self::Optional(value) => Value::Optional(if reader.read_bool()? {
                Some(Box::new(value.read_value(reader)?))
            } else {
                None
            }),
            Self::Map(map) => Value::Map(read_entries(&map.key, &map.value, reader)?),
            Self::Collection(layout) => match &*layout.parts {
                [key, value] => Value::Map(read_entries(key, value, reader)?),
                [element] => {
                    let count = reader.read_count()?;
                    Value::List(layout.in_whole(element).read_many(count, reader)?)
                }
                _ => Value::List(Vec::new()),
            },
            Self::Measured(layout) => Value::Bytes(Bytes::copy_from_slice(layout.take(reader)?)),
        })
    }

    /// Reads elements one after another.
    ///
    /// # Errors
    ///
    /// When an element does not fit, and when all of them exceed the budget of the reader.
    pub(crate) fn read_many(
        &self,
        count: usize,
        reader: &mut NetworkReader<'_>,
    ) -> ReadResult<Vec<Value>> {
        reader.charge::<Value>(count)?;
        let mut values = Vec::with_capacity(reader.room::<Value>(count));
        reader.nested(|reader| {
            for _ in 0..count {
                let before = reader.position();
                values.push(self.read_value(reader)?);
                if reader.position() == before {
                    reader.count_empty_element()?;
                }
            }
            Ok(())
        })?;
        Ok(values)
    }
}

fn read_entries(
    key: &Layout,
    value: &Layout,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<Vec<(Value, Value)>> {
    let count = reader.read_count()?;
    reader.charge::<(Value, Value)>(count)?;
    let mut entries = Vec::with_capacity(reader.room::<(Value, Value)>(count));
    reader.nested(|reader| {
        for _ in 0..count {
            let before = reader.position();
            entries.push((key.read_value(reader)?, value.read_value(reader)?));
            if reader.position() == before {
                reader.count_empty_element()?;
            }
        }
        Ok(())
    })?;
    Ok(entries)
}

fn read_text(longest: usize, reader: &mut NetworkReader<'_>) -> ReadResult<String> {
    let start = reader.mark();
    let text = reader.read_text()?;
    if text.len() > longest {
        let (length, limit) = (text.len(), longest);
        return Err(reader.error_since(start, ReadErrorKind::StringTooLong { length, limit }));
    }
    Ok(text.into())
}

impl StructLayout {
    /// Reads the members.
    ///
    /// # Errors
    ///
    /// When a member does not fit.
    pub fn read_value(&self, reader: &mut NetworkReader<'_>) -> ReadResult<StructValue> {
        reader.charge::<Value>(self.members.len())?;
        let mut values = Vec::with_capacity(self.members.len());
        for member in &self.members {
            values.push(member.read_value(reader)?);
        }
        Ok(self.value(values))
    }
}

impl EnumLayout {
    fn read_value(&self, reader: &mut NetworkReader<'_>) -> ReadResult<Value> {
        let variant = self.read_variant(reader)?;
        let members = variant.members.read_value(reader)?;
        Ok(Value::Variant(Box::new(VariantValue {
            name: std::sync::Arc::clone(&variant.name),
            members,
        })))
    }
}
