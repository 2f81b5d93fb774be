//! Snapshots of objects, as messages or as entries of a batch.

use syncvar_runtime::events::Events;
use syncvar_runtime::object::{Fault, Slots, write_sections};
use syncvar_runtime::packet::{Room, Segments, packed_length};
use syncvar_runtime::prefab::Prefab;
use syncvar_runtime::relations::{Place, Relation};
use syncvar_runtime::schema::{PolicyBits, Role};
use syncvar_runtime::{
    ChangedFields, Encoding, NetId, NetworkHash128, NetworkWriter, Prefabs, Quaternion, SyncValue,
    Vector3, WriteError,
};

use crate::message::{FRAME, Message, ObjectSpawn, ObjectSpawnScene, PARENT, SCENE_ID, SetParent};
use crate::server::ServerEvent;
use crate::server::objects::owner::refuse;
use crate::stats::Stats;
use crate::{Framing, MessageType};

/// Facts about a prefab.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct PrefabInfo {
    pub(in crate::server) asset_id: NetworkHash128,
    /// Position of the prefab in the order of names, which both sides share.
    rank: u32,
    /// Index of its first behaviour in the statistics.
    pub(in crate::server) first_behaviour: usize,
    /// Restricted fields of its behaviours.
    pub(in crate::server) policy: PolicyBits,
    /// Whether a behaviour has data beside its fields.
    pub(in crate::server) synchronize: bool,
}

impl PrefabInfo {
    /// Returns the facts about all prefabs, in the order of registration.
    pub(in crate::server) fn of_all(prefabs: &Prefabs) -> Vec<Self> {
        let info = |(prefab, rank): (&Prefab, u32)| Self {
            asset_id: prefab.asset_id,
            rank,
            first_behaviour: prefab.first_behaviour,
            policy: prefab.rules,
            synchronize: prefab.synchronize,
        };
        prefabs
            .entries()
            .iter()
            .zip(prefabs.ranks())
            .map(info)
            .collect()
    }
}

/// Receivers of counters and failures.
pub(in crate::server) struct Reports<'a> {
    pub(in crate::server) stats: &'a mut Stats,
    pub(in crate::server) events: &'a mut Events<ServerEvent>,
    /// Encoding of a snapshot with a value that is above a limit and was left empty.
    pub(in crate::server) left_empty: Option<Encoding>,
}

/// A snapshot without the state of the behaviours.
#[derive(Debug)]
pub(in crate::server) struct Snapshot<'a> {
    pub(in crate::server) net_id: NetId,
    pub(in crate::server) info: &'a PrefabInfo,
    /// Position and rotation, unless it is at the origin without rotation.
    pub(in crate::server) place: Option<&'a Place>,
    pub(in crate::server) relation: Relation,
    /// Maximum length of the message.
    pub(in crate::server) room: Room,
    /// Role of its readers.
    pub(in crate::server) role: Role,
}

impl Snapshot<'_> {
    /// Writes the snapshot to the buffers of both framings, or to none if a value cannot be encoded.
    pub(in crate::server) fn write_all(
        &self,
        slots: &mut dyn Slots,
        mut outputs: [Option<&mut Segments>; 2],
        reports: &mut Reports<'_>,
    ) -> Result<(), WriteError> {
        let (mut begun, mut result) = (0, Ok(()));
        for segments in outputs.iter_mut().flatten() {
            begun += 1;
            result = self.write(slots, segments, reports);
            if result.is_err() {
                break;
            }
        }
        for segments in outputs.into_iter().flatten().take(begun) {
            if result.is_ok() {
                let length = segments.commit_object();
                self.count(Framing::of(segments), length, reports.stats);
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
        reports: &mut Reports<'_>,
    ) -> Result<(), WriteError> {
        match Framing::of(segments) {
            Framing::Unet => self.write_messages(slots, segments.begin(), reports),
            Framing::Compact => {
                let writer = segments.begin_entry(MessageType::SpawnBatch.number(), self.net_id);
                self.write_header(writer);
                self.write_state(slots, writer, reports);
                segments.check_entry(self.room);
            }
        }
        match segments.writer().take_error() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Writes the parent message, if any, and the snapshot: one is never sent without the other.
    #[inline(never)]
    fn write_messages(
        &self,
        slots: &mut dyn Slots,
        writer: &mut NetworkWriter,
        reports: &mut Reports<'_>,
    ) {
        let Place { position, rotation } = self.place.copied().unwrap_or_default();
        if let Some(parent) = self.relation.parent {
            let child = self.net_id;
            SetParent { child, parent }.encode(writer);
        }
        let write_state = |writer: &mut NetworkWriter| self.write_state(slots, writer, reports);
        if let Some(scene_id) = self.relation.scene_id {
            let names = (self.net_id, scene_id);
            ObjectSpawnScene::encode(writer, names, position, write_state);
        } else {
            let names = (self.net_id, self.info.asset_id);
            ObjectSpawn::encode(writer, names, (position, rotation), write_state);
        }
    }

    /// Writes the prefab's number and the flags in one varint, then scene id and parent, position,
    /// rotation.
    fn write_header(&self, writer: &mut NetworkWriter) {
        let position = { self.place.map(|place| &place.position) }
            .filter(|position| !position.same(&Vector3::default()));
        let rotation = { self.place.map(|place| &place.rotation) }
            .filter(|rotation| !rotation.same(&Quaternion::IDENTITY));
        let related = self.relation != Relation::default();
        let header = u64::from(self.info.rank) << 3
            | u64::from(related) << 2
            | u64::from(rotation.is_some()) << 1
            | u64::from(position.is_some());
        writer.write_varint(header);
        if related {
            self.write_extras(writer);
        }
        if let Some(position) = position {
            writer.write(position);
        }
        if let Some(rotation) = rotation {
            writer.write(rotation);
        }
    }

    /// Writes the flags of scene id and parent, then their values.
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
        Reports {
            stats,
            events,
            left_empty,
        }: &mut Reports<'_>,
    ) {
        let stats = stats.behaviours.get_mut(self.info.first_behaviour..);
        let stats = stats.unwrap_or_default();
        writer.begin_leaving_empty();
        if self.role == Role::Observer {
            slots.write_full(writer, stats);
        } else {
            let context = writer.context().with_role(self.role);
            writer.with_context(context, |writer| slots.write_full(writer, stats));
        }
        if writer.end_leaving_empty() {
            *left_empty = Some(writer.encoding());
        }
        if self.info.synchronize {
            let object = self.net_id;
            write_sections(slots, writer, stats, |class, fault| match fault {
                Fault::Failed(error) => {
                    let behaviour = class.schema.name;
                    tracing::warn!(%object, behaviour, %error, "an on_synchronize could not write");
                    events.push(ServerEvent::SynchronizeFailed {
                        object,
                        behaviour,
                        error,
                    });
                }
                Fault::Refused(fields) => {
                    refuse(events, object, ChangedFields::new(class, fields));
                }
            });
        }
        writer.at_behaviour(None);
    }

    /// Adds a snapshot to the statistics.
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
