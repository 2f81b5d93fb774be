//! `HeaderBytes`: the bytes of a packet header, without an allocation.

use arrayvec::ArrayVec;

/// Length of the longest header that is sent: that of a datagram with all its parts but the settled sequence.
pub(crate) const MAX_HEADER: usize = 24;

/// Length of the longest header of any form.
const LONGEST: usize = MAX_HEADER + 2;

/// Bytes of one header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeaderBytes(ArrayVec<u8, LONGEST>);

impl HeaderBytes {
    /// Removes all bytes.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Appends bytes.
    ///
    /// # Panics
    ///
    /// When the header becomes longer than any form.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.0
            .try_extend_from_slice(bytes)
            .expect("the parts of a header are at most 26 bytes");
    }

    /// Appends a number of 1 to 10 bytes, 7 bits each, lowest first.
    ///
    /// # Panics
    ///
    /// When the header becomes longer than any form.
    pub(crate) fn push_varint(&mut self, mut value: u64) {
        loop {
            let [low, ..] = value.to_le_bytes();
            value >>= 7;
            if value == 0 {
                return self.push(&[low & 0x7f]);
            }
            self.push(&[low | 0x80]);
        }
    }

    /// Returns the bytes.
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use syncvar_runtime::NetworkReader;

    use super::HeaderBytes;

    #[test]
    fn varints_are_those_of_the_reader() {
        for value in [0, 1, 127, 128, 300, 16_383, 16_384, u64::from(u32::MAX)] {
            let mut bytes = HeaderBytes::default();
            bytes.push(&[7, 8]);
            bytes.push_varint(value);
            let mut reader = NetworkReader::new(bytes.as_slice());
            assert_eq!(reader.read_bytes(2).unwrap(), [7, 8]);
            assert_eq!(reader.read_varint().unwrap(), value);
            reader.finish().unwrap();
        }
    }

    #[test]
    fn varints_have_no_leading_zeros() {
        let mut bytes = HeaderBytes::default();
        for value in [127, 128, u64::MAX] {
            bytes.push_varint(value);
        }
        let mut expected = vec![0x7f, 0x80, 0x01];
        expected.extend([0xff; 9]);
        expected.push(0x01);
        assert_eq!(bytes.as_slice(), expected);
    }
}
