//! `Hello`: the beginning of a connection at a server.

use std::num::NonZeroU32;
use std::time::Duration;

use bytes::{Bytes, BytesMut};

use super::datagrams::{self, RELIABLE};
use super::segment::{Segment, SegmentCommand};
use super::{HELLO, arq, millis};

/// First datagram of a client, without a cookie.
///
/// Its sender address can be false. A server answers with a cookie, and makes a
/// [`KcpConnection`](super::KcpConnection::accept) when a datagram with that cookie arrives from the
/// address: that proves it. The client repeats its `Hello` until the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    timestamp: u32,
}

impl Hello {
    /// Reads a datagram. `None` for a different datagram.
    ///
    /// More segments can follow after a long wait: Mirror's client sends a ping every second, even before
    /// the answer. They are ignored; the client repeats them with the cookie.
    pub fn read(datagram: &[u8]) -> Option<Self> {
        let (RELIABLE, 0, mut body) = datagrams::split(datagram)? else {
            return None;
        };
        let segment = Segment::read(&mut body).ok()?;
        while !body.is_empty() {
            Segment::read(&mut body).ok()?;
        }
        let expected = Segment {
            conversation: 0,
            command: SegmentCommand::Push,
            fragment: 0,
            number: 0,
            una: 0,
            data: &[HELLO],
            ..segment
        };
        (segment == expected).then_some(Self {
            timestamp: segment.timestamp,
        })
    }

    /// Returns the answer. `now` is a time of the later connection.
    pub fn answer(self, cookie: NonZeroU32, now: Duration) -> Bytes {
        let mut datagram = BytesMut::new();
        datagrams::put_head(&mut datagram, RELIABLE, cookie.get());
        arq::first_answer(self.timestamp, millis(now), &[HELLO], &mut datagram);
        datagram.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WIRE.md, section 7.
    const HELLO_BYTES: &str = "010000000000000000510000103e00000000000000000000000100000001";
    const ANSWER: &str = "01ca51016000000000520000103e00000000000000010000000000000000000000\
                          510000100700000000000000010000000100000001";

    #[test]
    fn a_hello_is_answered_as_wire_md_says() {
        let hello = Hello::read(&hex::decode(HELLO_BYTES).unwrap()).unwrap();
        let cookie = NonZeroU32::new(0x6001_51ca).unwrap();
        let answer = hello.answer(cookie, Duration::from_millis(7));
        assert_eq!(hex::encode(answer), ANSWER);
    }

    #[test]
    fn a_hello_with_pings_behind_it_is_read() {
        let hello = hex::decode(HELLO_BYTES).unwrap();
        let ping = "00000000510000108e06000001000000000000000100000002";
        let waited = [&hello[..], &hex::decode(ping).unwrap()].concat();
        assert_eq!(Hello::read(&waited), Hello::read(&hello));
        assert!(Hello::read(&waited).is_some());
        assert_eq!(Hello::read(&waited[..waited.len() - 1]), None);
    }

    #[test]
    fn other_datagrams_are_no_hello() {
        let hello = hex::decode(HELLO_BYTES).unwrap();
        for (position, byte) in [(0, 2), (1, 1), (5, 1), (9, 82), (10, 1), (17, 1), (29, 2)] {
            let mut other = hello.clone();
            other[position] = byte;
            assert_eq!(Hello::read(&other), None, "byte {position}");
        }
        for length in 0..hello.len() {
            assert_eq!(Hello::read(&hello[..length]), None);
        }
        assert_eq!(Hello::read(&[&hello[..], &[0]].concat()), None);
        assert_eq!(Hello::read(&hex::decode(ANSWER).unwrap()), None);
    }
}
