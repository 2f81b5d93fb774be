//! `KcpConnection`: one end of a connection.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use syncvar_runtime::Channel;

use super::arq::Arq;
use super::datagrams::{self, KcpDatagrams, RELIABLE, UNRELIABLE};
use super::inbox::{self, Gap, Unreliable};
use super::{
    DATA, DISCONNECT, GOODBYES, HELLO, KcpError, MAX_RELIABLE, MAX_UNRELIABLE, PING,
    UNRELIABLE_DATA, millis,
};

/// Interval between two pings of a side.
const PING_INTERVAL: Duration = Duration::from_secs(1);

/// One end of a KCP connection, without a socket, a clock or a random generator.
///
/// Datagrams and the time come in, datagrams and messages go out. A client begins with
/// [`connect`](Self::connect), a server with [`Hello::read`](super::Hello::read). Then:
///
/// * every datagram from the peer goes to [`handle_datagram`](Self::handle_datagram);
/// * [`update`](Self::update) is called every 10 ms, and after an urgent message;
/// * [`poll_transmit`](Self::poll_transmit) returns the datagrams to send, and
///   [`poll_message`](Self::poll_message) the received messages.
///
/// All times are since one fixed moment, and do not go back.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use syncvar::mirror::kcp::{Hello, KcpConnection};
/// use syncvar::Channel;
///
/// let now = Duration::ZERO;
/// let mut client = KcpConnection::connect(now);
/// client.update(now);
/// let datagram = client.poll_transmit().unwrap();
///
/// // A server answers, without state: it knows the client's address and this number.
/// let cookie = NonZeroU32::new(0x1234_5678).unwrap();
/// let answer = Hello::read(&datagram).unwrap().answer(cookie, now);
/// client.handle_datagram(now, &answer);
/// assert!(client.is_connected());
///
/// client.send(Channel::Reliable, &["ba".into(), "tch".into()]).unwrap();
/// client.update(now);
/// let mut server = KcpConnection::accept(cookie, now);
/// while let Some(datagram) = client.poll_transmit() {
///     server.handle_datagram(now, &datagram);
/// }
/// assert_eq!(server.poll_message(), Some((Channel::Reliable, "batch".into())));
/// ```
#[derive(Debug)]
pub struct KcpConnection {
    pub(super) state: State,
    /// 0 until a client has received it.
    cookie: u32,
    pub(super) arq: Arq,
    pub(super) unreliable: Unreliable,
    out: VecDeque<Bytes>,
    timeout: Duration,
    pub(super) last_received: Duration,
    pub(super) last_ping: Duration,
    gap: Option<Gap>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Connecting,
    Connected,
    /// Sends the queue until `deadline`.
    Closing {
        deadline: Duration,
    },
    Closed(KcpError),
}

impl KcpConnection {
    /// Makes a client's end. Its first datagram is `Hello`.
    pub fn connect(now: Duration) -> Self {
        let mut connection = Self::new(State::Connecting, 0, 0, now);
        connection.set_max_inbox(inbox::WINDOW);
        connection.arq.send(&Bytes::from_static(&[HELLO]));
        connection
    }

    /// Makes a server's end for a client that has sent this cookie. Pass it the datagram with the cookie
    /// next.
    pub fn accept(cookie: NonZeroU32, now: Duration) -> Self {
        let mut connection = Self::new(State::Connected, cookie.get(), 1, now);
        connection.set_max_inbox(inbox::WINDOW);
        connection
    }

    pub(super) fn new(state: State, cookie: u32, first: u32, now: Duration) -> Self {
        Self {
            state,
            cookie,
            arq: Arq::new(first),
            unreliable: Unreliable::default(),
            out: VecDeque::new(),
            timeout: Duration::from_secs(10),
            last_received: now,
            last_ping: now,
            gap: None,
        }
    }

    /// Sets the longest silence of the peer, and the longest time for which a segment may be missing
    /// while later segments have arrived. 10 s.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Sets the most unpolled unreliable messages; beyond them the oldest are lost. 256.
    pub fn set_max_unreliable(&mut self, messages: usize) {
        self.unreliable.max_messages = messages.max(1);
    }

    /// Sets the most memory of unpolled messages, in bytes, each with 128 more: for reliable messages, which
    /// count at least 330 KB, and for unreliable messages. The peer may send as many segments as the free
    /// memory holds: 4096 segments, as in Mirror, before the first call.
    pub fn set_max_inbox(&mut self, bytes: usize) {
        self.arq.set_max_received(bytes.max(inbox::MESSAGE));
        self.unreliable.max_bytes = bytes;
    }

    /// Returns whether both sides have sent `Hello`, and neither has ended the connection.
    pub fn is_connected(&self) -> bool {
        self.state == State::Connected
    }

