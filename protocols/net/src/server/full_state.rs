//! The full state of an object, as a message of its own or as the entry of a batch.

use super::ServerEvent;
use super::owner::refuse;
use crate::events::Events;
use crate::message::{FRAME, Message, ObjectSpawn, ObjectSpawnScene, PARENT, SCENE_ID, SetParent};
use crate::object::Slots;
use crate::object::{Fault, write_sections};
use crate::packet::{Room, Segments, packed_length};
use crate::prefab::Prefab;
use crate::relations::{Place, Relation};
use crate::stats::Stats;
use crate::{
    ChangedFields, Framing, MessageType, NetId, NetworkHash128, NetworkWriter, Prefabs, Quaternion,
    SyncValue, Vector3, WriteError,
};

/// What all objects of a prefab have in common.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that hold independently"
)]
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
    /// Whether a behaviour is told of the life of its object.
    pub(super) lifecycle: bool,
    /// Whether a behaviour has data beside its fields.
    pub(super) synchronize: bool,
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
            lifecycle: prefab.lifecycle,
            synchronize: prefab.synchronize,
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
    pub(super) relation: Relation,
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
        (stats, events): (&mut Stats, &mut Events<ServerEvent>),
    ) -> Result<(), WriteError> {
        let mut begun = [None, None];
        let mut result = Ok(());
        for (place, segments) in begun.iter_mut().zip(outputs) {
            if result.is_ok() {
                result = self.write(slots, segments, (stats, events));
                *place = Some(segments);
            }
        }
        for segments in begun.into_iter().flatten() {
            if result.is_ok() {
                self.count(Framing::of(segments), segments.commit_object(), stats);
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
        told: (&mut Stats, &mut Events<ServerEvent>),
    ) -> Result<(), WriteError> {
        match Framing::of(segments) {
            Framing::Unet => self.write_messages(slots, segments.begin(), told),
            Framing::Compact => {
                let writer = segments.begin_entry(MessageType::SpawnBatch.number(), self.net_id);
                self.write_kind(writer);
                self.write_state(slots, writer, told);
                segments.check_entry(self.room);
            }
        }
        segments.writer().take_error().map_or(Ok(()), Err)
    }

    /// The message that says who the parent is, if there is one, and the full state: one is not sent
    /// without the other.
    #[inline(never)]
    fn write_messages(
        &self,
        slots: &mut dyn Slots,
        writer: &mut NetworkWriter,
        told: (&mut Stats, &mut Events<ServerEvent>),
    ) {
        let Place { position, rotation } = self.place;
        if let Some(parent) = self.relation.parent {
            let child = self.net_id;
            SetParent { child, parent }.encode(writer);
        }
        let write_state = |writer: &mut NetworkWriter| self.write_state(slots, writer, told);
        if let Some(scene_id) = self.relation.scene_id {
            let names = (self.net_id, scene_id);
            ObjectSpawnScene::encode(writer, names, position, write_state);
        } else {
            let names = (self.net_id, self.kind.asset_id);
            ObjectSpawn::encode(writer, names, (position, rotation), write_state);
        }
    }

    /// The number of the prefab and what of the following there is, in one varint; then scene id and
    /// parent, position, rotation.
    fn write_kind(&self, writer: &mut NetworkWriter) {
        let Place { position, rotation } = self.place;
        let placed = !position.same(&Vector3::default());
        let turned = !rotation.same(&Quaternion::IDENTITY);
        let related = self.relation != Relation::default();
        let kind = u64::from(self.kind.rank) << 3
            | u64::from(related) << 2
            | u64::from(turned) << 1
            | u64::from(placed);
        writer.write_varint(kind);
        if related {
            self.write_extras(writer);
        }
        if placed {
            writer.write(&position);
        }
        if turned {
            writer.write(&rotation);
        }
    }

    /// Which extras there are, and those.
    #[cold]
    fn write_extras(&self, writer: &mut NetworkWriter) {
        let Relation { scene_id, parent } = self.relation;
        let scene_id = scene_id.map(|scene_id| (SCENE_ID, scene_id.0));
        let parent = parent.map(|parent| (PARENT, parent.0));
        let extras = [scene_id, parent].into_iter().flatten();
        writer.write_varint(extras.clone().map(|(flag, _)| flag).sum());
        for (_, number) in extras {
            writer.write_varint(number.into());
        }
    }

    fn write_state(
        &self,
        slots: &mut dyn Slots,
        writer: &mut NetworkWriter,
        (stats, events): (&mut Stats, &mut Events<ServerEvent>),
    ) {
        let stats = stats.behaviours.get_mut(self.kind.first_behaviour..);
        let stats = stats.unwrap_or_default();
        writer.set_for_owner(self.for_owner);
        slots.write_full(writer, stats);
        writer.set_for_owner(false);
        if self.kind.synchronize {
            let object = self.net_id;
            write_sections(slots, writer, stats, |schema, fault| match fault {
                Fault::Failed(error) => {
                    let behaviour = schema.name;
                    tracing::warn!(%object, behaviour, %error, "an on_synchronize could not write");
                    events.push(ServerEvent::SynchronizeFailed {
                        object,
                        behaviour,
                        error,
                    });
                }
                Fault::Refused(fields) => {
                    refuse(events, object, ChangedFields::new(schema, fields));
                }
            });
        }
        writer.at_behaviour(None);
    }

    /// Counts what has been written.
    fn count(&self, framing: Framing, mut length: usize, stats: &mut Stats) {
        let Relation { scene_id, parent } = self.relation;
        let message_type = match framing {
            Framing::Unet if scene_id.is_some() => MessageType::ObjectSpawnScene,
            Framing::Unet => MessageType::ObjectSpawn,
            Framing::Compact => MessageType::SpawnBatch,
        };
        if let Some(parent) = parent.filter(|_| framing == Framing::Unet) {
            let before = FRAME + packed_length(self.net_id) + packed_length(parent);
            stats.count_encoded(MessageType::SetParent, before);
            length -= before;
        }
        stats.count_encoded(message_type, length);
    }
}
