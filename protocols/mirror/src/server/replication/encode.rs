//! Encode buffers, and the layouts of messages.

use bytes::{Bytes, BytesMut};
use syncvar_runtime::object::{Profile, Slot, Slots};
use syncvar_runtime::prefab::Prefab;
use syncvar_runtime::{Encoding, NetId, NetworkWriter, WriteError};

use crate::batch::framed;
use crate::message::{EntityStateMessage, NetworkMessage, SpawnFlags};
use crate::prefabs::Entry;
use crate::server::MirrorServerStats;
use crate::server::replication::frame::{put_message, var_length};

/// Reused memory of the update loop.
#[derive(Debug)]
pub(in crate::server) struct Scratch {
    /// A short message, or the head of a long one.
    pub(in crate::server) head: NetworkWriter,
    /// Components for all observers.
    pub(in crate::server) observers: Components,
    /// Components for the owner.
    pub(in crate::server) owner: Components,
    /// Chunk for messages of single connections.
    chunk: BytesMut,
    /// Objects to update.
    pub(in crate::server) ids: Vec<NetId>,
    /// Mask and components of a spawn.
    pub(in crate::server) payload: Vec<u8>,
    /// A spawn message, reused for further observers.
    pub(in crate::server) spawn: NetworkWriter,
    /// Object and flags of that spawn; `None` if the object may have changed since.
    pub(in crate::server) cached_spawn: Option<(NetId, SpawnFlags)>,
    /// Values that were left out since the last report.
    pub(in crate::server) stopped: Vec<(NetId, Unwritable)>,
}

/// Components of an object, each behind its safety byte: the payload of Mirror's `NetworkIdentity`.
#[derive(Debug)]
pub(in crate::server) struct Components {
    /// Bits of the components.
    pub(in crate::server) mask: u64,
    pub(super) writer: NetworkWriter,
    /// Values that were left out of the last components.
    pub(super) stopped: Vec<Unwritable>,
}

/// A behaviour with a write error.
#[derive(Debug)]
pub(in crate::server) struct Unwritable {
    pub(in crate::server) behaviour: &'static str,
    pub(in crate::server) error: WriteError,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            head: NetworkWriter::with_encoding(Encoding::Mirror),
            observers: Components::default(),
            owner: Components::default(),
            chunk: BytesMut::new(),
            ids: Vec::new(),
            payload: Vec::new(),
            spawn: NetworkWriter::with_encoding(Encoding::Mirror),
            cached_spawn: None,
            stopped: Vec::new(),
        }
    }
}

impl Default for Components {
    fn default() -> Self {
        Self {
            mask: 0,
            writer: NetworkWriter::with_encoding(Encoding::Mirror),
            stopped: Vec::new(),
        }
    }
}

impl Components {
    fn clear(&mut self) {
        self.mask = 0;
        self.writer.truncate(0);
        self.writer.take_report();
    }

    /// Returns the number of pending operations that the snapshots announce.
    pub(in crate::server) fn take_announced(&mut self) -> usize {
        self.writer.take_report().pending
    }

    /// Returns the bytes without the mask.
    pub(in crate::server) fn bytes(&self) -> &[u8] {
        self.writer.as_bytes()
    }

    /// Returns the length with the mask; without components no mask is written.
    pub(in crate::server) fn len(&self) -> usize {
        match self.mask {
            0 => 0,
            mask => var_length(mask) + self.writer.len(),
        }
    }

    /// Writes a component behind its safety byte. Returns whether it wrote any fields.
    #[inline]
    fn write(
        &mut self,
        slot: &mut dyn Slot,
        index: u32,
        selection: &Selection<'_>,
    ) -> Result<bool, Unwritable> {
        let bit = 1 << index;
        let writer = &mut self.writer;
        let start = writer.len();
        writer.write_u8(0);
        let fully_dirty = selection.fully_dirty & bit != 0;
        let mut written = slot.write_layout(writer, selection.initial_state, fully_dirty);
        if let Some(error) = writer.take_error() {
            writer.truncate(start + 1);
            written = self.write_without_values(slot, index, selection, error)?;
        }
        let writer = &mut self.writer;
        if !written && !selection.initial_state {
            writer.truncate(start);
            return Ok(false);
        }
        let [length, ..] = (writer.len() - start - 1).to_le_bytes();
        writer.add_bits(start, length.into());
        self.mask |= bit;
        Ok(true)
    }
}

