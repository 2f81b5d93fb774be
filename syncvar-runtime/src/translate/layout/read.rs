//! Values from bytes.

use bytes::Bytes;

use super::{ArrayLayout, CollectionKind, CollectionLayout, EnumLayout, Layout, StructLayout};
use crate::field::charge_entries;
use crate::value::{MapValue, SetValue, StructValue, Value, VariantValue};
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
            Self::Sequence(element) => {
                let count = reader.read_count()?;
                Value::List(element.read_many(count, reader)?)
            }
            Self::Set(element) => element.read_set(reader)?.into(),
            Self::Array(ArrayLayout { element, count, .. }) => {
                Value::List(element.read_many(*count, reader)?)
            }
            Self::Optional(value) => Value::Optional(if reader.read_bool()? {
                Some(Box::new(value.read_value(reader)?))
            } else {
                None
            }),
            Self::Map(map) => read_entries(&map.key, &map.value, reader)?.into(),
            Self::Collection(layout) => layout.read_whole(reader)?,
            Self::Measured(layout) => Value::Bytes(Bytes::copy_from_slice(layout.take(reader)?)),
        })
    }

    /// Reads a number of elements, and the elements. A repeated element is in the set once.
    fn read_set(&self, reader: &mut NetworkReader<'_>) -> ReadResult<SetValue> {
        let count = reader.read_count()?;
        charge_entries::<Value>(reader, count)?;
        let mut elements = SetValue::default();
        elements.reserve(reader.room::<Value>(count));
        reader.nested(|reader| {
            for _ in 0..count {
                let before = reader.position();
                elements.insert(self.read_value(reader)?);
                if reader.position() == before {
                    reader.count_empty_element()?;
                }
            }
            Ok(())
        })?;
        Ok(elements)
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

/// Reads a number of entries, and the entries. Of a repeated key, the first value stays.
fn read_entries(
    key: &Layout,
    value: &Layout,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<MapValue> {
    let count = reader.read_count()?;
    charge_entries::<(Value, Value)>(reader, count)?;
    let mut entries = MapValue::default();
    entries.reserve(reader.room::<(Value, Value)>(count));
    reader.nested(|reader| {
        for _ in 0..count {
            let before = reader.position();
            let own_key = key.read_value(reader)?;
            entries.insert_first(own_key, value.read_value(reader)?);
            if reader.position() == before {
                reader.count_empty_element()?;
            }
        }
        Ok(())
    })?;
    Ok(entries)
}

impl CollectionLayout {
    /// Reads the whole collection.
    ///
    /// # Errors
    ///
    /// When an element does not fit, or a key occurs twice.
    pub(crate) fn read_whole(&self, reader: &mut NetworkReader<'_>) -> ReadResult<Value> {
        Ok(match (self.kind, &*self.parts) {
            (CollectionKind::Dictionary, [key, value]) => read_entries(key, value, reader)?.into(),
            (CollectionKind::Set, [element]) => element.read_set(reader)?.into(),
            (_, [element, ..]) => {
                let count = reader.read_count()?;
                Value::List(self.in_whole(element).read_many(count, reader)?)
            }
            (_, []) => Value::List(Vec::new()),
        })
    }
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
