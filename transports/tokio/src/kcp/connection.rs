//! `KcpConnection`: one end of a connection.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use syncvar_runtime::Channel;

use super::arq::Arq;
use super::datagrams::{self, Datagrams, RELIABLE, UNRELIABLE};
use super::{
    DATA, DISCONNECT, HELLO, KcpError, MAX_RELIABLE, MAX_UNRELIABLE, PING, UNRELIABLE_DATA, millis,
};

/// How often a side that is connected shows that it is there.
const PING_INTERVAL: Duration = Duration::from_secs(1);

/// How often goodbye is said, because any one may be lost.
pub(super) const GOODBYES: usize = 5;

/// One end of a KCP connection: no socket, no clock, no dice.
///
/// Datagrams and the time come in, datagrams and messages go out. A client begins with
/// [`connect`](Self::connect), a server with [`Hello::read`](super::Hello::read). Then:
///
/// * every datagram from the peer goes to [`handle_datagram`](Self::handle_datagram);
/// * [`update`](Self::update) is called every 10 ms, and after something was sent that cannot wait;
/// * everything that [`poll_transmit`](Self::poll_transmit) gives is sent, and
///   [`poll_message`](Self::poll_message) gives what has come.
///
/// All times are since any one moment, and do not go back.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use syncvar_tokio::kcp::{Hello, KcpConnection};
/// use syncvar_runtime::Channel;
///
/// let now = Duration::ZERO;
/// let mut client = KcpConnection::connect(now);
/// client.update(now);
/// let datagram = client.poll_transmit().unwrap();
///
/// // A server answers, and knows nothing of the client yet but its address and this number.
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
    state: State,
    /// 0 until a client has been told.
    cookie: u32,
    arq: Arq,
    /// The payloads of unreliable messages that nobody has polled.
    unreliable: VecDeque<Bytes>,
    max_unreliable: usize,
    out: VecDeque<Bytes>,
    timeout: Duration,
    last_received: Duration,
    last_ping: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Connecting,
    Connected,
    /// What is left is sent until `deadline`.
    Closing {
        deadline: Duration,
    },
    Closed(KcpError),
}

impl KcpConnection {
    /// A client's end: `Hello` is the first thing that it sends.
    pub fn connect(now: Duration) -> Self {
        let mut connection = Self::new(State::Connecting, 0, 0, now);
        connection.arq.send(&Bytes::from_static(&[HELLO]));
        connection
    }

    /// A server's end, of a client that has answered `Hello` with this cookie: the next thing is to
    /// handle that datagram.
    pub fn accept(cookie: NonZeroU32, now: Duration) -> Self {
        Self::new(State::Connected, cookie.get(), 1, now)
    }

    fn new(state: State, cookie: u32, first: u32, now: Duration) -> Self {
        Self {
            state,
            cookie,
            arq: Arq::new(first),
            unreliable: VecDeque::new(),
            max_unreliable: 256,
            out: VecDeque::new(),
            timeout: Duration::from_secs(10),
            last_received: now,
            last_ping: now,
        }
    }

    /// How long the peer may be silent before the connection is over. 10 s.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// How many unreliable messages wait at most to be polled; of more the oldest are lost. 256.
    pub fn set_max_unreliable(&mut self, messages: usize) {
        self.max_unreliable = messages.max(1);
    }

    /// Whether both sides have said `Hello`, and neither has ended the connection.
    pub fn is_connected(&self) -> bool {
        self.state == State::Connected
    }

    /// Why the connection is over; `None` while it is not. There may still be messages to poll, and
    /// datagrams to send.
    pub fn closed(&self) -> Option<KcpError> {
        match self.state {
            State::Closed(error) => Some(error),
            _ => None,
        }
    }

