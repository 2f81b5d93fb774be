//! `Arrivals`: packets from the server in the order of their ticks.
//!
//! A tick of the server reaches the client in packets of the stream, in order and without gaps, and in datagrams, in any
//! order or not at all. The program shall see a tick as one step: all changes first, then the hooks, then one event.
//!
//! ```text
//!              tick 8                      tick 9                  (s: stream, d: datagrams 0 to 2)
//! sent         s8 d0 d1 d2                 s9 d0 d1
//! arrive       d1     s8   d0              d0(9)      d2(8)   s9 ...
//!              |      |    |               |          |
//! gathered     d1     s8   s8 d0 d1        -> applied: s8 d0 d1; hooks
//!              waits, in the order s d0 d1    |          |
//!                                          d0(9) waits  applied alone: tick 8 is complete, event Tick(8)
//! ```
//!
//! - **Gathered.** Packets of the newest tick wait for each other, the stream first, then the datagrams by index. They
//!   are applied when the tick is known to be whole, when a packet of a later tick arrives, or after the gather time.
//!   A packet of an earlier tick is applied at once.
//! - **Early.** The header of a datagram counts the packets of the stream before it. If such a packet is missing, the
//!   datagram is `Held`: the deltas that can be read are applied, and the whole datagram again once the stream has
//!   caught up, in the order of ticks and indices.
//! - **Whole.** `Ticks` counts the packets of each tick above the reported one, from their headers. A tick is reported
//!   once, when its packets are applied; after a gap when the packets of 64 later ticks wait for it. A call with
//!   `after_state` waits for that report, at most a second.
//! - **Complete** is more than whole: the server withheld nothing, and what lost datagrams lacked was sent again.
//!
//! The part decides, and the conductor applies: [`Arrivals::gather`] and [`Arrivals::next_report`] return what is next,
//! because each packet may run callbacks that end the connection.

mod arrived;
mod calls;
mod datagrams;
mod gathered;
mod held;
mod ticks;

pub(super) use calls::DueCalls;
pub(super) use datagrams::Datagrams;
pub(super) use gathered::{Gathered, PacketOrigin, ReceivedPacket};

use std::time::Duration;

use syncvar_runtime::{NetworkReader, ReadError, ReadErrorKind};

use super::motion::Motion;
use super::objects::Objects;
use crate::link::ack::Ack;
use crate::link::header::DatagramHeader;
use crate::link::settings::LossSettings;
use crate::link::stream::StreamTicks;
use crate::message::View;
use calls::{LateCall, LateCalls};
use held::HeldDatagram;
use ticks::Ticks;

/// Messages of a packet that are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pass {
    #[default]
    Whole,
    /// Deltas of behaviours that do not wait for the rest of the tick. The packet is applied whole later.
    AtOnce {
        /// Whether packets of the stream that precede the datagram are missing.
        early: bool,
    },
    /// Deltas alone.
    State {
        /// Whether packets of the stream that precede the datagram are missing.
        early: bool,
    },
}

impl Pass {
    /// Returns whether packets of the stream that precede the packet are missing.
    pub(super) fn is_early(self) -> bool {
        matches!(
            self,
            Self::State { early: true } | Self::AtOnce { early: true }
        )
    }

    /// Returns whether the packet is applied whole later.
    pub(super) fn is_at_once(self) -> bool {
        matches!(self, Self::AtOnce { .. })
    }
}

/// Packet that was taken from its carrier.
#[derive(Clone, Copy, Debug)]
pub(super) enum TakenPacket<'a> {
    /// An acknowledgement alone, or a datagram that waits already.
    Nothing,
    New(ReceivedPacket<'a>),
    /// A datagram that was applied before, or is too old to be acknowledged.
    Again(ReceivedPacket<'a>),
}

/// Decision about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gathering {
    /// A packet of an earlier tick: it is applied alone.
    Late,
    /// The packets that wait are applied, and this one behind them.
    Last,
    /// The packets that wait are applied, with this one among them.
    Ready,
    Waits,
}

/// Report of a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TickReport {
    pub(super) tick: u32,
    /// Whether the changes of the tick have arrived.
    pub(super) of_tick: bool,
    /// Whether the changes of all earlier ticks have arrived, too.
    pub(super) up_to_tick: bool,
    /// Whether a datagram since the last report was not applied.
    pub(super) after_gap: bool,
}

