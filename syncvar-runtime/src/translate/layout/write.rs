//! Bytes from values.

use super::error::{ValueError, ValueErrorKind};
use super::{CollectionKind, EnumLayout, Layout, StructLayout};
use crate::value::{MapValue, StructValue, Value, VariantValue};
use crate::{Encoding, NetworkWriter, Quaternion, SmallestThree, SyncCodec, WriteErrorKind};

impl Layout {
    /// Writes a value. Keys of maps and elements of sets are put in order. Related values are accepted, such as the kinds that
    /// JSON has: an integer for a float or an object, an element for an optional one, a list for a tuple, a set, a map (of
    /// pairs) or bytes, a text for a character or a variant without data, a struct for a map or a variant with data.
    ///
    /// A value that has no form in the encoding, such as a too long text, is an error of the writer.
    ///
    /// # Errors
    ///
    /// When the value does not fit the type. Bytes of parts of the value may have been written.
    pub fn write_value(&self, value: &Value, writer: &mut NetworkWriter) -> Result<(), ValueError> {
        match (self, value) {
            (Self::Scalar(scalar), _) => match scalar.related(value) {
                Some(related) => scalar.write(&related, writer),
                None => scalar.write(value, writer),
            },
            (Self::Text { longest }, Value::Text(text)) => write_text(*longest, text, writer),
            (Self::Bytes, _) => {
                let bytes = bytes_of(value).ok_or_else(|| self.wrong_type(value))?;
                writer.write_byte_sequence(&bytes);
                Ok(())
            }
            (Self::Raw(length), _) => {
                let bytes = bytes_of(value).ok_or_else(|| self.wrong_type(value))?;
                ValueError::check_length(bytes.len(), *length)?;
                writer.write_bytes(&bytes);
                Ok(())
            }
            (Self::Rotation(_), Value::Struct(members)) => write_rotation(members, writer),
            (Self::Struct(layout), Value::Struct(members)) => layout.write_value(members, writer),
            (Self::Struct(layout), Value::List(elements)) if layout.is_tuple() => {
                ValueError::check_length(elements.len(), layout.members.len())?;
                let pairs = layout.members.iter().zip(elements);
                write_all(pairs, writer)
            }
            (Self::Enum(layout), Value::Variant(variant)) => layout.write_value(variant, writer),
            (Self::Enum(layout), Value::Text(name)) => {
                let name = name.as_str().into();
                let members = StructValue::default();
                layout.write_value(&VariantValue { name, members }, writer)
            }
            (Self::Enum(layout), Value::Struct(members)) if members.len() == 1 => {
                layout.write_value(&variant_of(members), writer)
            }
            (Self::Sequence(element), Value::List(values)) => {
                write_elements(element, values.iter(), writer)
            }
            (Self::Array(layout), Value::List(values)) => {
                ValueError::check_length(values.len(), layout.count)?;
                write_all(values.iter().map(|value| (&*layout.element, value)), writer)
            }
            (Self::Optional(_), Value::Optional(None)) => {
                writer.write_bool(false);
                Ok(())
            }
            (Self::Optional(layout), Value::Optional(Some(value))) => {
                writer.write_bool(true);
                layout.write_value(value, writer)
            }
            (Self::Optional(layout), _) => {
                writer.write_bool(true);
                layout.write_value(value, writer)
            }
            (Self::Map(map), Value::Map(entries)) => {
                write_entries(&map.key, &map.value, entries, writer)
            }
            (Self::Map(map), _) => {
                let entries = entries_of(value).ok_or_else(|| self.wrong_type(value))?;
                write_entries(&map.key, &map.value, &entries, writer)
            }
            (Self::Set(element), Value::Set(elements)) => {
                write_set(element, elements.iter(), writer)
            }
            (Self::Set(element), Value::List(values)) => write_set(element, values.iter(), writer),
            (Self::Collection(layout), _) => match (layout.kind, &*layout.parts, value) {
                (CollectionKind::List, [element], Value::List(values)) => {
                    write_elements(layout.in_whole(element), values.iter(), writer)
                }
                (CollectionKind::Set, [element], Value::Set(elements)) => {
                    write_set(element, elements.iter(), writer)
                }
                (CollectionKind::Set, [element], Value::List(values)) => {
                    write_set(element, values.iter(), writer)
                }
                (CollectionKind::Dictionary, [key, of], Value::Map(entries)) => {
                    write_entries(key, of, entries, writer)
                }
                (CollectionKind::Dictionary, [key, of], _) => {
                    let entries = entries_of(value).ok_or_else(|| self.wrong_type(value))?;
                    write_entries(key, of, &entries, writer)
                }
                _ => Err(self.wrong_type(value)),
            },
            (Self::Measured(layout), Value::Bytes(bytes)) => {
                let is_compact = writer.encoding() == Encoding::Compact;
                if (layout.measure)(bytes, is_compact) != Some(bytes.len()) {
                    return Err(ValueError::new(ValueErrorKind::OutOfRange(
                        value.to_string(),
                    )));
                }
                writer.write_bytes(bytes);
                Ok(())
            }
            _ => Err(self.wrong_type(value)),
        }
    }

