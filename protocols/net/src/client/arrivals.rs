//! `Arrivals`: packets of a tick that is not complete, and the report of complete ticks.

use std::time::Duration;

use syncvar_runtime::{DisconnectReason, NetworkReader, ReadError};

use super::{ClientEvent, ClientState, NetworkClient};
use crate::link::header::TickNumber;
use crate::link::stream::StreamTicks;

/// Most bytes of a tick that wait for its end. The packets of a longer tick are applied as they arrive.
const MAX_HELD_BYTES: usize = 96 * 1024;

/// Packets of the stream in the order of their ticks.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    stream: StreamTicks,
    held: Held,
    /// Own time of the first held packet.
    since: Duration,
    /// Tick of the last packet.
    tick: u32,
    /// Last tick that was reported.
    reported: u32,
}

/// Packets of the tick in progress, without their headers.
#[derive(Debug, Default)]
struct Held {
    bytes: Vec<u8>,
    /// Channel and end of each packet.
    packets: Vec<(u8, usize)>,
}

impl Held {
    /// Returns the packets and their channels.
    fn packets(&self) -> impl Iterator<Item = (u8, &[u8])> {
        let mut start = 0;
        self.packets.iter().map(move |(channel, end)| {
            let packet = self.bytes.get(start..*end).unwrap_or_default();
            start = *end;
            (*channel, packet)
        })
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.packets.clear();
    }
}

impl Arrivals {
    /// Keeps a packet until its tick is complete. Returns whether it fits.
    fn hold(&mut self, channel: u8, messages: &[u8], now: Duration) -> bool {
        if self.held.bytes.len() + messages.len() > MAX_HELD_BYTES {
            return false;
        }
        if self.held.packets.is_empty() {
            self.since = now;
        }
        self.held.bytes.extend_from_slice(messages);
        self.held.packets.push((channel, self.held.bytes.len()));
        true
    }
}

impl NetworkClient {
    /// Returns the last tick of the server that this client has applied, in the ticks of
    /// [`network_time`](Self::network_time): [`ClientEvent::Tick`]. `None` before the first one, and in
    /// [`Framing::Unet`](crate::Framing::Unet).
    pub fn tick(&self) -> Option<u64> {
        let reported = self.arrivals.as_ref()?.reported;
        self.network_tick(reported)
    }

    /// Returns the number of the server's run: [`ServerConfig::incarnation`](crate::ServerConfig::incarnation).
    /// `None` before the connection, and in [`Framing::Unet`](crate::Framing::Unet).
    pub fn incarnation(&self) -> Option<u64> {
        self.session.start.map(|start| start.incarnation)
    }

    /// Returns a tick of the headers as a tick of the network time; none for 0.
    fn network_tick(&self, tick: u32) -> Option<u64> {
        let since = tick.checked_sub(1)?;
        let first = self.session.start?.first_tick;
        Some(first.saturating_add(since.into()))
    }

    /// Handles a packet: at once, or with the last packet of its tick.
    pub(super) fn handle_arrival(&mut self, channel: u8, packet: &[u8]) -> Result<(), ReadError> {
        let Some(arrivals) = &mut self.arrivals else {
            return self.handle_messages(channel, packet);
        };
        if self.session.state == ClientState::Disconnected {
            return Ok(());
        }
        let mut reader = NetworkReader::new(packet);
        let read = arrivals.stream.read(&mut reader);
        let read = read.and_then(|header| Ok((header, reader.read_bytes(reader.remaining())?)));
        let ((header, tick), messages) = match read {
            Ok(read) => read,
            Err(error) => {
                // The ticks of all later packets are unknown.
                self.end_session(DisconnectReason::ConnectionLost);
                return Err(error);
            }
        };
        let is_next = std::mem::replace(&mut arrivals.tick, tick) != tick;
        let early = if is_next { self.apply_held() } else { Ok(()) };
        let waits = !header.end && !self.gather_time().is_zero();
        if waits && self.hold(channel, messages) {
            return early;
        }
        let session = self.session.number;
        let held = early.and(self.apply_held());
        let result = held.and(self.handle_messages(channel, messages));
        if header.end && self.session.is_current(session) {
            self.end_tick(tick, !header.partial);
        }
        result
    }

    /// Returns whether packets of this tick wait for its end: a datagram waits behind them.
    pub(super) fn waits_for(&self, tick: TickNumber) -> bool {
        let waits =
            |it: &Arrivals| !it.held.packets.is_empty() && tick == TickNumber::Wide(it.tick);
        self.arrivals.as_ref().is_some_and(waits)
    }

    /// Keeps a packet until its tick is complete. Returns whether it fits.
    pub(super) fn hold(&mut self, channel: u8, messages: &[u8]) -> bool {
        let now = self.clock.own.now();
        let arrivals = self.arrivals.as_mut();
        arrivals.is_some_and(|it| it.hold(channel, messages, now))
    }

    /// Applies the held packets.
    fn apply_held(&mut self) -> Result<(), ReadError> {
        let session = self.session.number;
        let Some(arrivals) = self
            .arrivals
            .as_mut()
            .filter(|it| !it.held.packets.is_empty())
        else {
            return Ok(());
        };
        let mut result = Ok(());
        let mut held = std::mem::take(&mut arrivals.held);
        for (channel, messages) in held.packets() {
            if self.session.number == session {
                result = result.and(self.handle_messages(channel, messages));
            }
        }
        held.clear();
        // The memory is used again.
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.held = held;
        }
        result
    }

    /// Applies the packets of a tick whose end is late.
    pub(super) fn expire_tick(&mut self) {
        let deadline = self.clock.own.now().saturating_sub(self.gather_time());
        let late =
            |arrivals: &Arrivals| !arrivals.held.packets.is_empty() && arrivals.since < deadline;
        if self.arrivals.as_ref().is_some_and(late)
            && let Err(error) = self.apply_held()
        {
            tracing::debug!(%error, "a malformed message of a late tick");
        }
    }

    /// Reports a tick, once.
    fn end_tick(&mut self, tick: u32, complete: bool) {
        let Some(arrivals) = &mut self.arrivals else {
            return;
        };
        if tick > arrivals.reported {
            arrivals.reported = tick;
            if let Some(tick) = self.network_tick(tick) {
                self.events.push(ClientEvent::Tick { tick, complete });
            }
        }
    }

    fn gather_time(&self) -> Duration {
        let setting = self.config.gather_time;
        setting.unwrap_or(Duration::from_secs(1) / self.config.tick_rate)
    }
}
