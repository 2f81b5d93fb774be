//! Heads of this crate's datagrams: WIRE.md, section 8.

use std::num::NonZeroU64;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::kcp::KcpError;

/// First byte of a datagram.
const HELLO: u8 = 0xa0;
const COOKIE: u8 = 0xa1;
const SEGMENTS: u8 = 0xa2;
const PACKET: u8 = 0xa3;
const GOODBYE: u8 = 0xa4;

/// Version of the datagrams.
const VERSION: u8 = 1;

/// Length of a `Hello`, which is not shorter than its answer: a false sender address gains nothing.
const HELLO_LENGTH: usize = 32;

/// Bytes before segments, and before the channel of a packet.
const HEAD: usize = 1 + 8 + 2;

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datagram<'a> {
    /// First datagram of a client, with a random number.
    Hello { nonce: u64, version: u8 },
    /// Answer of a server.
    Cookie { nonce: u64, id: NonZeroU64 },
    /// Reliable half of a connection.
    Segments {
        id: NonZeroU64,
        time: u16,
        body: &'a [u8],
    },
    /// A channel and a packet.
    Packet {
        id: NonZeroU64,
        time: u16,
        body: &'a [u8],
    },
    /// End of a connection, or of the handshake with this random number.
    Goodbye { id: NonZeroU64, reason: Reason },
}

/// Reason for a `Goodbye`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Ended,
    Full,
    Unknown,
    Version,
    Refused,
}

impl Reason {
    const ALL: [Self; 5] = [
        Self::Ended,
        Self::Full,
        Self::Unknown,
        Self::Version,
        Self::Refused,
    ];

    fn read(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    fn number(self) -> u8 {
        match self {
            Self::Ended => 0,
            Self::Full => 1,
            Self::Unknown => 2,
            Self::Version => 3,
            Self::Refused => 4,
        }
    }

    /// Returns the reason for the end of the receiver's connection.
    pub(super) fn error(self) -> KcpError {
        match self {
            Self::Ended => KcpError::ClosedByPeer,
            Self::Full => KcpError::Full,
            Self::Unknown => KcpError::UnknownConnection,
            Self::Version => KcpError::VersionMismatch,
            Self::Refused => KcpError::PacketRefused,
        }
    }
}

impl<'a> Datagram<'a> {
    /// Reads a datagram. `None` for a datagram of a foreign protocol, and for a truncated datagram.
    pub(super) fn read(datagram: &'a [u8]) -> Option<Self> {
        let mut rest = datagram;
        let kind = rest.try_get_u8().ok()?;
        let number = rest.try_get_u64_le().ok()?;
        if kind == HELLO {
            let version = rest.try_get_u8().ok()?;
            let is_padded = datagram.len() == HELLO_LENGTH;
            return is_padded.then_some(Self::Hello {
                nonce: number,
                version,
            });
        }
        if kind == COOKIE {
            let id = NonZeroU64::new(rest.try_get_u64_le().ok()?)?;
            return rest
                .is_empty()
                .then_some(Self::Cookie { nonce: number, id });
        }
        let id = NonZeroU64::new(number)?;
        if kind == GOODBYE {
            let reason = Reason::read(rest.try_get_u8().ok()?)?;
            return rest.is_empty().then_some(Self::Goodbye { id, reason });
        }
        let time = rest.try_get_u16_le().ok()?;
        match kind {
            SEGMENTS if !rest.is_empty() => Some(Self::Segments {
                id,
                time,
                body: rest,
            }),
            PACKET if rest.len() > 1 => Some(Self::Packet {
                id,
                time,
                body: rest,
            }),
            _ => None,
        }
    }
}

/// Makes the first datagram of a client.
pub(super) fn hello(nonce: u64) -> Bytes {
    let mut datagram = BytesMut::with_capacity(HELLO_LENGTH);
    datagram.put_u8(HELLO);
    datagram.put_u64_le(nonce);
    datagram.put_u8(VERSION);
    datagram.resize(HELLO_LENGTH, 0);
    datagram.freeze()
}

/// Makes the answer to a `Hello`. `None` for a different datagram.
pub(super) fn answer(hello: &[u8], id: NonZeroU64) -> Option<Bytes> {
    let Datagram::Hello { nonce, version } = Datagram::read(hello)? else {
        return None;
    };
    if version != VERSION {
        return Some(goodbye(NonZeroU64::new(nonce)?, Reason::Version));
    }
    let mut datagram = BytesMut::new();
    datagram.put_u8(COOKIE);
    datagram.put_u64_le(nonce);
    datagram.put_u64_le(id.get());
    Some(datagram.freeze())
}

/// Makes the datagram that ends a connection.
pub(super) fn goodbye(id: NonZeroU64, reason: Reason) -> Bytes {
    let mut datagram = BytesMut::new();
    datagram.put_u8(GOODBYE);
    datagram.put_u64_le(id.get());
    datagram.put_u8(reason.number());
    datagram.freeze()
}

/// Makes a datagram of the reliable half.
pub(super) fn segments(id: NonZeroU64, time: u16, body: &[u8]) -> Bytes {
    let mut datagram = begin(SEGMENTS, id, time, body.len());
    datagram.put_slice(body);
    datagram.freeze()
}

/// Head of a datagram with a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketHead {
    pub(super) id: NonZeroU64,
    pub(super) time: u16,
    pub(super) channel: u8,
}

