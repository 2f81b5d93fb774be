//! Encoding of objects: their components in reused buffers, and the heads of messages.

pub(crate) mod stopped;

use bytes::Bytes;
use syncvar_runtime::unstable::object::{Profile, Slot, Slots};
use syncvar_runtime::unstable::prefab::Prefab;
use syncvar_runtime::{Encoding, NetId, NetworkWriter};

use crate::message::{EntityStateMessage, EntityStateMessageUnreliableDelta, NetworkMessage};
use crate::prefabs::PrefabEntry;
use crate::server::batches::chunk::MessageChunk;
use crate::server::batches::frame::var_length;
use crate::server::stats::MirrorServerStats;
use stopped::Unwritable;

/// Reused memory for components and heads.
#[derive(Debug)]
pub(crate) struct Encoder {
    /// A short message, or the head of a long message.
    pub(crate) head: NetworkWriter,
    /// Components for all observers.
    pub(crate) observers: Components,
    /// Components for the owner.
    pub(crate) owner: Components,
    /// Memory for messages of single owners.
    chunk: MessageChunk,
    /// Values that were left out since the last report.
    pub(crate) stopped: Vec<(NetId, Unwritable)>,
}

/// Components of an object, each behind its safety byte: the payload of Mirror's `NetworkIdentity`.
#[derive(Debug)]
pub(crate) struct Components {
    /// Bits of the components.
    pub(crate) mask: u64,
    pub(super) writer: NetworkWriter,
    /// Values that were left out of the last components.
    pub(super) stopped: Vec<Unwritable>,
}

impl Default for Encoder {
    fn default() -> Self {
        Self {
            head: NetworkWriter::with_encoding(Encoding::Mirror),
            observers: Components::default(),
            owner: Components::default(),
            chunk: MessageChunk::default(),
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
    pub(crate) fn take_announced(&mut self) -> usize {
        self.writer.take_report().pending
    }

    /// Returns the bytes without the mask.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.writer.as_bytes()
    }

    /// Returns the length with the mask; without components no mask is written.
    pub(crate) fn len(&self) -> usize {
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
        selection: &ComponentSelection<'_>,
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
pub(crate) struct Subject<'a> {
    pub(crate) id: NetId,
    pub(crate) entry: &'a PrefabEntry,
    pub(crate) stats: &'a mut MirrorServerStats,
}

/// Components to write.
#[derive(Clone, Copy)]
pub(crate) struct ComponentSelection<'a> {
    /// Components for all observers, and for the owner.
    pub(crate) observers: u64,
    pub(crate) owner: u64,
    /// Snapshots instead of deltas.
    pub(crate) initial_state: bool,
    /// Components whose delta has all fields.
    pub(crate) fully_dirty: u64,
    /// The prefab of the object: its values stand in the place of those without a form.
    pub(crate) prefab: Option<&'a Prefab>,
}

impl Encoder {
    /// Writes components of an object, each once. If observers and owner receive the same
    /// components, `owner` stays empty. Leaves out behaviours whose
    /// [`on_serialize`](syncvar_runtime::NetworkBehaviour::on_serialize) reports no changes. Counts
    /// the bytes of each component, once for all its receivers.
    pub(crate) fn write_components(
        &mut self,
        slots: &mut dyn Slots,
        selection: ComponentSelection<'_>,
        subject: Subject<'_>,
    ) -> Result<(), Unwritable> {
        let Subject { id, entry, stats } = subject;
        if let Some(profile) = &mut stats.profile {
            count_fields(profile, id, entry, slots, selection);
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
            let left_out = components.stopped.drain(..);
            stopped.extend(left_out.map(|unwritable| (id, unwritable)));
        }
        Ok(())
    }

    /// Returns all written components.
    pub(crate) fn mask(&self) -> u64 {
        self.observers.mask | self.owner.mask
    }

