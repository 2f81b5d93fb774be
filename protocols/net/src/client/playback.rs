//! Playback: tick records in place of a server's packets.

mod early;

use super::{ClientState, NetworkClient};
use crate::link::header::StreamHeader;
use crate::link::stream::StreamTicks;
use crate::message::{Message, SpawnFinished, frames};
use crate::record::{RecordOrigin, check_messages};
use crate::{Framing, RecordError, TickRecord};
use early::EarlyRecords;
use syncvar_runtime::{DisconnectReason, NetworkWriter, ReadError};

/// Length of the messages in one packet, except for a longer message.
const PACKET: usize = 1340;

/// Position in a sequence of records.
#[derive(Debug)]
pub(super) struct Playback {
    origin: RecordOrigin,
    /// Number of the last record.
    seq: u64,
    /// Tick of the last record, which the headers can have.
    tick: u64,
    /// Ticks of the packets that the records are played as.
    headers: StreamTicks,
    /// Records behind a missing one.
    early: EarlyRecords,
}

/// Use of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The client has had it.
    Skip,
    /// A keyframe that the objects do not lead to: they are forgotten first.
    Begin(RecordOrigin),
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
    /// A record behind a missing one is kept, and played directly behind it: [`RecordError::Missing`] has the numbers for
    /// which the program asks the source. The client keeps up to
    /// [`max_early_messages`](crate::ClientConfig::max_early_messages) records of
    /// [`max_early_bytes`](crate::ClientConfig::max_early_bytes) in all, those with the lowest numbers.
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
    /// assert_eq!(client.handle_record(records[2]), Err(missing)); // it is kept
    /// client.handle_record(records[1])?; // plays both
    /// assert_eq!(client.tick(), Some(server.network_time().tick));
    /// # Ok::<(), RecordError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// For a connected client, a record of another schema or out of order, and for the first malformed
    /// message, also of a kept record. A record of another [origin](TickRecord::origin) without its keyframe also
    /// ends the playback, with [`ClientEvent::Disconnected`](crate::ClientEvent::Disconnected), and removes all objects.
    pub fn handle_record(&mut self, record: &TickRecord) -> Result<(), RecordError> {
        if self.session.playback.is_none() && self.session.state != ClientState::Disconnected {
            return Err(RecordError::Connected);
        }
        if let Some(origin) = record.keyframe() {
            let playback = self.session.playback.as_ref();
            let client = playback.map(|playback| playback.origin.schema_hash);
            let client = client.unwrap_or_else(|| self.objects.world.prefabs.schema_hash());
            let record = origin.schema_hash;
            if record != client {
                return Err(RecordError::OtherSchema { record, client });
            }
        }
        for item in record.items() {
            check_messages(item.messages)?;
        }
        self.inbound.work.reset();
        self.take_record(record)?;
        let session = self.session.number;
        while self.session.is_current(session)
            && let Some(playback) = &mut self.session.playback
            && let Some(next) = playback.early.next(playback.seq)
        {
            self.take_record(&next)?;
        }
        Ok(())
    }

    /// Plays a record at its place.
    fn take_record(&mut self, record: &TickRecord) -> Result<(), RecordError> {
        match self.next_step(record)? {
            Step::Skip => return Ok(()),
            Step::Begin(origin) => self.begin_playback(origin),
            Step::Continue => {}
        }
        if let Some(playback) = &mut self.session.playback {
            (playback.seq, playback.tick) = (record.seq(), record.tick());
        }
        Ok(self.play(record)?)
    }

    /// Decides about a record by the position of the playback.
    fn next_step(&mut self, record: &TickRecord) -> Result<Step, RecordError> {
        let keyframe = record.keyframe().copied();
        let playback = self.session.playback.as_mut();
        let current = playback.filter(|playback| playback.origin.checksum() == record.origin());
        let Some(playback) = current else {
            if let Some(origin) = keyframe {
                return Ok(Step::Begin(origin));
            }
            if self.session.playback.is_some() {
                self.end_session(DisconnectReason::ConnectionLost);
                self.forget_objects();
            }
            return Err(RecordError::NeedsKeyframe);
        };
        let (seq, expected) = (record.seq(), playback.seq.saturating_add(1));
        if let Some(origin) = keyframe.filter(|_| seq < playback.seq) {
            return Ok(Step::Begin(origin));
        }
        if seq < expected {
            return Ok(Step::Skip);
        }
        if record.tick() < playback.tick {
            let (last, found) = (playback.tick, record.tick());
            return Err(RecordError::EarlierTick { last, found });
        }
        if playback.origin.header_tick(record.tick()).is_none() {
            return Err(RecordError::NeedsKeyframe);
        }
        if seq > expected && keyframe.is_none() {
            let limits = (
                self.context.config.max_early_messages,
                self.context.config.max_early_bytes,
            );
            let found = playback.early.keep(record, limits).unwrap_or(seq);
            return Err(RecordError::Missing { expected, found });
        }
        Ok(Step::Continue)
    }

    /// Enters the state of a connection, without objects.
    fn begin_playback(&mut self, origin: RecordOrigin) {
        self.session.number += 1;
        self.drop_link();
        self.session.datagrams = false;
        self.reset_session();
        self.outbound = super::Outbound::new(self.context.config.packet_size);
        self.arrivals = None;
        self.session.framing = Framing::Compact;
        self.session.start = Some(origin.start);
        self.session.playback = Some(Playback {
            origin,
            seq: 0,
            tick: 0,
            headers: StreamTicks::default(),
            early: EarlyRecords::default(),
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
        let tick = playback.origin.header_tick(playback.tick);
        let header = playback.headers.stamp(tick.unwrap_or_default(), header);
        let packet = [header.encode().as_slice(), messages].concat();
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
