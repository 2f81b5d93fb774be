//! Headers of received packets: their carriers and ticks, and the acknowledgements of them.

use syncvar_runtime::{Channel, ConnectionId, NetworkReader, ReadError, ReadErrorKind};

use crate::MessageType;
use crate::link::ack::Ack;
use crate::link::header::{DatagramHeader, Place, TickNumber};
use crate::link::receiver::Receiver;
use crate::message::frames;
use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::sessions::Sessions;

/// Distance above the highest tick that no tick of a client reaches.
const MAX_TICK_STEP: u32 = 1 << 31;

/// Carrier of the packet in progress, and its tick in the updates of the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A packet without a header.
    #[default]
    Plain,
    Stream {
        tick: u32,
    },
    Datagram {
        sequence: u64,
        tick: u32,
    },
}

/// Time of a packet in updates of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketTime {
    /// Tick of the last update.
    pub(crate) tick: u32,
    /// Ticks between the last two updates.
    pub(crate) gap: u32,
}

/// Packet without its header.
pub(crate) struct Unpacked<'a> {
    /// Messages; none of them for a datagram that has arrived before or is too old.
    pub(crate) messages: &'a [u8],
    pub(crate) ack: Option<Ack>,
}

impl<'a> Unpacked<'a> {
    /// Returns a packet without a header.
    fn plain(messages: &'a [u8]) -> Self {
        Self {
            messages,
            ack: None,
        }
    }
}

impl Sessions {
    /// Reads the header of a packet, if it has one.
    pub(crate) fn read_header<'a>(
        &mut self,
        context: &Context,
        arrival: PacketTime,
        from: ConnectionId,
        carrier: Channel,
        packet: &'a [u8],
    ) -> Result<Unpacked<'a>, ReadError> {
        self.origin = Origin::Plain;
        let plain = Unpacked::plain(packet);
        let connection = self.connections.get_mut(from.0);
        let Some(connection) = connection.filter(|it| it.headers.from.is_some()) else {
            return Ok(plain);
        };
        if !connection.headers.begun && carrier == Channel::Reliable && is_farewell(packet) {
            return Ok(plain);
        }
        let mut reader = NetworkReader::new(packet);
        let mut is_known = false;
        let ack = match carrier {
            Channel::Reliable => {
                let (header, tick) = connection.headers.received.read(&mut reader)?;
                connection.headers.begun = true;
                self.origin = Origin::Stream { tick };
                let rate = context.config.tick_rate;
                connection
                    .motion
                    .stream
                    .note(arrival.tick, arrival.gap, rate);
                if let Some(datagrams) = &mut connection.datagrams {
                    datagrams.receiver.handled_reliable(context.clock.now());
                    datagrams.receiver.see_tick(tick);
                }
                header.ack
            }
            Channel::Unreliable => {
                let Some(datagrams) = &mut connection.datagrams else {
                    let what = "datagram on a transport without them";
                    return Err(invalid(what, packet.len() as u64));
                };
                let header = DatagramHeader::decode(&mut reader)?;
                if let Some(place) = header.sent {
                    let (sequence, tick) = extend(&datagrams.receiver, place)?;
                    is_known = datagrams.receiver.is_known(sequence);
                    if is_known {
                        datagrams.receiver.count_duplicate();
                    }
                    self.origin = Origin::Datagram { sequence, tick };
                }
                header.ack
            }
        };
        let mut messages = reader.read_bytes(reader.remaining())?;
        if is_known {
            self.origin = Origin::Plain;
            messages = &[];
        }
        Ok(Unpacked { messages, ack })
    }

    /// Marks the datagram in progress as handled.
    pub(crate) fn mark_datagram(&mut self, context: &Context, from: ConnectionId) {
        let origin = std::mem::take(&mut self.origin);
        let Origin::Datagram { sequence, tick } = origin else {
            return;
        };
        let connection = self.connections.get_mut(from.0);
        if let Some(datagrams) = connection.and_then(|it| it.datagrams.as_mut()) {
            datagrams.receiver.mark(sequence, context.clock.now());
            datagrams.receiver.see_tick(tick);
        }
    }

    /// Counts a packet on a reliable carrier, which keeps one order.
    pub(crate) fn count_reliable(&mut self, from: ConnectionId, kind: Channel, carrier: Channel) {
        let Some(connection) = self.connections.get_mut(from.0) else {
            return;
        };
        // Behind headers, all packets that are no datagrams keep one order.
        let counted = kind == Channel::Reliable || connection.headers.from.is_some();
        if counted && carrier == Channel::Reliable {
            connection.intake.reliable = connection.intake.reliable.saturating_add(1);
            if let Some(session) = &mut connection.session {
                self.returns.confirm(session);
            }
        }
    }

    /// Counts a malformed message of the packet in progress.
    pub(crate) fn count_error(&mut self, context: &mut Context, error: &ReadError) {
        context.stats.refused.count_read(error.kind());
        self.intake.count(error.kind().into());
    }
}

/// Reports the first malformed message of a packet.
pub(crate) fn report_misbehaviour(
    context: &mut Context,
    connection: ConnectionId,
    error: &ReadError,
) {
    let error = error.clone();
    tracing::debug!(connection = connection.0, %error, "refused a malformed message");
    let event = ServerEvent::Misbehaved { connection, error };
    context.events.push_minor(event);
}

/// Returns the sequence and the tick with all their bits.
fn extend(receiver: &Receiver, place: Place) -> Result<(u64, u32), ReadError> {
    let tick = match place.tick {
        TickNumber::Short(low) => receiver.extend_tick(low),
        TickNumber::Wide(tick) => tick,
    };
    if tick.saturating_sub(receiver.tick()) > MAX_TICK_STEP {
        return Err(invalid("tick of a datagram", tick.into()));
    }
    Ok((receiver.extend_sequence(place.sequence), tick))
}

fn invalid(what: &'static str, value: u64) -> ReadError {
    let kind = ReadErrorKind::InvalidValue { what, value };
    NetworkReader::new(&[]).error(kind)
}

/// Returns whether a packet without a header is a Disconnect alone.
fn is_farewell(packet: &[u8]) -> bool {
    let first = frames(packet).next().and_then(Result::ok);
    first.is_some_and(|frame| {
        frame.message_type == MessageType::Disconnect.number() && frame.length() == packet.len()
    })
}
