//! `NetworkSerializable`: a value with one function for writing and reading.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use super::{BufferSerializer, SynchronizeError};
use crate::schema::TypeSchema;
use crate::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue, WriteErrorKind};

/// A value with one function for writing and reading, like Netcode's `INetworkSerializable`. For
/// members in a fixed sequence `#[derive(SyncValue)]` is shorter. This trait suits members that depend
/// on a condition or travel in a special form.
///
/// ```
/// use syncvar::{SyncVar, behaviour::{BufferSerializer, NetworkSerializable, Serializable}, error::SynchronizeError};
///
/// #[derive(Clone, Default, PartialEq)]
/// struct Weapon {
///     name: String,
///     ammunition: Option<u32>,
///     sound_loaded: bool, // does not travel: a client keeps its own
/// }
///
/// impl NetworkSerializable for Weapon {
///     const NAME: &'static str = "Weapon";
///
///     fn network_serialize(
///         &mut self,
///         serializer: &mut BufferSerializer<'_, '_>,
///     ) -> Result<(), SynchronizeError> {
///         serializer.serialize_value(&mut self.name)?;
///         if self.name != "sword" {
///             serializer.serialize_value(&mut self.ammunition)?;
///         }
///         Ok(())
///     }
/// }
///
/// let mut weapon: SyncVar<Serializable<Weapon>> = SyncVar::default();
/// weapon.name = "bow".into();
/// assert!(weapon.is_dirty());
/// ```
///
/// A member that implements the trait takes the serializer:
/// `self.weapon.network_serialize(serializer)?`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no serialisation",
    label = "no `impl NetworkSerializable for {Self}`",
    note = "write `impl NetworkSerializable for {Self} {{ ... }}`; or derive `SyncValue` for it, and leave out `Serializable`"
)]
pub trait NetworkSerializable: Clone + Default + PartialEq + Send + Sync + 'static {
    /// Name in the schema, compared by both ends at connect in place of the members: change it with the bytes.
    const NAME: &'static str;

    /// Writes or reads the value, in the same order.
    ///
    /// # Errors
    ///
    /// The errors of the serializer, and the errors of the value. An object with a value that cannot be
    /// written is not sent; an object with a value that cannot be read is requested again.
    fn network_serialize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError>;
}

/// Makes a [`NetworkSerializable`] a [`SyncValue`], for a [`SyncVar`](crate::SyncVar), a list or an
/// argument. It is read in place: members that do not travel keep their values. A write works on a copy,
/// because it must not change the original.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Serializable<T>(pub T);

impl<T> From<T> for Serializable<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Serializable<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Serializable<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: NetworkSerializable> SyncValue for Serializable<T> {
    const SCHEMA: TypeSchema = TypeSchema::measured::<Self>(&TypeSchema::Named(T::NAME));

    fn write(&self, writer: &mut NetworkWriter) {
        let mut copy = self.0.clone();
        let written = copy.network_serialize(&mut BufferSerializer::writing(writer));
        if let Err(error) = written {
            tracing::debug!(value = T::NAME, %error, "a value cannot be written");
            writer.fail(match error {
                SynchronizeError::Write(error) => error.kind(),
                other => WriteErrorKind::Custom(reason(&other)),
            });
        }
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let mut value = Self::default();
        value.read_in_place(reader)?;
        Ok(value)
    }

    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let read = self
            .0
            .network_serialize(&mut BufferSerializer::reading(reader));
        read.map_err(|error| {
            tracing::debug!(value = T::NAME, %error, "a value cannot be read");
            match error {
                SynchronizeError::Read(error) => error,
                other => reader.error(ReadErrorKind::Custom(reason(&other))),
            }
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// Returns an error's text in the form that a read or write error keeps.
fn reason(error: &SynchronizeError) -> &'static str {
    match error {
        SynchronizeError::Refused(Cow::Borrowed(why)) => why,
        _ => "its `network_serialize` refuses this value",
    }
}