/// Makes a datagram with a packet, of which the pieces are given.
pub(super) fn packet<'a>(
    head: PacketHead,
    length: usize,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Bytes {
    let mut datagram = begin(PACKET, head.id, head.time, length.saturating_add(1));
    datagram.put_u8(head.channel);
    for piece in pieces {
        datagram.put_slice(piece);
    }
    datagram.freeze()
}

/// Returns whether a datagram has a packet.
pub(super) fn is_packet(datagram: &[u8]) -> bool {
    datagram.first() == Some(&PACKET)
}

fn begin(kind: u8, id: NonZeroU64, time: u16, length: usize) -> BytesMut {
    let mut datagram = BytesMut::with_capacity(HEAD.saturating_add(length));
    datagram.put_u8(kind);
    datagram.put_u64_le(id.get());
    datagram.put_u16_le(time);
    datagram
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: NonZeroU64 = NonZeroU64::new(0x0807_0605_0403_0201).expect("not zero");

    fn bytes(hex: &str) -> Vec<u8> {
        hex::decode(hex.replace(' ', "")).unwrap()
    }

    fn head(time: u16, channel: u8) -> PacketHead {
        let id = ID;
        PacketHead { id, time, channel }
    }

    #[test]
    fn heads_are_those_of_wire_md() {
        let nonce = 0x1817_1615_1413_1211;
        let zeros = "00".repeat(22);
        let first = bytes(&format!("a0 1112131415161718 01 {zeros}"));
        assert_eq!(hello(nonce), first);
        let expected = bytes("a1 1112131415161718 0102030405060708");
        assert_eq!(answer(&first, ID).unwrap(), expected);
        let body = [0, 0, 0, 0, 84];
        let expected = bytes("a2 0102030405060708 2c01 0000000054");
        assert_eq!(segments(ID, 300, &body), expected);
        let pieces = [&[1, 7, 0][..], &[0x2c, 1]];
        let expected = bytes("a3 0102030405060708 2c01 01 0107002c01");
        assert_eq!(packet(head(300, 1), 5, pieces.into_iter()), expected);
        let expected = bytes("a4 0102030405060708 02");
        assert_eq!(goodbye(ID, Reason::Unknown), expected);
    }

    #[test]
    fn no_answer_is_longer_than_its_question() {
        for version in [1, 0, 255] {
            let mut hello = hello(7).to_vec();
            hello[9] = version;
            assert!(answer(&hello, ID).unwrap().len() <= hello.len());
            assert_eq!(answer(&hello[..31], ID), None);
        }
        assert!(goodbye(ID, Reason::Unknown).len() <= segments(ID, 0, &[0]).len());
    }

    #[test]
    fn reasons_are_read_as_written() {
        for reason in Reason::ALL {
            let expected = Some(Datagram::Goodbye { id: ID, reason });
            assert_eq!(Datagram::read(&goodbye(ID, reason)), expected);
        }
        assert_eq!(Datagram::read(&bytes("a4 0102030405060708 05")), None);
    }

    #[test]
    fn other_datagrams_are_of_another_protocol() {
        let all = [
            hello(7),
            answer(&hello(7), ID).unwrap(),
            segments(ID, 1, &[1]),
            packet(head(1, 0), 1, [&[2][..]].into_iter()),
            goodbye(ID, Reason::Ended),
        ];
        for datagram in all {
            assert!(Datagram::read(&datagram).is_some());
            for length in 0..datagram.len() {
                assert_eq!(Datagram::read(&datagram[..length]), None, "{length}");
            }
            for kind in [0, 1, 2, 0x9f, 0xa5, 0xff] {
                let mut other = datagram.to_vec();
                other[0] = kind;
                assert_eq!(Datagram::read(&other), None, "{kind}");
            }
        }
        let without_id = bytes("a2 0000000000000000 0000 01");
        assert_eq!(Datagram::read(&without_id), None);
    }
}
