//! The full state of an object, as a message of its own or as the entry of a batch.

use crate::identity::{Place, Slots};
use crate::message::ObjectSpawn;
use crate::prefab::Prefab;
use crate::segments::{Room, Segments};
use crate::stats::Stats;
use crate::{
    Dialect, MessageType, NetId, NetworkHash128, NetworkWriter, Prefabs, Quaternion, SyncValue,
    Vector3, WriteError,
};

/// What all objects of a prefab have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) asset_id: NetworkHash128,
    /// The position of the prefab in the order of names, which both sides agree on.
    rank: u32,
    /// The position of its first behaviour in the statistics.
    pub(super) first_behaviour: usize,
    /// Whether there are fields with rules.
    pub(super) ruled: bool,
    /// Whether there are fields that not everyone reads.
    pub(super) private: bool,
    /// Whether there are fields that the owner writes.
    pub(super) owner_writes: bool,
}

impl Kind {
    /// Those of all prefabs, in the order of registration.
    pub(super) fn of_all(prefabs: &Prefabs) -> Vec<Self> {
        let kind = |(prefab, rank): (&Prefab, u32)| Self {
            asset_id: prefab.asset_id,
            rank,
            first_behaviour: prefab.first_behaviour,
            ruled: prefab.rules.any(),
            private: prefab.rules.private() != 0,
            owner_writes: prefab.rules.owner_write != 0,
        };
        prefabs
            .entries()
            .iter()
            .zip(prefabs.ranks())
            .map(kind)
            .collect()
    }
}

/// What is to be said about an object beyond the state of its behaviours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Description {
    pub(super) net_id: NetId,
    pub(super) kind: Kind,
    pub(super) place: Place,
    /// How long the message may be.
    pub(super) room: Room,
    /// Whether it is said to the owner, where that makes a difference.
    pub(super) for_owner: bool,
}

impl Description {
    /// Writes the full state of an object to several buffers, or to none if a value has no form on
    /// the wire.
    pub(super) fn write_all<'a>(
        &self,
        slots: &mut dyn Slots,
        outputs: impl Iterator<Item = &'a mut Segments>,
        stats: &mut Stats,
    ) -> Result<(), WriteError> {
        let mut begun = [None, None];
        let mut result = Ok(());
        for (place, segments) in begun.iter_mut().zip(outputs) {
            if result.is_ok() {
                result = self.write(slots, segments, stats);
                *place = Some(segments);
            }
        }
        for segments in begun.into_iter().flatten() {
            if result.is_ok() {
                let message_type = message_type(segments.dialect());
                stats.count_encoded(message_type, segments.commit_object());
            } else {
                segments.give_up_object();
            }
        }
        result
    }

    fn write(
        &self,
        slots: &mut dyn Slots,
        segments: &mut Segments,
        stats: &mut Stats,
    ) -> Result<(), WriteError> {
        match segments.dialect() {
            Dialect::Unet => {
                let names = (self.net_id, self.kind.asset_id);
                let place = (self.place.position, self.place.rotation);
                ObjectSpawn::encode(segments.begin(), names, place, |writer| {
                    self.write_state(slots, writer, stats);
                });
            }
            Dialect::Compact => {
                let writer = segments.begin_entry(MessageType::SpawnBatch, self.net_id);
                self.write_kind(writer);
                self.write_state(slots, writer, stats);
                segments.check_entry(self.room);
            }
        }
        segments.writer().take_error().map_or(Ok(()), Err)
    }

    /// The number of the prefab and whether position and rotation follow, in one varint; then those.
    fn write_kind(&self, writer: &mut NetworkWriter) {
        let Place { position, rotation } = self.place;
        let placed = !position.same(&Vector3::default());
        let turned = !rotation.same(&Quaternion::IDENTITY);
        let kind = u64::from(self.kind.rank) << 2 | u64::from(turned) << 1 | u64::from(placed);
        writer.write_varint(kind);
        if placed {
            writer.write(&position);
        }
        if turned {
            writer.write(&rotation);
        }
    }

    fn write_state(&self, slots: &mut dyn Slots, writer: &mut NetworkWriter, stats: &mut Stats) {
        let stats = stats.behaviours.get_mut(self.kind.first_behaviour..);
        writer.set_for_owner(self.for_owner);
        slots.write_full(writer, stats.unwrap_or_default());
        writer.set_for_owner(false);
        writer.at_behaviour(None);
    }
}

/// The type of the messages that say the full state.
fn message_type(dialect: Dialect) -> MessageType {
    match dialect {
        Dialect::Unet => MessageType::ObjectSpawn,
        Dialect::Compact => MessageType::SpawnBatch,
    }
}