/// Packets of a connection from the server's answer on.
#[derive(Debug)]
pub(super) struct Arrivals {
    stream: StreamTicks,
    /// Newest tick of a packet.
    tick: u32,
    /// Packets that wait for the rest of that tick.
    pub(super) gathered: Gathered,
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

    /// Returns the last tick that was reported; 0 before the first one.
    pub(super) fn reported_tick(&self) -> u32 {
        self.ticks.reported()
    }

    /// Returns the newest tick of a packet.
    pub(super) fn newest_tick(&self) -> u32 {
        self.tick
    }

    /// Takes a packet of the stream. Returns the packet without its header; `ack` is the acknowledgement in the header.
    ///
    /// # Errors
    ///
    /// When the header is malformed: the ticks of all later packets are unknown then.
    pub(super) fn take_packet<'a>(
        &mut self,
        channel: u8,
        packet: &'a [u8],
        ack: &mut Option<Ack>,
    ) -> Result<TakenPacket<'a>, ReadError> {
        let mut reader = NetworkReader::new(packet);
        let (header, tick) = self.stream.read(&mut reader)?;
        let messages = reader.read_bytes(reader.remaining())?;
        ack.clone_from(&header.ack);
        let datagrams = self.datagrams.as_ref().zip(header.sent);
        let sent = datagrams.map(|(datagrams, sent)| datagrams.sent_before(sent));
        self.ticks.stream_arrived(tick, &header, sent);
        Ok(TakenPacket::New(ReceivedPacket {
            origin: PacketOrigin::Stream,
            tick,
            channel,
            messages,
        }))
    }

    /// Takes a datagram. Returns the packet without its header; `ack` is the acknowledgement in the header.
    ///
    /// # Errors
    ///
    /// When the header is malformed, and on a transport without datagrams.
    pub(super) fn take_datagram<'a>(
        &mut self,
        channel: u8,
        packet: &'a [u8],
        accepts: bool,
        ack: &mut Option<Ack>,
    ) -> Result<TakenPacket<'a>, ReadError> {
        let declared = self.datagrams.as_mut();
        let Some(datagrams) = declared.filter(|_| accepts) else {
            let (what, value) = ("datagram on a transport without them", packet.len() as u64);
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(NetworkReader::new(packet).error(kind));
        };
        let mut reader = NetworkReader::new(packet);
        let header = DatagramHeader::decode(&mut reader)?;
        let messages = reader.read_bytes(reader.remaining())?;
        ack.clone_from(&header.ack);
        let Some(place) = header.sent else {
            return Ok(TakenPacket::Nothing);
        };
        let header = datagrams.arrive(&header, place)?;
        let sequence = header.sequence;
        let packet = ReceivedPacket {
            origin: PacketOrigin::Datagram(header),
            tick: header.tick,
            channel,
            messages,
        };
        if datagrams.receiver.is_known(sequence) {
            datagrams.receiver.count_duplicate();
            let is_early = datagrams.receiver.is_early(header.after);
            return Ok(if is_early {
                TakenPacket::Nothing
            } else {
                TakenPacket::Again(packet)
            });
        }
        if self.gathered.contains(sequence) || datagrams.held.contains(sequence) {
            datagrams.receiver.count_duplicate();
            return Ok(TakenPacket::Nothing);
        }
        self.ticks.datagram_arrived(&header);
        Ok(TakenPacket::New(packet))
    }

    /// Decides about a packet, whose tick is not above the newest one. A packet that waits is kept.
    pub(super) fn gather(
        &mut self,
        packet: &ReceivedPacket<'_>,
        now: Duration,
        gathers: bool,
    ) -> Gathering {
        self.tick = self.tick.max(packet.tick);
        if packet.tick < self.tick {
            return Gathering::Late;
        }
        let stream = u64::from(matches!(packet.origin, PacketOrigin::Stream));
        let is_ready = !gathers || self.is_ready(stream);
        let is_alone = match packet.origin {
            PacketOrigin::Stream => !self.gathered.has_datagrams(),
            PacketOrigin::Datagram(_) => self.gathered.is_empty(),
        };
        if is_ready && is_alone || !self.gathered.push(packet, now) {
            Gathering::Last
        } else if is_ready {
            Gathering::Ready
        } else {
            Gathering::Waits
        }
    }

    /// Begins the application of a packet: marks it as applied, or holds a datagram whose packets of the stream are
    /// missing. Returns the messages of the packet that are handled.
    pub(super) fn begin(&mut self, packet: &ReceivedPacket<'_>, now: Duration) -> Option<Pass> {
        match packet.origin {
            PacketOrigin::Stream => {
                // Before its messages: a callback may lose the link, and the packet does not come again.
                self.ticks.stream_applied(packet.tick);
                if let Some(datagrams) = &mut self.datagrams {
                    datagrams.receiver.handled_reliable(now);
                    datagrams.receiver.see_tick(packet.tick);
                }
            }
            PacketOrigin::Datagram(header) => {
                let datagrams = self.datagrams.as_mut()?;
                if datagrams.receiver.is_early(header.after) {
                    datagrams.receiver.count_early();
                    let held = &mut datagrams.held;
                    held.push(header, packet.channel, packet.messages);
                    return Some(Pass::State { early: true });
                }
                datagrams.mark(&header, now);
                self.ticks.datagram_applied(&header);
            }
        }
        Some(Pass::Whole)
    }

    /// Returns the pass of a waiting datagram whose behaviours may not wait; `None` for a packet of the stream.
    pub(super) fn pass_at_once(&self, packet: &ReceivedPacket<'_>) -> Option<Pass> {
        let PacketOrigin::Datagram(header) = packet.origin else {
            return None;
        };
        let datagrams = self.datagrams.as_ref();
        let early = datagrams.is_some_and(|it| it.receiver.is_early(header.after));
        Some(Pass::AtOnce { early })
    }

    /// Returns the view for the next command; `None` for prefabs without a history.
    pub(super) fn view(&self, objects: &Objects) -> Option<View> {
        self.motion.message(objects, self.tick)
    }

    /// Returns the view for the inputs of an update.
    pub(super) fn input_view(&self, objects: &Objects) -> Option<View> {
        self.motion.input_message(objects, self.tick)
    }

    /// Takes the next held datagram for which the stream has caught up.
    pub(super) fn pop_held(&mut self) -> Option<HeldDatagram> {
        let datagrams = self.datagrams.as_mut()?;
        datagrams.held.pop(datagrams.receiver.handled())
    }

    /// Takes the report of the next tick whose packets have been applied; the view knows of the tick. `rate`: ticks of the
    /// server per second.
    pub(super) fn next_report(&mut self, rate: u32) -> Option<TickReport> {
        let handled = self.handled();
        let report = self.ticks.next_report(handled)?;
        let (mut after_gap, mut up_to_tick) = (false, report.complete && !report.owed);
        if let Some(datagrams) = &mut self.datagrams {
            after_gap = datagrams.report_up_to(report.newest);
            up_to_tick &= datagrams.has_all(report.settled, report.newest);
        }
        let (tick, complete) = (report.tick, report.complete);
        self.motion.note(tick, rate, complete, after_gap);
        Some(TickReport {
            tick: report.tick,
            of_tick: report.complete,
            up_to_tick,
            after_gap,
        })
    }

    /// Takes the next call that may run.
    pub(super) fn pop_call(&mut self, due: DueCalls) -> Option<LateCall> {
        self.calls.pop(due)
    }

    /// Returns whether packets wait for the rest of their tick since before a time.
    pub(super) fn is_overdue(&self, deadline: Duration) -> bool {
        self.gathered.is_older(deadline)
    }

    /// Returns whether packets or calls wait.
    pub(super) fn is_waiting(&self) -> bool {
        !self.gathered.is_empty() || !self.calls.is_empty()
    }

    /// Returns the number of the stream's packets that were handled; 0 without datagrams.
    fn handled(&self) -> u64 {
        let datagrams = self.datagrams.as_ref();
        datagrams.map_or(0, |datagrams| datagrams.receiver.handled())
    }

    /// Returns whether all packets of the newest tick have arrived, with further packets of the stream.
    pub(super) fn is_ready(&self, further: u64) -> bool {
        let stream = self.gathered.stream() as u64 + further;
        self.ticks.is_ready(self.tick, self.handled() + stream)
    }
}
