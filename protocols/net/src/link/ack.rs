//! `Ack`: the part of a header that acknowledges datagrams and reliable packets.

use syncvar_runtime::{NetworkReader, ReadError, ReadErrorKind};

use super::header_bytes::HeaderBytes;

/// Bits for the number of mask bytes.
const LENGTH: u8 = 0x0f;

/// Flag of an acknowledgement without a sequence.
const NOTHING: u8 = 0x10;

/// Acknowledgement of applied datagrams and handled reliable packets, 5 to 13 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ack {
    /// Low 16 bits of the newest applied sequence, or none before the first one.
    pub(crate) newest: Option<u16>,
    /// Low 16 bits of the number of handled reliable packets.
    pub(crate) handled: u16,
    /// Bit i is set if the sequence `newest - 1 - i` was not applied. 0 without a newest sequence.
    pub(crate) missing: u64,
}

impl Ack {
    /// Appends the acknowledgement to a header.
    pub(crate) fn encode(&self, bytes: &mut HeaderBytes) {
        bytes.push(&self.newest.unwrap_or(0).to_le_bytes());
        bytes.push(&self.handled.to_le_bytes());
        if self.newest.is_none() {
            return bytes.push(&[NOTHING]);
        }
        let length = (u64::BITS - self.missing.leading_zeros()).div_ceil(8);
        let [length_byte, ..] = length.to_le_bytes();
        bytes.push(&[length_byte]);
        bytes.push(&self.missing.to_le_bytes()[..usize::from(length_byte)]);
    }

    /// Reads an acknowledgement. Bytes of 0 at the end of the mask are accepted.
    ///
    /// # Errors
    ///
    /// When bytes are missing, a reserved bit is set, more than 8 mask bytes are announced, or a
    /// sequence or a mask accompanies the flag for nothing applied.
    pub(crate) fn decode(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let newest = reader.read_u16()?;
        let handled = reader.read_u16()?;
        let form = reader.read_u8()?;
        let length = usize::from(form & LENGTH);
        let nothing = form & NOTHING != 0;
        if form & !(LENGTH | NOTHING) != 0 || length > 8 || nothing && length != 0 {
            return Err(invalid(reader, "form of an acknowledgement", form.into()));
        }
        if nothing && newest != 0 {
            let what = "sequence of an acknowledgement of nothing";
            return Err(invalid(reader, what, newest.into()));
        }
        let mut missing = [0; 8];
        missing[..length].copy_from_slice(reader.read_bytes(length)?);
        Ok(Self {
            newest: (!nothing).then_some(newest),
            handled,
            missing: u64::from_le_bytes(missing),
        })
    }
}

fn invalid(reader: &NetworkReader<'_>, what: &'static str, value: u64) -> ReadError {
    reader.error(ReadErrorKind::InvalidValue { what, value })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use syncvar_runtime::{NetworkReader, ReadErrorKind};

    use super::{Ack, HeaderBytes};

    fn encoded(ack: Ack) -> Vec<u8> {
        let mut bytes = HeaderBytes::default();
        ack.encode(&mut bytes);
        bytes.as_slice().to_vec()
    }

    fn decoded(bytes: &[u8]) -> Result<Ack, ReadErrorKind> {
        let mut reader = NetworkReader::new(bytes);
        let ack = Ack::decode(&mut reader).map_err(|error| error.kind())?;
        reader.finish().map_err(|error| error.kind())?;
        Ok(ack)
    }

    #[test]
    fn layout_is_that_of_the_examples() {
        let examples: [(Option<u16>, u64, &[u8]); 5] = [
            (Some(7), 0, &[7, 0, 12, 0, 0]),
            (Some(7), 0b1_0010, &[7, 0, 12, 0, 1, 0x12]),
            (None, 0, &[0, 0, 12, 0, 0x10]),
            (Some(300), 1 << 8, &[0x2c, 1, 12, 0, 2, 0, 1]),
            (
                Some(300),
                1 << 63,
                &[0x2c, 1, 12, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x80],
            ),
        ];
        for (newest, missing, bytes) in examples {
            let ack = Ack {
                newest,
                handled: 12,
                missing,
            };
            assert_eq!(encoded(ack), bytes);
            assert_eq!(decoded(bytes), Ok(ack));
        }
    }

    #[test]
    fn reserved_forms_are_refused() {
        for form in [0x20, 0x40, 0x80, 0x30, 9, 15, 0x11, 0x18] {
            let mut bytes = vec![0, 0, 12, 0, form];
            bytes.extend([0; 15]);
            let what = "form of an acknowledgement";
            let value = form.into();
            let expected = ReadErrorKind::InvalidValue { what, value };
            assert_eq!(decoded(&bytes), Err(expected), "{form:#x}");
        }
        assert!(matches!(
            decoded(&[3, 0, 12, 0, 0x10]),
            Err(ReadErrorKind::InvalidValue { value: 3, .. })
        ));
    }

    #[test]
    fn every_cut_is_an_error() {
        let bytes = [7, 0, 12, 0, 3, 1, 2, 3];
        for length in 0..bytes.len() {
            let error = decoded(&bytes[..length]);
            assert!(matches!(error, Err(ReadErrorKind::UnexpectedEnd { .. })));
        }
    }

    proptest! {
        #[test]
        fn acknowledgements_come_back(newest: u16, handled: u16, missing: u64, shift in 0..64) {
            let ack = Ack { newest: Some(newest), handled, missing: missing >> shift };
            let bytes = encoded(ack);
            prop_assert!((5..=13).contains(&bytes.len()));
            prop_assert_eq!(decoded(&bytes), Ok(ack));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            if let Ok(ack) = decoded(&bytes) {
                prop_assert!(ack.newest.is_some() || ack.missing == 0);
                prop_assert_eq!(decoded(&encoded(ack)), Ok(ack));
            }
        }
    }
}
