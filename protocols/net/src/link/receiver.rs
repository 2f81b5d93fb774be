//! `Receiver`: sequences that have arrived, and the acknowledgement of them.

use std::time::Duration;

use super::ack::Ack;
use super::sequence::{extend, extend_tick, low_bits};

/// Sequences below the newest one that an acknowledgement names.
const MASK_BITS: u64 = 64;

/// Distance of two sequences that one acknowledgement may report: each of them stays in the mask of
/// one more acknowledgement, in case the first one is lost.
const REPORT_SPAN: u64 = 32;

/// Receiving half of a link: the applied datagrams of one connection.
#[derive(Debug)]
pub(crate) struct Receiver {
    ack_interval: Duration,
    /// Newest applied sequence. 0 before the first one.
    newest: u64,
    /// Bit i: the sequence `newest - 1 - i` was applied.
    applied: u64,
    /// Highest sequence that left the mask and was not applied.
    missed: u64,
    /// Lowest sequence applied since the last acknowledgement.
    first_unreported: Option<u64>,
    /// Time at which an acknowledgement is owed.
    due: Option<Duration>,
    /// Highest tick of an applied datagram or of the stream.
    tick: u32,
    /// Number of handled reliable packets.
    handled: u64,
    received: u64,
    duplicates: u64,
    early: u64,
}

/// Counts of the datagrams of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReceiverStats {
    /// Applied datagrams.
    pub(crate) received: u64,
    /// Sequences below the newest one that were not applied, now or ever.
    pub(crate) missing: u64,
    /// Datagrams that had arrived before, or were older than the mask.
    pub(crate) duplicates: u64,
    /// Datagrams that had to wait for reliable packets.
    pub(crate) early: u64,
}

impl Receiver {
    /// Returns the receiver of a new connection. Acknowledgements wait at most this long.
    pub(crate) fn new(ack_interval: Duration) -> Self {
        Self {
            ack_interval,
            newest: 0,
            applied: 0,
            missed: 0,
            first_unreported: None,
            due: None,
            tick: 0,
            handled: 0,
            received: 0,
            duplicates: 0,
            early: 0,
        }
    }

    /// Returns the sequence that ends in these bits.
    pub(crate) fn extend_sequence(&self, low: u16) -> u64 {
        extend(self.newest, low)
    }

    /// Returns the tick that ends in these bits.
    pub(crate) fn extend_tick(&self, low: u16) -> u32 {
        extend_tick(self.tick, low)
    }

    /// Returns the number of reliable packets that ends in these bits.
    pub(crate) fn extend_after(&self, low: u16) -> u64 {
        extend(self.handled, low)
    }

    /// Returns whether a datagram came before the reliable packets that were sent before it.
    pub(crate) fn is_early(&self, after: u64) -> bool {
        after > self.handled
    }

    /// Returns whether a sequence was applied, is too old for the mask, or is 0, which none has.
    pub(crate) fn is_known(&self, sequence: u64) -> bool {
        match self.newest.checked_sub(sequence) {
            None => false,
            Some(0) => true,
            Some(back) => sequence == 0 || back > MASK_BITS || self.applied >> (back - 1) & 1 == 1,
        }
    }

    /// Returns whether an acknowledgement must be sent before this sequence is marked. Otherwise a
    /// sequence would leave the mask before two acknowledgements have named it.
    pub(crate) fn must_acknowledge_before(&self, sequence: u64) -> bool {
        self.first_unreported
            .is_some_and(|first| sequence.saturating_sub(first) >= REPORT_SPAN)
    }

    /// Marks a datagram as applied. A known sequence changes nothing.
    pub(crate) fn mark(&mut self, sequence: u64, now: Duration) {
        if self.is_known(sequence) {
            return;
        }
        if let Some(back) = self.newest.checked_sub(sequence) {
            self.applied |= 1 << (back - 1);
        } else {
            let step = sequence - self.newest;
            let leaving = self.newest.saturating_sub(MASK_BITS)..sequence.saturating_sub(MASK_BITS);
            let missed = leaving.rev().find(|leaving| !self.is_known(*leaving));
            self.missed = missed.unwrap_or(self.missed);
            let shift = u32::try_from(step).unwrap_or(u32::MAX);
            self.applied = self.applied.checked_shl(shift).unwrap_or(0);
            if self.newest > 0 && step <= MASK_BITS {
                self.applied |= 1 << (step - 1);
            }
            self.newest = sequence;
        }
        self.received += 1;
        let first = self.first_unreported.unwrap_or(sequence);
        self.first_unreported = Some(first.min(sequence));
        self.owe_ack(now);
    }

    /// Remembers the tick of an applied datagram or of a reliable packet.
    pub(crate) fn see_tick(&mut self, tick: u32) {
        self.tick = self.tick.max(tick);
    }

    /// Forgets higher ticks than this one.
    pub(crate) fn restart_ticks(&mut self, tick: u32) {
        self.tick = self.tick.min(tick);
    }

    /// Returns the highest tick of an applied datagram or of the stream.
    pub(crate) fn tick(&self) -> u32 {
        self.tick
    }

    /// Returns whether all sequences from the first to the last one were applied.
    pub(crate) fn has_all(&self, first: u64, last: u64) -> bool {
        let in_mask = self.newest.saturating_sub(MASK_BITS).max(first);
        self.missed < first && (in_mask..=last).all(|sequence| self.is_known(sequence))
    }

    /// Counts a handled reliable packet.
    pub(crate) fn handled_reliable(&mut self, now: Duration) {
        self.handled += 1;
        self.owe_ack(now);
    }

    /// Returns the number of handled reliable packets.
    pub(crate) fn handled(&self) -> u64 {
        self.handled
    }

    /// Counts a datagram that has arrived before.
    pub(crate) fn count_duplicate(&mut self) {
        self.duplicates += 1;
    }

    /// Counts a datagram that waits for reliable packets.
    pub(crate) fn count_early(&mut self) {
        self.early += 1;
    }

    /// Returns whether the next packet takes an acknowledgement with it.
    pub(crate) fn owes_ack(&self) -> bool {
        self.due.is_some()
    }

    /// Returns whether an acknowledgement must be sent now, alone if need be.
    pub(crate) fn due(&self, now: Duration) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// Returns the acknowledgement to send. No other one is owed until something else arrives.
    pub(crate) fn take_ack(&mut self) -> Ack {
        self.first_unreported = None;
        self.due = None;
        // Sequences below 1 do not exist, so none of them is missing.
        let below = self.newest.saturating_sub(1);
        let existing = if below < MASK_BITS {
            (1 << below) - 1
        } else {
            u64::MAX
        };
        Ack {
            newest: (self.newest > 0).then(|| low_bits(self.newest)),
            handled: low_bits(self.handled),
            missing: !self.applied & existing,
        }
    }

    /// Returns the counts of the datagrams so far.
    pub(crate) fn stats(&self) -> ReceiverStats {
        ReceiverStats {
            received: self.received,
            missing: self.newest - self.received,
            duplicates: self.duplicates,
            early: self.early,
        }
    }

    fn owe_ack(&mut self, now: Duration) {
        let due = now.saturating_add(self.ack_interval);
        self.due.get_or_insert(due);
    }
}

#[cfg(test)]
mod tests;
