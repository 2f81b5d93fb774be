//! Visits of the update loop: pending changes, their deltas, and the mark as sent.

use super::nanos::Nanos;
use super::slot::Slot;
use super::slots::{MAX_CHANNELS, Slots, Visit};
use crate::NetworkWriter;
use crate::stats::BehaviourStats;

/// Conditions of an object's turn in the update loop.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// Time of the update.
    pub now: Nanos,
    /// Send interval of behaviours without one.
    pub interval: Nanos,
    /// Set if send intervals do not count, because a snapshot follows.
    pub force: bool,
}

/// Pending changes of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pending {
    /// Bit for each channel with a due behaviour.
    pub(super) channels: u64,
    /// Bit for each dirty behaviour.
    pub(super) dirty: u64,
}

/// Determines the pending changes of an object.
pub(super) struct Look {
    when: When,
    pending: Pending,
}

impl Look {
    /// Returns the pending changes of an object.
    #[inline]
    pub(super) fn at<S: Slots>(slots: &mut S, when: When) -> Pending {
        let mut look = Self {
            when,
            pending: Pending::default(),
        };
        slots.visit(0, &mut look);
        look.pending
    }
}

impl Visit for Look {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if slot.dirty_bits() == 0 {
            return;
        }
        let (info, when) = (slot.info(), self.when);
        self.pending.dirty |= 1 << index;
        let passed = when.now.saturating_sub(slot.last_send());
        let due = when.force || passed > info.interval(when.interval);
        if due && usize::from(info.channel) < MAX_CHANNELS {
            self.pending.channels |= 1 << info.channel;
        }
    }
}

/// Searches for changes of restricted fields.
#[derive(Default)]
pub(super) struct FindRestricted {
    /// Set if a restricted field is dirty.
    pub(super) found: bool,
}

impl Visit for FindRestricted {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        self.found |= slot.dirty_bits() & slot.info().policy.restricted() != 0;
    }
}

/// Writes the deltas of the behaviours on a channel.
pub struct WriteChanges<'a> {
    /// Channel of the deltas.
    pub channel: u8,
    /// Target of the bytes.
    pub writer: &'a mut NetworkWriter,
    /// Counters of the behaviours.
    pub stats: &'a mut [BehaviourStats],
    /// Set if messages may be lost, so that each delta has to repair earlier losses.
    pub lossy: bool,
    /// Result: a bit for each behaviour with a change to send.
    pub sent: u64,
}

impl Visit for WriteChanges<'_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        if slot.info().channel != self.channel {
            return;
        }
        if self.lossy {
            slot.make_changes_whole();
        }
        let before = self.writer.len();
        self.sent |= u64::from(slot.serialize(self.writer, false)) << index;
        if let Some(stats) = self.stats.get_mut(index as usize) {
            stats.delta.add(self.writer.len() - before);
        }
    }
}

/// Makes the sent behaviours clean.
pub struct MarkSent<'a> {
    /// Bit for each sent behaviour.
    pub sent: u64,
    /// Time of the update.
    pub now: Nanos,
    /// Tick of the frame, on an unreliable channel.
    pub tick: Option<u32>,
    /// Receives the fields of every behaviour that were sent, for a write record.
    pub masks: Option<&'a mut Vec<u64>>,
}

impl Visit for MarkSent<'_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let is_sent = self.sent >> index & 1 == 1;
        match &mut self.masks {
            Some(masks) if is_sent => masks.push(slot.take_sent(self.now, self.tick)),
            Some(masks) => masks.push(0),
            None if is_sent => slot.mark_sent(self.now, self.tick),
            None => {}
        }
    }
}
