//! Snapshots of objects, as messages or as entries of a batch.

use syncvar_runtime::events::Events;
use syncvar_runtime::schema::Role;
use syncvar_runtime::unstable::object::{Fault, Slots, write_sections};
use syncvar_runtime::unstable::packet::{Segments, packed_length};
use syncvar_runtime::unstable::prefab::Prefab;
use syncvar_runtime::unstable::relations::{Place, Relation};
use syncvar_runtime::{
    ChangedFields, Channel, NetId, NetworkWriter, Quaternion, SyncValue, Vector3, WriteError,
};

use crate::message::{FRAME, Message, ObjectSpawn, ObjectSpawnScene, PARENT, SCENE_ID, SetParent};
use crate::server::objects::owner::refuse;
use crate::server::objects::prefab_info::PrefabInfo;
use crate::server::visibility::substitute::{LeftOut, SnapshotReceivers};
use crate::server::{ServerConfig, ServerEvent};
use crate::stats::Stats;
use crate::{Framing, MessageType};

/// Receivers of counters and failures.
pub(crate) struct Reports<'a> {
    pub(crate) stats: &'a mut Stats,
    pub(crate) events: &'a mut Events<ServerEvent>,
}

/// A snapshot without the state of the behaviours.
pub(crate) struct Snapshot<'a> {
    pub(crate) net_id: NetId,
    pub(crate) info: &'a PrefabInfo,
    pub(crate) prefab: &'a Prefab,
    /// Position and rotation, unless it is at the origin without rotation.
    pub(crate) place: Option<&'a Place>,
    pub(crate) relation: Relation,
    /// Maximum lengths of messages.
    pub(crate) config: &'a ServerConfig,
    /// Role of its readers.
    pub(crate) role: Role,
}

/// Parts of the write of a snapshot.
pub(crate) struct SnapshotWrite<'a> {
    pub(crate) snapshot: Snapshot<'a>,
    pub(crate) slots: &'a mut dyn Slots,
    /// Buffers of both framings.
    pub(crate) segments: [Option<&'a mut Segments>; 2],
    pub(crate) reports: Reports<'a>,
}

impl SnapshotWrite<'_> {
    /// Writes the snapshot to every buffer, or to none if a value has no form.
    #[expect(
        clippy::inline_always,
        reason = "a call moves all parts through memory, which costs a tenth of a join"
    )]
    #[inline(always)]
    pub(crate) fn run(&mut self, left_out: Option<&LeftOut>) -> Result<(), WriteError> {
        let Self {
            snapshot,
            slots,
            segments,
            reports,
        } = self;
        let [first, second] = segments;
        if let Some(first) = first {
            snapshot.write(*slots, left_out, first, reports)?;
        }
        if let Some(second) = second {
            let written = snapshot.write(*slots, left_out, second, reports);
            if let Some(first) = first
                && written.is_err()
            {
                first.give_up_object();
            }
            written?;
            snapshot.commit(second, reports.stats);
        }
        if let Some(first) = first {
            snapshot.commit(first, reports.stats);
        }
        Ok(())
    }

    /// Returns an empty choice of fields to leave out. `has_others`: whether further connections have the
    /// object.
    pub(crate) fn left_out(&mut self, has_others: bool) -> LeftOut {
        let framings = self.segments.iter().flatten();
        let framings: Vec<_> = framings.map(|segments| Framing::of(segments)).collect();
        let receivers = SnapshotReceivers {
            framings: &framings,
            role: self.snapshot.role,
            has_others,
            config: self.snapshot.config,
        };
        LeftOut::new(self.slots, &receivers)
    }
}

impl Snapshot<'_> {
    /// Writes the snapshot to a buffer that no connection receives.
    pub(crate) fn write_apart(
        &self,
        slots: &mut dyn Slots,
        segments: &mut Segments,
        reports: &mut Reports<'_>,
    ) -> Result<(), WriteError> {
        self.write(slots, None, segments, reports)?;
        segments.commit_object();
        Ok(())
    }

    /// Writes the snapshot to a buffer. A snapshot without a form leaves no bytes.
    #[expect(clippy::inline_always, reason = "as `run`")]
    #[inline(always)]
    fn write(
        &self,
        slots: &mut dyn Slots,
        left_out: Option<&LeftOut>,
        segments: &mut Segments,
        reports: &mut Reports<'_>,
    ) -> Result<(), WriteError> {
        match Framing::of(segments) {
            Framing::Unet => self.write_messages(slots, left_out, segments.begin(), reports),
            Framing::Compact => {
                let writer = segments.begin_entry(MessageType::SpawnBatch.number(), self.net_id);
                self.write_header(writer);
                self.write_state(slots, left_out, writer, reports);
                segments.check_entry(self.config.room(Channel::Reliable));
            }
        }
        match segments.writer().take_error() {
            Some(error) => {
                segments.give_up_object();
                Err(error)
            }
            None => Ok(()),
        }
    }

    /// Writes the parent message, if any, and the snapshot: both messages are sent, or neither.
    #[inline(never)]
    fn write_messages(
        &self,
        slots: &mut dyn Slots,
        left_out: Option<&LeftOut>,
        writer: &mut NetworkWriter,
        reports: &mut Reports<'_>,
    ) {
        let Place { position, rotation } = self.place.copied().unwrap_or_default();
        if let Some(parent) = self.relation.parent {
            let child = self.net_id;
            SetParent { child, parent }.encode(writer);
        }
        let write_state =
            |writer: &mut NetworkWriter| self.write_state(slots, left_out, writer, reports);
        if let Some(scene_id) = self.relation.scene_id {
            ObjectSpawnScene::encode(writer, self.net_id, scene_id, position, write_state);
        } else {
            let asset_id = self.info.asset_id;
            ObjectSpawn::encode(
                writer,
                self.net_id,
                asset_id,
                position,
                rotation,
                write_state,
            );
        }
    }

    /// Writes the prefab's number and the flags in one varint, then scene id and parent, position,
    /// rotation.
    #[inline]
    fn write_header(&self, writer: &mut NetworkWriter) {
        if self.place.is_none() && self.relation == Relation::default() {
            writer.write_varint(self.info.header());
        } else {
            self.write_long_header(writer);
        }
    }

    #[inline(never)]
    fn write_long_header(&self, writer: &mut NetworkWriter) {
        let position = { self.place.map(|place| &place.position) }
            .filter(|position| !position.same(&Vector3::default()));
        let rotation = { self.place.map(|place| &place.rotation) }
            .filter(|rotation| !rotation.same(&Quaternion::IDENTITY));
        let related = self.relation != Relation::default();
        let header = self.info.header()
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
        left_out: Option<&LeftOut>,
        writer: &mut NetworkWriter,
        Reports { stats, events }: &mut Reports<'_>,
    ) {
        let stats = stats.behaviours.get_mut(self.info.first_behaviour..);
        let stats = stats.unwrap_or_default();
        let context = writer.context().with_role(self.role);
        writer.with_context(context, |writer| match left_out {
            Some(left_out) => left_out.write(slots, self.prefab.make(), writer, stats),
            None => slots.write_full(writer, stats),
        });
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

    /// Ends the written snapshot and adds it to the statistics.
    #[inline]
    fn commit(&self, segments: &mut Segments, stats: &mut Stats) {
        let mut length = segments.commit_object();
        let framing = Framing::of(segments);
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
