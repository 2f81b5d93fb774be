//! `Arrived`: the header of a datagram.

use std::num::NonZeroU8;

/// Facts of a datagram's header, with all bits of the numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub(crate) sequence: u64,
    pub(crate) tick: u32,
    /// Number of the stream's packets before it.
    pub(crate) after: u64,
    /// Index among the datagrams of its tick.
    pub(crate) index: u8,
    /// Number of the tick's datagrams.
    pub(crate) count: NonZeroU8,
    pub(crate) partial: bool,
    pub(crate) owed: bool,
    /// What the datagrams below this sequence lacked was sent again up to the tick; 0 without news.
    pub(crate) settled: u64,
}