    /// The number of the connection. `None` while a client has not been told.
    pub fn cookie(&self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.cookie)
    }

    /// How many bytes wait to be sent or to be acknowledged.
    pub fn queued_bytes(&self) -> usize {
        self.arq.bytes()
    }

    /// Queues a message in pieces: a batch. What is unreliable leaves with the next
    /// [`poll_transmit`](Self::poll_transmit), what is reliable with the next
    /// [`update`](Self::update).
    ///
    /// # Errors
    ///
    /// [`KcpError::TooLong`] if it is longer than [`MAX_RELIABLE`] or [`MAX_UNRELIABLE`], or empty;
    /// [`KcpError::NotConnected`].
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

    /// Takes a datagram from the peer. One that is none, or has another cookie, is ignored; one that
    /// makes no sense ends the connection.
    pub fn handle_datagram(&mut self, now: Duration, datagram: &[u8]) {
        let Some((channel, cookie, body)) = datagrams::split(datagram) else {
            return;
        };
        if self.closed().is_some() || !self.knows(channel, cookie) {
            return;
        }
        self.last_received = self.last_received.max(now);
        let handled = match channel {
            RELIABLE => self.handle_reliable(now, body),
            UNRELIABLE => self.handle_unreliable(body),
            _ => Ok(()),
        };
        if let Err(error) = handled {
            self.fail(error);
        }
    }

    /// The next message that has come. Unreliable ones do not wait for reliable ones.
    pub fn poll_message(&mut self) -> Option<(Channel, Bytes)> {
        if let Some(message) = self.unreliable.pop_front() {
            return Some((Channel::Unreliable, message));
        }
        if self.state == State::Connecting {
            return None;
        }
        while let Some(mut message) = self.arq.receive() {
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
        None
    }

    /// Says what is due: acks, what is sent or has to be sent again, and a ping every second. Ends
    /// the connection when its time has come.
    pub fn update(&mut self, now: Duration) {
        match self.state {
            State::Closed(_) => return,
            _ if now.saturating_sub(self.last_received) >= self.timeout => {
                return self.fail(KcpError::Timeout);
            }
            State::Connected if now.saturating_sub(self.last_ping) >= PING_INTERVAL => {
                self.last_ping = now;
                self.arq.send(&Bytes::from_static(&[PING]));
            }
            // Nobody takes it any more; but the peer must know that it has arrived.
            State::Closing { .. } => while self.arq.receive().is_some() {},
            _ => {}
        }
        let mut out = Datagrams::new(self.cookie, &mut self.out);
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

    /// Ends the connection: what is left is sent first, for as long as `linger`, by
    /// [`update`](Self::update). What comes from now on is lost.
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

    /// For so long, until now, nobody has listened to the peer.
    pub(super) fn excuse(&mut self, away: Duration, now: Duration) {
        let last = self.last_received.saturating_add(away).min(now);
        self.last_received = self.last_received.max(last);
    }

    /// How much memory waits to be sent or to be acknowledged, about, in bytes.
    pub(super) fn queued_memory(&self) -> usize {
        self.arq.memory()
    }

    /// The next datagram to send.
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.out.pop_front()
    }

    #[cfg(test)]
    pub(super) fn arq_mut(&mut self) -> &mut Arq {
        &mut self.arq
    }

    /// Whether a datagram is of this connection; a client learns its cookie from the first one that is of
    /// a channel: of a server that does not want it, that is a goodbye, which is unreliable.
    fn knows(&mut self, channel: u8, cookie: u32) -> bool {
        if self.cookie == 0 && matches!(channel, RELIABLE | UNRELIABLE) {
            self.cookie = cookie;
        }
        cookie != 0 && cookie == self.cookie
    }

    fn handle_reliable(&mut self, now: Duration, body: &[u8]) -> Result<(), KcpError> {
        self.arq.input(millis(now), body)?;
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

    fn handle_unreliable(&mut self, body: &[u8]) -> Result<(), KcpError> {
        match body.split_first() {
            Some((&UNRELIABLE_DATA, payload)) => {
                // One that has overtaken `Hello` is early, and may be lost like any other.
                if self.state == State::Connected && !payload.is_empty() {
                    if self.unreliable.len() >= self.max_unreliable {
                        self.unreliable.pop_front();
                    }
                    self.unreliable.push_back(Bytes::copy_from_slice(payload));
                }
                Ok(())
            }
            Some((&DISCONNECT, _)) => Err(KcpError::ClosedByPeer),
            _ => Err(KcpError::Malformed),
        }
    }

    fn fail(&mut self, error: KcpError) {
        if self.closed().is_some() {
            return;
        }
        if error != KcpError::ClosedByPeer && self.cookie != 0 {
            let goodbye = datagrams::unreliable(self.cookie, DISCONNECT, &[]);
            self.out.extend(std::iter::repeat_n(goodbye, GOODBYES));
        }
        self.state = State::Closed(error);
    }
}
