//! `Own`: this crate's datagrams, with a stream and single packets in one connection.

mod age;
mod head;

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU64;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use syncvar_runtime::{Channel, PacketLimits, Transmit};

use self::age::Age;
use self::head::{Datagram, Reason};
use super::Dialect;
use super::dialect::{Head, Refused};
use crate::TransportOptions;
use crate::frames::Frames;
use crate::kcp::{self, KcpConnection, KcpError};
use crate::link::Arrival;

/// Longest packet in a datagram, in bytes: QUIC's smallest datagram.
const MAX_PACKET: usize = 1200;

/// Bytes of the stream in one segment: a fragment of KCP and the byte of its kind.
const PIECE: usize = kcp::MAX_FRAGMENT - 1;

/// Time before the first datagram of a client is repeated; each time a half longer.
const FIRST_REPEAT: Duration = Duration::from_millis(200);
const MAX_REPEAT: Duration = Duration::from_secs(2);

/// Connection with this crate's datagrams.
///
/// The reliable half of the core carries a stream of frames, as a TCP connection does. The packets of
/// unreliable channels travel beside it, one in each datagram.
#[derive(Debug)]
pub(crate) struct Own {
    kcp: KcpConnection,
    /// Handshake of a client without an answer.
    asking: Option<Asking>,
    /// Number of the connection, in each of its datagrams.
    id: Option<NonZeroU64>,
    age: Age,
    /// Bytes of the stream for the next segment.
    pending: BytesMut,
    frames: Frames,
    /// Next packet, if its length was asked for.
    next: Option<Arrival>,
    out: VecDeque<Bytes>,
    now: Duration,
}

/// Handshake of a client before its cookie.
#[derive(Debug)]
struct Asking {
    nonce: NonZeroU64,
    repeat_at: Duration,
    wait: Duration,
}

impl Own {
    fn new(now: Duration, options: &TransportOptions) -> Self {
        let mut kcp = KcpConnection::embedded(now);
        kcp.set_timeout(options.silence_timeout);
        kcp.set_max_unreliable(options.max_queued_packets);
        Self {
            kcp,
            asking: None,
            id: None,
            age: Age::default(),
            pending: BytesMut::new(),
            frames: Frames::with_sizes(2, options.max_packet.saturating_add(1)),
            next: None,
            out: VecDeque::new(),
            now,
        }
    }

    /// Returns the cookie of a connection's datagram.
    pub(crate) fn cookie_of(datagram: &[u8]) -> Option<NonZeroU64> {
        match Self::head(datagram)? {
            Head::Hello => None,
            Head::Of(cookie) | Head::Goodbye(cookie) => Some(cookie),
        }
    }

    /// Adds bytes to the stream.
    fn write(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        while self.pending.len() >= PIECE {
            let piece = self.pending.split_to(PIECE).freeze();
            self.push_piece(piece);
        }
    }

    /// Queues the rest of the stream.
    fn flush(&mut self) {
        let piece = self.pending.split().freeze();
        if !piece.is_empty() {
            self.push_piece(piece);
        }
    }

    fn push_piece(&mut self, piece: Bytes) {
        // `send` and `close` ask for the state of the connection.
        let _ = self.kcp.send(Channel::Reliable, &[piece]);
    }

    /// Takes the next packet from the stream and from the datagrams, in the order of their arrival.
    fn take(&mut self) -> Option<Arrival> {
        loop {
            match self.frames.next_frame() {
                Ok(Some(mut frame)) => {
                    let packet = frame.split_off(1);
                    let channel = frame.first().copied()?;
                    return Some(Arrival::by_stream(channel, packet));
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(%error, "malformed");
                    self.kcp.fail(KcpError::Malformed);
                    return None;
                }
            }
            match self.kcp.poll_message()? {
                (Channel::Reliable, piece) => self.frames.extend(&piece),
                (Channel::Unreliable, mut body) => {
                    let packet = body.split_off(1);
                    let channel = body.first().copied()?;
                    return Some(Arrival::by_datagram(channel, packet));
                }
            }
        }
    }

    /// Repeats the first datagram until the answer.
    fn ask(&mut self, now: Duration) {
        if let Some(asking) = &mut self.asking
            && now >= asking.repeat_at
            && self.kcp.closed().is_none()
        {
            self.out.push_back(head::hello(asking.nonce.get()));
            asking.repeat_at = now.saturating_add(asking.wait);
            let half = asking.wait.checked_div(2).unwrap_or_default();
            asking.wait = asking.wait.saturating_add(half).min(MAX_REPEAT);
        }
    }

    /// Takes the cookie of the answer. The next datagram proves the address with it.
    fn handle_cookie(&mut self, nonce: u64, id: NonZeroU64) {
        let is_answer = |asking: &mut Asking| asking.nonce.get() == nonce;
        if self.asking.take_if(is_answer).is_some() {
            self.id = Some(id);
            self.kcp.ping();
        }
    }

    fn handle_goodbye(&mut self, id: NonZeroU64, reason: Reason) {
        let asking = self.asking.as_ref().map(|asking| asking.nonce);
        if Some(id) == self.id || (Some(id) == asking && reason == Reason::Version) {
            self.kcp.end(reason.error());
        }
    }

    /// Puts this dialect's head before a datagram of the core.
    fn translate(&self, datagram: &[u8]) -> Option<Bytes> {
        let id = self.id?;
        match kcp::split_embedded(datagram)? {
            (Channel::Reliable, body) => Some(head::segments(id, Age::time(self.now), body)),
            // The goodbye is the core's only unreliable message.
            (Channel::Unreliable, _) => {
                let reason = match self.kcp.closed() {
                    Some(KcpError::Malformed) => Reason::Refused,
                    _ => Reason::Ended,
                };
                Some(head::goodbye(id, reason))
            }
        }
    }
}

