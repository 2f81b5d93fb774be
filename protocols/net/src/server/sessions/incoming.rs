//! Headers of received packets: their carriers and ticks, and the acknowledgements of them.

use syncvar_runtime::{Channel, ConnectionId, NetworkReader, ReadError, ReadErrorKind};

use crate::MessageType;
use crate::link::header::{DatagramHeader, Place, TickNumber};
use crate::link::receiver::Receiver;
use crate::message::frames;
use crate::server::NetworkServer;

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

impl NetworkServer {
    /// Reads the header of a packet, if it has one. Returns the messages; none of them for a datagram that
    /// has arrived before or is too old.
    pub(crate) fn read_header<'a>(
        &mut self,
        from: ConnectionId,
        carrier: Channel,
        packet: &'a [u8],
    ) -> Result<&'a [u8], ReadError> {
        self.sessions.origin = Origin::Plain;
        let connection = self.sessions.connections.get_mut(from.0);
        let Some(connection) = connection.filter(|it| it.headers.from.is_some()) else {
            return Ok(packet);
        };
        if !connection.headers.begun && carrier == Channel::Reliable && is_farewell(packet) {
            return Ok(packet);
        }
        let mut reader = NetworkReader::new(packet);
        let mut is_known = false;
        let ack = match carrier {
            Channel::Reliable => {
                let (header, tick) = connection.headers.received.read(&mut reader)?;
                connection.headers.begun = true;
                self.sessions.origin = Origin::Stream { tick };
                let (pace, rate) = (self.rewind.gap(), self.context.config.tick_rate);
                connection.stream.note(self.outbound.store.tick, pace, rate);
                if let Some(datagrams) = &mut connection.datagrams {
                    datagrams
                        .receiver
                        .handled_reliable(self.context.clock.now());
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
                    self.sessions.origin = Origin::Datagram { sequence, tick };
                }
                header.ack
            }
        };
        let messages = reader.read_bytes(reader.remaining())?;
        if let Some(ack) = ack {
            self.handle_ack(from, &ack);
        }
        if is_known {
            self.sessions.origin = Origin::Plain;
            return Ok(&[]);
        }
        Ok(messages)
    }

    /// Marks the datagram in progress as handled.
    pub(crate) fn mark_datagram(&mut self, from: ConnectionId) {
        let origin = std::mem::take(&mut self.sessions.origin);
        let Origin::Datagram { sequence, tick } = origin else {
            return;
        };
        let connection = self.sessions.connections.get_mut(from.0);
        if let Some(datagrams) = connection.and_then(|it| it.datagrams.as_mut()) {
            datagrams.receiver.mark(sequence, self.context.clock.now());
            datagrams.receiver.see_tick(tick);
        }
    }
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
