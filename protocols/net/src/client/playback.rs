//! Playback: tick records in place of a server's packets.

use super::{ClientState, NetworkClient};
use crate::link::header::StreamHeader;
use crate::link::stream::StreamTicks;
use crate::message::{Message, SpawnFinished, Start, frames};
use crate::record::check_messages;
use crate::{Framing, RecordError, TickRecord};
use syncvar_runtime::{DisconnectReason, NetworkWriter, ReadError};

/// Length of the messages in one packet, except for a longer message.
const PACKET: usize = 1340;

/// Position in a sequence of records.
#[derive(Debug)]
pub(super) struct Playback {
    /// Schema hash of the client.
    schema_hash: u64,
    start: Start,
    /// Number of the last record.
    seq: u64,
    /// Tick of the last record.
    tick: u32,
    /// Ticks of the packets that the records are played as.
    headers: StreamTicks,
}

/// Use of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The client has had it.
    Skip,
    /// A keyframe that the objects do not lead to: they are forgotten first.
    Begin,
    Continue,
}

impl NetworkClient {
    /// Plays a tick record: applies its messages as those of a server, with hooks, calls and
    /// [events](crate::ClientEvent), and reports its tick ([`tick`](Self::tick),
    /// [`ClientEvent::Tick`](crate::ClientEvent::Tick)).
    ///
    /// The first record of a client without a connection is a keyframe. Records follow in the order of their
    /// [numbers](TickRecord::seq). A record that the client has had is skipped, without an error. A keyframe with
    /// a higher number updates the objects; one with a lower number begins the playback again, so that a
    /// program can jump in both directions.
    ///
    /// The client counts as [connected](Self::is_connected) from the first keyframe to
    /// [`disconnect`](Self::disconnect), [`handle_disconnect`](Self::handle_disconnect) or
    /// [`handle_connect`](Self::handle_connect). It sends nothing meanwhile: commands are errors,
    /// [`network_time`](Self::network_time) is unknown ([`TickRecord::time`] is known), and an object that could not be read
    /// or made waits for the next keyframe.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    /// use syncvar::records::RecordError;
    ///
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// server.start_recording();
    /// for tick in 1..=4 {
    ///     server.update(tick * Duration::from_millis(100));
    /// }
    /// let mut client = NetworkClient::new(Prefabs::new());
    /// let keyframe = server.keyframe().unwrap();
    /// let records: Vec<_> = server.records_after(keyframe.seq()).collect();
    /// assert_eq!(client.handle_record(records[0]), Err(RecordError::NeedsKeyframe));
    /// client.handle_record(keyframe)?;
    /// client.handle_record(records[0])?;
    /// let missing = RecordError::Missing { expected: 3, found: 4 };
    /// assert_eq!(client.handle_record(records[2]), Err(missing));
    /// client.handle_record(records[1])?;
    /// client.handle_record(records[2])?;
    /// assert_eq!(client.tick(), Some(server.network_time().tick));
    /// # Ok::<(), RecordError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// For a connected client, a record of another schema or out of order, and for the first malformed
    /// message. A record of another incarnation without its keyframe also ends the playback, with
    /// [`ClientEvent::Disconnected`](crate::ClientEvent::Disconnected), and removes all objects.
    pub fn handle_record(&mut self, record: &TickRecord) -> Result<(), RecordError> {
        if self.session.playback.is_none() && self.session.state != ClientState::Disconnected {
            return Err(RecordError::Connected);
        }
        let head = *record.head();
        let playback = self.session.playback.as_ref();
        let client = playback.map(|playback| playback.schema_hash);
        let client = client.unwrap_or_else(|| self.world.prefabs.schema_hash());
        if head.schema_hash != client {
            let record = head.schema_hash;
            return Err(RecordError::OtherSchema { record, client });
        }
        for item in record.items() {
            check_messages(item.messages)?;
        }
        match self.next_step(record)? {
            Step::Skip => return Ok(()),
            Step::Begin => self.begin_playback(client, head.start),
            Step::Continue => {}
        }
        if let Some(playback) = &mut self.session.playback {
            (playback.seq, playback.tick) = (head.seq, head.tick);
        }
        self.inbound.work.reset();
        Ok(self.play(record)?)
    }

