//! `NonZero` numbers and `Duration`.

use std::num::NonZero;
use std::time::Duration;

use crate::schema::TypeSchema;
use crate::wire::reader::Mark;
use crate::wire::{Absence, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue};

/// Form of the number inside; zero is refused.
macro_rules! not_zero {
    ($($type:ident, $name:literal;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl SyncValue for NonZero<$type> {
            const SCHEMA: TypeSchema = TypeSchema::Named($name);
            const ABSENCE: Absence = $type::ABSENCE;

            #[inline]
            fn write(&self, writer: &mut NetworkWriter) {
                self.get().write(writer);
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                let start = reader.mark();
                let number = $type::read(reader)?;
                Self::new(number).ok_or_else(|| is_zero(reader, start, $name))
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                self == other
            }

            #[inline]
            fn write_fixed(&self, writer: &mut NetworkWriter) {
                self.get().write_fixed(writer);
            }

            #[inline]
            fn read_fixed(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                let start = reader.mark();
                let number = $type::read_fixed(reader)?;
                Self::new(number).ok_or_else(|| is_zero(reader, start, $name))
            }
        }
    )*};
}

not_zero! {
    i8, "NonZeroI8";
    i16, "NonZeroI16";
    i32, "NonZeroI32";
    i64, "NonZeroI64";
    i128, "NonZeroI128";
    u8, "NonZeroU8";
    u16, "NonZeroU16";
    u32, "NonZeroU32";
    u64, "NonZeroU64";
    u128, "NonZeroU128";
}

#[cold]
fn is_zero(reader: &NetworkReader<'_>, start: Mark, what: &'static str) -> ReadError {
    reader.error_since(start, ReadErrorKind::InvalidValue { what, value: 0 })
}

/// Limit of a span's nanoseconds beside its seconds.
const NANOS_PER_SECOND: u32 = 1_000_000_000;

/// Whole seconds as a `u64`, then the remaining nanoseconds as a `u32`.
#[diagnostic::do_not_recommend]
impl SyncValue for Duration {
    const SCHEMA: TypeSchema = TypeSchema::Named("Duration");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_unsigned_wide(self.as_secs());
        writer.write_unsigned(self.subsec_nanos());
    }

    /// Refuses nanoseconds of a second or more: carried over, they could exceed the range of the
    /// type.
    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let seconds = reader.read_unsigned_wide()?;
        let start = reader.mark();
        let nanos: u32 = reader.read_unsigned("u32")?;
        if nanos >= NANOS_PER_SECOND {
            let (what, value) = ("number of nanoseconds", nanos.into());
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(reader.error_since(start, kind));
        }
        Ok(Self::new(seconds, nanos))
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
