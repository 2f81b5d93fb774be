//! Packets with fields in place of bytes. Numbers are cut as on the wire.

use std::rc::Rc;

use syncvar_testing::loss::FIELDS;

use super::Mask;
use crate::link::ack::Ack;

/// Changes of one object.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelEntry {
    pub(super) object: u32,
    pub(super) class: u32,
    pub(super) mask: Mask,
    pub(super) values: [u32; FIELDS],
    pub(super) permit: u32,
}

/// Entries of one tick for one audience.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) number: u64,
    pub(super) tick: u32,
    pub(super) entries: Vec<ModelEntry>,
}

/// A datagram, or its contents on the stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Datagram {
    pub(super) sequence: Option<u16>,
    pub(super) tick: u16,
    /// All bits of the tick, if the low ones do not suffice.
    pub(super) wide: Option<u32>,
    pub(super) after: Option<u16>,
    /// Index in the tick and number of packets of the tick.
    pub(super) part: (u8, u8),
    pub(super) partial: bool,
    pub(super) ack: Option<Ack>,
    pub(super) chunks: Vec<Rc<Chunk>>,
    pub(super) call: Option<u32>,
}

impl Datagram {
    pub(super) fn entries(&self) -> impl Iterator<Item = &ModelEntry> {
        self.chunks.iter().flat_map(|chunk| &chunk.entries)
    }
}

/// A message on the stream.
#[derive(Clone, Debug)]
pub(super) enum Message {
    /// Snapshot, and whether the client owns the object.
    Spawn(ModelEntry, bool),
    Gone(u32),
    /// Fields of a new or former owner, and whether the client owns the object now.
    Owner(ModelEntry, bool),
    Fields(ModelEntry),
    /// A datagram of a connection without datagrams.
    State(Datagram),
}

/// The messages of one update on the stream.
#[derive(Clone, Debug)]
pub(super) struct StreamPacket {
    pub(super) tick: u32,
    /// Number of datagrams of the tick.
    pub(super) datagrams: u8,
    pub(super) partial: bool,
    pub(super) messages: Vec<Message>,
}

#[derive(Clone, Debug)]
pub(super) enum Packet {
    Datagram(Datagram),
    Stream(StreamPacket),
}