    /// Returns the length of the longer hybrid message: for the observers or for the owner.
    pub(crate) fn longest_message(&self, net_id: NetId) -> usize {
        let messages = [&self.observers, &self.owner].map(|it| hybrid_length(net_id, it));
        messages.into_iter().max().unwrap_or_default()
    }

    /// Writes the mask and the components for all observers into a payload.
    pub(crate) fn write_payload(&mut self, payload: &mut Vec<u8>) {
        payload.clear();
        if self.observers.mask != 0 {
            self.head.truncate(0);
            self.head.write_var_u64(self.observers.mask);
            payload.extend_from_slice(self.head.as_bytes());
            payload.extend_from_slice(self.observers.bytes());
        }
    }

    /// Returns a message for the owner, with the components of the owner or of the observers: a slice of
    /// a shared chunk.
    pub(crate) fn owner_message(&mut self, is_shared: bool) -> Bytes {
        let components = if is_shared {
            &self.observers
        } else {
            &self.owner
        };
        let parts = [self.head.as_bytes(), components.bytes()];
        self.chunk.join(parts)
    }
}

/// Counts the fields of a delta before it is written.
#[cold]
fn count_fields(
    profile: &mut Profile,
    id: NetId,
    entry: &PrefabEntry,
    slots: &mut dyn Slots,
    selection: ComponentSelection<'_>,
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

/// Writes the head of a message that ends with a segment: id, object, and length. Mirror,
/// `WriteArraySegmentAndSize`.
pub(crate) fn write_head(head: &mut NetworkWriter, id: u16, net_id: NetId) {
    head.truncate(0);
    head.write_u16(id);
    head.write_var_u64(net_id.0.into());
}

/// Writes the length of a segment.
pub(crate) fn write_segment_size(head: &mut NetworkWriter, length: usize) {
    head.write_var_u64(u64::try_from(length).unwrap_or(u64::MAX).saturating_add(1));
}

/// Head of a hybrid message.
#[derive(Clone, Copy)]
pub(crate) struct HybridHead {
    /// Id of the message.
    pub(crate) message: u16,
    /// Number of the baseline.
    pub(crate) tick: u8,
}

impl HybridHead {
    /// Returns the head of a delta relative to a baseline.
    pub(crate) const fn delta(tick: u8) -> Self {
        let message = EntityStateMessageUnreliableDelta::ID;
        Self { message, tick }
    }
}

/// Returns the length of a hybrid message, without its length prefix.
fn hybrid_length(net_id: NetId, components: &Components) -> usize {
    let payload = components.len();
    2 + 1 + var_length(net_id.0.into()) + var_length(payload as u64 + 1) + payload
}

/// Writes a hybrid message up to its components, with its length prefix as in a batch.
pub(crate) fn write_framed_head(
    head: &mut NetworkWriter,
    of: HybridHead,
    net_id: NetId,
    components: &Components,
) {
    head.truncate(0);
    head.write_var_u64(hybrid_length(net_id, components) as u64);
    write_hybrid_head(head, of, net_id, components);
}

/// Writes a hybrid message up to its components, without a length prefix.
pub(crate) fn write_hybrid_head(
    head: &mut NetworkWriter,
    of: HybridHead,
    net_id: NetId,
    components: &Components,
) {
    head.write_u16(of.message);
    head.write_u8(of.tick);
    head.write_var_u64(net_id.0.into());
    write_segment_size(head, components.len());
    head.write_var_u64(components.mask);
}

/// Writes an `EntityStateMessage` up to its components, with its length prefix as in a batch.
#[inline]
pub(crate) fn write_state_head(head: &mut NetworkWriter, net_id: NetId, components: &Components) {
    let (id, payload) = (u64::from(net_id.0), components.len() as u64);
    let length = 2 + var_length(id) as u64 + var_length(payload + 1) as u64 + payload;
    head.truncate(0);
    head.write_var_u64(length);
    head.write_u16(EntityStateMessage::ID);
    head.write_var_u64(id);
    head.write_var_u64(payload + 1);
    head.write_var_u64(components.mask);
}
