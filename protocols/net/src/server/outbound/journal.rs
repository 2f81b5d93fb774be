//! `Journal`: numbers and records of a journal, and what its reader knows about connections.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::ConnectionId;

use crate::TickRecord;

/// Journal in progress.
#[derive(Debug)]
pub(crate) struct Journal {
    /// Number of the last record.
    pub(crate) seq: u64,
    /// Time of the last record.
    pub(crate) last: Duration,
    /// Facts in the records so far.
    pub(crate) known: KnownFacts,
    /// Records that the program has not taken.
    pub(crate) records: VecDeque<TickRecord>,
    /// Whether the program has asked for more than the last record: it has written all of them.
    pub(crate) is_taken: bool,
}

/// Entries of facts that a journal compares with the present ones.
#[derive(Debug, Default)]
pub(crate) struct KnownFacts {
    /// Entry of the server.
    pub(crate) server: Bytes,
    pub(crate) connections: BTreeMap<ConnectionId, Bytes>,
    pub(crate) players: BTreeMap<Bytes, Bytes>,
}

impl Journal {
    /// Begins behind a keyframe with this number and these facts.
    pub(crate) fn new(seq: u64, now: Duration, known: KnownFacts) -> Self {
        Self {
            seq,
            last: now,
            known,
            records: VecDeque::new(),
            is_taken: true,
        }
    }
}
