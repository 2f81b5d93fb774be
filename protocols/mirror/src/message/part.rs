//! What several messages are made of.

use syncvar_runtime::{
    NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind,
};

/// The longest text, in bytes: its length + 1 has 16 bits.
const MAX_TEXT: usize = 65_534;

/// A piece of bytes, or none, which is not the same as one of no bytes.
pub(super) fn write_segment(writer: &mut NetworkWriter, segment: Option<&[u8]>) {
    let Some(bytes) = segment else {
        return writer.write_var_u64(0);
    };
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    writer.write_var_u64(length.saturating_add(1));
    writer.write_bytes(bytes);
}

pub(super) fn read_segment<'a>(
    reader: &mut NetworkReader<'a>,
) -> Result<Option<&'a [u8]>, ReadError> {
    let Some(length) = reader.read_var_u64()?.checked_sub(1) else {
        return Ok(None);
    };
    // Longer than memory is longer than what is left.
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    reader.read_bytes(length).map(Some)
}

/// A text, or none.
pub(super) fn write_text(writer: &mut NetworkWriter, text: Option<&str>) {
    let Some(text) = text else {
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

pub(super) fn read_text<'a>(reader: &mut NetworkReader<'a>) -> Result<Option<&'a str>, ReadError> {
    let Some(length) = reader.read_u16()?.checked_sub(1) else {
        return Ok(None);
    };
    let text = str::from_utf8(reader.read_bytes(length.into())?);
    match text {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(reader.error(ReadErrorKind::InvalidUtf8)),
    }
}

pub(super) fn write_net_id(writer: &mut NetworkWriter, net_id: NetId) {
    writer.write_var_u64(net_id.0.into());
}

pub(super) fn read_net_id(reader: &mut NetworkReader<'_>) -> Result<NetId, ReadError> {
    read_u32(reader).map(NetId)
}

/// A variable-length integer of 32 bits. Mirror's reader drops what is above them; no writer writes that.
pub(super) fn read_u32(reader: &mut NetworkReader<'_>) -> Result<u32, ReadError> {
    let value = reader.read_var_u64()?;
    let target = "u32";
    u32::try_from(value).map_err(|_| reader.error(ReadErrorKind::OutOfRange { value, target }))
}
