//! `SyncValue`: the values of fields.

use crate::schema::TypeSchema;
use crate::wire::budget::is_wasteful;
use crate::wire::encoding::MAX_EMPTY_ELEMENTS;
use crate::wire::{
    Absence, NetworkReader, NetworkWriter, ReadError, ReadResult, ValueForm, WriteErrorKind,
};

/// A value that can be written to the wire and read back: the content of a [`SyncVar`](crate::SyncVar).
///
/// Values are:
///
/// * integers of 8 to 128 bits and their `NonZero` forms, `f32`, `f64`, `bool`, `char`, `Duration`;
/// * `String`, [`FixedString<N>`](crate::FixedString), `Vec`, `bytes::Bytes`, `Option`, `Box`,
///   arrays, tuples of up to 8;
/// * `BTreeMap`, `HashMap`, `BTreeSet` and `HashSet`, with keys or elements that are `Ord`: they
///   travel in that order, which must depend on travelling members alone;
/// * Unity's and .NET's types, such as [`Vector3`](crate::Vector3), [`LayerMask`](crate::LayerMask) and
///   [`OaDate`](crate::OaDate), and [`NetId`](crate::NetId);
/// * references to objects: [`NetRef`](crate::NetRef) and
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
///     const SCHEMA: TypeSchema = TypeSchema::measured::<Self>(&TypeSchema::Named("Percent"));
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
    /// When the bytes are not a valid value.
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

    /// Writes a sequence of such values; `u8` has a shorter form than a list of values.
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

/// Form that a type has by itself.
#[derive(Clone, Copy, Debug)]
pub struct PlainForm;

impl<T: SyncValue> ValueForm<T> for PlainForm {
    const SCHEMA: TypeSchema = T::SCHEMA;

    #[inline]
    fn write(value: &T, writer: &mut NetworkWriter) {
        value.write(writer);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> ReadResult<T> {
        T::read(reader)
    }

    #[inline]
    fn read_in_place(value: &mut T, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        value.read_in_place(reader)
    }

    #[inline]
    fn read_with_previous(value: &mut T, reader: &mut NetworkReader<'_>) -> ReadResult<Option<T>> {
        value.read_with_previous(reader)
    }

    #[inline]
    fn copy(value: &T) -> T {
        value.clone()
    }

    #[inline]
    fn same(value: &T, other: &T) -> bool {
        value.same(other)
    }
}

impl NetworkWriter {
    /// Writes a value in the form of a behaviour's field.
    #[inline]
    pub fn write<T: SyncValue>(&mut self, value: &T) {
        value.write(self);
    }
}

impl NetworkReader<'_> {
    /// Reads a value in the form of a behaviour's field.
    ///
    /// # Errors
    ///
    /// When [`SyncValue::read`] fails.
    #[inline]
    pub fn read<T: SyncValue>(&mut self) -> Result<T, ReadError> {
        T::read(self)
    }

    /// Reads into an existing value, which keeps its memory and its members that do not travel.
    ///
    /// # Errors
    ///
    /// When [`SyncValue::read_in_place`] fails.
    #[inline]
    pub fn read_into<T: SyncValue>(&mut self, value: &mut T) -> Result<(), ReadError> {
        value.read_in_place(self)
    }
}
