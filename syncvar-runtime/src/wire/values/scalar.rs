//! Integers, floats, characters and text.

use crate::schema::TypeSchema;
use crate::wire::budget::is_wasteful;
use crate::wire::{Absence, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, SyncValue};

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
/// one UTF-16 code unit; characters beyond U+FFFF lack a form there.
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
        // Two empty texts without the comparison of their bytes: measured at 135 ns in cold memory.
        self.len() == other.len() && (self.is_empty() || self == other)
    }
}