    /// Decides about a record by the position of the playback.
    fn next_step(&mut self, record: &TickRecord) -> Result<Step, RecordError> {
        let (head, keyframe) = (record.head(), record.is_keyframe());
        let playback = self.session.playback.as_ref();
        let Some(playback) = playback.filter(|playback| playback.start == head.start) else {
            if keyframe {
                return Ok(Step::Begin);
            }
            if playback.is_some() {
                self.end_session(DisconnectReason::ConnectionLost);
                self.forget_objects();
            }
            return Err(RecordError::NeedsKeyframe);
        };
        let expected = playback.seq.saturating_add(1);
        if keyframe && head.seq < playback.seq {
            return Ok(Step::Begin);
        }
        if head.seq < expected {
            return Ok(Step::Skip);
        }
        if head.seq > expected && !keyframe {
            let found = head.seq;
            return Err(RecordError::Missing { expected, found });
        }
        if head.tick < playback.tick {
            let tick = u64::from(playback.tick.saturating_sub(1));
            let last = head.start.first_tick.saturating_add(tick);
            let found = record.tick();
            return Err(RecordError::EarlierTick { last, found });
        }
        Ok(Step::Continue)
    }

    /// Enters the state of a connection, without objects.
    fn begin_playback(&mut self, schema_hash: u64, start: Start) {
        self.session.number += 1;
        self.drop_link();
        self.session.datagrams = false;
        self.reset_session();
        self.outbound = super::Outbound::new(self.config.packet_size);
        self.arrivals = None;
        self.session.framing = Framing::Compact;
        self.session.start = Some(start);
        self.session.playback = Some(Playback {
            schema_hash,
            start,
            seq: 0,
            tick: 0,
            headers: StreamTicks::default(),
        });
        self.accept_session();
    }

    /// Handles the messages of a record, in packets of a stream.
    fn play(&mut self, record: &TickRecord) -> Result<(), ReadError> {
        let session = self.session.number;
        let mut packet = NetworkWriter::new();
        let mut result = Ok(());
        if record.is_keyframe() {
            SpawnFinished { state: 0 }.encode(&mut packet);
            result = self.play_packet(0, packet.as_bytes(), None);
        }
        for item in record.items() {
            for messages in packets(item.messages) {
                if !self.session.is_current(session) {
                    return result;
                }
                result = result.and(self.play_packet(item.channel, messages, None));
            }
        }
        packet.truncate(0);
        if record.is_keyframe() {
            SpawnFinished { state: 1 }.encode(&mut packet);
        }
        if self.session.is_current(session) {
            let partial = record.is_partial();
            result = result.and(self.play_packet(0, packet.as_bytes(), Some(partial)));
        }
        result
    }

    /// Handles messages behind a header of this client's stream. The last ones of a tick have `end`, with
    /// whether changes of the tick are missing.
    fn play_packet(
        &mut self,
        channel: u8,
        messages: &[u8],
        end: Option<bool>,
    ) -> Result<(), ReadError> {
        let Some(playback) = &mut self.session.playback else {
            return Ok(());
        };
        let header = StreamHeader {
            end: end.is_some(),
            partial: end == Some(true),
            ..StreamHeader::default()
        };
        let header = playback.headers.write(playback.tick, header);
        let packet = [header.as_slice(), messages].concat();
        self.handle_packet(channel, &packet)
    }
}

/// Divides messages at their borders. Each part has the limits of a packet, as from a server.
fn packets(mut messages: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let mut length = 0;
        for frame in frames(messages) {
            // The borders have been checked.
            let next = length + frame.ok()?.length();
            if length > 0 && next > PACKET {
                break;
            }
            length = next;
        }
        let (packet, rest) = messages.split_at(length);
        messages = rest;
        (length > 0).then_some(packet)
    })
}
