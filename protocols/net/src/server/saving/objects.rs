//! Bytes of objects with all fields.

use syncvar_runtime::schema::{Role, each_bit};
use syncvar_runtime::unstable::object::{MAX_CHANNELS, Slot, Slots};
use syncvar_runtime::unstable::packet::{Room, Segments};
use syncvar_runtime::unstable::relations::Relation;
use syncvar_runtime::unstable::world::World;
use syncvar_runtime::{Channel, NetId, NetworkSceneId};

use crate::record::{ItemWriter, packets};
use crate::save::SaveError;
use crate::server::context::Context;
use crate::server::objects::Objects;
use crate::server::visibility::snapshot::{Reports, Snapshot};
use crate::stats::Stats;

/// Writer of objects: snapshots, then the fields that they do not contain, by channel.
#[derive(Debug)]
pub(crate) struct ObjectWriter {
    snapshots: Segments,
    /// Deltas by channel.
    changes: Vec<Segments>,
    /// Counters that nobody reads: no client receives these bytes.
    stats: Stats,
}

impl Default for ObjectWriter {
    fn default() -> Self {
        Self {
            snapshots: packets(),
            changes: Vec::new(),
            stats: Stats::default(),
        }
    }
}

impl ObjectWriter {
    /// Adds an object with all fields. A reader of the record has no scene: the scene id is a fact.
    ///
    /// # Errors
    ///
    /// For a checked out object, and a value without a form.
    pub(crate) fn add(
        &mut self,
        context: &mut Context,
        objects: &mut Objects,
        id: NetId,
    ) -> Result<(), SaveError> {
        self.write_snapshot(context, objects, id, None)?;
        let Some(slots) = objects.world.slots_mut(id) else {
            return Ok(());
        };
        let secret = |slot: &dyn Slot| {
            let info = slot.info();
            let is_present = slot.behaviour().is_present();
            let fields = info.schema.dirty_bits() & !info.policy.readable(Role::Observer);
            if is_present { fields } else { 0 }
        };
        let masks: Vec<u64> = <dyn Slots>::iter(slots).map(secret).collect();
        let room = context.config.room(Channel::Reliable);
        self.add_masks(id, slots, room, &masks)
    }

    /// Adds an object with the fields of an observer, and its scene id.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub(crate) fn add_snapshot(
        &mut self,
        context: &mut Context,
        objects: &mut Objects,
        id: NetId,
    ) -> Result<(), SaveError> {
        let scene_id = objects.world.relations.scene_id(id);
        self.write_snapshot(context, objects, id, scene_id)
    }

    fn write_snapshot(
        &mut self,
        context: &mut Context,
        objects: &mut Objects,
        id: NetId,
        scene_id: Option<NetworkSceneId>,
    ) -> Result<(), SaveError> {
        let World {
            pools,
            places,
            prefabs,
            relations,
            objects: entries,
            ..
        } = &mut objects.world;
        let Some(at) = entries.get(id.0).map(|replicated| replicated.at) else {
            return Ok(());
        };
        let prefab = pools.prefab(at.pool);
        let info = objects.prefab_infos.get(prefab as usize);
        let (Some(info), Some(prefab)) = (info, prefabs.get(prefab)) else {
            return Ok(());
        };
        let slots = pools.slots_mut(at).ok_or(SaveError::CheckedOut(id))?;
        let snapshot = Snapshot {
            net_id: id,
            info,
            prefab,
            place: places.get(id.0),
            relation: Relation {
                scene_id,
                parent: relations.parent(id),
            },
            config: &context.config,
            role: Role::Observer,
        };
        let mut reports = Reports {
            stats: &mut self.stats,
            events: &mut context.events,
        };
        let written = snapshot.write_apart(slots, &mut self.snapshots, &mut reports);
        written.map_err(|error| SaveError::Value { object: id, error })
    }

    /// Adds some fields of an object with their present values, as masks by behaviour.
    ///
    /// # Errors
    ///
    /// For a value without a form.
    pub(crate) fn add_masks(
        &mut self,
        id: NetId,
        slots: &mut dyn Slots,
        room: Room,
        masks: &[u64],
    ) -> Result<(), SaveError> {
        let mut channels = 0_u64;
        for (slot, _) in slots.iter().zip(masks).filter(|(_, mask)| **mask != 0) {
            let channel = u32::from(slot.info().channel);
            channels |= 1_u64.checked_shl(channel).unwrap_or_default();
        }
        for bit in each_bit(channels) {
            let channel = bit.trailing_zeros();
            let segments = self.channel(channel as usize);
            let writer = segments.begin_update(id);
            let mut masks = masks.iter();
            slots.for_each_mut(|slot| {
                let mask = masks.next().copied().unwrap_or_default();
                if u32::from(slot.info().channel) == channel {
                    slot.write_again(mask, writer);
                }
            });
            if let Some(error) = segments.check_update(room) {
                segments.give_up_object();
                return Err(SaveError::Value { object: id, error });
            }
            segments.commit_object();
        }
        Ok(())
    }

    fn channel(&mut self, channel: usize) -> &mut Segments {
        let count = self.changes.len().max(channel.min(MAX_CHANNELS - 1) + 1);
        self.changes.resize_with(count, packets);
        &mut self.changes[channel.min(MAX_CHANNELS - 1)]
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        let buffers = self.changes.iter().chain([&self.snapshots]);
        buffers.map(|segments| segments.as_bytes().len()).sum()
    }

    /// Moves the bytes to the items of a record.
    pub(crate) fn drain_into(&mut self, items: &mut ItemWriter) {
        self.drain_snapshots(items);
        self.drain_changes(items);
    }

    /// Moves the snapshots to the items of a record.
    pub(crate) fn drain_snapshots(&mut self, items: &mut ItemWriter) {
        let chunks: Vec<_> = self.snapshots.drain().collect();
        items.add(0, Channel::Reliable, &chunks);
    }

    /// Moves the deltas to the items of a record.
    pub(crate) fn drain_changes(&mut self, items: &mut ItemWriter) {
        for (channel, segments) in (0_u8..).zip(&mut self.changes) {
            let chunks: Vec<_> = segments.drain().collect();
            items.add(channel, Channel::Reliable, &chunks);
        }
    }
}
