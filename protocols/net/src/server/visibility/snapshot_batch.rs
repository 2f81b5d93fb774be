//! Snapshots on their way to the same connections.

use bytes::Bytes;
use syncvar_runtime::packet::Segments;
use syncvar_runtime::relations::Relation;
use syncvar_runtime::schema::Role;
use syncvar_runtime::world::World;
use syncvar_runtime::{AudienceId, Channel, ConnectionId, NetId};

use crate::Framing;
use crate::server::NetworkServer;
use crate::server::objects::replicated::State;
use crate::server::replication::stopped::mark_left_empty;
use crate::server::replication::update::encode_failure;
use crate::server::visibility::snapshot::{Reports, Snapshot};

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
        output: SnapshotOutput<'_>,
        role: Role,
    ) -> bool {
        let replicated = self.world.objects.get(id.0);
        let Some(replicated) = replicated.filter(|it| !it.is(State::WriteFailed)) else {
            return false;
        };
        let (at, related) = (replicated.at, replicated.is(State::Related));
        if let SnapshotOutput::Batch(receivers) = output
            && self.visibility.snapshot_batch.receivers != receivers
        {
            self.flush_snapshots();
            self.open_snapshot_batch(receivers);
        }
        let mut relation = Relation::default();
        if related {
            relation = self.world.relations.of(id);
            // A peer without schema comparison is a UNet client, which has no parents.
            relation.parent = relation.parent.filter(|_| self.config.compare_schemas);
        }
        let World { pools, places, .. } = &mut self.world;
        let info = self.prefab_infos.get(pools.prefab(at.pool) as usize);
        // An object that is checked out gets its snapshot later.
        let (Some(info), Some(slots)) = (info, pools.slots_mut(at)) else {
            return false;
        };
        let snapshot = Snapshot {
            net_id: id,
            info,
            place: places.get(id.0),
            relation,
            room: self.config.room(Channel::Reliable),
            role,
        };
        let mut reports = Reports {
            stats: &mut self.stats,
            events: &mut self.events,
            left_empty: None,
        };
        let visibility = &mut self.visibility;
        let mut outputs;
        let segments = match output {
            SnapshotOutput::Audience(audience) => {
                outputs = visibility.audiences.outputs(audience);
                let mut segments = outputs.channel(0);
                [segments.next(), segments.next()]
            }
            SnapshotOutput::Batch(_) => visibility.snapshot_batch.spoken(),
            SnapshotOutput::Join(segments) => [Some(segments), None],
        };
        let result = snapshot.write_all(slots, segments, &mut reports);
        let synchronize = info.synchronize;
        if let Some(encoding) = reports.left_empty.filter(|_| result.is_ok()) {
            mark_left_empty(slots, encoding);
            self.replication.schedule.queue_dirty(id);
        }
        if let Err(error) = result {
            self.events.push(encode_failure(id, error));
            return false;
        }
        self.requeue_if_dirty(id, synchronize);
        true
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
                Some(Framing::Unet) => self.send_chunks(0, receiver, &unet),
                Some(Framing::Compact) => self.send_chunks(0, receiver, &compact),
                None => {}
            }
        }
    }
}