    #[cold]
    fn wrong_type(&self, value: &Value) -> ValueError {
        let expected = match self {
            Self::Scalar(_) => "a scalar",
            Self::Text { .. } => "a text",
            Self::Bytes | Self::Raw(_) | Self::Measured(_) => "bytes",
            Self::Rotation(_) | Self::Struct(_) => "a struct",
            Self::Enum(_) => "a variant",
            Self::Sequence(_) | Self::Array(_) => "a list",
            Self::Set(_) => "a set",
            Self::Optional(_) => "an optional value",
            Self::Map(_) => "a map",
            Self::Collection(layout) => match layout.kind {
                CollectionKind::List => "a list",
                CollectionKind::Set => "a set",
                CollectionKind::Dictionary => "a map",
            },
        };
        ValueError::wrong_type(expected, value.kind())
    }
}

fn write_text(longest: usize, text: &str, writer: &mut NetworkWriter) -> Result<(), ValueError> {
    let (length, limit) = (text.len(), longest);
    if length > limit {
        return Err(ValueError::new(ValueErrorKind::TextTooLong {
            length,
            limit,
        }));
    }
    writer.write_text(text);
    Ok(())
}

/// Returns the variant of a struct with one member: its name, and its members.
fn variant_of(members: &StructValue) -> VariantValue {
    let member = members.iter().next();
    VariantValue {
        name: member.map_or("", |(name, _)| name).into(),
        members: match member {
            Some((_, Value::Struct(members))) => members.clone(),
            Some((_, Value::List(elements))) => match Value::tuple(elements.iter().cloned()) {
                Value::Struct(members) => members,
                _ => StructValue::default(),
            },
            _ => StructValue::default(),
        },
    }
}

/// Returns the entries of a map that is given as a struct, or as a list of pairs.
fn entries_of(value: &Value) -> Option<MapValue> {
    match value {
        Value::Struct(members) => {
            let members = members.iter();
            Some(members.map(|(name, value)| (name, value.clone())).collect())
        }
        Value::List(pairs) => {
            let pairs = pairs.iter().map(|pair| match pair.as_list()? {
                [key, value] => Some((key.clone(), value.clone())),
                _ => None,
            });
            pairs.collect()
        }
        _ => None,
    }
}

/// Returns bytes, also from a list of integers.
fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Bytes(bytes) => Some(bytes.to_vec()),
        Value::List(values) => {
            let bytes = values
                .iter()
                .map(|value| u8::try_from(value.as_i64()?).ok());
            bytes.collect()
        }
        _ => None,
    }
}

fn write_rotation(members: &StructValue, writer: &mut NetworkWriter) -> Result<(), ValueError> {
    let part = |name: &str| {
        let value = members.get(name).and_then(Value::as_f64);
        let missing = || ValueError::new(ValueErrorKind::MissingMember(name.into()));
        value.map(crate::value::narrow).ok_or_else(missing)
    };
    let rotation = Quaternion::new(part("x")?, part("y")?, part("z")?, part("w")?);
    SmallestThree::write(&rotation, writer);
    Ok(())
}

/// Writes values one after another.
fn write_all<'a>(
    values: impl Iterator<Item = (&'a Layout, &'a Value)>,
    writer: &mut NetworkWriter,
) -> Result<(), ValueError> {
    for (index, (layout, value)) in values.enumerate() {
        let written = layout.write_value(value, writer);
        written.map_err(|error| error.in_element(index))?;
    }
    Ok(())
}

