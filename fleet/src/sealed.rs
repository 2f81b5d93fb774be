//! Bytes behind a checksum: CRC-32C in 4 bytes, the least significant byte first.

use bytes::Bytes;
use syncvar_runtime::NetworkWriter;

/// Length of the checksum before the bytes that it covers.
const CHECKSUM: usize = 4;

/// Returns the written bytes behind their checksum.
pub(crate) fn sealed(writer: &NetworkWriter) -> Bytes {
    let checksum = crc32c::crc32c(writer.as_bytes()).to_le_bytes();
    [&checksum[..], writer.as_bytes()].concat().into()
}

/// Returns the bytes behind a checksum; `None` for damaged bytes.
pub(crate) fn opened(bytes: &[u8]) -> Option<&[u8]> {
    let (checksum, content) = bytes.split_at_checked(CHECKSUM)?;
    (crc32c::crc32c(content).to_le_bytes() == checksum).then_some(content)
}
