//! `Arrivals`: numbers of the records that have arrived, so that a gap is known before the records are played.

use std::collections::{BTreeSet, VecDeque};

use syncvar_net::TickRecord;

/// Most numbers behind a missing number; beyond them only a keyframe helps.
const MAX_AHEAD: usize = 1024;

/// Known earlier origins: a late record brings none of them back.
const MAX_FORMER: usize = 16;

/// Numbers of the records of an origin.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// Checksum of the origin; `None` before the first keyframe.
    origin: Option<u32>,
    former: VecDeque<u32>,
    /// Number up to which no record is missing.
    whole: u64,
    /// Numbers behind a missing number.
    ahead: BTreeSet<u64>,
    /// Set if a record of an unknown origin has arrived: there is a new world.
    is_foreign: bool,
}

/// Use of a keyframe that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyframeArrival {
    /// It belongs to an earlier origin.
    Former,
    SameOrigin,
    NewOrigin,
}

impl Arrivals {
    /// Takes the number of a record. Returns whether the record belongs to the origin and was not here before.
    pub(super) fn take(&mut self, record: &TickRecord) -> bool {
        if self.origin != Some(record.origin()) {
            self.is_foreign |= !self.former.contains(&record.origin());
            return false;
        }
        let seq = record.seq();
        if seq <= self.whole || !self.ahead.insert(seq) {
            return false;
        }
        if self.ahead.len() > MAX_AHEAD {
            self.ahead.pop_first();
        }
        self.join();
        true
    }

    /// Takes a keyframe: the records up to its number are not needed.
    pub(super) fn take_keyframe(&mut self, keyframe: &TickRecord) -> KeyframeArrival {
        let origin = keyframe.origin();
        if self.former.contains(&origin) {
            return KeyframeArrival::Former;
        }
        let is_new = self.origin != Some(origin);
        if is_new {
            if let Some(former) = self.origin.replace(origin) {
                self.former.push_back(former);
            }
            if self.former.len() > MAX_FORMER {
                self.former.pop_front();
            }
            (self.whole, self.ahead) = (0, BTreeSet::new());
        }
        self.is_foreign = false;
        self.whole = self.whole.max(keyframe.seq());
        self.ahead = self.ahead.split_off(&(self.whole + 1));
        self.join();
        if is_new {
            KeyframeArrival::NewOrigin
        } else {
            KeyframeArrival::SameOrigin
        }
    }

    /// Returns whether only a keyframe helps, or the missing records.
    pub(super) fn lack(&self) -> bool {
        self.origin.is_none() || self.is_foreign || !self.ahead.is_empty()
    }

    /// Moves the numbers without a gap.
    fn join(&mut self) {
        while self.ahead.first() == Some(&(self.whole + 1)) {
            self.whole += 1;
            self.ahead.pop_first();
        }
    }
}
