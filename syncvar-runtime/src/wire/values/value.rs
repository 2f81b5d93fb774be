//! `SyncValue`: the values of fields.

use crate::schema::TypeSchema;
use crate::wire::budget::is_wasteful;
use crate::wire::encoding::MAX_EMPTY_ELEMENTS;
use crate::wire::{
    Absence, NetworkReader, NetworkWriter, PlainForm, ReadError, ReadErrorKind, ValueForm,
    WriteErrorKind,
};

/// A value that can be written to the wire and read back: the content of a [`SyncVar`](crate::SyncVar).
///
/// Values are:
///
/// * integers of 8 to 128 bits and their `NonZero` ones, `f32`, `f64`, `bool`, `char`, `Duration`;
/// * `String`, [`FixedString<N>`](crate::FixedString), `Vec`, `bytes::Bytes`, `Option`, `Box`,
///   arrays, tuples of up to 8;
/// * `BTreeMap`, `HashMap`, `BTreeSet` and `HashSet`, with keys or elements that are `Ord`: they
///   travel in that order, which must depend on travelling members alone;
/// * Unity's and .NET's types, such as [`Vector3`](crate::Vector3), [`LayerMask`](crate::LayerMask) and
///   [`OaDate`](crate::OaDate), and [`NetId`](crate::NetId);
/// * references to other objects: [`NetRef`](crate::NetRef) and
///   [`BehaviourRef`](crate::BehaviourRef);
/// * with the features of these names the types of `glam` and `mint`, and `uuid::Uuid`; with the
///   feature `serde` any type with serde's traits, inside a `Postcard<T>`.
///
/// Derive it for your structs and enums with `#[derive(SyncValue)]`; implement it by hand only for a
/// custom layout.
///
/// ```
/// use syncvar::{SyncValue, schema::TypeSchema, wire::{NetworkReader, NetworkWriter, ReadError}};
///
/// /// A percentage that takes one byte.
/// #[derive(Clone)]
/// struct Percent(u8);
///
/// impl SyncValue for Percent {
///     const SCHEMA: TypeSchema = TypeSchema::Named("Percent");
///
///     fn write(&self, writer: &mut NetworkWriter) {
///         writer.write_u8(self.0);
///     }
///     fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
///         reader.read_u8().map(Percent)
///     }
///     fn same(&self, other: &Self) -> bool {
///         self.0 == other.0
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be synchronised: it does not implement `SyncValue`",
    label = "this type cannot travel",
    note = "for a struct or enum of your own write `#[derive(SyncValue, Clone)]` above it",
    note = "a type of another crate goes into a struct of your own that implements `SyncValue`; the types of glam, \
            mint and uuid are values with the features `glam`, `mint` and `uuid`",
    note = "to refer to another object, keep its `NetId`"
)]
pub trait SyncValue: Clone + Send + Sync + 'static {
    /// Type in the schema, compared by both ends at connect. See [`TypeSchema`].
    const SCHEMA: TypeSchema;

    /// Form of `None` in `Mirror`.
    const ABSENCE: Absence = Absence::Flag;

    /// Writes the value.
    fn write(&self, writer: &mut NetworkWriter);

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// When the bytes are no valid value.
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError>;

    /// Reads a value into an existing one, which keeps its memory and its members that do not travel.
    ///
    /// # Errors
    ///
    /// When [`read`](Self::read) fails; the value may then be partly updated.
    #[inline]
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        *self = Self::read(reader)?;
        Ok(())
    }

    /// Returns whether both values have the same bytes. Floats compare by their bits: a stored NaN is
    /// no permanent change, and `-0.0` counts as a change of `0.0`.
    fn same(&self, other: &Self) -> bool;

    /// Returns the form of the type. The derive calls it where it does not know the type: a missing
    /// trait is then one error, at the type.
    #[inline]
    fn form() -> impl ValueForm<Self> {
        PlainForm
    }

    /// Returns a copy for a later comparison.
    #[inline]
    #[must_use]
    fn remembered(&self) -> Self {
        self.clone()
    }

    /// Like [`read_in_place`](Self::read_in_place); returns the previous value if it differed.
    ///
    /// # Errors
    ///
    /// Like [`read`](Self::read).
    #[inline]
    fn read_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<Self>, ReadError> {
        let previous = self.clone();
        self.read_in_place(reader)?;
        Ok((!self.same(&previous)).then_some(previous))
    }

    /// Writes a sequence of such values; `u8` has a shorter form than one value after another.
    #[inline]
    fn write_slice(values: &[Self], writer: &mut NetworkWriter) {
        writer.report_elements::<Self>(values.len(), 0);
        write_elements(values.len(), writer, |writer| {
            for value in values {
                value.write(writer);
            }
        });
    }

    /// Reads a sequence of such values.
    ///
    /// # Errors
    ///
    /// Like [`read`](Self::read), and for more elements than the reader allows.
    #[inline]
    fn read_slice(values: &mut Vec<Self>, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let count = reader.read_count()?;
        reader.charge::<Self>(count)?;
        values.truncate(count);
        reader.nested(|reader| {
            for value in &mut *values {
                value.read_in_place(reader)?;
            }
            let missing = count.saturating_sub(values.len());
            values.reserve(reader.room::<Self>(missing));
            for _ in 0..missing {
                let before = reader.position();
                values.push(Self::read(reader)?);
                if reader.position() == before {
                    reader.count_empty_element()?;
                }
            }
            Ok(())
        })?;
        if is_wasteful::<Self>(values.capacity(), count) {
            values.shrink_to_fit();
        }
        Ok(())
    }

    /// Writes the value in the fixed width of its type: `Mirror`'s form of integers in an `Option`.
    #[inline]
    fn write_fixed(&self, writer: &mut NetworkWriter) {
        self.write(writer);
    }

    /// Reads the bytes of [`write_fixed`](Self::write_fixed).
    ///
    /// # Errors
    ///
    /// Like [`read`](Self::read).
    #[inline]
    fn read_fixed(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Self::read(reader)
    }
}