/// Object to write, its prefab, and the counters of its bytes.
pub(in crate::server) type Subject<'a> = (NetId, &'a Entry, &'a mut MirrorServerStats);

/// Components to write.
#[derive(Clone, Copy)]
pub(in crate::server) struct Selection<'a> {
    /// Components for all observers, and for the owner.
    pub(in crate::server) observers: u64,
    pub(in crate::server) owner: u64,
    /// Snapshots instead of deltas.
    pub(in crate::server) initial_state: bool,
    /// Components whose delta has all fields.
    pub(in crate::server) fully_dirty: u64,
    /// The prefab of the object: its values stand in the place of those without a form.
    pub(in crate::server) prefab: Option<&'a Prefab>,
}

impl Scratch {
    /// Writes components of an object, each once. If observers and owner receive the same ones,
    /// only the former are filled. Leaves out behaviours whose
    /// [`on_serialize`](syncvar_runtime::NetworkBehaviour::on_serialize) reports no changes. Counts
    /// the bytes of each component, once for all its receivers.
    pub(in crate::server) fn write_components(
        &mut self,
        slots: &mut dyn Slots,
        selection: Selection<'_>,
        (id, entry, stats): Subject<'_>,
    ) -> Result<(), Unwritable> {
        if let Some(profile) = &mut stats.profile {
            count_fields(profile, (id, entry), slots, selection);
        }
        let costs = stats.behaviours.get_mut(entry.first_behaviour..);
        let costs = costs.unwrap_or_default();
        let Self {
            observers,
            owner,
            stopped,
            ..
        } = self;
        observers.clear();
        owner.clear();
        let is_shared = selection.observers == selection.owner;
        let mut rest = selection.observers | selection.owner;
        while rest != 0 {
            let index = rest.trailing_zeros();
            rest &= rest - 1;
            let Some(slot) = slots.slot_mut(index as usize) else {
                continue;
            };
            let bit = 1 << index;
            let is_shown = selection.observers & bit != 0;
            let receiver = if is_shown {
                &mut *observers
            } else {
                &mut *owner
            };
            let start = receiver.writer.len();
            let written = receiver.write(slot, index, &selection)?;
            if let Some(cost) = costs.get_mut(index as usize).filter(|_| written) {
                let counter = if selection.initial_state {
                    &mut cost.full
                } else {
                    &mut cost.delta
                };
                counter.add(receiver.writer.len() - start);
            }
            if !is_shown {
                continue;
            }
            if written && !is_shared && selection.owner & bit != 0 {
                owner.mask |= bit;
                let component = observers.bytes().get(start..).unwrap_or_default();
                owner.writer.write_bytes(component);
            }
        }
        for components in [observers, owner] {
            if !components.stopped.is_empty() {
                let left_out = components.stopped.drain(..);
                stopped.extend(left_out.map(|unwritable| (id, unwritable)));
            }
        }
        Ok(())
    }

    /// Returns all written components.
    pub(in crate::server) fn mask(&self) -> u64 {
        self.observers.mask | self.owner.mask
    }

    /// Returns the length of the longer hybrid message: for the observers or for the owner.
    pub(in crate::server) fn longest_message(&self, net_id: NetId) -> usize {
        let messages = [&self.observers, &self.owner].map(|it| hybrid_length(net_id, it));
        messages.into_iter().max().unwrap_or_default()
    }

    /// Takes the mask and the components for all observers; the caller returns the memory to
    /// [`payload`](Self::payload).
    pub(in crate::server) fn take_payload(&mut self) -> Vec<u8> {
        let mut payload = std::mem::take(&mut self.payload);
        payload.clear();
        if self.observers.mask != 0 {
            self.head.truncate(0);
            self.head.write_var_u64(self.observers.mask);
            payload.extend_from_slice(self.head.as_bytes());
            payload.extend_from_slice(self.observers.bytes());
        }
        payload
    }

    /// Returns a message for one connection, with the components of the owner or of all: a slice of
    /// a shared chunk.
    pub(in crate::server) fn owner_message(&mut self, is_shared: bool) -> Bytes {
        let components = if is_shared {
            &self.observers
        } else {
            &self.owner
        };
        let parts = [self.head.as_bytes(), components.bytes()];
        reserve_chunk(&mut self.chunk, parts.iter().map(|part| part.len()).sum());
        for part in parts {
            self.chunk.extend_from_slice(part);
        }
        self.chunk.split().freeze()
    }

