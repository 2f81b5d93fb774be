//! `SentInputs`: inputs in datagrams, until the server has acknowledged them.

use std::collections::VecDeque;

use crate::link::sender::Sender;

/// Inputs in datagrams.
#[derive(Debug, Default)]
pub(super) struct SentInputs {
    /// Undecided datagrams with inputs: the sequence, and the newest tick.
    sent: VecDeque<(u64, u64)>,
    /// Newest tick in an acknowledged datagram.
    known: Option<u64>,
    /// Whether an update has dropped a datagram with inputs that no transport had polled.
    is_dropped: bool,
}

impl SentInputs {
    /// Returns the newest tick whose input the server has.
    pub(super) fn known(&self) -> Option<u64> {
        self.known
    }

    /// Takes the newest input that the server has, after a refusal. Acknowledgements of earlier datagrams say
    /// nothing about their inputs.
    pub(super) fn set_known(&mut self, known: Option<u64>) {
        self.known = known;
        self.sent.clear();
    }

    /// Notes that inputs have been dropped before they were sent.
    pub(super) fn note_drop(&mut self) {
        self.is_dropped = true;
    }

    /// Returns whether inputs have been dropped since the last message with inputs.
    pub(super) fn take_drop(&mut self) -> bool {
        std::mem::take(&mut self.is_dropped)
    }

    /// Notes a datagram with inputs up to a tick.
    pub(super) fn note(&mut self, sequence: u64, newest: u64) {
        self.sent.push_back((sequence, newest));
    }

    /// Learns the fates of the datagrams up to the newest acknowledged datagram.
    pub(super) fn decide<O: Copy>(&mut self, sender: &Sender<O>) {
        let newest = sender.newest_acked();
        while let Some((sequence, tick)) = self.sent.front().copied()
            && sequence <= newest
        {
            self.sent.pop_front();
            if sender.is_acked(sequence) {
                self.known = self.known.max(Some(tick));
            }
        }
    }
}
