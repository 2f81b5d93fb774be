//! `Conversion`: the bytes of a value in the layout of its writer, as bytes in the layout of its reader.
//!
//! A conversion reads each byte of the writer's value once and writes the reader's value behind it; nothing is decoded in
//! between, except single numbers. It is built once per field and connection from the types of both schemas.
//!
//! ```text
//! writer   Buff { id: u8, name: String, time: f32 }
//!                 |       skipped       |
//! reader   Buff { id: u32,              time: f32, level: u8 }
//!                 widened               copied     inserted: the value of the prefab, or 0
//! ```
//!
//! A value may not fit: a number beyond the reader's range, a variant that the reader lacks. A conversion reads on to the end of
//! the value then, so that the next field follows, and reports it. Inside of a collection a value that does not fit becomes 0 in
//! its place, because the positions of the elements behind it must stay those of the server; everywhere else the
//! caller drops the whole value.

mod build;
mod elements;
mod fit;
mod operations;
#[cfg(test)]
mod tests;

pub use build::{MAX_INSERTED, TypeRefusal, Types, find};
pub use elements::{Elements, SequenceShape};
pub use fit::Fit;
pub use operations::Operations;

use super::layout::{Layout, Scalar, StructLayout};
use crate::value::{Value, narrow, widen};
use crate::{NetworkReader, NetworkWriter, ReadErrorKind, ReadResult};

/// Conversion of a value.
#[derive(Clone, Debug)]
pub enum Conversion {
    /// The bytes are equal.
    Copy(Layout),
    /// A number of another width or codec.
    Scalar {
        /// Writer's layout.
        from: Scalar,
        /// Reader's layout.
        to: Scalar,
    },
    /// A text with a limit of the reader, in bytes.
    Text(usize),
    /// Members one after another.
    Struct(MembersConversion),
    /// A variant among several.
    Enum(Variants),
    /// An optional value to an optional value.
    Optional(Box<Self>),
    /// A value to an optional value.
    Wrap(Box<Self>),
    /// An optional value to a value.
    Unwrap(Box<Self>, Layout),
    /// A value to a sequence of one element.
    One(Box<Self>),
    /// The first element of a sequence to a value.
    First(Box<Self>, Box<First>),
    /// Elements to elements.
    Elements(Box<Elements>),
    /// Any other pair of layouts with the same values, by way of a [`Value`].
    ByValue(Box<(Layout, Layout)>),
}

/// Layouts of a sequence whose first element is taken.
#[derive(Clone, Debug)]
pub struct First {
    /// Shape of the sequence.
    pub shape: SequenceShape,
    /// Writer's layout of an element.
    pub element: Layout,
    /// Reader's layout.
    pub to: Layout,
}

/// Conversion of the members of a struct, a variant or a call.
#[derive(Clone, Debug)]
pub struct MembersConversion {
    /// Reader's members, with the writer's members that the reader lacks between them.
    pub steps: Vec<Step>,
    /// Writer's layout, if its members have another order than the reader's. `Take` then names a member by its position.
    pub permuted: Option<StructLayout>,
}

/// A member of the reader, or one that the reader lacks.
#[derive(Clone, Debug)]
pub enum Step {
    /// Skips a member of the writer.
    Skip(Layout),
    /// Converts the member of the writer at a position.
    Take(usize, Conversion),
    /// Inserts a value that the writer lacks.
    Insert(Value, Layout),
}

/// Conversion of an enumeration.
#[derive(Clone, Debug)]
pub struct Variants {
    /// Writer's variants, in order.
    pub variants: Vec<VariantConversion>,
    /// Set if the position of a variant is on the writer's wire, otherwise its number.
    pub from_data: bool,
    /// Set if the position of a variant is on the reader's wire, otherwise its number.
    pub to_data: bool,
}

/// Conversion of a variant.
#[derive(Clone, Debug)]
pub struct VariantConversion {
    /// Number of the variant on the writer's wire.
    pub number: i64,
    /// Number of the reader's variant on its wire.
    pub to: i64,
    /// Whether the reader has the variant.
    pub fit: VariantFit,
    /// Conversion of the members.
    pub members: MembersConversion,
}

/// Whether the reader has a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantFit {
    /// The reader has it.
    Known,
    /// The reader has a variant in the place of unknown ones.
    Other,
    /// The value does not fit.
    Unknown,
}

impl Conversion {
    /// Returns whether the bytes stay as they are.
    pub const fn is_copy(&self) -> bool {
        matches!(self, Self::Copy(_))
    }

    /// Reads a value of the writer, and appends it in the layout of the reader. A value that does not fit leaves bytes of
    /// no meaning, which the caller drops.
    ///
    /// # Errors
    ///
    /// When the bytes are not a value of the writer's type.
    pub fn convert(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
    ) -> ReadResult<()> {
        match self {
            Self::Copy(layout) => copy(layout, reader, writer),
            Self::Scalar { from, to } => convert_scalar(*from, *to, reader, writer, fit),
            Self::Text(longest) => {
                let text = reader.read_text()?;
                if text.len() > *longest {
                    fit.miss();
                    writer.write_text("");
                } else {
                    writer.write_text(text);
                }
                Ok(())
            }
            Self::Struct(members) => members.convert(reader, writer, fit),
            Self::Enum(variants) => variants.convert(reader, writer, fit),
            Self::Optional(value) => {
                let is_some = reader.read_bool()?;
                writer.write_bool(is_some);
                if is_some {
                    value.convert(reader, writer, fit)?;
                }
                Ok(())
            }
            Self::Wrap(value) => {
                writer.write_bool(true);
                value.convert(reader, writer, fit)
            }
            Self::Unwrap(value, to) => {
                if reader.read_bool()? {
                    return value.convert(reader, writer, fit);
                }
                fit.miss();
                write_zero(to, writer);
                Ok(())
            }
            Self::One(value) => {
                writer.write_count(1);
                value.convert(reader, writer, fit)
            }
            Self::First(value, first) => first.convert(value, reader, writer, fit),
            Self::Elements(elements) => elements.convert(reader, writer, fit),
            Self::ByValue(layouts) => {
                let value = layouts.0.read_value(reader)?;
                write(&value, &layouts.1, writer, fit);
                Ok(())
            }
        }
    }
}

