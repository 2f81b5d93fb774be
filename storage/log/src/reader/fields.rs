//! `Fields`: the fields of a record of MCAP. A length is compared with the rest before memory is taken.

use std::collections::BTreeMap;

/// Unread bytes of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let length = usize::try_from(length).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a record within other bytes: its code and its content.
    pub(super) fn record(&mut self) -> Option<(u8, Fields<'a>)> {
        let (code, length) = (self.u8()?, self.u64()?);
        Some((code, Fields(self.bytes(length)?)))
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = self.u32()?;
        std::str::from_utf8(self.bytes(length.into())?).ok()
    }

    /// Reads the bytes of a map or an array.
    pub(super) fn nested(&mut self) -> Option<Fields<'a>> {
        let length = self.u32()?;
        self.bytes(length.into()).map(Fields)
    }

    pub(super) fn texts(&mut self) -> Option<BTreeMap<String, String>> {
        let (mut pairs, mut texts) = (BTreeMap::new(), self.nested()?);
        while !texts.0.is_empty() {
            pairs.insert(texts.text()?.to_owned(), texts.text()?.to_owned());
        }
        Some(pairs)
    }
}
