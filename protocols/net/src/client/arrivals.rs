//! `Arrivals`: packets from the server in the order of their ticks.
//!
//! The packets of a tick are applied together: those of the stream, then the datagrams by index. They wait for
//! each other until a packet of a later tick arrives, or for the gather time. A datagram that arrives before
//! packets of the stream that precede it is applied as far as that is possible, and whole once the stream has
//! caught up.

mod apply;
mod calls;
mod datagrams;
mod gathered;
mod held;
mod ticks;

pub(super) use datagrams::Datagrams;

use std::time::Duration;

use syncvar_runtime::{DisconnectReason, NetworkReader, ReadError, ReadErrorKind};

use super::motion::Motion;
use super::{ClientState, NetworkClient};
use crate::link::header::DatagramHeader;
use crate::link::settings::LossSettings;
use crate::link::stream::StreamTicks;
use calls::LateCalls;
use gathered::{Gathered, Origin, Packet};
use ticks::Ticks;

/// Packets of one connection from the server's answer on.
#[derive(Debug)]
pub(super) struct Arrivals {
    stream: StreamTicks,
    /// Newest tick of a packet.
    tick: u32,
    /// Packets of that tick that wait for the others.
    gathered: Gathered,
    ticks: Ticks,
    /// Calls that wait for the state of their tick.
    calls: LateCalls,
    pub(super) motion: Motion,
    /// `None` if the transport has no datagrams.
    pub(super) datagrams: Option<Box<Datagrams>>,
}

impl Arrivals {
    /// Returns the state of a new connection. Only a transport with datagrams needs settings.
    pub(super) fn new(datagrams: Option<&LossSettings>) -> Self {
        Self {
            stream: StreamTicks::default(),
            tick: 0,
            gathered: Gathered::default(),
            ticks: Ticks::default(),
            calls: LateCalls::default(),
            motion: Motion::default(),
            datagrams: datagrams.map(|settings| Box::new(Datagrams::new(settings))),
        }
    }

    /// Forgets higher ticks than that of a burst. The server sends no datagrams with state before the client has the
    /// burst, so they come from damaged packets, and the ticks of all later packets would be older.
    pub(super) fn end_forged_ticks(&mut self, tick: u32) {
        let seen = self.datagrams.as_ref().map_or(0, |it| it.receiver.tick());
        if self.tick.max(seen) <= tick {
            return;
        }
        self.tick = tick;
        self.ticks.restart(tick);
        self.motion = Motion::default();
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.receiver.restart_ticks(tick);
            datagrams.held.clear();
        }
    }

    /// Returns the newest tick of a packet.
    pub(super) fn newest_tick(&self) -> u32 {
        self.tick
    }

    /// Returns the number of the stream's packets that were handled; 0 without datagrams.
    fn handled(&self) -> u64 {
        let datagrams = self.datagrams.as_ref();
        datagrams.map_or(0, |datagrams| datagrams.receiver.handled())
    }

    /// Returns whether all packets of the newest tick have arrived, with further ones of the stream.
    fn is_ready(&self, further: u64) -> bool {
        let stream = self.gathered.stream() as u64 + further;
        self.ticks.is_ready(self.tick, self.handled() + stream)
    }
}

impl NetworkClient {
    /// Returns the last tick of the server that this client has applied, in the ticks of
    /// [`network_time`](Self::network_time): [`ClientEvent::Tick`](crate::ClientEvent::Tick). `None` before the
    /// first one, and in [`Framing::Unet`](crate::Framing::Unet).
    pub fn tick(&self) -> Option<u64> {
        let reported = self.arrivals.as_ref()?.ticks.reported();
        self.network_tick(reported)
    }

    /// Returns the number of the server's run: [`ServerConfig::incarnation`](crate::ServerConfig::incarnation).
    /// `None` before the connection, and in [`Framing::Unet`](crate::Framing::Unet).
    pub fn incarnation(&self) -> Option<u64> {
        self.session.start.map(|start| start.incarnation)
    }

    /// Returns a tick of the headers as a tick of the network time; none for 0.
    pub(super) fn network_tick(&self, tick: u32) -> Option<u64> {
        let since = tick.checked_sub(1)?;
        let first = self.session.start?.first_tick;
        Some(first.saturating_add(since.into()))
    }

    /// Returns the limits and times of links that lose packets.
    pub(super) fn loss_settings(&self) -> LossSettings {
        self.context
            .config
            .loss
            .at_rate(self.context.config.tick_rate)
    }

