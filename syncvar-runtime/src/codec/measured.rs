//! Lengths of values in the encoding of a codec.

use super::SyncCodec;
use crate::schema::TypeSchema;
use crate::{Encoding, NetworkReader};

impl TypeSchema {
    /// Describes a type in the encoding of a codec written by hand. Its values are measured by reading them, like those of
    /// [`measured`](Self::measured).
    ///
    /// ```
    /// use syncvar::{codec::{Fixed, SyncCodec}, schema::TypeSchema};
    ///
    /// const SCHEMA: TypeSchema =
    ///     TypeSchema::measured_by_codec::<u32, Fixed>(&TypeSchema::Named("Seed"));
    /// let TypeSchema::Measured { measure, .. } = SCHEMA else { panic!() };
    /// assert_eq!(measure(&[1, 2, 3, 4, 5], false), Some(4));
    /// ```
    pub const fn measured_by_codec<T, C>(schema: &'static Self) -> Self
    where
        T: Clone + Send + Sync + 'static,
        C: SyncCodec<T>,
    {
        Self::Measured {
            schema,
            measure: measure::<T, C>,
        }
    }
}

fn measure<T, C>(bytes: &[u8], is_compact: bool) -> Option<usize>
where
    T: Clone + Send + Sync + 'static,
    C: SyncCodec<T>,
{
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::of_framing(is_compact));
    C::read(&mut reader).ok()?;
    bytes.len().checked_sub(reader.remaining())
}
