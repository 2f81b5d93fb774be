//! Snapshots on their way to the same connections.

use bytes::Bytes;
use syncvar_runtime::object::Outputs;
use syncvar_runtime::packet::Segments;
use syncvar_runtime::relations::Relation;
use syncvar_runtime::schema::Role;
use syncvar_runtime::world::World;
use syncvar_runtime::{AudienceId, ConnectionId, NetId, WriteError};

use crate::Framing;
use crate::server::NetworkServer;
use crate::server::objects::replicated::State;
use crate::server::replication::update::encode_failure;
use crate::server::visibility::snapshot::{Reports, Snapshot, SnapshotWrite};

/// Snapshots for the same connections, encoded once for each of their framings.
#[derive(Debug)]
pub(in crate::server) struct SnapshotBatch {
    receivers: Vec<ConnectionId>,
    /// Whether a receiver has the framing, and the bytes in it.
    unet: (bool, Segments),
    compact: (bool, Segments),
}

/// Destination of a snapshot.
pub(in crate::server) enum SnapshotOutput<'a> {
    /// The buffers of an audience.
    Audience(AudienceId),
    /// The batch of these connections.
    Batch(&'a [ConnectionId]),
    /// A buffer for connections that join.
    Join(&'a mut Segments),
}

impl SnapshotBatch {
    pub(in crate::server) fn new(packet_size: usize) -> Self {
        let segments = |framing: Framing| framing.segments(packet_size);
        Self {
            receivers: Vec::new(),
            unet: (false, segments(Framing::Unet)),
            compact: (false, segments(Framing::Compact)),
        }
    }

    fn spoken(&mut self) -> [Option<&mut Segments>; 2] {
        let both = [&mut self.unet, &mut self.compact];
        both.map(|(spoken, segments)| spoken.then_some(segments))
    }
}

impl NetworkServer {
    /// Writes a snapshot for these connections. Returns whether it was written.
    pub(in crate::server) fn write_snapshot(
        &mut self,
        id: NetId,
        receivers: &[ConnectionId],
        role: Role,
    ) -> bool {
        self.encode_snapshot(id, SnapshotOutput::Batch(receivers), role)
    }

    /// Encodes the snapshot of an object to all buffers of an output, or to none. Returns whether
    /// it was encoded.
    pub(in crate::server) fn encode_snapshot(
        &mut self,
        id: NetId,
        mut output: SnapshotOutput<'_>,
        role: Role,
    ) -> bool {
        if let SnapshotOutput::Batch(receivers) = output
            && self.visibility.snapshot_batch.receivers != receivers
        {
            self.flush_snapshots();
            self.open_snapshot_batch(receivers);
        }
        let Some(mut write) = self.open_snapshot(id, &mut output, role) else {
            return false;
        };
        let synchronize = write.snapshot.info.synchronize;
        if let Err(error) = write.run(None)
            && !self.encode_without_values(id, (output, role), error)
        {
            return false;
        }
        self.objects.requeue_if_dirty(id, synchronize);
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
        id: NetId,
        output: &'a mut SnapshotOutput<'_>,
        role: Role,
    ) -> Option<SnapshotWrite<'a>> {
        let replicated = self.objects.world.objects.get(id.0);
        let replicated = replicated.filter(|it| !it.is(State::WriteFailed))?;
        let (at, related) = (replicated.at, replicated.is(State::Related));
        let mut relation = Relation::default();
        if related {
            relation = self.objects.world.relations.of(id);
            // A peer without schema comparison is a UNet client, which has no parents.
            relation.parent = relation
                .parent
                .filter(|_| self.context.config.compare_schemas);
        }
        let World {
            pools,
            places,
            prefabs,
            ..
        } = &mut self.objects.world;
        let prefab = pools.prefab(at.pool);
        let snapshot = Snapshot {
            net_id: id,
            info: self.objects.prefab_infos.get(prefab as usize)?,
            prefab: prefabs.get(prefab)?,
            place: places.get(id.0),
            relation,
            config: &self.context.config,
            role,
        };
        let visibility = &mut self.visibility;
        let segments = match output {
            SnapshotOutput::Audience(audience) => {
                let Outputs { first, second } = visibility.audiences.outputs(*audience);
                [first.first_mut(), second.first_mut()]
            }
            SnapshotOutput::Batch(_) => visibility.snapshot_batch.spoken(),
            SnapshotOutput::Join(segments) => [Some(&mut **segments), None],
        };
        Some(SnapshotWrite {
            snapshot,
            // An object that is checked out gets its snapshot later.
            slots: pools.slots_mut(at)?,
            segments,
            reports: Reports {
                stats: &mut self.context.stats,
                events: &mut self.context.events,
            },
        })
    }

    /// Encodes a snapshot with the values of the prefab in the place of those without a form, or of
    /// the longest ones of a too long snapshot.
    #[cold]
    fn encode_without_values(
        &mut self,
        id: NetId,
        (mut output, role): (SnapshotOutput<'_>, Role),
        mut error: WriteError,
    ) -> bool {
        let has_others = self.has_others(id, &output);
        let Some(mut write) = self.open_snapshot(id, &mut output, role) else {
            return false;
        };
        let mut left_out = write.left_out(has_others);
        while left_out.leave_out_more(error) {
            match write.run(Some(&left_out)) {
                Ok(()) => {
                    left_out.mark_dirty(write.slots);
                    self.objects.schedule.queue_dirty(id);
                    return true;
                }
                Err(next) => error = next,
            }
        }
        let error = left_out.name(error, write.slots);
        self.context.events.push(encode_failure(id, error));
        false
    }

    /// Returns whether a connection has an object that is no receiver of this snapshot.
    fn has_others(&self, id: NetId, output: &SnapshotOutput<'_>) -> bool {
        let replicated = self.objects.world.objects.get(id.0);
        let Some(replicated) = replicated.filter(|it| it.is(State::Announced)) else {
            return false;
        };
        let audience = self.visibility.audiences.get(replicated.audience);
        audience.ready().any(|observer| match output {
            SnapshotOutput::Batch(receivers) => !receivers.contains(&observer),
            SnapshotOutput::Audience(_) | SnapshotOutput::Join(_) => {
                let connection = self.sessions.connections.get(observer.0);
                connection.is_some_and(|it| it.is_ready() || it.records())
            }
        })
    }

    fn open_snapshot_batch(&mut self, receivers: &[ConnectionId]) {
        let connections = receivers
            .iter()
            .filter_map(|c| self.sessions.connections.get(c.0));
        let framings = connections.map(|connection| connection.framing);
        let (mut unet, mut compact) = (false, false);
        for framing in framings {
            unet |= framing == Framing::Unet;
            compact |= framing == Framing::Compact;
        }
        self.visibility
            .snapshot_batch
            .receivers
            .extend_from_slice(receivers);
        (
            self.visibility.snapshot_batch.unet.0,
            self.visibility.snapshot_batch.compact.0,
        ) = (unet, compact);
    }

    /// Queues the snapshots of the batch for their receivers.
    pub(in crate::server) fn flush_snapshots(&mut self) {
        if self.visibility.snapshot_batch.receivers.is_empty() {
            return;
        }
        let receivers = std::mem::take(&mut self.visibility.snapshot_batch.receivers);
        let unet: Vec<Bytes> = self.visibility.snapshot_batch.unet.1.drain().collect();
        let compact: Vec<Bytes> = self.visibility.snapshot_batch.compact.1.drain().collect();
        for receiver in receivers {
            let connection = self.sessions.connections.get(receiver.0);
            match connection.map(|connection| connection.framing) {
                Some(Framing::Unet) => self.rooms().ground.send_chunks(0, receiver, &unet),
                Some(Framing::Compact) => self.rooms().ground.send_chunks(0, receiver, &compact),
                None => {}
            }
        }
    }
}
