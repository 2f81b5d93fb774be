//! `RecordSequence`: the order of the records of an origin, as a reader has played them.

use super::early_records::EarlyRecords;
use super::{RecordError, RecordOrigin, TickRecord};

/// Position in a sequence of records.
#[derive(Debug)]
pub(crate) struct RecordSequence {
    origin: RecordOrigin,
    /// Number of the last record.
    seq: u64,
    /// Tick of the last record, which the headers can have.
    tick: u64,
    /// Records behind a missing record.
    early: EarlyRecords,
}

/// Use of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The reader has had it.
    Skip,
    /// A keyframe that the objects do not lead to: they are forgotten first.
    Begin(RecordOrigin),
    Continue,
    /// A record of a different origin, without its keyframe.
    Foreign,
}

/// Limits of the records that a reader keeps behind a missing one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlyLimits {
    pub(crate) count: usize,
    pub(crate) bytes: usize,
}

impl RecordSequence {
    /// Returns the position before the first record of an origin.
    pub(crate) fn new(origin: RecordOrigin) -> Self {
        Self {
            origin,
            seq: 0,
            tick: 0,
            early: EarlyRecords::default(),
        }
    }

    /// Returns the origin of the records.
    pub(crate) fn origin(&self) -> &RecordOrigin {
        &self.origin
    }

    /// Returns the number of the last record; 0 before the first.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns the tick of the last record as one of the headers.
    pub(crate) fn header_tick(&self) -> u32 {
        self.origin.header_tick(self.tick).unwrap_or_default()
    }

    /// Decides about a record by the position of a reader, if it has one. A record behind a missing record is kept.
    pub(crate) fn decide(
        position: Option<&mut Self>,
        record: &TickRecord,
        limits: EarlyLimits,
    ) -> Result<Step, RecordError> {
        let current = position.filter(|it| it.origin.checksum() == record.origin());
        match (current, record.keyframe()) {
            (Some(position), _) => position.step(record, limits),
            (None, Some(origin)) => Ok(Step::Begin(*origin)),
            (None, None) => Ok(Step::Foreign),
        }
    }

    /// Decides about a record of the same origin.
    fn step(&mut self, record: &TickRecord, limits: EarlyLimits) -> Result<Step, RecordError> {
        let keyframe = record.keyframe().copied();
        let (seq, expected) = (record.seq(), self.seq.saturating_add(1));
        if let Some(origin) = keyframe.filter(|_| seq < self.seq) {
            return Ok(Step::Begin(origin));
        }
        if seq < expected {
            return Ok(Step::Skip);
        }
        if record.tick() < self.tick {
            let (last, found) = (self.tick, record.tick());
            return Err(RecordError::EarlierTick { last, found });
        }
        if self.origin.header_tick(record.tick()).is_none() {
            return Err(RecordError::NeedsKeyframe);
        }
        if seq > expected && keyframe.is_none() {
            let found = self.early.keep(record, limits.count, limits.bytes);
            let found = found.unwrap_or(seq);
            return Err(RecordError::Missing { expected, found });
        }
        Ok(Step::Continue)
    }

    /// Moves to a record.
    pub(crate) fn advance(&mut self, record: &TickRecord) {
        (self.seq, self.tick) = (record.seq(), record.tick());
    }

    /// Takes the kept record that follows.
    pub(crate) fn next(&mut self) -> Option<TickRecord> {
        self.early.next(self.seq)
    }
}
