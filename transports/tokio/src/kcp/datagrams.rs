//! Outgoing datagrams.

use std::collections::VecDeque;

use bytes::{BufMut, Bytes, BytesMut};
#[cfg(feature = "udp")]
use syncvar_runtime::Channel;

use super::segment::Segment;
use super::{DISCONNECT, HEAD, MAX_DATAGRAM};

/// First byte of a datagram.
pub(super) const RELIABLE: u8 = 1;
pub(super) const UNRELIABLE: u8 = 2;

/// Packer of segments into full datagrams. Dropping it queues the last one.
#[derive(Debug)]
pub(super) struct KcpDatagrams<'a> {
    cookie: u32,
    current: BytesMut,
    out: &'a mut VecDeque<Bytes>,
}

impl<'a> KcpDatagrams<'a> {
    pub(super) fn new(cookie: u32, out: &'a mut VecDeque<Bytes>) -> Self {
        Self {
            cookie,
            current: BytesMut::new(),
            out,
        }
    }

    pub(super) fn push(&mut self, segment: &Segment<'_>) {
        if self.current.len().saturating_add(segment.len()) > MAX_DATAGRAM {
            self.finish();
        }
        if self.current.is_empty() {
            self.current.reserve(segment.len().saturating_add(HEAD));
            put_head(&mut self.current, RELIABLE, self.cookie);
        }
        segment.write(&mut self.current);
    }

    fn finish(&mut self) {
        if !self.current.is_empty() {
            self.out.push_back(self.current.split().freeze());
        }
    }
}

impl Drop for KcpDatagrams<'_> {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Makes an unreliable datagram.
pub(super) fn unreliable(cookie: u32, word: u8, chunks: &[Bytes]) -> Bytes {
    let length: usize = chunks.iter().map(Bytes::len).sum();
    let mut datagram = BytesMut::with_capacity(length.saturating_add(HEAD).saturating_add(1));
    put_head(&mut datagram, UNRELIABLE, cookie);
    datagram.put_u8(word);
    for chunk in chunks {
        datagram.put_slice(chunk);
    }
    datagram.freeze()
}

/// Makes the datagram that ends a connection.
pub(crate) fn goodbye(cookie: u32) -> Bytes {
    unreliable(cookie, DISCONNECT, &[])
}

/// Returns whether a datagram ends a connection.
#[cfg(feature = "kcp")]
pub(crate) fn is_goodbye(datagram: &[u8]) -> bool {
    matches!(split(datagram), Some((UNRELIABLE, _, [DISCONNECT])))
}

pub(super) fn put_head(datagram: &mut BytesMut, channel: u8, cookie: u32) {
    datagram.put_u8(channel);
    datagram.put_u32_le(cookie);
}

/// Splits a datagram of an end with heads of a foreign dialect into its half and its body.
#[cfg(feature = "udp")]
pub(crate) fn split_embedded(datagram: &[u8]) -> Option<(Channel, &[u8])> {
    match split(datagram)? {
        (RELIABLE, _, body) => Some((Channel::Reliable, body)),
        (_, _, body) => Some((Channel::Unreliable, body)),
    }
}

/// Splits a datagram into channel, cookie and body. `None` for a datagram without a body, and if it is
/// too long.
pub(crate) fn split(datagram: &[u8]) -> Option<(u8, u32, &[u8])> {
    if datagram.len() > MAX_DATAGRAM {
        return None;
    }
    let (&channel, rest) = datagram.split_first()?;
    let (&cookie, body) = rest.split_first_chunk()?;
    (!body.is_empty()).then_some((channel, u32::from_le_bytes(cookie), body))
}