    /// Returns the reason for the end of the connection, if it is over. Messages can still be polled, and
    /// datagrams can still be due.
    pub fn closed(&self) -> Option<KcpError> {
        match self.state {
            State::Closed(error) => Some(error),
            _ => None,
        }
    }

    /// Returns the number of the connection. `None` for a client before the server's answer.
    pub fn cookie(&self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.cookie)
    }

    /// Returns the bytes that are not sent or not acknowledged.
    pub fn queued_bytes(&self) -> usize {
        self.arq.bytes()
    }

    /// Queues a message, given in chunks. An unreliable message leaves with the next
    /// [`poll_transmit`](Self::poll_transmit), a reliable message with the next [`update`](Self::update).
    ///
    /// # Errors
    ///
    /// [`KcpError::TooLong`] for an empty message, or one beyond [`MAX_RELIABLE`] or [`MAX_UNRELIABLE`];
    /// [`KcpError::NotConnected`] without a connection.
    pub fn send(&mut self, channel: Channel, chunks: &[Bytes]) -> Result<(), KcpError> {
        if self.state != State::Connected {
            return Err(KcpError::NotConnected);
        }
        let length: usize = chunks.iter().map(Bytes::len).sum();
        let max = match channel {
            Channel::Reliable => MAX_RELIABLE,
            Channel::Unreliable => MAX_UNRELIABLE,
        };
        if length == 0 || length > max {
            return Err(KcpError::TooLong);
        }
        if channel == Channel::Unreliable {
            let datagram = datagrams::unreliable(self.cookie, UNRELIABLE_DATA, chunks);
            self.out.push_back(datagram);
            return Ok(());
        }
        let mut message = BytesMut::with_capacity(length.saturating_add(1));
        message.put_u8(DATA);
        for chunk in chunks {
            message.put_slice(chunk);
        }
        self.arq.send(&message.freeze());
        Ok(())
    }

    /// Handles a datagram from the peer. Datagrams of foreign protocols and with wrong cookies are ignored.
    /// A malformed datagram ends the connection.
    pub fn handle_datagram(&mut self, now: Duration, datagram: &[u8]) {
        self.handle_datagram_within(now, datagram, usize::MAX);
    }

    /// Handles a datagram. Its messages may take `room` more bytes of memory.
    pub(crate) fn handle_datagram_within(&mut self, now: Duration, datagram: &[u8], room: usize) {
        let Some((channel, cookie, body)) = datagrams::split(datagram) else {
            return;
        };
        if self.closed().is_some() || !self.knows(channel, cookie) {
            return;
        }
        self.last_received = self.last_received.max(now);
        let handled = match channel {
            RELIABLE => self.handle_reliable(now, body, room),
            UNRELIABLE => self.handle_unreliable(body, room),
            _ => Ok(()),
        };
        if let Err(error) = handled {
            self.fail(error);
        }
    }

    /// Returns the length of the next received message.
    #[cfg(feature = "kcp")]
    pub(crate) fn next_length(&mut self) -> Option<usize> {
        if let Some(length) = self.next_unreliable() {
            return Some(length);
        }
        if self.state == State::Connecting {
            return None;
        }
        // A message has the byte of its kind, and a ping has that alone.
        while let Some(length) = self.arq.receiver().next_length() {
            match length.checked_sub(1) {
                Some(0) | None => self.handle_word()?,
                length => return length,
            }
        }
        None
    }

    /// Handles a reliable message without content. `None` if it ends the connection.
    #[cfg(feature = "kcp")]
    fn handle_word(&mut self) -> Option<()> {
        if self.arq.receive()?[..] == [PING] {
            return Some(());
        }
        self.fail(KcpError::Malformed);
        None
    }

    /// Returns the next received message. Unreliable messages do not wait for the stream.
    pub fn poll_message(&mut self) -> Option<(Channel, Bytes)> {
        if self.state == State::Connecting {
            return self.poll_unreliable();
        }
        loop {
            if let Some(message) = self.poll_unreliable() {
                return Some(message);
            }
            let mut message = self.arq.receive()?;
            match message.first() {
                Some(&DATA) if message.len() > 1 => {
                    return Some((Channel::Reliable, message.split_off(1)));
                }
                Some(&PING) => {}
                _ => {
                    self.fail(KcpError::Malformed);
                    return None;
                }
            }
        }
    }

    fn poll_unreliable(&mut self) -> Option<(Channel, Bytes)> {
        self.next_unreliable()?;
        let message = self.unreliable.pop()?;
        Some((Channel::Unreliable, message))
    }

    /// Returns the length of the next unreliable message, if the reliable messages before it were taken.
    fn next_unreliable(&self) -> Option<usize> {
        self.unreliable.next_length(self.arq.receiver().taken())
    }

    /// Queues the due datagrams: acks, new and lost segments, and a ping every second. Ends the connection
    /// after a timeout.
    pub fn update(&mut self, now: Duration) {
        match self.state {
            State::Closed(_) => return,
            _ if now.saturating_sub(self.last_received) >= self.timeout => {
                return self.fail(KcpError::Timeout);
            }
            State::Connected if now.saturating_sub(self.last_ping) >= PING_INTERVAL => {
                self.last_ping = now;
                self.ping();
            }
            // The application is gone, but the peer needs the ack.
            State::Closing { .. } => while self.arq.receive().is_some() {},
            _ => {}
        }
        if self.is_stuck(now) {
            return self.fail(KcpError::MissingSegment);
        }
        let mut out = KcpDatagrams::new(self.cookie, &mut self.out);
        let flushed = self.arq.flush(millis(now), &mut out);
        drop(out);
        if let Err(error) = flushed {
            self.fail(error);
        }
        if let State::Closing { deadline } = self.state
            && (self.arq.is_sent() || now >= deadline)
        {
            self.fail(KcpError::Closed);
        }
    }

    /// Queues a ping.
    pub(crate) fn ping(&mut self) {
        self.arq.send(&Bytes::from_static(&[PING]));
    }

    /// Returns whether a segment was missing for too long.
    fn is_stuck(&mut self, now: Duration) -> bool {
        let missing = self.arq.receiver().missing();
        self.gap = missing.map(|number| Gap::next(self.gap, number, now));
        self.gap.is_some_and(|gap| gap.waited >= self.timeout)
    }

    /// Ends the connection: [`update`](Self::update) sends the queue first, for at most `linger`. Input from
    /// now on is lost.
    pub fn close(&mut self, now: Duration, linger: Duration) {
        match self.state {
            State::Connected => {
                let deadline = now.saturating_add(linger);
                self.state = State::Closing { deadline };
                self.unreliable.clear();
            }
            State::Connecting => self.fail(KcpError::Closed),
            State::Closing { .. } | State::Closed(_) => {}
        }
    }

    /// Excludes a time from the timeout: the socket was not read for `away` until `now`.
    pub(crate) fn excuse(&mut self, away: Duration, now: Duration) {
        let last = self.last_received.saturating_add(away).min(now);
        self.last_received = self.last_received.max(last);
    }

    /// Returns the memory of received, unpolled messages and segments, estimated, in bytes.
    pub(crate) fn inbox_bytes(&self) -> usize {
        let reliable = self.arq.receiver().bytes();
        reliable.saturating_add(self.unreliable.bytes())
    }

    /// Returns the number of refused segments, which the peer repeats, and of lost unreliable messages.
    pub(crate) fn refused(&self) -> (u64, u64) {
        (self.arq.receiver().refused(), self.unreliable.dropped())
    }

    /// Returns the memory of unsent and unacknowledged messages, estimated, in bytes.
    pub(crate) fn queued_memory(&self) -> usize {
        self.arq.memory()
    }

    /// Returns the next datagram to send.
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.out.pop_front()
    }

    #[cfg(test)]
    pub(super) fn arq_mut(&mut self) -> &mut Arq {
        &mut self.arq
    }

    /// Returns whether a datagram belongs to this connection. A client takes its cookie from the first
    /// datagram on either channel: a server that refuses it sends an unreliable `Disconnect`.
    fn knows(&mut self, channel: u8, cookie: u32) -> bool {
        if self.cookie == 0 && matches!(channel, RELIABLE | UNRELIABLE) {
            self.cookie = cookie;
        }
        cookie != 0 && cookie == self.cookie
    }

    fn handle_reliable(&mut self, now: Duration, body: &[u8], room: usize) -> Result<(), KcpError> {
        self.arq.input(millis(now), body, room)?;
        if self.state == State::Connecting
            && let Some(message) = self.arq.receive()
        {
            if message != [HELLO][..] {
                return Err(KcpError::Malformed);
            }
            self.state = State::Connected;
            self.last_ping = now;
        }
        Ok(())
    }

    fn handle_unreliable(&mut self, body: &[u8], room: usize) -> Result<(), KcpError> {
        match body.split_first() {
            Some((&UNRELIABLE_DATA, payload)) => {
                // A message that has overtaken `Hello` is dropped: unreliable messages can be lost.
                if self.state == State::Connected && !payload.is_empty() {
                    // Unreliable messages do not wait for the stream.
                    self.unreliable.push(0, payload, room);
                }
                Ok(())
            }
            Some((&DISCONNECT, _)) => Err(KcpError::ClosedByPeer),
            _ => Err(KcpError::Malformed),
        }
    }

    pub(crate) fn fail(&mut self, error: KcpError) {
        if self.closed().is_some() {
            return;
        }
        if error != KcpError::ClosedByPeer && self.cookie != 0 {
            let goodbye = datagrams::goodbye(self.cookie);
            self.out.extend(std::iter::repeat_n(goodbye, GOODBYES));
        }
        self.state = State::Closed(error);
    }
}
