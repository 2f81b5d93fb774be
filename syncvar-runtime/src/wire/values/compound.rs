//! Values made of values: sequences, boxes, arrays and tuples.

use crate::schema::{MemberSchema, TypeSchema};
use crate::wire::budget::LARGE;
use crate::wire::{Absence, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue};

/// A count, then the elements. `Vec<u8>`: the count, then the bytes as they are.
impl<T: SyncValue> SyncValue for Vec<T> {
    const SCHEMA: TypeSchema = TypeSchema::Sequence(&T::SCHEMA);
    const ABSENCE: Absence = Absence::Count;

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        T::write_slice(self, writer);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let mut values = Self::new();
        T::read_slice(&mut values, reader)?;
        Ok(values)
    }

    #[inline]
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        T::read_slice(self, reader)
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

/// Form of the boxed value.
impl<T: SyncValue> SyncValue for Box<T> {
    const SCHEMA: TypeSchema = T::SCHEMA;
    const ABSENCE: Absence = T::ABSENCE;

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.report_elements::<T>(1, 0);
        T::write(self, writer);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.charge::<T>(1)?;
        reader.nested(T::read).map(Self::new)
    }

    #[inline]
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        reader.nested(|reader| T::read_in_place(self, reader))
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        T::same(self, other)
    }

    #[inline]
    fn write_fixed(&self, writer: &mut NetworkWriter) {
        T::write_fixed(self, writer);
    }

    #[inline]
    fn read_fixed(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.charge::<T>(1)?;
        reader.nested(T::read_fixed).map(Self::new)
    }
}

/// Elements in order, without a count.
impl<T: SyncValue, const N: usize> SyncValue for [T; N] {
    const SCHEMA: TypeSchema = TypeSchema::Array(&T::SCHEMA, N);

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        for value in self {
            value.write(writer);
        }
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        if const { size_of::<Self>() > LARGE } {
            reader.charge::<T>(N)?;
        }
        let mut values = Vec::with_capacity(N.min(reader.remaining()));
        for _ in 0..N {
            values.push(T::read(reader)?);
        }
        let missing = ReadErrorKind::TooManyElements { count: N, limit: N };
        Self::try_from(values).map_err(|_| reader.error(missing))
    }

    #[inline]
    fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.iter_mut()
            .try_for_each(|value| value.read_in_place(reader))
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

/// Parts in order.
macro_rules! tuples {
    ($($($name:ident $index:tt),+;)*) => {$(
        impl<$($name: SyncValue),+> SyncValue for ($($name,)+) {
            const SCHEMA: TypeSchema = TypeSchema::Struct {
                name: "",
                members: &[$(MemberSchema::new(stringify!($index), $name::SCHEMA)),+],
            };

            #[inline]
            fn write(&self, writer: &mut NetworkWriter) {
                $(self.$index.write(writer);)+
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                Ok(($($name::read(reader)?,)+))
            }

            #[inline]
            fn read_in_place(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
                $(self.$index.read_in_place(reader)?;)+
                Ok(())
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                $(self.$index.same(&other.$index))&&+
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
