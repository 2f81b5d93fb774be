//! `Postcard`: a value of any type with serde's traits.

mod limited;

use std::cell::Cell;
use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::Serialize;
use serde::de::DeserializeOwned;

use limited::{Limited, Meter};

use crate::schema::TypeSchema;
use crate::wire::{
    Absence, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue, WriteErrorKind,
};

/// Wraps a value of any type that is `Serialize` and `Deserialize`: `SyncVar<Postcard<Loadout>>`.
/// Feature `serde`.
///
/// Suited to types of foreign crates and to prototypes. Prefer `#[derive(SyncValue)]` for your types: it makes
/// fewer bytes, reads in place and names the member of an error. On
/// the wire it is a sequence of bytes in the format of the crate [`postcard`](https://docs.rs/postcard),
/// in every encoding. It is read as a whole: members that serde skips become their default.
///
/// # Limits
///
/// * Values without a form in postcard are a [`WriteError`](crate::WriteError): sequences of unknown
///   length, as `#[serde(flatten)]` makes them, values that the type's `Serialize` refuses, and
///   values of more than [`MAX_BYTES`](crate::MAX_BYTES). Bytes that postcard cannot decode, and bytes
///   behind the value, are a [`ReadError`].
/// * Two values are equal if their bytes are, so `T` need not be `PartialEq`. The order of a `HashMap`
///   inside `T` is random, and an equal map counts as a change: use a `BTreeMap`.
/// * The schema contains `Postcard` without `T`, because its name is not available in a constant. Two ends
///   with different `T` for one field connect without an error.
/// * Every value inside counts with its size for [`Limits`](crate::Limits): memory, work and depth. A
///   recursive `T` has at most [`max_depth`](crate::Limits::max_depth) levels in a received packet.
///
/// ```
/// use std::net::IpAddr;
/// use syncvar::{SyncVar, values::Postcard};
///
/// let mut host: SyncVar<Postcard<IpAddr>> = Postcard(IpAddr::from([127, 0, 0, 1])).into();
/// assert!(host.is_loopback());
/// assert!(host.set(Postcard(IpAddr::from([10, 0, 0, 7]))));
/// assert!(!host.set(Postcard(IpAddr::from([10, 0, 0, 7]))));
/// ```
#[derive(
    Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Postcard<T>(pub T);

impl<T> Postcard<T> {
    /// The value, without the wrapper.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// Length of postcard's bytes, then the bytes.
impl<T> SyncValue for Postcard<T>
where
    T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    const SCHEMA: TypeSchema = TypeSchema::Named("Postcard");
    const ABSENCE: Absence = Absence::Count;

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_byte_sequence_with(|writer| {
            let encoded = postcard::serialize_with_flavor(&self.0, Appended(writer));
            encoded.map_err(|error| refused(&error))
        });
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let start = reader.mark();
        let bytes = reader.read_byte_sequence()?;
        let meter = Meter {
            budget: Cell::new(reader.budget()),
            refused: Cell::new(None),
        };
        let mut deserializer = postcard::Deserializer::from_bytes(bytes);
        let value = T::deserialize(Limited::new(&mut deserializer, &meter));
        reader.budget = meter.budget.get();
        match value.and_then(|value| Ok((value, deserializer.finalize()?))) {
            Ok((value, [])) => Ok(Self(value)),
            Ok((_, rest)) => Err(reader.error(ReadErrorKind::TrailingBytes { left: rest.len() })),
            Err(error) => {
                let reason = ReadErrorKind::Custom(because(&error));
                Err(reader.error_since(start, meter.refused.get().unwrap_or(reason)))
            }
        }
    }

    /// Compares bytes. A value that cannot be encoded equals no value, so that its error is reported.
    fn same(&self, other: &Self) -> bool {
        match (postcard::to_stdvec(&self.0), postcard::to_stdvec(&other.0)) {
            (Ok(mine), Ok(theirs)) => mine == theirs,
            _ => false,
        }
    }
}

/// A target for postcard that appends to a writer without a buffer in between.
struct Appended<'a>(&'a mut NetworkWriter);

impl postcard::ser_flavors::Flavor for Appended<'_> {
    type Output = ();

    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.0.write_bytes(data);
        Ok(())
    }

    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.0.write_u8(data);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Why a value cannot be encoded.
fn refused(error: &postcard::Error) -> WriteErrorKind {
    WriteErrorKind::Custom(match error {
        postcard::Error::SerializeSeqLengthUnknown => {
            "postcard cannot encode a sequence whose length is not known beforehand"
        }
        postcard::Error::SerdeSerCustom => "the value's own `Serialize` refuses to encode it",
        _ => "postcard cannot encode this value",
    })
}

/// Why bytes cannot be decoded.
fn because(error: &postcard::Error) -> &'static str {
    match error {
        postcard::Error::DeserializeUnexpectedEnd => "postcard needs more bytes than there are",
        postcard::Error::SerdeDeCustom => "the value's own `Deserialize` refuses these bytes",
        _ => "postcard cannot decode these bytes",
    }
}

impl<T> From<T> for Postcard<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Postcard<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Postcard<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: fmt::Display> fmt::Display for Postcard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: fmt::Debug> fmt::Debug for Postcard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
