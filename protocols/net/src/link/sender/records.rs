//! `Records`: the packets of a connection whose fates are kept.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use super::copies::Copies;
use super::{ChunkRef, Content, Verdict, VerdictKind};

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

/// Last packets of a connection, by sequence, with their contents and fates.
///
/// The lists grow to the size of the ring and keep it: a packet costs no allocation.
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
    own: VecDeque<O>,
    /// Number of removed own entries, modulo 2^32.
    own_removed: u32,
    copies: Copies,
    flying: usize,
    /// Number of lost packets.
    lost: usize,
}

impl<O: Copy> Records<O> {
    pub(super) fn new() -> Self {
        Self {
            packets: VecDeque::new(),
            first: 1,
            open: 1,
            chunks: VecDeque::new(),
            chunks_removed: 0,
            own: VecDeque::new(),
            own_removed: 0,
            copies: Copies::default(),
            flying: 0,
            lost: 0,
        }
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

    /// Returns the sequence of the first packet that may be acknowledged for the first time.
    pub(super) fn first_unacknowledged(&self) -> u64 {
        if self.lost == 0 {
            self.open
        } else {
            self.first
        }
    }

    /// Returns the sequences among which the flying packets are.
    pub(super) fn open(&self) -> Range<u64> {
        self.open..self.next()
    }

    /// Returns the number of flying packets.
    pub(super) fn flying(&self) -> usize {
        self.flying
    }

    /// Returns the number of lost packets.
    pub(super) fn lost(&self) -> usize {
        self.lost
    }

    pub(super) fn get(&self, sequence: u64) -> Option<&Sent> {
        self.packets.get(self.position(sequence)?)
    }

    /// Returns whether a copy of a chunk is flying and none was acknowledged.
    pub(super) fn awaits(&self, chunk: u64) -> bool {
        let copies = self.copies.get(chunk);
        copies.is_some_and(|copies| copies.flying > 0 && !copies.acked)
    }

    /// Returns the lowest tick of a flying packet or of a chunk in one.
    pub(super) fn oldest_open_tick(&self) -> Option<u32> {
        let from = self.position(self.open)?;
        let open = self.packets.range(from..);
        open.filter(|packet| packet.fate == Fate::Flying)
            .map(|packet| packet.oldest_tick)
            .min()
    }

    /// Returns the lowest tick, from a tick on, of a packet that was not acknowledged, or of a chunk in one.
    pub(super) fn oldest_missing_tick(&self, from: u32) -> Option<u32> {
        let missing = self
            .packets
            .iter()
            .filter(|packet| packet.fate != Fate::Acked);
        let ticks = missing.map(|packet| packet.oldest_tick);
        ticks.filter(|tick| *tick >= from).min()
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
        (at, tick, after): (Duration, u32, u64),
        chunks: impl IntoIterator<Item = ChunkRef>,
        own: impl IntoIterator<Item = O>,
    ) {
        let mut sent = Sent {
            at,
            after,
            tick,
            oldest_tick: tick,
            chunks: wrapped(self.chunks_removed, self.chunks.len()),
            own: wrapped(self.own_removed, self.own.len()),
            fate: Fate::Flying,
        };
        for chunk in chunks {
            self.copies.add(chunk.number, chunk.tick);
            self.chunks.push_back(chunk.number);
            sent.oldest_tick = sent.oldest_tick.min(chunk.tick);
        }
        self.own.extend(own);
        self.packets.push_back(sent);
        self.flying += 1;
    }

    /// Removes the oldest packet. A flying one is lost.
    pub(super) fn pop(&mut self, verdicts: &mut Vec<Verdict<O>>) {
        if self.packets.is_empty() {
            return;
        }
        self.resolve(self.first, Fate::Lost, verdicts);
        let (chunks, own) = (self.chunk_range(0).len(), self.own_range(0).len());
        for number in self.chunks.drain(..chunks) {
            self.copies.release(number);
        }
        self.own.drain(..own);
        self.chunks_removed = wrapped(self.chunks_removed, chunks);
        self.own_removed = wrapped(self.own_removed, own);
        let gone = self.packets.pop_front();
        self.lost -= usize::from(gone.is_some_and(|packet| packet.fate == Fate::Lost));
        self.first += 1;
        self.open = self.open.max(self.first);
    }

    /// Forgets all packets without verdicts. The sequences continue.
    pub(super) fn clear(&mut self) {
        self.first = self.next();
        self.open = self.first;
        self.packets.clear();
        self.chunks.clear();
        self.own.clear();
        self.copies.clear();
        (self.flying, self.lost) = (0, 0);
    }

    /// Decides the fate of a packet and returns its former one, or none without such a packet.
    ///
    /// An acknowledged packet stays acknowledged, a lost one can still be acknowledged.
    pub(super) fn resolve(
        &mut self,
        sequence: u64,
        fate: Fate,
        verdicts: &mut Vec<Verdict<O>>,
    ) -> Option<Fate> {
        let at = self.position(sequence)?;
        let packet = self.packets.get_mut(at)?;
        let former = packet.fate;
        if former == fate || former == Fate::Acked {
            return Some(former);
        }
        packet.fate = fate;
        let tick = packet.tick;
        self.flying -= usize::from(former == Fate::Flying);
        self.lost += usize::from(fate == Fate::Lost);
        self.lost -= usize::from(former == Fate::Lost);
        let kind = match (former, fate) {
            (_, Fate::Lost) => Some(VerdictKind::Lost),
            (Fate::Lost, _) => Some(VerdictKind::TakenBack),
            _ => None,
        };
        for index in self.chunk_range(at) {
            let number = self.chunks[index];
            let Some(copies) = self.copies.get_mut(number) else {
                continue;
            };
            copies.flying -= u16::from(former == Fate::Flying);
            copies.acked |= fate == Fate::Acked;
            // Another copy may still arrive, or has arrived.
            let kind = kind.filter(|kind| *kind == VerdictKind::TakenBack || copies.is_lost());
            verdicts.extend(kind.map(|kind| Verdict {
                kind,
                tick: copies.tick,
                content: Content::Chunk(number),
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
        self.close();
        Some(former)
    }

    /// Moves the start of the open packets behind the decided ones.
    fn close(&mut self) {
        while let Some(packet) = self.get(self.open)
            && packet.fate != Fate::Flying
        {
            self.open += 1;
        }
    }

    fn position(&self, sequence: u64) -> Option<usize> {
        usize::try_from(sequence.checked_sub(self.first)?).ok()
    }

    fn chunk_range(&self, at: usize) -> Range<usize> {
        let position = |number: u32| number.wrapping_sub(self.chunks_removed) as usize;
        let next = self.packets.get(at + 1);
        let end = next.map_or(self.chunks.len(), |next| position(next.chunks));
        position(self.packets[at].chunks)..end
    }

    fn own_range(&self, at: usize) -> Range<usize> {
        let position = |number: u32| number.wrapping_sub(self.own_removed) as usize;
        let next = self.packets.get(at + 1);
        let end = next.map_or(self.own.len(), |next| position(next.own));
        position(self.packets[at].own)..end
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