    /// Handles a packet of the stream: at once, or with the other packets of its tick.
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
        match read {
            Ok(((header, tick), messages)) => {
                if let (Some(ack), Some(lossy)) = (&header.ack, &mut self.outbound.lossy) {
                    lossy.handle_ack(ack, self.context.now());
                }
                let datagrams = arrivals.datagrams.as_ref().zip(header.sent);
                let sent = datagrams.map(|(datagrams, sent)| datagrams.sent_before(sent));
                arrivals.ticks.stream_arrived(tick, &header, sent);
                self.gather((Origin::Stream, tick), channel, messages)
            }
            Err(error) => {
                // The ticks of all later packets are unknown.
                self.end_session(DisconnectReason::ConnectionLost);
                Err(error)
            }
        }
    }

    /// Applies a packet with the other packets of its tick, or keeps it until they arrive.
    fn gather(
        &mut self,
        (origin, tick): (Origin, u32),
        channel: u8,
        messages: &[u8],
    ) -> Result<(), ReadError> {
        let (now, gathers) = (self.context.now(), !self.gather_time().is_zero());
        let packet = Packet {
            origin,
            tick,
            channel,
            messages,
        };
        let mut earlier = Ok(());
        if self.arrivals.as_ref().is_some_and(|it| tick > it.tick) {
            // Nobody waits for the packets of earlier ticks any more.
            let session = self.session.number;
            earlier = self.apply_gathered(None);
            if self.session.number != session {
                return earlier;
            }
        }
        let Some(arrivals) = &mut self.arrivals else {
            return earlier;
        };
        arrivals.tick = arrivals.tick.max(tick);
        if tick < arrivals.tick {
            let applied = self.apply(&packet);
            return earlier.and(applied).and(self.apply_ready());
        }
        let stream = u64::from(matches!(origin, Origin::Stream));
        let is_ready = !gathers || arrivals.is_ready(stream);
        let is_alone = match origin {
            Origin::Stream => !arrivals.gathered.has_datagrams(),
            Origin::Datagram(_) => arrivals.gathered.is_empty(),
        };
        if is_ready && is_alone || !arrivals.gathered.push(&packet, now) {
            return earlier.and(self.apply_gathered(Some(&packet)));
        }
        if is_ready {
            earlier = earlier.and(self.apply_gathered(None));
        } else if let Origin::Datagram(header) = origin
            && self.inbound.has_ungathered
        {
            self.apply_at_once(&header, channel, messages);
        }
        earlier
    }

    /// Applies the packets of the newest tick if none is missing any more.
    fn apply_ready(&mut self) -> Result<(), ReadError> {
        let arrivals = self.arrivals.as_ref();
        if arrivals.is_some_and(|it| it.is_ready(0)) {
            return self.apply_gathered(None);
        }
        Ok(())
    }

    /// Handles a datagram: at once, or with the other packets of its tick.
    pub(super) fn handle_one_datagram(
        &mut self,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), ReadError> {
        self.count_packet(packet);
        match self.session.state {
            // It has overtaken the answer to Connect.
            ClientState::Connecting => return Ok(()),
            ClientState::Disconnected if self.arrivals.is_some() => return Ok(()),
            _ => {}
        }
        let Some(arrivals) = &mut self.arrivals else {
            return self.handle_messages(channel, packet);
        };
        let declared = arrivals.datagrams.as_mut();
        let Some(datagrams) = declared.filter(|_| self.session.datagrams) else {
            let (what, value) = ("datagram on a transport without them", packet.len() as u64);
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(NetworkReader::new(packet).error(kind));
        };
        let mut reader = NetworkReader::new(packet);
        let header = DatagramHeader::decode(&mut reader)?;
        let messages = reader.read_bytes(reader.remaining())?;
        if let (Some(ack), Some(lossy)) = (&header.ack, &mut self.outbound.lossy) {
            lossy.handle_ack(ack, self.context.now());
        }
        let Some(place) = header.sent else {
            return Ok(());
        };
        let header = datagrams.arrive(&header, place)?;
        let sequence = header.sequence;
        if datagrams.receiver.is_known(sequence) {
            datagrams.receiver.count_duplicate();
            let is_early = datagrams.receiver.is_early(header.after);
            return if is_early {
                Ok(())
            } else {
                self.apply_again(&header, channel, messages)
            };
        }
        if arrivals.gathered.contains(sequence) || datagrams.held.contains(sequence) {
            datagrams.receiver.count_duplicate();
            return Ok(());
        }
        arrivals.ticks.datagram_arrived(&header);
        self.gather((Origin::Datagram(header), header.tick), channel, messages)
    }

    /// Applies the packets that wait for others too long, and runs the calls that wait for their state too long.
    pub(super) fn expire_tick(&mut self) {
        let deadline = self.context.now().saturating_sub(self.gather_time());
        let arrivals = self.arrivals.as_ref();
        let is_late = arrivals.is_some_and(|it| it.gathered.is_older(deadline));
        // The packet in progress comes first.
        if is_late
            && self.objects.world.checked_out.depth() == 0
            && let Err(error) = self.apply_gathered(None)
        {
            tracing::debug!(%error, "a malformed message of a late tick");
        }
        if self.objects.world.checked_out.depth() == 0 {
            self.run_overdue_calls();
        }
    }

    /// Returns whether packets wait for others of their tick or for the transport, calls for their state, or owner
    /// writes for an acknowledgement.
    pub(crate) fn is_busy(&self) -> bool {
        let arrivals = self.arrivals.as_ref();
        let gathers = arrivals.is_some_and(|it| !it.gathered.is_empty() || !it.calls.is_empty());
        let lossy = self.outbound.lossy.as_ref();
        gathers || self.has_outgoing() || lossy.is_some_and(|lossy| !lossy.is_settled())
    }

    fn gather_time(&self) -> Duration {
        let setting = self.context.config.gather_time;
        setting.unwrap_or(Duration::from_secs(1) / self.context.config.tick_rate)
    }
}