/// Writes a count, then the elements; too many elements without bytes are an error.
#[inline]
pub(super) fn write_elements(
    count: usize,
    writer: &mut NetworkWriter,
    write: impl FnOnce(&mut NetworkWriter),
) {
    if writer.write_count(count) {
        let before = writer.len();
        write(writer);
        let limit = MAX_EMPTY_ELEMENTS;
        if count > limit && writer.len() == before {
            writer.fail(WriteErrorKind::TooManyElements { count, limit });
        }
    }
}

/// Integers sent as a 32-bit one and checked by the reader; in `Mirror` they have a fixed
/// width.
macro_rules! narrow_integers {
    ($($type:ident: $write:ident, $read:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl SyncValue for $type {
            const SCHEMA: TypeSchema = TypeSchema::Named(stringify!($type));

            #[inline]
            fn write(&self, writer: &mut NetworkWriter) {
                writer.write_fixed_or(self.to_le_bytes(), |writer| writer.$write((*self).into()));
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                reader.read_fixed_or(Self::from_le_bytes, |reader| reader.$read(stringify!($type)))
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}

narrow_integers! {
    i8: write_signed, read_signed;
    i16: write_signed, read_signed;
    u16: write_unsigned, read_unsigned;
}

/// Integers with a variable form in every encoding.
macro_rules! wide_integers {
    ($($type:ident: $write:ident, $read:ident($($name:literal)?), $write_fixed:ident, $read_fixed:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl SyncValue for $type {
            const SCHEMA: TypeSchema = TypeSchema::Named(stringify!($type));
            const ABSENCE: Absence = Absence::FlagOfFixed;

            #[inline]
            fn write(&self, writer: &mut NetworkWriter) {
                writer.$write(*self);
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                reader.$read($($name)?)
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                self == other
            }

            #[inline]
            fn write_fixed(&self, writer: &mut NetworkWriter) {
                writer.$write_fixed(*self);
            }

            #[inline]
            fn read_fixed(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                reader.$read_fixed()
            }
        }
    )*};
}

wide_integers! {
    i32: write_signed, read_signed("i32"), write_i32, read_i32;
    u32: write_unsigned, read_unsigned("u32"), write_u32, read_u32;
    i64: write_signed_wide, read_signed_wide(), write_i64, read_i64;
    u64: write_unsigned_wide, read_unsigned_wide(), write_u64, read_u64;
}

/// A sequence of `u8` travels as a byte array.
#[diagnostic::do_not_recommend]
impl SyncValue for u8 {
    const SCHEMA: TypeSchema = TypeSchema::Named("u8");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_fixed_or([*self], |writer| writer.write_unsigned(u32::from(*self)));
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_fixed_or(Self::from_le_bytes, |reader| reader.read_unsigned("u8"))
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }

    #[inline]
    fn write_slice(values: &[Self], writer: &mut NetworkWriter) {
        writer.write_byte_sequence(values);
    }

    #[inline]
    fn read_slice(values: &mut Vec<Self>, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let bytes = reader.read_byte_sequence()?;
        values.clear();
        values.extend_from_slice(bytes);
        if is_wasteful::<u8>(values.capacity(), bytes.len()) {
            values.shrink_to_fit();
        }
        Ok(())
    }
}

/// Values with a method of the same name in the writer and the reader.
macro_rules! known_to_the_writer {
    ($($type:ident: $write:ident, $read:ident, |$a:ident, $b:ident| $same:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl SyncValue for $type {
            const SCHEMA: TypeSchema = TypeSchema::Named(stringify!($type));

            #[inline]
            fn write(&self, writer: &mut NetworkWriter) {
                writer.$write(*self);
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                reader.$read()
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                let ($a, $b) = (self, other);
                $same
            }
        }
    )*};
}

known_to_the_writer! {
    i128: write_signed_128, read_signed_128, |a, b| a == b;
    u128: write_unsigned_128, read_unsigned_128, |a, b| a == b;
    bool: write_bool, read_bool, |a, b| a == b;
    f32: write_f32, read_f32, |a, b| a.to_bits() == b.to_bits();
    f64: write_f64, read_f64, |a, b| a.to_bits() == b.to_bits();
}

/// Scalar value of the character as a number, also beyond U+FFFF, where C# needs two `char`. In `Mirror`
/// one UTF-16 code unit; characters beyond U+FFFF have no form there.
#[diagnostic::do_not_recommend]
impl SyncValue for char {
    const SCHEMA: TypeSchema = TypeSchema::Named("char");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_character(*self);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let start = reader.mark();
        let code_unit = |bytes| u32::from(u16::from_le_bytes(bytes));
        let number = reader.read_fixed_or(code_unit, |reader| reader.read_unsigned("char"))?;
        match Self::from_u32(number) {
            Some(character) => Ok(character),
            None => Err(reader.error_since(start, ReadErrorKind::InvalidChar(number))),
        }
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

#[diagnostic::do_not_recommend]
impl SyncValue for String {
    const SCHEMA: TypeSchema = TypeSchema::Named("String");
    const ABSENCE: Absence = Absence::Length;

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_text(self);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_text().map(Self::from)
    }

    #[inline]
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let text = reader.read_text()?;
        if text.len() > self.capacity() {
            *self = text.into();
            return Ok(());
        }
        self.clear();
        self.push_str(text);
        if is_wasteful::<u8>(self.capacity(), text.len()) {
            self.shrink_to_fit();
        }
        Ok(())
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
