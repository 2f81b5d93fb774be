//! Codecs: alternative encodings for a field, `#[sync_var(with = Half)]`.
//!
//! As in `wire`, writing cannot fail half-way and reading cannot panic.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::arithmetic_side_effects
)]

mod bits;
mod floats;
mod half;
mod integer;
mod measured;
mod quantized;
mod rotation;
mod steps;

pub(crate) use bits::BitWidth;
pub use bits::Bits;
pub use floats::Floats;
pub use half::Half;
pub use integer::{Fixed, ZigZag};
pub use quantized::Quantized;
pub use rotation::SmallestThree;
pub(crate) use steps::Steps;

use std::marker::PhantomData;

use crate::schema::TypeSchema;
use crate::wire::ValueForm;
use crate::{NetworkReader, NetworkWriter, ReadError, ReadResult};

/// Alternative encoding of a `T`: `#[sync_var(with = Half)]` above a
/// `SyncVar<f32>`.
///
/// | codec | for | bytes |
/// |---|---|---|
/// | [`ZigZag`] | signed integers near 0 | as an unsigned integer of twice the size, less one if negative |
/// | [`Fixed`] | integers of any size, `char` | the full size of the type |
/// | [`Bits<N>`](Bits) | integers of at most `N` bits | the fewest for `N` bits |
/// | [`Quantized<MIN, MAX, PER_UNIT>`](Quantized) | floats in a range, in steps | 1 to 4 for each |
/// | [`Half`] | floats of about 3 digits | 2 for each |
/// | [`SmallestThree`] | rotations | 4 |
///
/// The field stays a `SyncVar<T>`; only its bytes differ. A lossy codec leaves the server's value
/// unchanged, and a client holds the decoded value. On the server, a write to the field is a change only if
/// it changes the bytes ([`same`](Self::same)); on a client, a hook runs under the same condition. Small
/// steps add up: they are sent as soon as their sum changes the bytes. For the comparison the server copies
/// the values of such fields when it grants write access to a behaviour.
/// `T` does not have to be a [`SyncValue`](crate::SyncValue). Write to a field without it by
/// `*field = ...`.
///
/// A codec is a type without values. An example:
/// ```
/// use syncvar::{codec::SyncCodec, schema::TypeSchema, wire::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind}};
///
/// const MATERIALS: [&str; 3] = ["stone", "wood", "gold"];
///
/// /// A name of a table that both sides have, as its position in one byte.
/// struct Material;
///
/// impl SyncCodec<&'static str> for Material {
///     const SCHEMA: TypeSchema =
///         TypeSchema::measured_by_codec::<&'static str, Self>(&TypeSchema::Encoded {
///             codec: "Material",
///             parameters: &[MATERIALS.len() as i64],
///             value: &TypeSchema::Named("str"),
///         });
///
///     fn write(value: &&'static str, writer: &mut NetworkWriter) {
///         match (0..).zip(MATERIALS).find(|(_, name)| name == value) {
///             Some((index, _)) => writer.write_u8(index),
///             None => writer.fail(WriteErrorKind::Custom("this material is not in the table")),
///         }
///     }
///     fn read(reader: &mut NetworkReader<'_>) -> Result<&'static str, ReadError> {
///         let index = reader.read_u8()?;
///         let name = MATERIALS.get(usize::from(index)).copied();
///         name.ok_or_else(|| reader.error(ReadErrorKind::Custom("this material is unknown")))
///     }
///     fn same(value: &&'static str, other: &&'static str) -> bool {
///         value == other
///     }
/// }
///
/// let mut writer = NetworkWriter::new();
/// Material::write(&"gold", &mut writer);
/// assert_eq!(writer.as_bytes(), [2]);
/// assert_eq!(Material::read(&mut NetworkReader::new(&[1]))?, "wood");
/// # Ok::<(), ReadError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no encoding for `{T}`",
    label = "this does not implement `SyncCodec<{T}>`",
    note = "integers have `ZigZag`, `Fixed` and `Bits<N>`; floats, vectors and colours have `Half` and \
            `Quantized<MIN, MAX, PER_UNIT>`; a rotation has `SmallestThree`",
    note = "a struct of your own that is made of `f32` implements `Floats` for `Half` and `Quantized`",
    note = "a codec of your own implements `SyncCodec<{T}>`"
)]
pub trait SyncCodec<T: Clone + Send + Sync + 'static>: 'static {
    /// Type in the schema, compared by both ends at connect: usually [`TypeSchema::Encoded`], with all
    /// parameters that affect the bytes, [measured by this codec](TypeSchema::measured_by_codec).
    const SCHEMA: TypeSchema;

    /// Appends the value.
    fn write(value: &T, writer: &mut NetworkWriter);

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// When the bytes are not a valid value.
    fn read(reader: &mut NetworkReader<'_>) -> Result<T, ReadError>;

    /// Reads into an existing value.
    ///
    /// # Errors
    ///
    /// When [`read`](Self::read) fails; the value may then be partly updated.
    #[inline]
    fn read_in_place(value: &mut T, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        *value = Self::read(reader)?;
        Ok(())
    }

    /// Returns whether both values have the same bytes. "Closer than a threshold" would be a wrong
    /// answer: smaller steps would never be sent, whatever their sum.
    fn same(value: &T, other: &T) -> bool;

    /// Like [`read_in_place`](Self::read_in_place); returns the previous value if its bytes differed.
    ///
    /// # Errors
    ///
    /// Like [`read`](Self::read).
    #[inline]
    fn read_with_previous(
        value: &mut T,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<T>, ReadError> {
        let previous = value.clone();
        Self::read_in_place(value, reader)?;
        Ok((!Self::same(value, &previous)).then_some(previous))
    }

    /// Returns the form of the codec. The derive calls it: a missing trait is then one error, at the
    /// codec.
    #[inline]
    fn form() -> impl ValueForm<T>
    where
        Self: Sized,
    {
        CodecForm::<Self>(PhantomData)
    }
}

/// Form that a codec gives to a value.
struct CodecForm<C>(PhantomData<C>);

impl<C, T> ValueForm<T> for CodecForm<C>
where
    C: SyncCodec<T>,
    T: Clone + Send + Sync + 'static,
{
    const SCHEMA: TypeSchema = C::SCHEMA;

    #[inline]
    fn write(value: &T, writer: &mut NetworkWriter) {
        C::write(value, writer);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> ReadResult<T> {
        C::read(reader)
    }

    #[inline]
    fn read_in_place(value: &mut T, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        C::read_in_place(value, reader)
    }

    #[inline]
    fn read_with_previous(value: &mut T, reader: &mut NetworkReader<'_>) -> ReadResult<Option<T>> {
        C::read_with_previous(value, reader)
    }

    #[inline]
    fn copy(value: &T) -> T {
        value.clone()
    }

    #[inline]
    fn same(value: &T, other: &T) -> bool {
        C::same(value, other)
    }
}
