//! `Datagrams`: received datagrams of a connection, and their acknowledgements.

use std::collections::VecDeque;
use std::time::Duration;

use syncvar_runtime::{NetworkReader, ReadError, ReadErrorKind};

use super::arrived::Arrived;
use super::held::Held;
use super::ticks::SentBefore;
use crate::link::ack::Ack;
use crate::link::header::{DatagramHeader, Place, SentCount, TickNumber};
use crate::link::receiver::Receiver;
use crate::link::sequence::extend;
use crate::link::settings::LossSettings;

/// Most acknowledgements that wait for the transport.
const MAX_ACKS: usize = 16;

/// Distance above the highest tick that no tick reaches.
const MAX_TICK_STEP: u32 = 1 << 31;

/// Received datagrams of a connection.
#[derive(Debug)]
pub(crate) struct Datagrams {
    pub(crate) receiver: Receiver,
    /// Datagrams that came before the packets of the stream that precede them.
    pub(crate) held: Held,
    /// Whether a datagram has arrived: before, the server waits for no acknowledgement.
    answers: bool,
    /// Acknowledgements that cannot wait for a packet.
    urgent: VecDeque<Ack>,
    /// Highest sequence so far, and whether the connection lacked changes then.
    owed: (u64, bool),
    /// Highest sequence at the last report of a tick.
    pub(crate) reported: u64,
}

impl Datagrams {
    pub(crate) fn new(settings: &LossSettings) -> Self {
        Self {
            receiver: Receiver::new(settings.ack_interval),
            held: Held::new(settings.max_held_packets, settings.max_held_bytes),
            answers: false,
            urgent: VecDeque::new(),
            owed: (0, false),
            reported: 0,
        }
    }

    /// Takes the header of a datagram with messages.
    ///
    /// # Errors
    ///
    /// When the tick is far above all ticks before.
    pub(crate) fn arrive(
        &mut self,
        header: &DatagramHeader,
        place: Place,
    ) -> Result<Arrived, ReadError> {
        self.answers = true;
        let (receiver, (index, count)) = (&self.receiver, header.part);
        let tick = match place.tick {
            TickNumber::Short(low) => receiver.extend_tick(low),
            TickNumber::Wide(tick) => tick,
        };
        if tick.saturating_sub(receiver.tick()) > MAX_TICK_STEP {
            let (what, value) = ("tick of a datagram", tick.into());
            let kind = ReadErrorKind::InvalidValue { what, value };
            return Err(NetworkReader::new(&[]).error(kind));
        }
        let sequence = receiver.extend_sequence(place.sequence);
        if sequence >= self.owed.0 {
            self.owed = (sequence, header.owed);
        }
        Ok(Arrived {
            sequence,
            tick,
            after: header.after.map_or(0, |low| receiver.extend_after(low)),
            index,
            count,
            partial: header.partial,
            owed: header.owed,
            settled: header.settled.map_or(0, |low| extend(sequence, low)),
        })
    }

    /// Marks a datagram as applied, with an acknowledgement before it if need be.
    pub(crate) fn mark(&mut self, datagram: &Arrived, now: Duration) {
        if self.receiver.must_acknowledge_before(datagram.sequence) {
            if self.urgent.len() >= MAX_ACKS {
                self.urgent.pop_front();
            }
            let ack = self.receiver.take_ack();
            self.urgent.push_back(ack);
        }
        self.receiver.mark(datagram.sequence, now);
        self.receiver.see_tick(datagram.tick);
    }

    /// Returns the acknowledgement for a packet that is sent anyway.
    pub(crate) fn owed_ack(&mut self) -> Option<Ack> {
        let urgent = self.urgent.pop_front();
        urgent.or_else(|| {
            let owes = self.answers && self.receiver.owes_ack();
            owes.then(|| self.receiver.take_ack())
        })
    }

    /// Returns an acknowledgement that must be sent alone.
    pub(crate) fn due_ack(&mut self, now: Duration) -> Option<Ack> {
        let urgent = self.urgent.pop_front();
        urgent.or_else(|| {
            let due = self.answers && self.receiver.due(now);
            due.then(|| self.receiver.take_ack())
        })
    }

    /// Returns whether an acknowledgement must be sent at once.
    pub(crate) fn has_urgent_ack(&self) -> bool {
        !self.urgent.is_empty()
    }

    /// Returns whether the connection lacked changes at the newest datagram.
    pub(crate) fn is_owed(&self) -> bool {
        self.owed.1
    }

    /// Returns the receiver.
    pub(crate) fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// Returns whether a datagram between the last report of a tick and this sequence was not applied.
    pub(crate) fn report_up_to(&mut self, newest: u64) -> bool {
        let has_all = self.receiver.has_all(self.reported + 1, newest);
        self.reported = self.reported.max(newest);
        !has_all
    }

    /// Returns whether all datagrams up to the last sequence were applied, or what they lacked was sent again.
    pub(crate) fn has_all(&self, settled: u64, last: u64) -> bool {
        self.receiver.has_all(settled.max(1), last)
    }

    /// Returns what a stream packet tells of the datagrams before it.
    pub(crate) fn sent_before(&self, sent: SentCount) -> SentBefore {
        SentBefore {
            last: self.receiver.extend_sequence(sent.count),
            is_decided: sent.is_decided,
        }
    }
}
