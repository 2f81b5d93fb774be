//! Snapshots on their way to the same connections.
//!
//! A snapshot is written when an object enters a view, and its bytes wait in the batch. Objects that enter together mostly
//! enter the same views: a connection that sees a new area receives all objects of the area. Successive snapshots with
//! equal receivers share the buffers of both framings, and leave as a few large chunks. Snapshots for a different list of
//! receivers flush the batch; so do a message that has to follow a snapshot (authority, permit) and the end of a step.
//!
//! ```text
//! send_snapshot(7, [a b]) ─┐
//! send_snapshot(8, [a b]) ─┴─> batch [a b]: │7 8│ Compact, │7 8│ Unet
//! send_snapshot(9, [c])   ───> flush: chunks to a and b; batch [c]: │9│
//! flush_snapshots         ───> flush: chunks to c
//! ```
//!
//! A snapshot is written to every buffer or to none: otherwise receivers of one framing would lack the object. If a value
//! has no form, or the snapshot exceeds the longest message, the snapshot is written again with the values of the prefab in
//! the longest fields ([`LeftOut`](super::substitute::LeftOut)). These fields stay dirty: the next delta has them.
//!
//! There are three outputs of a snapshot: the buffers of an audience (a new object, for all observers at once), the batch,
//! or the buffers of a join.

use bytes::Bytes;
use syncvar_runtime::schema::Role;
use syncvar_runtime::unstable::object::Outputs;
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::unstable::relations::Relation;
use syncvar_runtime::unstable::world::World;
use syncvar_runtime::{AudienceId, ConnectionId, NetId, WriteError};

use crate::Framing;
use crate::server::ServerEvent;
use crate::server::ground::Ground;
use crate::server::objects::replicated::State;
use crate::server::sessions::Sessions;
use crate::server::visibility::Visibility;
use crate::server::visibility::snapshot::{Reports, Snapshot, SnapshotWrite};

/// Snapshots for the same connections, encoded once for each of their framings.
#[derive(Debug)]
pub(crate) struct SnapshotBatch {
    receivers: Vec<ConnectionId>,
    unet: FramingBuffer,
    compact: FramingBuffer,
}

/// Bytes in a framing.
#[derive(Debug)]
struct FramingBuffer {
    /// Whether a receiver has the framing.
    is_spoken: bool,
    segments: Segments,
}

