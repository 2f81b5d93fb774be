//! `Recorder`: the bytes of a recording, and the last records.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId};

use crate::TickRecord;
use crate::record::{ItemWriter, RecordHead, SILENCE};
use crate::server::sessions::connection::Connection;

/// Recording of a server, and the numbers of its records.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// Number of the last record, of this recording or a former one; 0 before the first.
    seq: u64,
    recording: Option<Box<Recording>>,
}

/// Recording in progress.
#[derive(Debug)]
struct Recording {
    /// Connection without a client that observes the objects.
    observer: ConnectionId,
    /// Kinds of the channels.
    channels: Vec<Channel>,
    /// Items of the next record.
    changes: ItemWriter,
    /// Items of the keyframe that is written.
    snapshots: Option<ItemWriter>,
    stage: RecordingStage,
    /// Last records, oldest first, and keyframes behind the records with their numbers.
    records: VecDeque<TickRecord>,
    max_records: usize,
    keyframe: Option<TickRecord>,
    /// Time of the last record.
    last: Duration,
}

/// Progress of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordingStage {
    /// Before the end of the update with the first keyframe: no record is written.
    Beginning,
    /// The update has a keyframe, so that it needs a record with the same number.
    Keyframe,
    Running,
}

impl Recorder {
    /// Returns the number of the last record.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    /// Continues the numbers of an earlier run.
    pub(crate) fn continue_after(&mut self, seq: u64) {
        self.seq = seq;
    }

    /// Begins a recording.
    pub(crate) fn begin(
        &mut self,
        observer: ConnectionId,
        channels: Vec<Channel>,
        max_records: usize,
    ) {
        self.recording = Some(Box::new(Recording {
            observer,
            channels,
            changes: ItemWriter::default(),
            snapshots: None,
            stage: RecordingStage::Beginning,
            records: VecDeque::new(),
            max_records: max_records.max(1),
            keyframe: None,
            last: Duration::ZERO,
        }));
    }

    /// Ends the recording. Returns its observer.
    pub(crate) fn end(&mut self) -> Option<ConnectionId> {
        let recording = self.recording.take()?;
        Some(recording.observer)
    }

    /// Returns the connection that observes the recorded objects.
    pub(crate) fn observer(&self) -> Option<ConnectionId> {
        let recording = self.recording.as_ref()?;
        Some(recording.observer)
    }

    /// Adds messages to the record or the keyframe in progress, behind the messages for the observer alone.
    pub(crate) fn add(&mut self, observer: &mut Connection, channel: u8, chunks: &[Bytes]) {
        let Some(recording) = &mut self.recording else {
            return;
        };
        let kind = recording.channels.get(usize::from(channel));
        let kind = *kind.unwrap_or(&Channel::Reliable);
        let items = recording.snapshots.as_mut();
        let items = items.unwrap_or(&mut recording.changes);
        for own in observer.send_queue.direct.drain() {
            items.add(0, Channel::Reliable, &[own]);
        }
        items.add(channel, kind, chunks);
    }

    /// Directs the following messages to a keyframe.
    pub(crate) fn begin_keyframe(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.snapshots = Some(ItemWriter::default());
        }
    }

    /// Completes the keyframe. It has the number of the next record.
    pub(crate) fn end_keyframe(&mut self, head: RecordHead) {
        let seq = self.seq + 1;
        let Some(recording) = &mut self.recording else {
            return;
        };
        let Some(mut snapshots) = recording.snapshots.take() else {
            return;
        };
        if recording.stage == RecordingStage::Running {
            recording.stage = RecordingStage::Keyframe;
        }
        let head = RecordHead { seq, ..head };
        recording.keyframe = Some(TickRecord::new(head, &snapshots.take()));
    }

    /// Completes the record of an update.
    pub(crate) fn finish(&mut self, now: Duration, head: RecordHead) {
        let Some(recording) = &mut self.recording else {
            return;
        };
        let items = recording.changes.take();
        let is_silent = now.saturating_sub(recording.last) < SILENCE;
        match recording.stage {
            RecordingStage::Beginning if recording.keyframe.is_none() => return,
            RecordingStage::Running if items.is_empty() && is_silent => return,
            _ => {}
        }
        self.seq += 1;
        recording.last = now;
        let stage = std::mem::replace(&mut recording.stage, RecordingStage::Running);
        if stage != RecordingStage::Beginning {
            let seq = self.seq;
            recording.keep(TickRecord::new(RecordHead { seq, ..head }, &items));
        }
        if stage != RecordingStage::Running
            && let Some(keyframe) = recording.keyframe.clone()
        {
            recording.keep(keyframe);
        }
    }

    /// Returns the newest keyframe.
    pub(crate) fn keyframe(&self) -> Option<&TickRecord> {
        self.recording.as_ref()?.keyframe.as_ref()
    }

    /// Returns the kept records and keyframes, oldest first.
    pub(crate) fn records(&self) -> impl DoubleEndedIterator<Item = &TickRecord> {
        let recording = self.recording.iter();
        recording.flat_map(|recording| &recording.records)
    }
}

impl Recording {
    fn keep(&mut self, record: TickRecord) {
        if self.records.len() >= self.max_records {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }
}
