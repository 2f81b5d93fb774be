//! `Ticks`: ticks of which packets have arrived, until each is reported.

use std::collections::VecDeque;
use std::num::NonZeroU8;

use super::arrived::Arrived;
use crate::link::header::StreamHeader;

/// Most ticks that wait for their packets.
const MAX_UNFINISHED: usize = 64;

/// Ticks of the packets from the server.
#[derive(Debug, Default)]
pub(crate) struct Ticks {
    /// Ticks above the reported one, ascending.
    unfinished: VecDeque<Unfinished>,
    /// Last tick that was reported or given up.
    reported: u32,
    /// What the datagrams below this sequence lacked was sent again up to the reported tick.
    settled: u64,
}

/// What a stream packet tells of the datagrams before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentBefore {
    /// Highest sequence.
    pub(crate) last: u64,
    /// Whether what they lacked was sent again.
    pub(crate) is_decided: bool,
}

/// Packets of a tick.
#[derive(Clone, Copy, Debug, Default)]
struct Unfinished {
    tick: u32,
    /// Number of its datagrams.
    count: u8,
    arrived: Indices,
    applied: Indices,
    /// Number of the stream's packets up to its end.
    after: u64,
    /// Highest sequence of its applied datagrams, and of those that were sent before.
    newest: u64,
    /// What the datagrams below this sequence lacked was sent again up to this tick.
    settled: u64,
    /// The last packet of the stream.
    end: StreamEnd,
    /// Whether a packet was applied.
    begun: bool,
    /// Whether the server has withheld changes of the tick.
    partial: bool,
    /// Whether the server owes changes of earlier ticks.
    owed: bool,
}

/// Progress of the last packet of the stream in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StreamEnd {
    #[default]
    Missing,
    Arrived,
    Applied,
}

/// Set of the datagrams of a tick.
#[derive(Clone, Copy, Debug, Default)]
struct Indices([u64; 4]);

impl Indices {
    fn insert(&mut self, index: u8) {
        if let Some(word) = self.0.get_mut(usize::from(index >> 6)) {
            *word |= 1 << (index & 63);
        }
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

impl Unfinished {
    /// Returns whether all packets have been applied.
    fn is_whole(&self, handled: u64) -> bool {
        let known = self.end == StreamEnd::Applied || self.count > 0;
        known && self.applied.len() >= self.count.into() && self.after <= handled
    }
}

/// Report of a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FinishedTick {
    pub(crate) tick: u32,
    /// Whether the changes of the tick itself are here.
    pub(crate) complete: bool,
    /// Whether the server owes changes of earlier ticks.
    pub(crate) owed: bool,
    /// What the datagrams below this sequence lacked was sent again up to this tick.
    pub(crate) settled: u64,
    /// Highest sequence of the applied datagrams of this tick, and of those that the stream counts up to it; 0 without
    /// one.
    pub(crate) newest: u64,
}

impl Ticks {
    /// Returns the last tick that was reported.
    pub(crate) fn reported(&self) -> u32 {
        self.reported
    }

    /// Forgets the ticks above a tick, which can be reported again, and so can later ticks.
    pub(crate) fn restart(&mut self, tick: u32) {
        self.unfinished.retain(|unfinished| unfinished.tick <= tick);
        self.reported = self.reported.min(tick.saturating_sub(1));
    }

    /// Notes a packet of the stream that has arrived.
    pub(crate) fn stream_arrived(
        &mut self,
        tick: u32,
        header: &StreamHeader,
        sent: Option<SentBefore>,
    ) {
        let settled = sent.filter(|sent| sent.is_decided);
        let settled = settled.map_or(0, |sent| sent.last + 1);
        let Some(unfinished) = self.entry(tick) else {
            self.settled = self.settled.max(settled);
            return;
        };
        if header.end {
            unfinished.end = StreamEnd::Arrived;
            // A datagram of a second update may have overtaken the packet.
            unfinished.owed |= header.owed;
        }
        unfinished.partial |= header.partial;
        unfinished.count = header.datagrams.map_or(unfinished.count, NonZeroU8::get);
        let last = sent.map_or(0, |sent| sent.last);
        unfinished.newest = unfinished.newest.max(last);
        unfinished.settled = unfinished.settled.max(settled);
    }

