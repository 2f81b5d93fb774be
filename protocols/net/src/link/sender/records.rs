//! `Records`: the packets of a connection whose fates are kept.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use super::copies::{ChunkCopies, Copies};
use super::{ChunkRef, Content, NAMED, Verdict, VerdictKind};

/// Fate of a sent packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Flying,
    Acked,
    Lost,
}

/// One sent packet. Its contents stand in the lists that all packets share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) at: Duration,
    /// Number of reliable packets sent before it.
    pub(super) after: u64,
    pub(super) tick: u32,
    /// Lowest tick of the packet and its chunks.
    oldest_tick: u32,
    /// Start of its chunks and own entries, counted from the start of the connection, modulo 2^32.
    chunks: u32,
    own: u32,
    pub(super) fate: Fate,
}

/// Packets for which the list grows.
const GROWTH: usize = 16;

/// Packets that are removed together: less work for each of them.
pub(super) const RUN: usize = 8;

/// Last packets of a connection, by sequence, with their contents and fates.
///
/// The lists grow to the number of packets under way and those before them, and keep it: a packet costs no allocation.
#[derive(Debug)]
pub(super) struct Records<O> {
    packets: VecDeque<Sent>,
    /// Sequence of the first packet.
    first: u64,
    /// No packet with a lower sequence is flying.
    open: u64,
    chunks: VecDeque<u64>,
    /// Number of removed chunks, modulo 2^32.
    chunks_removed: u32,
    /// No packet has had a chunk with this number or a higher one.
    next_chunk: u64,
    own: VecDeque<O>,
    /// Number of removed own entries, modulo 2^32.
    own_removed: u32,
    copies: Copies,
    flying: usize,
    /// Sequences of the lost packets, ascending.
    lost: VecDeque<u64>,
    /// Highest sequence of a packet that was ever lost or forgotten.
    last_lost: u64,
}

impl<O: Copy> Records<O> {
    pub(super) fn new() -> Self {
        Self {
            packets: VecDeque::new(),
            first: 1,
            open: 1,
            chunks: VecDeque::new(),
            chunks_removed: 0,
            next_chunk: 0,
            own: VecDeque::new(),
            own_removed: 0,
            copies: Copies::default(),
            flying: 0,
            lost: VecDeque::new(),
            last_lost: 0,
        }
    }

