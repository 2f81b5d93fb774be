//! `Playout`: records that wait for their time.

use std::collections::VecDeque;
use std::time::Duration;

use syncvar_net::TickRecord;

use crate::WorldState;

/// A record or a state of the world on its way to the spectators.
#[derive(Debug)]
pub(super) enum Held {
    Record(TickRecord),
    State(Box<WorldState>),
}

impl Held {
    fn record(&self) -> &TickRecord {
        match self {
            Self::Record(record) => record,
            Self::State(state) => &state.keyframe,
        }
    }
}

/// Records in the order of their numbers, and origins in the order of their arrival.
#[derive(Debug, Default)]
pub(super) struct Playout {
    /// With the times at which they are played.
    held: VecDeque<(Duration, Held)>,
    bytes: usize,
}

impl Playout {
    /// Adds a record that is played at a time, behind those of the same origin with lower numbers.
    pub(super) fn push(&mut self, due: Duration, held: Held) {
        self.bytes += held.record().as_bytes().len();
        let (origin, seq) = (held.record().origin(), held.record().seq());
        let is_behind = |other: &Held| {
            let other = other.record();
            other.origin() == origin && other.seq() > seq
        };
        let behind = self.held.iter().rev().take_while(|(_, it)| is_behind(it));
        let at = self.held.len() - behind.count();
        self.held.insert(at, (due, held));
    }

    /// Takes the next record if its time has come. Above the limit of bytes its time has come earlier.
    pub(super) fn pop(&mut self, now: Duration, max_bytes: usize) -> Option<Held> {
        let (due, _) = self.held.front()?;
        if *due > now && self.bytes <= max_bytes {
            return None;
        }
        let (_, held) = self.held.pop_front()?;
        self.bytes -= held.record().as_bytes().len();
        Some(held)
    }
}
