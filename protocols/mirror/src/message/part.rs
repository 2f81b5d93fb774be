//! Encodings of message fields.

use syncvar_runtime::{
    NetId, NetworkReader, NetworkWriter, Quaternion, ReadError, ReadErrorKind, Vector3,
    WriteErrorKind,
};

use crate::{AssetId, SceneId};

/// Longest text in bytes: its length + 1 has 16 bits.
const MAX_TEXT: usize = 65_534;

/// A field of a message, as Mirror's weaver writes it.
pub(super) trait MessageField<'a>: Sized {
    fn write(self, writer: &mut NetworkWriter);
    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError>;
}

/// Implements messages: their fields in order, or none.
macro_rules! messages {
    ($life:lifetime; $($message:ty = $name:literal { $($field:ident),+ })*) => {$(
        impl<$life> $crate::message::NetworkMessage<$life> for $message {
            const NAME: &'static str = $name;

            #[inline]
            fn write(&self, writer: &mut syncvar_runtime::NetworkWriter) {
                $($crate::message::part::MessageField::write(self.$field, writer);)+
            }

            #[inline]
            fn read(
                reader: &mut syncvar_runtime::NetworkReader<$life>,
            ) -> Result<Self, syncvar_runtime::ReadError> {
                Ok(Self { $($field: $crate::message::part::MessageField::read(reader)?),+ })
            }
        }
    )*};
    ($($message:ident = $name:literal;)*) => {$(
        impl $crate::message::NetworkMessage<'_> for $message {
            const NAME: &'static str = $name;

            fn write(&self, _: &mut syncvar_runtime::NetworkWriter) {}

            #[inline]
            fn read(
                _: &mut syncvar_runtime::NetworkReader<'_>,
            ) -> Result<Self, syncvar_runtime::ReadError> {
                Ok(Self)
            }
        }
    )*};
}

pub(super) use messages;

/// Implements fields by methods of writer and reader.
macro_rules! fixed {
    ($($part:ty = $write:ident, $read:ident;)*) => {$(
        impl MessageField<'_> for $part {
            #[inline]
            fn write(self, writer: &mut NetworkWriter) {
                writer.$write(self);
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                reader.$read()
            }
        }
    )*};
}

fixed! {
    u8 = write_u8, read_u8;
    u16 = write_u16, read_u16;
    u64 = write_var_u64, read_var_u64;
    f64 = write_f64, read_f64;
}

/// A variable-length integer of 32 bits. Mirror's reader drops higher bits, which no writer sets.
impl MessageField<'_> for u32 {
    #[inline]
    fn write(self, writer: &mut NetworkWriter) {
        writer.write_var_u64(self.into());
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let value = reader.read_var_u64()?;
        let target = "u32";
        Self::try_from(value).map_err(|_| reader.error(ReadErrorKind::OutOfRange { value, target }))
    }
}

impl MessageField<'_> for bool {
    #[inline]
    fn write(self, writer: &mut NetworkWriter) {
        writer.write_u8(self.into());
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(reader.read_u8()? != 0)
    }
}

/// Implements fields by the number inside.
macro_rules! numbered {
    ($($part:ident,)*) => {$(
        impl $crate::message::part::MessageField<'_> for $part {
            #[inline]
            fn write(self, writer: &mut syncvar_runtime::NetworkWriter) {
                $crate::message::part::MessageField::write(self.0, writer);
            }

            #[inline]
            fn read(
                reader: &mut syncvar_runtime::NetworkReader<'_>,
            ) -> Result<Self, syncvar_runtime::ReadError> {
                $crate::message::part::MessageField::read(reader).map(Self)
            }
        }
    )*};
}

pub(super) use numbered;

numbered! { NetId, SceneId, AssetId, }

/// Implements fields by their encoding as values.
macro_rules! values {
    ($($part:ident,)*) => {$(
        impl MessageField<'_> for $part {
            #[inline]
            fn write(self, writer: &mut NetworkWriter) {
                writer.write(&self);
            }

            #[inline]
            fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
                reader.read()
            }
        }
    )*};
}

values! { Vector3, Quaternion, }

/// Bytes, or none, which differs from empty bytes.
impl<'a> MessageField<'a> for Option<&'a [u8]> {
    #[inline]
    fn write(self, writer: &mut NetworkWriter) {
        let Some(bytes) = self else {
            return writer.write_var_u64(0);
        };
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        writer.write_var_u64(length.saturating_add(1));
        writer.write_bytes(bytes);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError> {
        let Some(length) = reader.read_var_u64()?.checked_sub(1) else {
            return Ok(None);
        };
        // A length beyond memory exceeds the rest anyway.
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        reader.read_bytes(length).map(Some)
    }
}

/// A text, or none.
impl<'a> MessageField<'a> for Option<&'a str> {
    #[inline]
    fn write(self, writer: &mut NetworkWriter) {
        let Some(text) = self else {
            return writer.write_u16(0);
        };
        let (length, limit) = (text.len(), MAX_TEXT);
        match u16::try_from(length.saturating_add(1)) {
            Ok(header) => {
                writer.write_u16(header);
                writer.write_bytes(text.as_bytes());
            }
            Err(_) => writer.fail(WriteErrorKind::StringTooLong { length, limit }),
        }
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'a>) -> Result<Self, ReadError> {
        let Some(length) = reader.read_u16()?.checked_sub(1) else {
            return Ok(None);
        };
        let text = str::from_utf8(reader.read_bytes(length.into())?);
        match text {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(reader.error(ReadErrorKind::InvalidUtf8)),
        }
    }
}