    /// Returns a batch of this header and this message, as a slice of the chunk.
    pub(in crate::server) fn single_batch<'a, M: NetworkMessage<'a>>(
        &mut self,
        before: &[u8],
        message: &M,
    ) -> Bytes {
        write_message(&mut self.head, message);
        let message = self.head.as_bytes();
        reserve_chunk(&mut self.chunk, before.len() + framed(message.len()));
        self.chunk.extend_from_slice(before);
        put_message(&mut self.chunk, &[message]);
        self.chunk.split().freeze()
    }
}

/// Counts the fields of a delta before it is written.
#[cold]
fn count_fields(
    profile: &mut Profile,
    (id, entry): (NetId, &Entry),
    slots: &mut dyn Slots,
    selection: Selection<'_>,
) {
    if selection.initial_state {
        return;
    }
    let mut bit = 1;
    slots.for_each_mut(|slot| {
        if selection.fully_dirty & bit != 0 {
            let packed = slot.info().packed;
            slot.set_dirty_bit(packed.values & packed.changes);
        }
        bit = bit.wrapping_shl(1);
    });
    let written = selection.observers | selection.owner;
    let first = entry.first_behaviour;
    profile.count(
        id,
        &entry.name,
        first,
        slots,
        Encoding::Mirror,
        |index, _| {
            if written >> index & 1 == 1 {
                u64::MAX
            } else {
                0
            }
        },
    );
}

/// Size of a chunk.
const CHUNK_SIZE: usize = 4096;

/// Reserves memory for a message, so that it does not move.
fn reserve_chunk(chunk: &mut BytesMut, length: usize) {
    if chunk.capacity() < length {
        chunk.reserve(length.max(CHUNK_SIZE));
    }
}

/// Writes the head of a message that ends with a segment: id, object, and length. Mirror,
/// `WriteArraySegmentAndSize`.
pub(in crate::server) fn write_head(head: &mut NetworkWriter, id: u16, net_id: NetId) {
    head.truncate(0);
    head.write_u16(id);
    head.write_var_u64(net_id.0.into());
}

/// Writes the length of a segment.
pub(in crate::server) fn write_segment_size(head: &mut NetworkWriter, length: usize) {
    head.write_var_u64(u64::try_from(length).unwrap_or(u64::MAX).saturating_add(1));
}

/// Head of a hybrid message: its id and the number of a baseline.
pub(in crate::server) type Head = (u16, u8);

/// Returns the length of a hybrid message, without its length prefix.
fn hybrid_length(net_id: NetId, components: &Components) -> usize {
    let payload = components.len();
    2 + 1 + var_length(net_id.0.into()) + var_length(payload as u64 + 1) + payload
}

/// Writes a hybrid message up to its components, with its length prefix as in a batch.
pub(in crate::server) fn write_framed_head(
    head: &mut NetworkWriter,
    (id, tick): Head,
    net_id: NetId,
    components: &Components,
) {
    head.truncate(0);
    head.write_var_u64(hybrid_length(net_id, components) as u64);
    write_hybrid_head(head, (id, tick), net_id, components);
}

/// Writes a hybrid message up to its components, without a length prefix.
pub(in crate::server) fn write_hybrid_head(
    head: &mut NetworkWriter,
    (id, tick): Head,
    net_id: NetId,
    components: &Components,
) {
    head.write_u16(id);
    head.write_u8(tick);
    head.write_var_u64(net_id.0.into());
    write_segment_size(head, components.len());
    head.write_var_u64(components.mask);
}

/// Writes an `EntityStateMessage` up to its components, with its length prefix as in a batch.
#[inline]
pub(in crate::server) fn write_state_head(
    head: &mut NetworkWriter,
    net_id: NetId,
    components: &Components,
) {
    let (id, payload) = (u64::from(net_id.0), components.len() as u64);
    let length = 2 + var_length(id) as u64 + var_length(payload + 1) as u64 + payload;
    head.truncate(0);
    head.write_var_u64(length);
    head.write_u16(EntityStateMessage::ID);
    head.write_var_u64(id);
    head.write_var_u64(payload + 1);
    head.write_var_u64(components.mask);
}

/// Writes a whole message.
pub(in crate::server) fn write_message<'a, M: NetworkMessage<'a>>(
    head: &mut NetworkWriter,
    message: &M,
) {
    head.truncate(0);
    message.encode(head);
}
