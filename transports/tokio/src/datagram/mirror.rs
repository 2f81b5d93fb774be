//! `Mirror`: Mirror's datagrams.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{PacketLimits, Transmit};

use super::Dialect;
use super::dialect::{Head, Refused};
use crate::TransportOptions;
use crate::kcp::{self, Hello, KcpConnection, KcpError};
use crate::link::Arrival;

/// Connection with Mirror's datagrams: the core alone.
#[derive(Debug)]
pub(crate) struct Mirror(KcpConnection);

impl Mirror {
    fn new(mut connection: KcpConnection, options: &TransportOptions) -> Self {
        connection.set_timeout(options.silence_timeout);
        connection.set_max_unreliable(options.max_queued_packets);
        Self(connection)
    }
}

/// Returns the low 32 bits, which are all of Mirror's cookie.
fn short(cookie: NonZeroU64) -> NonZeroU32 {
    let low = u32::try_from(cookie.get() & u64::from(u32::MAX));
    low.ok()
        .and_then(NonZeroU32::new)
        .unwrap_or(NonZeroU32::MIN)
}

impl Dialect for Mirror {
    const COOKIE_BITS: u32 = u32::BITS;
    const HAS_GOODBYE: bool = false;

    fn limits(_: &TransportOptions) -> PacketLimits {
        kcp::LIMITS
    }

    fn head(datagram: &[u8]) -> Option<Head> {
        let (_, cookie, _) = kcp::split(datagram)?;
        match NonZeroU64::new(cookie.into()) {
            Some(cookie) if kcp::is_goodbye(datagram) => Some(Head::Goodbye(cookie)),
            Some(cookie) => Some(Head::Of(cookie)),
            None => Hello::read(datagram).map(|_| Head::Hello),
        }
    }

    fn answer(hello: &[u8], cookie: NonZeroU64, now: Duration) -> Option<Bytes> {
        Some(Hello::read(hello)?.answer(short(cookie), now))
    }

    fn refusal(cookie: NonZeroU64, refused: Refused) -> Option<Bytes> {
        match refused {
            Refused::Full => Some(kcp::goodbye(short(cookie).get())),
            Refused::Unknown => None,
        }
    }

    fn connect(now: Duration, options: &TransportOptions) -> Self {
        Self::new(KcpConnection::connect(now), options)
    }

    fn accept(cookie: NonZeroU64, now: Duration, options: &TransportOptions) -> Self {
        let mut connection = KcpConnection::accept(short(cookie), now);
        connection.set_max_inbox(options.max_inbox_bytes);
        Self::new(connection, options)
    }

    fn cookie(&self) -> Option<NonZeroU64> {
        self.0.cookie().map(NonZeroU64::from)
    }

    fn kcp(&self) -> &KcpConnection {
        &self.0
    }

    fn kcp_mut(&mut self) -> &mut KcpConnection {
        &mut self.0
    }

    fn handle_datagram(&mut self, now: Duration, datagram: &[u8], room: usize) {
        self.0.handle_datagram_within(now, datagram, room);
    }

    fn next_length(&mut self) -> Option<usize> {
        self.0.next_length()
    }

    fn poll_packet(&mut self) -> Option<Arrival> {
        let (channel, packet) = self.0.poll_message()?;
        // Mirror's ends tell the carriers apart by the channel.
        Some(Arrival::by_stream(channel.number(), packet))
    }

    fn send(&mut self, packet: &Transmit<'_>) -> Result<(), KcpError> {
        self.0.send(packet.delivery, &[packet.to_bytes()])
    }

    fn close(&mut self, now: Duration, linger: Duration) {
        self.0.close(now, linger);
    }

    fn update(&mut self, now: Duration) {
        self.0.update(now);
    }

    fn poll_transmit(&mut self) -> Option<Bytes> {
        self.0.poll_transmit()
    }

    fn is_lost_when_full(_: &[u8]) -> bool {
        false
    }
}
