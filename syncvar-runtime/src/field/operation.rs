//! `Operation`: one change of a collection, as it was made.

use crate::{NetworkReader, NetworkWriter, ReadError};

/// An operation, as it was made.
pub(super) trait Operation: Sized {
    /// The operation that removes all elements.
    const CLEAR: Self;

    fn write(&self, writer: &mut NetworkWriter);
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError>;
}
