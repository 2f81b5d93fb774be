//! Skipping of values.

use super::integer::{Form, Width};
use super::scalar::Scalar;
use super::{ArrayLayout, EnumLayout, Layout, MeasuredLayout, StructLayout, VariantLayout};
use crate::{Encoding, NetId, NetworkReader, NetworkWriter, ReadErrorKind, ReadResult};

impl Layout {
    /// Skips a value. Validates what its length depends on, and no more.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a value.
    pub fn measure(&self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        if let Some(length) = self.fixed() {
            return reader.read_bytes(length).map(|_| ());
        }
        match self {
            Self::Scalar(scalar) => scalar.measure(reader),
            Self::Text { .. } | Self::Bytes => reader.read_byte_sequence().map(|_| ()),
            Self::Struct(layout) => layout.measure(reader),
            Self::Enum(layout) => layout.measure(reader),
            Self::Sequence(element) | Self::Set(element) => {
                let count = reader.read_count()?;
                element.measure_many(count, reader)
            }
            Self::Array(ArrayLayout { element, count, .. }) => element.measure_many(*count, reader),
            Self::Optional(value) if reader.read_bool()? => value.measure(reader),
            Self::Map(map) => measure_entries(&map.key, &map.value, reader),
            Self::Collection(layout) => match &*layout.parts {
                [key, value] => measure_entries(key, value, reader),
                [element] => {
                    let count = reader.read_count()?;
                    layout.in_whole(element).measure_many(count, reader)
                }
                _ => Ok(()),
            },
            Self::Measured(layout) => layout.measure(reader),
            Self::Optional(_) | Self::Raw(_) | Self::Rotation(_) => Ok(()),
        }
    }

    /// Skips elements one after another.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such elements.
    pub fn measure_many(&self, count: usize, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        if let Some(length) = self.fixed() {
            let length = length.saturating_mul(count);
            return reader.read_bytes(length).map(|_| ());
        }
        for _ in 0..count {
            let before = reader.position();
            self.measure(reader)?;
            if reader.position() == before {
                reader.count_empty_element()?;
            }
        }
        Ok(())
    }
}

/// Skips the keys and values of a map.
fn measure_entries(key: &Layout, value: &Layout, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
    let count = reader.read_count()?;
    if let (Some(key), Some(value)) = (key.fixed(), value.fixed()) {
        let length = key.saturating_add(value).saturating_mul(count);
        return reader.read_bytes(length).map(|_| ());
    }
    for _ in 0..count {
        let before = reader.position();
        key.measure(reader)?;
        value.measure(reader)?;
        if reader.position() == before {
            reader.count_empty_element()?;
        }
    }
    Ok(())
}

impl Scalar {
    fn measure(self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        match self {
            Self::Integer(integer) if integer.width == Width::W128 => {
                if integer.form == Form::Plain && reader.encoding() == Encoding::Unet {
                    return reader.read_bytes(16).map(|_| ());
                }
                reader.read_varint_128().map(|_| ())
            }
            Self::BehaviourRef => {
                if reader.read_unsigned_wide()? != u64::from(NetId::NONE.0) {
                    reader.read_unsigned_wide()?;
                }
                Ok(())
            }
            _ => reader.read_unsigned_wide().map(|_| ()),
        }
    }
}

impl StructLayout {
    /// Skips the members.
    fn measure(&self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        if let Some(length) = self.fixed {
            return reader.read_bytes(length).map(|_| ());
        }
        self.members
            .iter()
            .try_for_each(|member| member.measure(reader))
    }
}

impl EnumLayout {
    fn measure(&self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        if !self.has_data {
            return reader.read_enum().map(|_| ());
        }
        self.read_variant(reader)?.members.measure(reader)
    }

    /// Reads the number or position of a variant.
    ///
    /// # Errors
    ///
    /// When the enumeration lacks the variant.
    pub fn read_variant(&self, reader: &mut NetworkReader<'_>) -> ReadResult<&VariantLayout> {
        let start = reader.mark();
        let (number, variant) = if self.has_data {
            let position = reader.read_variant()?;
            let at = usize::try_from(position).unwrap_or(usize::MAX);
            (i64::from(position), self.variants.get(at))
        } else {
            let number = reader.read_enum()?;
            let mut variants = self.variants.iter();
            let variant = variants.find(|variant| variant.low_bits() == number);
            (i64::from(number), variant)
        };
        variant.ok_or_else(|| {
            let name = "an enum of the schema";
            reader.error_since(
                start,
                ReadErrorKind::UnknownVariant {
                    name,
                    value: number,
                },
            )
        })
    }

    /// Writes the number or position of a variant.
    pub fn write_variant(&self, position: usize, writer: &mut NetworkWriter) {
        match self.variants.get(position) {
            Some(_) if self.has_data => {
                writer.write_variant(u32::try_from(position).unwrap_or(u32::MAX));
            }
            Some(variant) => writer.write_enum(variant.low_bits()),
            None => {}
        }
    }
}

impl VariantLayout {
    /// Returns the number in its 32 bits on the wire.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the low bits are on the wire"
    )]
    pub(super) const fn low_bits(&self) -> i32 {
        self.number as i32
    }
}

impl MeasuredLayout {
    /// Skips a value, and returns its bytes.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a value.
    pub(super) fn take<'a>(&self, reader: &mut NetworkReader<'a>) -> ReadResult<&'a [u8]> {
        let is_compact = reader.encoding() == Encoding::Compact;
        match (self.measure)(reader.rest(), is_compact) {
            Some(length) => reader.read_bytes(length),
            None => Err(reader.error(ReadErrorKind::Custom("a value of a type of the program"))),
        }
    }

    fn measure(&self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        self.take(reader).map(|_| ())
    }
}