    /// Returns the highest sequence of a packet that was ever lost or forgotten; 0 without one.
    pub(super) fn last_lost(&self) -> u64 {
        self.last_lost
    }

    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    /// Returns the sequence of the next packet.
    pub(super) fn next(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// Returns the sequence of the oldest packet.
    #[cfg(test)]
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Returns the sequences among which the flying packets are.
    pub(super) fn open(&self) -> Range<u64> {
        self.open..self.next()
    }

    /// Returns the number of packets before the first flying one.
    pub(super) fn decided(&self) -> u64 {
        self.open - self.first
    }

    /// Returns the number of flying packets.
    pub(super) fn flying(&self) -> usize {
        self.flying
    }

    /// Returns the number of lost packets.
    pub(super) fn lost(&self) -> usize {
        self.lost.len()
    }

    pub(super) fn get(&self, sequence: u64) -> Option<&Sent> {
        self.packets.get(self.position(sequence)?)
    }

    /// Acknowledges a packet and those of the 64 below it of which no bit of `missing` is set: bit i stands for
    /// `newest - 1 - i`. Returns the newest one for which this is news, and the number of lost ones among them.
    pub(super) fn acknowledge(
        &mut self,
        newest: u64,
        missing: u64,
        verdicts: &mut Vec<Verdict<O>>,
    ) -> (Option<u64>, u64) {
        let oldest = newest.saturating_sub(NAMED).max(self.first);
        let is_named =
            |sequence: u64| sequence == newest || missing >> (newest - 1 - sequence) & 1 == 0;
        let mut news = None;
        let (mut late, mut at) = (0, self.lost.len());
        while let Some(&sequence) = at.checked_sub(1).and_then(|at| self.lost.get(at))
            && sequence >= oldest
        {
            at -= 1;
            if sequence <= newest && is_named(sequence) {
                self.decide(sequence, Fate::Acked, verdicts);
                news = news.max(Some(sequence));
                late += 1;
            }
        }
        for sequence in self.open.max(oldest)..=newest {
            let Some(at) = self.position(sequence) else {
                continue;
            };
            let packet = self.packets.get_mut(at);
            let packet = packet.filter(|it| it.fate == Fate::Flying && is_named(sequence));
            let Some(packet) = packet else {
                continue;
            };
            packet.fate = Fate::Acked;
            self.flying -= 1;
            news = news.max(Some(sequence));
            if !self.copies.is_empty() {
                self.judge(at, Fate::Flying, Fate::Acked, verdicts);
            }
        }
        self.close();
        (news, late)
    }

    pub(super) fn is_flying(&self, sequence: u64) -> bool {
        let packet = self.get(sequence);
        packet.is_some_and(|packet| packet.fate == Fate::Flying)
    }

    /// Returns whether a copy of a chunk is flying and none was acknowledged.
    pub(super) fn awaits(&self, chunk: u64) -> bool {
        match self.copies.get(chunk) {
            Some(copies) => copies.flying > 0 && !copies.acked,
            None => self.fate_of(chunk) == Some(Fate::Flying),
        }
    }

    /// Returns the fate of the last packet with a chunk.
    fn fate_of(&self, chunk: u64) -> Option<Fate> {
        let behind = self.chunks.iter().rev().position(|it| *it == chunk)?;
        let at = self.chunks.len() - 1 - behind;
        let starts = |packet: &Sent| self.chunk_position(packet) <= at;
        let next = self.packets.partition_point(starts);
        let packet = self.packets.get(next.checked_sub(1)?)?;
        Some(packet.fate)
    }

    /// Counts one more copy of a chunk, in the last packet.
    #[cold]
    fn add_copy(&mut self, ChunkRef { number, tick }: ChunkRef) {
        if let Some(packet) = self.packets.back_mut() {
            packet.oldest_tick = packet.oldest_tick.min(tick);
        }
        if let Some(copies) = self.copies.get_mut(number) {
            copies.records += 1;
            copies.flying += 1;
            return;
        }
        let original = self.fate_of(number);
        self.copies.add(ChunkCopies {
            number,
            tick,
            records: 1 + u16::from(original.is_some()),
            flying: 1 + u16::from(original == Some(Fate::Flying)),
            acked: original == Some(Fate::Acked),
        });
    }

    /// Returns the lowest tick of a flying packet or of a chunk in one.
    pub(super) fn oldest_open_tick(&self) -> Option<u32> {
        let from = self.position(self.open)?;
        let open = self.packets.range(from..);
        open.filter(|packet| packet.fate == Fate::Flying)
            .map(|packet| packet.oldest_tick)
            .min()
    }

    /// Returns the lowest tick of a packet that was not acknowledged, or of a chunk in one, among the packets from a
    /// tick on. The chunk of an echo is older than its packet.
    pub(super) fn oldest_missing_tick(&self, from: u32) -> Option<u32> {
        let flying = self.open().filter(|it| self.is_flying(*it));
        let missing = self.lost.iter().copied().chain(flying);
        let packets = missing.filter_map(|it| self.get(it));
        let packets = packets.filter(|packet| packet.tick >= from);
        packets.map(|packet| packet.oldest_tick).min()
    }

    /// Returns the own entries of the packets from the first flying one on.
    pub(super) fn open_own(&mut self) -> impl Iterator<Item = &mut O> {
        let from = match self.position(self.open) {
            Some(at) if at < self.packets.len() => self.own_range(at).start,
            _ => self.own.len(),
        };
        self.own.range_mut(from..)
    }

    /// Returns the own entries of the flying packets, with the ticks of these packets.
    pub(super) fn flying_own(&self) -> impl Iterator<Item = (u32, &O)> {
        let from = self.position(self.open).unwrap_or(self.packets.len());
        (from..self.packets.len()).flat_map(move |at| {
            let packet = self.packets.get(at);
            let packet = packet.filter(|packet| packet.fate == Fate::Flying);
            packet.into_iter().flat_map(move |packet| {
                let own = self.own.range(self.own_range(at));
                own.map(|own| (packet.tick, own))
            })
        })
    }

    /// Adds a packet, which is flying.
    pub(super) fn push(
        &mut self,
        at: Duration,
        tick: u32,
        after: u64,
        chunks: impl IntoIterator<Item = ChunkRef>,
        own: &[O],
    ) {
        if self.packets.len() == self.packets.capacity() {
            // Not twice the room: each connection keeps it.
            self.packets.reserve_exact(GROWTH);
        }
        self.packets.push_back(Sent {
            at,
            after,
            tick,
            oldest_tick: tick,
            chunks: wrapped(self.chunks_removed, self.chunks.len()),
            own: wrapped(self.own_removed, self.own.len()),
            fate: Fate::Flying,
        });
        self.flying += 1;
        for chunk in chunks {
            if chunk.number < self.next_chunk || chunk.tick != tick {
                self.add_copy(chunk);
            }
            self.next_chunk = self.next_chunk.max(chunk.number + 1);
            self.chunks.push_back(chunk.number);
        }
        if !own.is_empty() {
            self.own.extend(own);
        }
    }

    /// Removes the oldest packets. Flying ones are lost.
    pub(super) fn remove(&mut self, count: usize, verdicts: &mut Vec<Verdict<O>>) {
        let count = count.min(self.packets.len());
        let next = self.first + count as u64;
        for sequence in self.open..next {
            self.resolve(sequence, Fate::Lost, verdicts);
        }
        let (chunks, own) = match self.packets.get(count) {
            Some(next) => (self.chunk_position(next), self.own_position(next)),
            None => (self.chunks.len(), self.own.len()),
        };
        for number in self.chunks.drain(..chunks) {
            if !self.copies.is_empty() {
                self.copies.release(number);
            }
        }
        self.own.drain(..own);
        self.chunks_removed = wrapped(self.chunks_removed, chunks);
        self.own_removed = wrapped(self.own_removed, own);
        self.packets.drain(..count);
        while self.lost.front().is_some_and(|lost| *lost < next) {
            self.lost.pop_front();
        }
        self.first = next;
        self.open = self.open.max(next);
    }

    /// Forgets all packets without verdicts. The sequences continue.
    pub(super) fn clear(&mut self) {
        self.last_lost = self.last_lost.max(self.next() - 1);
        self.first = self.next();
        self.open = self.first;
        self.packets.clear();
        self.chunks.clear();
        self.own.clear();
        self.copies.clear();
        self.lost.clear();
        self.flying = 0;
    }

    /// Decides the fate of a packet.
    ///
    /// An acknowledged packet stays acknowledged, a lost one can still be acknowledged.
    pub(super) fn resolve(&mut self, sequence: u64, fate: Fate, verdicts: &mut Vec<Verdict<O>>) {
        self.decide(sequence, fate, verdicts);
        self.close();
    }

    fn decide(&mut self, sequence: u64, fate: Fate, verdicts: &mut Vec<Verdict<O>>) {
        let Some(at) = self.position(sequence) else {
            return;
        };
        let Some(packet) = self.packets.get_mut(at) else {
            return;
        };
        let former = packet.fate;
        if former == fate || former == Fate::Acked {
            return;
        }
        packet.fate = fate;
        self.flying -= usize::from(former == Fate::Flying);
        if fate == Fate::Lost {
            self.last_lost = self.last_lost.max(sequence);
        }
        if fate == Fate::Lost || former == Fate::Lost {
            match self.lost.binary_search(&sequence) {
                Ok(at) => drop(self.lost.remove(at)),
                Err(at) => self.lost.insert(at, sequence),
            }
        }
        self.judge(at, former, fate, verdicts);
    }

    /// Adds the verdicts on a packet after a change of its fate.
    fn judge(&mut self, at: usize, former: Fate, fate: Fate, verdicts: &mut Vec<Verdict<O>>) {
        let kind = match (former, fate) {
            (_, Fate::Lost) => Some(VerdictKind::Lost),
            (Fate::Lost, _) => Some(VerdictKind::TakenBack),
            _ => None,
        };
        let tick = self.packets[at].tick;
        for number in self.chunks.range(self.chunk_range(at)) {
            let copies = self.copies.get_mut(*number);
            let mut verdict = (tick, kind);
            if let Some(copies) = copies {
                copies.flying -= u16::from(former == Fate::Flying);
                copies.acked |= fate == Fate::Acked;
                // Another copy may still arrive, or has arrived.
                let is_due = kind == Some(VerdictKind::TakenBack) || copies.is_lost();
                verdict = (copies.tick, kind.filter(|_| is_due));
            }
            let (tick, kind) = verdict;
            verdicts.extend(kind.map(|kind| Verdict {
                kind,
                tick,
                content: Content::Chunk(*number),
            }));
        }
        if let Some(kind) = kind {
            let own = self.own.range(self.own_range(at));
            verdicts.extend(own.map(|own| Verdict {
                kind,
                tick,
                content: Content::Own(*own),
            }));
        }
    }

    /// Moves the start of the open packets behind the decided ones.
    fn close(&mut self) {
        let open = self.position(self.open).unwrap_or_default();
        let packets = self.packets.range(open.min(self.packets.len())..);
        let decided = packets.take_while(|packet| packet.fate != Fate::Flying);
        self.open += decided.count() as u64;
    }

    fn position(&self, sequence: u64) -> Option<usize> {
        usize::try_from(sequence.checked_sub(self.first)?).ok()
    }

    fn chunk_position(&self, packet: &Sent) -> usize {
        packet.chunks.wrapping_sub(self.chunks_removed) as usize
    }

    fn chunk_range(&self, at: usize) -> Range<usize> {
        let next = self.packets.get(at + 1);
        let end = next.map_or(self.chunks.len(), |next| self.chunk_position(next));
        self.chunk_position(&self.packets[at])..end
    }

    fn own_position(&self, packet: &Sent) -> usize {
        packet.own.wrapping_sub(self.own_removed) as usize
    }

    fn own_range(&self, at: usize) -> Range<usize> {
        let next = self.packets.get(at + 1);
        let end = next.map_or(self.own.len(), |next| self.own_position(next));
        self.own_position(&self.packets[at])..end
    }

    /// Returns the lengths of the lists: packets, chunks, own entries, chunks with copies.
    #[cfg(test)]
    pub(super) fn lengths(&self) -> [usize; 4] {
        let [packets, chunks] = [self.packets.len(), self.chunks.len()];
        [packets, chunks, self.own.len(), self.copies.len()]
    }

    /// Returns the memory of the lists: packets, chunks, own entries.
    #[cfg(test)]
    pub(super) fn capacities(&self) -> [usize; 3] {
        let [packets, chunks] = [self.packets.capacity(), self.chunks.capacity()];
        [packets, chunks, self.own.capacity()]
    }
}

/// Returns a position that is so far behind another one, modulo 2^32.
#[expect(
    clippy::cast_possible_truncation,
    reason = "positions are modulo 2^32, and the lists are far shorter"
)]
fn wrapped(start: u32, length: usize) -> u32 {
    start.wrapping_add(length as u32)
}
