//! Playback: tick records in place of a server's packets.

use super::Session;
use crate::client::{ClientConfig, ClientState};
use crate::link::header::StreamHeader;
use crate::link::stream::StreamTicks;
use crate::message::{Message, SpawnFinished, frames};
use crate::record::{EarlyLimits, RecordOrigin, RecordSequence, Step, check_messages};
use crate::{Framing, RecordError, TickRecord};
use syncvar_runtime::NetworkWriter;

/// Length of the messages in one packet, except for a longer message.
const PACKET: usize = 1340;

/// Position in a sequence of records.
#[derive(Debug)]
pub(crate) struct Playback {
    sequence: RecordSequence,
    /// Ticks of the packets that the records are played as.
    headers: StreamTicks,
}

impl Session {
    /// Checks whether the client can play a record, whose prefabs have the hash `own`.
    pub(crate) fn check_record(
        &mut self,
        record: &TickRecord,
        own: u64,
    ) -> Result<(), RecordError> {
        if self.playback.is_none() && self.state != ClientState::Disconnected {
            return Err(RecordError::Connected);
        }
        if let Some(origin) = record.keyframe() {
            let record = origin.schema_hash;
            let playback = self.playback.as_ref();
            let client = match playback.map(|playback| playback.sequence.origin().schema_hash) {
                Some(client) => client,
                None if record == own => {
                    self.build.translation = None;
                    own
                }
                None => { self.build.translation.as_ref() }.map_or(own, |it| it.server_hash),
            };
            if record != client {
                return Err(RecordError::OtherSchema { record, client });
            }
        }
        for item in record.items() {
            check_messages(item.messages)?;
        }
        Ok(())
    }

    /// Decides about a record. A record behind a missing record is kept.
    pub(crate) fn step(
        &mut self,
        record: &TickRecord,
        config: &ClientConfig,
    ) -> Result<Step, RecordError> {
        let limits = EarlyLimits {
            count: config.max_early_messages,
            bytes: config.max_early_bytes,
        };
        let position = self.playback.as_mut().map(|it| &mut it.sequence);
        RecordSequence::decide(position, record, limits)
    }

    /// Begins to play the records of an origin.
    pub(crate) fn begin_playback(&mut self, origin: RecordOrigin) {
        self.server.framing = Framing::Compact;
        self.server.start = Some(origin.start);
        self.playback = Some(Playback::new(origin));
    }

    /// Moves to a record, unless it is skipped. Returns its messages in packets of a stream, with their channels. A jump ends
    /// the burst of a keyframe itself.
    pub(crate) fn play(&mut self, record: &TickRecord, step: Step) -> Vec<(u8, Vec<u8>)> {
        let ends_burst = !self.burst.is_jump;
        match &mut self.playback {
            Some(playback) if step != Step::Skip => playback.play(record, ends_burst),
            _ => Vec::new(),
        }
    }

    /// Takes the kept record that follows, while the connection with a number is open.
    pub(crate) fn next_record(&mut self, number: u64) -> Option<TickRecord> {
        let is_current = self.is_current(number);
        let playback = self.playback.as_mut().filter(|_| is_current)?;
        playback.sequence.next()
    }
}

impl Playback {
    /// Returns the position before the first record of an origin.
    fn new(origin: RecordOrigin) -> Self {
        Self {
            sequence: RecordSequence::new(origin),
            headers: StreamTicks::default(),
        }
    }

    /// Moves to a record. Returns its messages in packets of a stream, with their channels.
    fn play(&mut self, record: &TickRecord, ends_burst: bool) -> Vec<(u8, Vec<u8>)> {
        self.sequence.advance(record);
        let mut packets = Vec::new();
        let mut border = NetworkWriter::new();
        if record.is_keyframe() {
            SpawnFinished { state: 0 }.encode(&mut border);
            packets.push((0, self.packet(border.as_bytes(), None)));
        }
        for item in record.items() {
            for messages in parts(item.messages) {
                packets.push((item.channel, self.packet(messages, None)));
            }
        }
        border.truncate(0);
        if record.is_keyframe() && ends_burst {
            SpawnFinished { state: 1 }.encode(&mut border);
        }
        packets.push((0, self.packet(border.as_bytes(), Some(record.is_partial()))));
        packets
    }

    /// Returns a packet with messages. The last packet of a tick has `end`: whether changes of the tick are missing.
    fn packet(&mut self, messages: &[u8], end: Option<bool>) -> Vec<u8> {
        let header = StreamHeader {
            end: end.is_some(),
            partial: end == Some(true),
            ..StreamHeader::default()
        };
        let header = self.headers.stamp(self.sequence.header_tick(), header);
        [header.encode().as_slice(), messages].concat()
    }
}

/// Divides messages at their borders. Each part has the limits of a packet, as from a server.
fn parts(mut messages: &[u8]) -> impl Iterator<Item = &[u8]> {
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
