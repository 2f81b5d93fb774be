//! `Notice`: news for a client that its lost datagrams are settled.

use crate::link::header::SentCount;
use crate::link::sender::Sender;
use crate::link::sequence::low_bits;
use crate::server::ledger::field_set::FieldSet;

/// News that the datagrams below a sequence are settled: each has arrived, or its lost content is sent again. Without it
/// a client could not know whether it has all changes up to a tick.
///
/// It travels until an acknowledgement shows that the client has it; not at all without a loss.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Notice {
    /// First sequence that was not settled at the end of the update.
    settled: u64,
    /// Last sequence then.
    last: u64,
    /// Last lost sequence of which the client knows that it is settled.
    known: u64,
    /// Last lost sequence of which the packets tell from the second sequence on.
    told: (u64, u64),
    /// Set if the last packet did not complete its tick for sure: changes were withheld, or it may have overtaken
    /// datagrams that were undecided.
    was_open: bool,
}

impl Notice {
    /// Notes the state at the end of an update: later losses are repaired by later ticks.
    pub(crate) fn end_update(&mut self, sender: &Sender<FieldSet>) {
        (self.settled, self.last) = (sender.first_open(), sender.last_sequence());
        let (lost, since) = self.told;
        if sender.newest_acked() >= since {
            self.known = self.known.max(lost);
        }
    }

    fn is_due(&self, sender: &Sender<FieldSet>) -> bool {
        self.known < sender.last_lost()
    }

    /// Returns whether the client waits for a packet by which it knows that it has all changes.
    pub(crate) fn needs_probe(&self, sender: &Sender<FieldSet>) -> bool {
        let lost = sender.last_lost();
        let is_told = !self.is_due(sender) || self.told.0 == lost;
        self.settled > self.last && (self.was_open || !is_told)
    }

    /// Returns the news for a datagram. `lacks`: the client lacks changes. `has_room`: the header takes one more number.
    pub(crate) fn for_datagram(
        &mut self,
        sender: &Sender<FieldSet>,
        sequence: u64,
        lacks: bool,
        has_room: impl FnOnce() -> bool,
    ) -> Option<u16> {
        self.was_open = lacks || self.settled <= self.last;
        let lost = sender.last_lost();
        if !self.is_due(sender) || !has_room() {
            return None;
        }
        if self.settled > lost && self.told.0 < lost {
            self.told = (lost, sequence);
        }
        Some(low_bits(self.settled))
    }

    /// Returns the news for the last stream packet of a tick without datagrams, which counts the earlier datagrams.
    pub(crate) fn for_stream(
        &mut self,
        sender: &Sender<FieldSet>,
        lacks: bool,
    ) -> Option<SentCount> {
        let is_decided = self.settled > self.last;
        self.was_open = lacks || !is_decided;
        let sent = SentCount {
            count: low_bits(self.last),
            is_decided,
        };
        let tells = !is_decided || self.is_due(sender);
        if is_decided && self.settled > sender.last_lost() {
            self.known = sender.last_lost();
        }
        tells.then_some(sent)
    }
}
