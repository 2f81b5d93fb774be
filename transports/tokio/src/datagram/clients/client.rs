//! `DatagramClient`: a connection of a server.

use std::convert::Infallible;
use std::num::NonZeroU64;
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint};

use super::super::Dialect;
use crate::admission::Place;
use crate::kcp::KcpError;
use crate::silence::Silence;
use crate::turn::{PACKET_COST, Turn};
use crate::{TransportOptions, TransportStats};

#[derive(Debug)]
pub(in crate::datagram) struct DatagramClient<D> {
    pub(in crate::datagram) connection: D,
    pub(in crate::datagram) stage: ClientStage,
    /// `None` for a connection that a newer connection has replaced.
    pub(in crate::datagram) place: Option<Place>,
    silence: Silence,
    /// Packets that the server may still handle in this tick.
    packets: usize,
}

/// State of a connection for the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::datagram) enum ClientStage {
    /// Unknown to the server until the next tick.
    New,
    Known(ConnectionId),
    /// Ended for the server; sends its queue.
    Leaving,
}

impl<D: Dialect> DatagramClient<D> {
    pub(super) fn new(connection: D, place: Place) -> Self {
        Self {
            connection,
            stage: ClientStage::New,
            place: Some(place),
            silence: Silence::default(),
            packets: 0,
        }
    }

    pub(super) fn cookie(&self) -> Option<NonZeroU64> {
        self.connection.cookie()
    }

    /// Ends a tick, `elapsed` after the last one. Returns the reason for the end of the connection, once
    /// its input is handled.
    pub(in crate::datagram) fn end_tick(
        &mut self,
        server: &impl Endpoint,
        elapsed: Duration,
        options: &TransportOptions,
    ) -> Option<KcpError> {
        let ClientStage::Known(connection) = self.stage else {
            return None;
        };
        if self.connection.next_length().is_some() {
            return None;
        }
        let silent = self.silence.add(elapsed);
        let closed = self.connection.kcp().closed();
        if closed.is_some() {
            return closed;
        }
        if self.silence.is_first() {
            return (silent >= options.handshake_timeout).then_some(KcpError::NoMessage);
        }
        if silent < options.idle_timeout {
            return None;
        }
        self.silence.end();
        server.expects_packets(connection).then_some(KcpError::Idle)
    }
}

impl<D: Dialect> Turn for DatagramClient<D> {
    type Fault = Infallible;

    fn begin(&mut self, options: &TransportOptions) -> Result<bool, Infallible> {
        self.packets = options.max_queued_packets.max(1);
        Ok(self.has_input())
    }

    fn has_input(&mut self) -> bool {
        self.packets > 0 && self.connection.next_length().is_some()
    }

    fn receive(
        &mut self,
        connection: ConnectionId,
        server: &mut impl Endpoint,
        limit: usize,
    ) -> Result<Option<usize>, Infallible> {
        if !self.has_input() || !server.accepts_packets(connection) {
            return Ok(None);
        }
        let length = self.connection.next_length().unwrap_or_default();
        let cost = length.saturating_add(PACKET_COST);
        if cost > limit {
            return Ok(None);
        }
        let Some(arrival) = self.connection.poll_packet() else {
            return Ok(None);
        };
        self.packets = self.packets.saturating_sub(1);
        match arrival.handle(server, connection) {
            Ok(()) => self.silence.end(),
            Err(error) => {
                tracing::info!(%connection, %error, "malformed packet");
                if server.is_connected(connection) {
                    server.disconnect(connection, &error.to_string());
                }
                self.packets = 0;
            }
        }
        Ok(Some(cost))
    }
}

/// Returns the counter of the limit that has ended a connection.
pub(in crate::datagram) fn counter(
    reason: KcpError,
) -> Option<fn(&mut TransportStats) -> &mut u64> {
    match reason {
        KcpError::NoMessage => Some(|stats| &mut stats.handshake_timeouts),
        KcpError::Idle => Some(|stats| &mut stats.idle_timeouts),
        KcpError::Malformed => Some(|stats| &mut stats.malformed_frames),
        KcpError::MissingSegment => Some(|stats| &mut stats.missing_segments),
        KcpError::Timeout | KcpError::DeadLink => Some(|stats| &mut stats.silence_timeouts),
        _ => None,
    }
}