    /// Notes a datagram that has arrived.
    pub(crate) fn datagram_arrived(&mut self, datagram: &Arrived) {
        let Some(unfinished) = self.entry(datagram.tick) else {
            self.settled = self.settled.max(datagram.settled);
            return;
        };
        unfinished.count = datagram.count.get();
        unfinished.arrived.insert(datagram.index);
        unfinished.after = unfinished.after.max(datagram.after);
        unfinished.partial |= datagram.partial;
        unfinished.owed |= datagram.owed;
        unfinished.settled = unfinished.settled.max(datagram.settled);
    }

    /// Returns whether all packets of a tick have arrived, if the stream has brought this number.
    pub(crate) fn is_ready(&self, tick: u32, stream: u64) -> bool {
        let unfinished = self.position(tick).ok();
        let unfinished = unfinished.and_then(|at| self.unfinished.get(at));
        unfinished.is_none_or(|it| {
            let known = it.end != StreamEnd::Missing || it.count > 0 && it.after <= stream;
            known && it.arrived.len() >= it.count.into()
        })
    }

    /// Notes a packet of the stream that was applied.
    pub(crate) fn stream_applied(&mut self, tick: u32) {
        if let Some(unfinished) = self.known(tick) {
            unfinished.begun = true;
            if unfinished.end == StreamEnd::Arrived {
                unfinished.end = StreamEnd::Applied;
            }
        }
    }

    /// Notes a datagram that was applied.
    pub(crate) fn datagram_applied(&mut self, datagram: &Arrived) {
        if let Some(unfinished) = self.known(datagram.tick) {
            unfinished.begun = true;
            unfinished.applied.insert(datagram.index);
            unfinished.newest = unfinished.newest.max(datagram.sequence);
        }
    }

    /// Takes the next report, once a tick is whole. `handled` is the number of handled packets of the stream.
    pub(crate) fn next_report(&mut self, handled: u64) -> Option<FinishedTick> {
        let overflows = self.unfinished.len() > MAX_UNFINISHED;
        if !overflows && !self.unfinished.iter().any(|it| it.is_whole(handled)) {
            return None;
        }
        while let Some(unfinished) = self.unfinished.pop_front() {
            self.reported = unfinished.tick;
            self.settled = self.settled.max(unfinished.settled);
            if unfinished.begun {
                return Some(FinishedTick {
                    tick: unfinished.tick,
                    complete: unfinished.is_whole(handled) && !unfinished.partial,
                    owed: unfinished.owed,
                    settled: self.settled,
                    newest: unfinished.newest,
                });
            }
            if overflows {
                break;
            }
        }
        None
    }

    fn position(&self, tick: u32) -> Result<usize, usize> {
        self.unfinished.binary_search_by_key(&tick, |it| it.tick)
    }

    fn known(&mut self, tick: u32) -> Option<&mut Unfinished> {
        let at = self.position(tick).ok()?;
        self.unfinished.get_mut(at)
    }

    /// Returns the entry of a tick, which is made if need be. None for a tick that is reported.
    fn entry(&mut self, tick: u32) -> Option<&mut Unfinished> {
        if tick <= self.reported {
            return None;
        }
        let at = match self.position(tick) {
            Ok(at) => at,
            Err(0) if self.unfinished.len() > MAX_UNFINISHED => return None,
            Err(at) => {
                let unfinished = Unfinished {
                    tick,
                    ..Unfinished::default()
                };
                self.unfinished.insert(at, unfinished);
                at
            }
        };
        self.unfinished.get_mut(at)
    }
}

#[cfg(test)]
mod tests {
    use super::{Arrived, StreamHeader, Ticks};
    use std::num::NonZeroU8;

    /// The datagram belongs to a second update of the tick, which has found a loss.
    #[test]
    fn datagram_that_overtakes_the_stream_keeps_its_tick_incomplete() {
        let mut ticks = Ticks::default();
        let datagram = Arrived {
            sequence: 6,
            tick: 18,
            after: 9,
            index: 0,
            count: NonZeroU8::MIN,
            partial: false,
            owed: true,
            settled: 6,
        };
        let last = StreamHeader {
            end: true,
            ..StreamHeader::default()
        };
        ticks.datagram_arrived(&datagram);
        ticks.stream_arrived(18, &last, None);
        ticks.datagram_applied(&datagram);
        ticks.stream_applied(18);
        let report = ticks.next_report(9).expect("a whole tick");
        assert!(report.owed);
    }
}