/// Writes the number of elements, and the elements.
fn write_elements<'a>(
    layout: &'a Layout,
    values: impl ExactSizeIterator<Item = &'a Value>,
    writer: &mut NetworkWriter,
) -> Result<(), ValueError> {
    let count = values.len();
    if !writer.write_count(count) {
        return Ok(());
    }
    let before = writer.len();
    write_all(values.map(|value| (layout, value)), writer)?;
    let limit = MAX_EMPTY_ELEMENTS;
    if count > limit && writer.len() == before {
        writer.fail(WriteErrorKind::TooManyElements { count, limit });
    }
    Ok(())
}

fn write_set<'a>(
    layout: &'a Layout,
    values: impl Iterator<Item = &'a Value>,
    writer: &mut NetworkWriter,
) -> Result<(), ValueError> {
    let mut sorted: Vec<&Value> = values.collect();
    sorted.sort_by(|a, b| layout.compare(a, b));
    check_distinct(sorted.iter().copied())?;
    write_elements(layout, sorted.into_iter(), writer)
}

fn write_entries(
    key: &Layout,
    value: &Layout,
    entries: &MapValue,
    writer: &mut NetworkWriter,
) -> Result<(), ValueError> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| key.compare(a, b));
    if !writer.write_count(sorted.len()) {
        return Ok(());
    }
    for (own_key, own_value) in sorted {
        let written = key.write_value(own_key, writer);
        let written = written.and_then(|()| value.write_value(own_value, writer));
        written.map_err(|error| error.in_member(&format!("[{own_key}]")))?;
    }
    Ok(())
}

fn check_distinct<'a>(keys: impl Iterator<Item = &'a Value>) -> Result<(), ValueError> {
    let mut last = None;
    for key in keys {
        if last == Some(key) {
            return Err(ValueError::new(ValueErrorKind::RepeatedKey(
                key.to_string(),
            )));
        }
        last = Some(key);
    }
    Ok(())
}

impl StructLayout {
    /// Returns whether the members have positions in the place of names.
    fn is_tuple(&self) -> bool {
        let mut names = self.names.iter().enumerate();
        !self.names.is_empty() && names.all(|(index, name)| **name == *index.to_string())
    }

    /// Writes the members.
    ///
    /// # Errors
    ///
    /// When a member is missing, unknown, or does not fit.
    pub fn write_value(
        &self,
        value: &StructValue,
        writer: &mut NetworkWriter,
    ) -> Result<(), ValueError> {
        let has_same_names = std::sync::Arc::ptr_eq(&self.names, value.names());
        if !has_same_names && let Some(name) = self.unknown_member(value) {
            return Err(ValueError::new(ValueErrorKind::UnknownMember(name.into())));
        }
        let members = self.names.iter().zip(&self.members).enumerate();
        for (index, (name, layout)) in members {
            let member = if has_same_names {
                value.values().get(index)
            } else {
                value.get(name)
            };
            let missing = || ValueError::new(ValueErrorKind::MissingMember(name.to_string()));
            let written = layout.write_value(member.ok_or_else(missing)?, writer);
            written.map_err(|error| error.in_member(name))?;
        }
        Ok(())
    }

    /// Returns the first member of a value that the struct lacks.
    fn unknown_member<'a>(&self, value: &'a StructValue) -> Option<&'a str> {
        let mut names = value.names().iter();
        let unknown = names.find(|name| !self.names.contains(name));
        unknown.map(|name| &**name)
    }
}

impl EnumLayout {
    fn write_value(
        &self,
        value: &VariantValue,
        writer: &mut NetworkWriter,
    ) -> Result<(), ValueError> {
        let mut variants = self.variants.iter().enumerate();
        let found = variants.find(|(_, variant)| variant.name == value.name);
        let Some((position, variant)) = found else {
            let name = value.name.to_string();
            return Err(ValueError::new(ValueErrorKind::UnknownVariant(name)));
        };
        self.write_variant(position, writer);
        let written = variant.members.write_value(&value.members, writer);
        written.map_err(|error| error.in_member(&value.name))
    }
}

/// Limit of elements without bytes, which readers have.
const MAX_EMPTY_ELEMENTS: usize = 1024;
