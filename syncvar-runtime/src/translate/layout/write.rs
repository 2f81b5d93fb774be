//! Bytes from values.

use std::borrow::Cow;

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
            (Self::Rotation(_), Value::Struct(members)) => write_rotation(members, writer),
            (Self::Struct(layout), Value::Struct(members)) => layout.write_value(members, writer),
            (Self::Struct(layout), Value::List(elements)) if layout.is_tuple() => {
                ValueError::check_length(elements.len(), layout.members.len())?;
                write_all(layout.members.iter().zip(elements), writer)
            }
            (Self::Enum(layout), _) => {
                let variant = variant_of(value).ok_or_else(|| self.wrong_type(value))?;
                layout.write_value(&variant, writer)
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
            (Self::Bytes | Self::Raw(_) | Self::Measured(_), _) => self.write_bytes(value, writer),
            _ => self.write_elements(value, writer),
        }
    }

    /// Writes bytes.
    fn write_bytes(&self, value: &Value, writer: &mut NetworkWriter) -> Result<(), ValueError> {
        let bytes = bytes_of(value).ok_or_else(|| self.wrong_type(value))?;
        match self {
            Self::Raw(length) => {
                ValueError::check_length(bytes.len(), *length)?;
                writer.write_bytes(&bytes);
            }
            Self::Measured(layout) => {
                let is_compact = writer.encoding() == Encoding::Compact;
                if (layout.measure)(&bytes, is_compact) != Some(bytes.len()) {
                    let kind = ValueErrorKind::OutOfRange(value.to_string());
                    return Err(ValueError::new(kind));
                }
                writer.write_bytes(&bytes);
            }
            _ => writer.write_byte_sequence(&bytes),
        }
        Ok(())
    }

    /// Writes a number of elements or entries, and these.
    fn write_elements(&self, value: &Value, writer: &mut NetworkWriter) -> Result<(), ValueError> {
        let wrong_type = || self.wrong_type(value);
        match self {
            Self::Sequence(element) => {
                let values = value.as_list().ok_or_else(wrong_type)?;
                write_elements(element, values.iter(), writer)
            }
            Self::Set(element) => {
                write_set(element, value, writer).unwrap_or_else(|| Err(wrong_type()))
            }
            Self::Map(map) => {
                write_map(&map.key, &map.value, value, writer).unwrap_or_else(|| Err(wrong_type()))
            }
            Self::Collection(layout) => {
                let written = match (layout.kind, &*layout.parts) {
                    (CollectionKind::List, [element]) => value.as_list().map(|values| {
                        write_elements(layout.in_whole(element), values.iter(), writer)
                    }),
                    (CollectionKind::Set, [element]) => write_set(element, value, writer),
                    (CollectionKind::Dictionary, [key, of]) => write_map(key, of, value, writer),
                    _ => None,
                };
                written.unwrap_or_else(|| Err(wrong_type()))
            }
            _ => Err(wrong_type()),
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

/// Returns a variant, also from its name and from a struct with one member: its name, and its members.
fn variant_of(value: &Value) -> Option<Cow<'_, VariantValue>> {
    let (name, members) = match value {
        Value::Variant(variant) => return Some(Cow::Borrowed(variant)),
        Value::Text(name) => (&**name, StructValue::default()),
        Value::Struct(members) if members.len() == 1 => match members.iter().next()? {
            (name, Value::Struct(members)) => (name, members.clone()),
            (name, Value::List(elements)) => match Value::tuple(elements.iter().cloned()) {
                Value::Struct(members) => (name, members),
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let name = name.into();
    Some(Cow::Owned(VariantValue { name, members }))
}

/// Returns the entries of a map, also from a struct and from a list of pairs.
fn entries_of(value: &Value) -> Option<Cow<'_, MapValue>> {
    let entries: Option<MapValue> = match value {
        Value::Map(entries) => return Some(Cow::Borrowed(entries)),
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
    };
    entries.map(Cow::Owned)
}

/// Returns bytes, also from a list of integers.
fn bytes_of(value: &Value) -> Option<Cow<'_, [u8]>> {
    match value {
        Value::Bytes(bytes) => Some(Cow::Borrowed(bytes)),
        Value::List(values) => {
            let bytes = values
                .iter()
                .map(|value| u8::try_from(value.as_i64()?).ok());
            bytes.collect::<Option<Vec<_>>>().map(Cow::Owned)
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

/// Writes the elements of a set, which may be a list; `None` for other values.
fn write_set(
    layout: &Layout,
    value: &Value,
    writer: &mut NetworkWriter,
) -> Option<Result<(), ValueError>> {
    let sorted = match value {
        Value::Set(elements) => layout.sorted(elements.iter()),
        Value::List(values) => layout.sorted(values.iter()),
        _ => return None,
    };
    let distinct = check_distinct(sorted.iter().copied());
    Some(distinct.and_then(|()| write_elements(layout, sorted.into_iter(), writer)))
}

/// Writes the entries of a map; `None` for other values.
fn write_map(
    key: &Layout,
    value: &Layout,
    map: &Value,
    writer: &mut NetworkWriter,
) -> Option<Result<(), ValueError>> {
    let entries = entries_of(map)?;
    let sorted = key.sorted_entries(&entries);
    if !writer.write_count(sorted.len()) {
        return Some(Ok(()));
    }
    for (own_key, own_value) in sorted {
        let written = key.write_value(own_key, writer);
        let written = written.and_then(|()| value.write_value(own_value, writer));
        if let Err(error) = written {
            return Some(Err(error.in_member(&format!("[{own_key}]"))));
        }
    }
    Some(Ok(()))
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
