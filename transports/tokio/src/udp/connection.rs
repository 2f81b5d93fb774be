//! `UdpConnection`.

use std::num::NonZeroU64;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, Transmit};

use crate::TransportOptions;
use crate::datagram::{Dialect, Own};
use crate::kcp::KcpError;

/// One end of a connection by UDP, without a socket, a clock or a random generator, for programs with
/// their own.
///
/// Datagrams and the time come in, datagrams and packets go out. A client begins with
/// [`connect`](Self::connect), a server with [`answer`](Self::answer). Then:
///
/// * every datagram from the peer goes to [`handle_datagram`](Self::handle_datagram);
/// * [`update`](Self::update) is called every 10 ms, and after urgent packets;
/// * [`poll_transmit`](Self::poll_transmit) returns the datagrams to send, and
///   [`poll_packet`](Self::poll_packet) the received packets.
///
/// All times are since one fixed moment, and do not go back.
///
/// ```
/// use std::num::NonZeroU64;
/// use std::time::Duration;
/// use syncvar::udp::{UdpConnection, TransportOptions};
/// use syncvar::{Channel, ConnectionId, Transmit};
///
/// let (now, options) = (Duration::ZERO, TransportOptions::default());
/// let mut client = UdpConnection::connect(now, &options);
/// client.update(now);
/// let hello = client.poll_transmit().unwrap();
///
/// // A server answers, without state: it knows the client's address and this number.
/// let cookie = NonZeroU64::new(0x1234_5678).unwrap();
/// client.handle_datagram(now, &UdpConnection::answer(&hello, cookie).unwrap());
/// client.update(now);
/// let mut server = UdpConnection::accept(cookie, now, &options);
/// while let Some(datagram) = client.poll_transmit() {
///     server.handle_datagram(now, &datagram);
/// }
///
/// let chunks = ["sta".into(), "te".into()];
/// let packet = Transmit::new(ConnectionId(1), 7, Channel::Unreliable, &chunks);
/// server.send(&packet).unwrap();
/// server.update(now);
/// while let Some(datagram) = server.poll_transmit() {
///     client.handle_datagram(now, &datagram);
/// }
/// assert!(client.is_connected());
/// assert_eq!(client.poll_packet(), Some((Channel::Unreliable, 7, "state".into())));
/// ```
#[derive(Debug)]
pub struct UdpConnection(Own);

impl UdpConnection {
    /// Makes a client's end. Its first datagram is `Hello`, with a random number.
    pub fn connect(now: Duration, options: &TransportOptions) -> Self {
        Self(Own::connect(now, options))
    }

    /// Makes a server's end for a client that has sent this cookie. Pass it the datagram with the cookie
    /// next.
    pub fn accept(cookie: NonZeroU64, now: Duration, options: &TransportOptions) -> Self {
        Self(Own::accept(cookie, now, options))
    }

    /// Returns the answer to a `Hello`, which is not longer than it. `None` for a different datagram.
    pub fn answer(hello: &[u8], cookie: NonZeroU64) -> Option<Bytes> {
        Own::answer(hello, cookie, Duration::ZERO)
    }

    /// Returns the cookie of a connection's datagram. `None` for a different datagram.
    pub fn cookie_of(datagram: &[u8]) -> Option<NonZeroU64> {
        Own::cookie_of(datagram)
    }

    /// Returns whether packets can be sent: neither side has ended the connection, and a client has a
    /// datagram of its server.
    pub fn is_connected(&self) -> bool {
        self.0.kcp().is_connected()
    }

    /// Returns the reason for the end of the connection, if it is over. Packets can still be polled, and
    /// datagrams can still be due.
    pub fn closed(&self) -> Option<KcpError> {
        self.0.kcp().closed()
    }

    /// Returns the bytes of the stream that are not sent or not acknowledged.
    pub fn queued_bytes(&self) -> usize {
        self.0.kcp().queued_bytes()
    }

    /// Queues a packet: by its `delivery` for the stream, or as a datagram.
    ///
    /// # Errors
    ///
    /// [`KcpError::TooLong`] for an empty packet, or more than 1 200 bytes as a datagram;
    /// [`KcpError::NotConnected`] without a connection.
    pub fn send(&mut self, packet: &Transmit<'_>) -> Result<(), KcpError> {
        self.0.send(packet)
    }

    /// Handles a datagram from the peer. Foreign datagrams are ignored. A
    /// malformed datagram ends the connection.
    pub fn handle_datagram(&mut self, now: Duration, datagram: &[u8]) {
        self.0.handle_datagram(now, datagram, usize::MAX);
    }

    /// Returns the next packet, with its way and the number of its channel. A packet too long for
    /// [`TransportOptions::max_packet`] ends the connection.
    pub fn poll_packet(&mut self) -> Option<(Channel, u8, Bytes)> {
        let arrival = self.0.poll_packet()?;
        Some((arrival.carrier, arrival.channel, arrival.packet))
    }

    /// Queues the due datagrams, and ends the connection after a timeout.
    pub fn update(&mut self, now: Duration) {
        self.0.update(now);
    }

    /// Returns the next datagram to send.
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.0.poll_transmit()
    }

    /// Ends the connection: [`update`](Self::update) sends the stream first, for at most `linger`. Input
    /// from now on is lost.
    pub fn close(&mut self, now: Duration, linger: Duration) {
        self.0.close(now, linger);
    }
}
