//! `SchemaPart`: a part of the text of a schema.

use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

use super::Message;
use crate::MessageType;

/// Longest part of a text, in bytes: a message in the short form contains it.
const MAX_PART: usize = 60_000;

/// One byte, 1 in the last part and otherwise 0; bytes of the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SchemaPart {
    pub(crate) is_last: bool,
    pub(crate) text: Vec<u8>,
}

impl SchemaPart {
    /// Divides a text into parts. Parts may divide a character.
    pub(crate) fn of_text(text: &str) -> impl Iterator<Item = Self> {
        let count = text.len().div_ceil(MAX_PART).max(1);
        (1..=count).map(move |number| {
            let rest = text.as_bytes().get((number - 1) * MAX_PART..);
            let rest = rest.unwrap_or_default();
            Self {
                is_last: number == count,
                text: rest.get(..MAX_PART).unwrap_or(rest).to_vec(),
            }
        })
    }
}

impl Message for SchemaPart {
    const TYPE: MessageType = MessageType::Schema;

    fn write_payload(&self, writer: &mut NetworkWriter) {
        writer.write_bool(self.is_last);
        writer.write_bytes(&self.text);
    }

    fn read_payload(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let is_last = reader.read_bool()?;
        let (length, limit) = (reader.remaining(), MAX_PART);
        if length > limit {
            return Err(reader.error(ReadErrorKind::MessageTooLong { length, limit }));
        }
        if length == 0 && !is_last {
            let (what, value) = ("bytes in a part of a schema before the last", 0);
            return Err(reader.error(ReadErrorKind::InvalidValue { what, value }));
        }
        let text = reader.read_bytes(length)?.to_vec();
        Ok(Self { is_last, text })
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_PART, SchemaPart};

    #[test]
    fn text_is_divided_into_parts_with_one_last() {
        for (length, expected) in [
            (0, vec![0]),
            (1, vec![1]),
            (MAX_PART, vec![MAX_PART]),
            (MAX_PART + 1, vec![MAX_PART, 1]),
            (2 * MAX_PART, vec![MAX_PART, MAX_PART]),
        ] {
            let text = "x".repeat(length);
            let parts: Vec<_> = SchemaPart::of_text(&text).collect();
            let lengths: Vec<_> = parts.iter().map(|part| part.text.len()).collect();
            assert_eq!(lengths, expected);
            let last = parts.iter().position(|part| part.is_last);
            assert_eq!(last, Some(parts.len() - 1));
        }
    }
}
