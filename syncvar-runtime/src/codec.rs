//! Encodings that are chosen for a field: `#[sync_var(with = Half)]`.
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
mod quantized;
mod rotation;

pub use bits::Bits;
pub use floats::Floats;
pub use half::Half;
pub use integer::{Fixed, ZigZag};
pub use quantized::Quantized;
pub use rotation::SmallestThree;

use crate::schema::TypeSchema;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncVar, VariableAccess};

/// A way for a `T` to travel that is not its own: `#[sync_var(with = Half)]` above a
/// `SyncVar<f32>`.
///
/// | codec | for | bytes |
/// |---|---|---|
/// | [`ZigZag`] | signed integers near 0 | as an unsigned integer of twice the size, less one if negative |
/// | [`Fixed`] | integers of any size, `char` | all that the type has |
/// | [`Bits<N>`](Bits) | integers of at most `N` bits | as few as hold `N` bits |
/// | [`Quantized<MIN, MAX, PER_UNIT>`](Quantized) | floats in a range, in steps | 1 to 4 for each |
/// | [`Half`] | floats of about 3 digits | 2 for each |
/// | [`SmallestThree`] | rotations | 4 |
///
/// The field stays a `SyncVar<T>`; only what is sent is another. A codec that loses something leaves
/// the server's value as it is, and what a client holds is what it has decoded. On the server, a
/// write to the field is a change only if it makes a difference to what is sent
/// ([`same`](Self::same)), however it was written, and a hook on the client runs on the same
/// condition. Small steps add up: they are sent as soon as together they make a difference. To see
/// it, the server copies the values of such fields when it lends a behaviour.
///
/// `T` does not have to be a [`SyncValue`](crate::SyncValue). One that is not is written to by
/// [`as_mut`](crate::SyncVar::as_mut) or `*field = ...`.
///
/// A codec is a type without values. One of your own:
///
/// ```
/// use syncvar::{
///     NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncCodec, TypeSchema, WriteErrorKind,
/// };
///
/// const MATERIALS: [&str; 3] = ["stone", "wood", "gold"];
///
/// /// A name of a table that both sides have, as its position in one byte.
/// struct Material;
///
/// impl SyncCodec<&'static str> for Material {
///     const SCHEMA: TypeSchema = TypeSchema::Encoded {
///         codec: "Material",
///         parameters: &[MATERIALS.len() as i64],
///         value: &TypeSchema::Named("str"),
///     };
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
    /// What both ends compare at connect: usually [`TypeSchema::Encoded`], with all that decides the
    /// bytes.
    const SCHEMA: TypeSchema;

    /// Appends the value.
    fn write(value: &T, writer: &mut NetworkWriter);

    /// Takes a value.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a value.
    fn read(reader: &mut NetworkReader<'_>) -> Result<T, ReadError>;

    /// Takes a value into an existing one.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read); the value may then be half new.
    #[inline]
    fn read_in_place(value: &mut T, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        *value = Self::read(reader)?;
        Ok(())
    }

    /// Whether sending `other` instead would make no difference: whether both are written as the same
    /// bytes. "Closer than a threshold" is another question, and a wrong answer: steps below it would
    /// never be sent, however many there are.
    fn same(value: &T, other: &T) -> bool;

    /// As [`read_in_place`](Self::read_in_place), and returns what was there before if it was
    /// another value as far as it travels.
    #[doc(hidden)]
    #[inline]
    fn read_with_previous(
        value: &mut T,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<T>, ReadError> {
        let previous = value.clone();
        Self::read_in_place(value, reader)?;
        Ok((!Self::same(value, &previous)).then_some(previous))
    }

    /// Shows a variable with this codec to a visitor. The derive calls it: a missing trait is then one
    /// error, at the codec.
    #[doc(hidden)]
    #[inline]
    fn access<'a>(
        field: &'a mut SyncVar<T>,
        previous: &'a mut Option<T>,
    ) -> impl VariableAccess<Value = T>
    where
        Self: Sized,
    {
        crate::encoded::<Self, T>(field, previous)
    }

    /// Shows a variable with this codec and a hook to a visitor.
    #[doc(hidden)]
    #[inline]
    fn hooked<'a>(
        field: &'a mut SyncVar<T>,
        previous: &'a mut Option<T>,
    ) -> impl VariableAccess<Value = T>
    where
        Self: Sized,
    {
        crate::encoded_hook::<Self, T>(field, previous)
    }
}