/// Destination of a snapshot.
pub(crate) enum SnapshotOutput<'a> {
    /// The buffers of an audience.
    Audience(AudienceId),
    /// The batch of these connections.
    Batch(&'a [ConnectionId]),
    /// A buffer for connections that join.
    Join(&'a mut Segments),
}

impl SnapshotBatch {
    pub(crate) fn new(packet_size: usize) -> Self {
        let buffer = |framing: Framing| FramingBuffer {
            is_spoken: false,
            segments: framing.segments(packet_size),
        };
        Self {
            receivers: Vec::new(),
            unet: buffer(Framing::Unet),
            compact: buffer(Framing::Compact),
        }
    }

    /// Takes the receivers of the next snapshots.
    fn open(&mut self, sessions: &Sessions, receivers: &[ConnectionId]) {
        (self.unet.is_spoken, self.compact.is_spoken) = (false, false);
        for receiver in receivers {
            match sessions.framing(*receiver) {
                Some(Framing::Unet) => self.unet.is_spoken = true,
                Some(Framing::Compact) => self.compact.is_spoken = true,
                None => {}
            }
        }
        self.receivers.extend_from_slice(receivers);
    }

    fn spoken(&mut self) -> [Option<&mut Segments>; 2] {
        let both = [&mut self.unet, &mut self.compact];
        both.map(|buffer| buffer.is_spoken.then_some(&mut buffer.segments))
    }
}

impl Visibility {
    /// Writes a snapshot for these connections. Returns whether it was written.
    pub(super) fn write_snapshot(
        &mut self,
        ground: &mut Ground<'_>,
        id: NetId,
        receivers: &[ConnectionId],
        role: Role,
    ) -> bool {
        self.encode_snapshot(ground, id, SnapshotOutput::Batch(receivers), role)
    }

    /// Encodes the snapshot of an object to all buffers of an output, or to none. Returns whether
    /// it was encoded.
    pub(super) fn encode_snapshot(
        &mut self,
        ground: &mut Ground<'_>,
        id: NetId,
        mut output: SnapshotOutput<'_>,
        role: Role,
    ) -> bool {
        if let SnapshotOutput::Batch(receivers) = output
            && self.snapshot_batch.receivers != receivers
        {
            self.flush_snapshots(ground);
            self.snapshot_batch.open(ground.sessions, receivers);
        }
        let Some(mut write) = self.open_snapshot(ground, id, &mut output, role) else {
            return false;
        };
        let synchronize = write.snapshot.info.synchronize;
        if let Err(error) = write.run(None)
            && !self.encode_without_values(ground, id, output, role, error)
        {
            return false;
        }
        ground.objects.requeue_if_dirty(id, synchronize);
        true
    }

    /// Returns the parts of the write of a snapshot. None for an object that waits.
    #[expect(
        clippy::inline_always,
        reason = "a call moves all parts through memory, which costs a tenth of a join"
    )]
    #[inline(always)]
    fn open_snapshot<'a>(
        &'a mut self,
        ground: &'a mut Ground<'_>,
        id: NetId,
        output: &'a mut SnapshotOutput<'_>,
        role: Role,
    ) -> Option<SnapshotWrite<'a>> {
        let objects = &mut *ground.objects;
        let context = &mut *ground.context;
        let replicated = objects.world.objects.get(id.0);
        let replicated = replicated.filter(|it| !it.is(State::WriteFailed))?;
        let (at, related) = (replicated.at, replicated.is(State::Related));
        let mut relation = Relation::default();
        if related {
            relation = objects.world.relations.of(id);
            // A peer without schema comparison is a UNet client, which has no parents.
            let has_parents = context.config.compare_schemas;
            relation.parent = relation.parent.filter(|_| has_parents);
        }
        let World {
            pools,
            places,
            prefabs,
            ..
        } = &mut objects.world;
        let prefab = pools.prefab(at.pool);
        let snapshot = Snapshot {
            net_id: id,
            info: objects.prefab_infos.get(prefab as usize)?,
            prefab: prefabs.get(prefab)?,
            place: places.get(id.0),
            relation,
            config: &context.config,
            role,
        };
        let segments = match output {
            SnapshotOutput::Audience(audience) => {
                let Outputs { first, second } = self.audiences.outputs(*audience);
                [first.first_mut(), second.first_mut()]
            }
            SnapshotOutput::Batch(_) => self.snapshot_batch.spoken(),
            SnapshotOutput::Join(segments) => [Some(&mut **segments), None],
        };
        Some(SnapshotWrite {
            snapshot,
            // An object that is checked out gets its snapshot later.
            slots: pools.slots_mut(at)?,
            segments,
            reports: Reports {
                stats: &mut context.stats,
                events: &mut context.events,
            },
        })
    }

    /// Encodes a snapshot with the values of the prefab in the place of values without a form, or in the
    /// place of the longest values.
    #[cold]
    fn encode_without_values(
        &mut self,
        ground: &mut Ground<'_>,
        id: NetId,
        mut output: SnapshotOutput<'_>,
        role: Role,
        mut error: WriteError,
    ) -> bool {
        let has_others = self.has_others(ground, id, &output);
        let Some(mut write) = self.open_snapshot(ground, id, &mut output, role) else {
            return false;
        };
        let mut left_out = write.left_out(has_others);
        while left_out.leave_out_more(error) {
            match write.run(Some(&left_out)) {
                Ok(()) => {
                    left_out.mark_dirty(write.slots);
                    ground.objects.schedule.queue_dirty(id);
                    return true;
                }
                Err(next) => error = next,
            }
        }
        let error = left_out.name(error, write.slots);
        let event = ServerEvent::serialize_failed(id, error);
        ground.context.events.push(event);
        false
    }

    /// Returns whether a connection has an object and does not receive this snapshot.
    fn has_others(&self, ground: &Ground<'_>, id: NetId, output: &SnapshotOutput<'_>) -> bool {
        let Some(replicated) = ground.objects.announced(id) else {
            return false;
        };
        let audience = self.audiences.get(replicated.audience);
        audience.ready().any(|observer| match output {
            SnapshotOutput::Batch(receivers) => !receivers.contains(&observer),
            SnapshotOutput::Audience(_) | SnapshotOutput::Join(_) => {
                let connection = ground.sessions.connections.get(observer.0);
                connection.is_some_and(|it| it.is_ready() || it.records())
            }
        })
    }

    /// Queues the snapshots of the batch for their receivers.
    pub(super) fn flush_snapshots(&mut self, ground: &mut Ground<'_>) {
        let batch = &mut self.snapshot_batch;
        if batch.receivers.is_empty() {
            return;
        }
        let unet: Vec<Bytes> = batch.unet.segments.drain().collect();
        let compact: Vec<Bytes> = batch.compact.segments.drain().collect();
        for receiver in std::mem::take(&mut batch.receivers) {
            match ground.sessions.framing(receiver) {
                Some(Framing::Unet) => ground.send_chunks(0, receiver, &unet),
                Some(Framing::Compact) => ground.send_chunks(0, receiver, &compact),
                None => {}
            }
        }
    }
}