/// Returns a random number that an answer repeats.
fn nonce() -> NonZeroU64 {
    let random = RandomState::new().hash_one(0_u8);
    NonZeroU64::new(random).unwrap_or(NonZeroU64::MIN)
}

impl Dialect for Own {
    const COOKIE_BITS: u32 = u64::BITS;
    const HAS_GOODBYE: bool = true;

    fn limits(options: &TransportOptions) -> PacketLimits {
        PacketLimits {
            batch_threshold: MAX_PACKET,
            max_reliable: options.max_packet,
            max_unreliable: MAX_PACKET,
            datagrams: true,
        }
    }

    fn head(datagram: &[u8]) -> Option<Head> {
        match Datagram::read(datagram)? {
            Datagram::Hello { .. } => Some(Head::Hello),
            Datagram::Segments { id, .. } | Datagram::Packet { id, .. } => Some(Head::Of(id)),
            Datagram::Goodbye { id, .. } => Some(Head::Goodbye(id)),
            Datagram::Cookie { .. } => None,
        }
    }

    fn answer(hello: &[u8], cookie: NonZeroU64, _: Duration) -> Option<Bytes> {
        head::answer(hello, cookie)
    }

    fn refusal(cookie: NonZeroU64, refused: Refused) -> Option<Bytes> {
        let reason = match refused {
            Refused::Full => Reason::Full,
            Refused::Unknown => Reason::Unknown,
        };
        Some(head::goodbye(cookie, reason))
    }

    fn connect(now: Duration, options: &TransportOptions) -> Self {
        let mut connection = Self::new(now, options);
        connection.asking = Some(Asking {
            nonce: nonce(),
            repeat_at: now,
            wait: FIRST_REPEAT,
        });
        connection
    }

    fn accept(cookie: NonZeroU64, now: Duration, options: &TransportOptions) -> Self {
        let mut connection = Self::new(now, options);
        connection.id = Some(cookie);
        connection.kcp.set_max_inbox(options.max_inbox_bytes);
        connection.kcp.establish(now);
        connection
    }

    fn cookie(&self) -> Option<NonZeroU64> {
        self.id
    }

    fn kcp(&self) -> &KcpConnection {
        &self.kcp
    }

    fn kcp_mut(&mut self) -> &mut KcpConnection {
        &mut self.kcp
    }

    fn handle_datagram(&mut self, now: Duration, datagram: &[u8], room: usize) {
        match Datagram::read(datagram) {
            Some(Datagram::Cookie { nonce, id }) => self.handle_cookie(nonce, id),
            Some(Datagram::Segments { id, time, body }) if Some(id) == self.id => {
                // Segments have numbers of their own: only their time counts here.
                self.age.observe(time, now);
                self.kcp.establish(now);
                self.kcp.handle_segments(now, body, room);
            }
            Some(Datagram::Packet { id, time, body }) if Some(id) == self.id => {
                if self.age.observe(time, now) {
                    self.kcp.drop_message();
                } else {
                    self.kcp.handle_message(now, body, room);
                }
            }
            Some(Datagram::Goodbye { id, reason }) => self.handle_goodbye(id, reason),
            _ => {}
        }
    }

    fn next_length(&mut self) -> Option<usize> {
        if self.next.is_none() {
            self.next = self.take();
        }
        self.next.as_ref().map(|next| next.packet.len())
    }

    fn poll_packet(&mut self) -> Option<Arrival> {
        self.next.take().or_else(|| self.take())
    }

    fn send(&mut self, packet: &Transmit<'_>) -> Result<(), KcpError> {
        let id = self.id.filter(|_| self.kcp.is_connected());
        let id = id.ok_or(KcpError::NotConnected)?;
        let length = packet.len();
        let max = match packet.delivery {
            Channel::Reliable => usize::MAX,
            Channel::Unreliable => MAX_PACKET,
        };
        let framed = length
            .checked_add(1)
            .and_then(|all| u32::try_from(all).ok());
        let framed = framed.filter(|_| length > 0 && length <= max);
        let framed = framed.ok_or(KcpError::TooLong)?;
        match packet.delivery {
            Channel::Reliable => {
                self.write(&framed.to_be_bytes());
                self.write(&[packet.channel]);
                for piece in packet.pieces() {
                    self.write(piece);
                }
            }
            Channel::Unreliable => {
                let head = head::PacketHead {
                    id,
                    time: Age::time(self.now),
                    channel: packet.channel,
                };
                let datagram = head::packet(head, length, packet.pieces());
                self.out.push_back(datagram);
            }
        }
        Ok(())
    }

    fn update(&mut self, now: Duration) {
        self.now = now;
        self.ask(now);
        self.flush();
        self.kcp.update(now);
    }

    fn close(&mut self, now: Duration, linger: Duration) {
        self.flush();
        self.kcp.close(now, linger);
    }

    /// Segments precede packets, which may refer to them.
    fn poll_transmit(&mut self) -> Option<Bytes> {
        while let Some(datagram) = self.kcp.poll_transmit() {
            if let Some(datagram) = self.translate(&datagram) {
                return Some(datagram);
            }
        }
        self.out.pop_front()
    }

    fn is_lost_when_full(datagram: &[u8]) -> bool {
        head::is_packet(datagram)
    }
}

#[cfg(test)]
#[expect(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "virtual time and bytes, counted by the tests"
)]
mod tests;