/// Converts a number.
fn convert_scalar(
    from: Scalar,
    to: Scalar,
    reader: &mut NetworkReader<'_>,
    writer: &mut NetworkWriter,
    fit: &mut Fit,
) -> ReadResult<()> {
    let value = from.read(reader)?;
    let is_rounded = fit.is_of_key() && is_rounded(&value, to);
    if is_rounded || to.write(&value, writer).is_err() {
        fit.miss();
        write_zero(&Layout::Scalar(to), writer);
    }
    Ok(())
}

/// Writes a value; 0 in the place of a value that does not fit.
fn write(value: &Value, to: &Layout, writer: &mut NetworkWriter, fit: &mut Fit) {
    if to.write_value(value, writer).is_err() {
        fit.miss();
        write_zero(to, writer);
    }
}

/// Returns whether a float of 64 bits loses bits.
fn is_rounded(value: &Value, to: Scalar) -> bool {
    matches!((value, to), (Value::Float(value), Scalar::F32) if widen(narrow(*value)).to_bits() != value.to_bits())
}

/// Copies a value whose bytes are equal on both ends.
fn copy(
    layout: &Layout,
    reader: &mut NetworkReader<'_>,
    writer: &mut NetworkWriter,
) -> ReadResult<()> {
    let (rest, start) = (reader.rest(), reader.position());
    layout.measure(reader)?;
    let length = reader.position() - start;
    writer.write_bytes(rest.get(..length).unwrap_or_default());
    Ok(())
}

/// Writes the value 0 of a layout. A layout without one is refused at the begin of the connection where it could be needed.
fn write_zero(layout: &Layout, writer: &mut NetworkWriter) {
    if let Some(zero) = layout.zero()
        && let Err(error) = layout.write_value(&zero, writer)
    {
        tracing::error!(%error, "a value 0 does not fit its type");
    }
}

impl MembersConversion {
    /// Reads members of the writer, and appends those of the reader.
    ///
    /// # Errors
    ///
    /// When the bytes are not members of the writer.
    pub fn convert(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
    ) -> ReadResult<()> {
        if let Some(from) = &self.permuted {
            return self.convert_permuted(from, reader, writer, fit);
        }
        for step in &self.steps {
            match step {
                Step::Skip(layout) => layout.measure(reader)?,
                Step::Take(_, conversion) => conversion.convert(reader, writer, fit)?,
                Step::Insert(value, layout) => insert(value, layout, writer),
            }
        }
        Ok(())
    }

    /// Converts members in the order of the reader: the begins of the writer's members are measured first.
    fn convert_permuted(
        &self,
        from: &StructLayout,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
    ) -> ReadResult<()> {
        let bytes = reader.rest();
        let begin = reader.position();
        let mut starts = Vec::with_capacity(from.members.len());
        for member in &from.members {
            starts.push(reader.position() - begin);
            member.measure(reader)?;
        }
        reader.take_work(reader.position() - begin)?;
        for step in &self.steps {
            match step {
                Step::Skip(_) => {}
                Step::Take(at, conversion) => {
                    let start = starts.get(*at).copied().unwrap_or_default();
                    let member = bytes.get(start..).unwrap_or_default();
                    reader.in_part(member, |part| conversion.convert(part, writer, fit))?;
                }
                Step::Insert(value, layout) => insert(value, layout, writer),
            }
        }
        Ok(())
    }
}

/// Writes a value that the writer lacks.
fn insert(value: &Value, layout: &Layout, writer: &mut NetworkWriter) {
    if let Err(error) = layout.write_value(value, writer) {
        tracing::error!(%error, "a value of the prefab does not fit its type");
    }
}

impl Variants {
    fn convert(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
    ) -> ReadResult<()> {
        let start = reader.mark();
        let (value, variant) = if self.from_data {
            let position = reader.read_variant()?;
            let at = usize::try_from(position).unwrap_or(usize::MAX);
            (i64::from(position), self.variants.get(at))
        } else {
            let number = reader.read_enum()?;
            // A number above 2^31 has the bits of a negative number.
            let is_it = |variant: &&VariantConversion| low_bits(variant.number) == number;
            (i64::from(number), self.variants.iter().find(is_it))
        };
        let Some(variant) = variant else {
            let name = "an enum of the schema";
            let kind = ReadErrorKind::UnknownVariant { name, value };
            return Err(reader.error_since(start, kind));
        };
        match variant.fit {
            VariantFit::Known => {}
            // Two keys of the writer would become one.
            VariantFit::Other if !fit.is_of_key() => {}
            VariantFit::Other | VariantFit::Unknown => fit.miss(),
        }
        if self.to_data {
            writer.write_variant(u32::try_from(variant.to).unwrap_or_default());
        } else {
            writer.write_enum(low_bits(variant.to));
        }
        variant.members.convert(reader, writer, fit)
    }
}

/// Returns the bits of a number on the wire.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "numbers beyond 32 bits are refused at compile time"
)]
const fn low_bits(number: i64) -> i32 {
    number as i32
}
