//! Snapshots that clients request for objects that they could not read.

use syncvar_runtime::unstable::clock::Rate;
use syncvar_runtime::{ConnectionId, NetId};

use crate::MessageType;
use crate::server::ground::Ground;
use crate::server::visibility::Visibility;
use crate::stats::Stats;

impl Visibility {
    /// Queues requested snapshots, limited per connection by number and bytes.
    pub(crate) fn queue_resyncs(&mut self, ground: &mut Ground<'_>) {
        if ground.sessions.pending.resyncing.is_empty() {
            return;
        }
        let mut waiting = std::mem::take(&mut ground.sessions.pending.resyncing);
        waiting.retain(|connection| self.queue_resyncs_of(ground, *connection));
        ground.sessions.pending.resyncing = waiting;
    }

    /// Queues the requests of a connection. Returns whether further requests wait.
    fn queue_resyncs_of(&mut self, ground: &mut Ground<'_>, id: ConnectionId) -> bool {
        let rate = Rate::per_second(ground.context.config.limits.snapshot_rate);
        let now = ground.context.clock.now();
        let mut bytes = match ground.sessions.connections.get(id.0) {
            Some(connection) => connection.requests.resync_bytes,
            None => return false,
        };
        for _ in 0..ground.context.config.resyncs_per_update.max(1) {
            if !bytes.has_room(rate, now) {
                ground.context.stats.refused.delayed_snapshots += 1;
                break;
            }
            let connection = ground.sessions.connections.get_mut(id.0);
            let object = connection.and_then(|connection| connection.requests.resyncs.pop_first());
            let Some(object) = object else {
                return false;
            };
            // Exact bytes are known after the write: `charge_resync`.
            bytes.add(mean_snapshot(ground, object), rate, now);
            self.request_snapshot(ground.objects, object, &[id]);
            let objects = &mut *ground.objects;
            if let Some(replicated) = objects.world.objects.get_mut(object.0) {
                objects.schedule.queue_view_change(object, replicated);
            }
        }
        let connection = ground.sessions.connections.get(id.0);
        connection.is_some_and(|connection| !connection.requests.resyncs.is_empty())
    }
}

/// Returns the mean length of the snapshots of an object's prefab so far.
fn mean_snapshot(ground: &Ground<'_>, object: NetId) -> u32 {
    let world = &ground.objects.world;
    let replicated = world.objects.get(object.0);
    let prefab = replicated.map(|replicated| world.pools.prefab(replicated.at.pool));
    let prefab = prefab.and_then(|prefab| usize::try_from(prefab).ok());
    let infos = ground
        .objects
        .prefab_infos
        .get(prefab.unwrap_or(usize::MAX)..);
    let mut infos = infos.unwrap_or_default().iter();
    let first = infos.next().map_or(0, |info| info.first_behaviour);
    let next = infos.next().map(|info| info.first_behaviour);
    let behaviours = ground.context.stats.behaviours.iter().skip(first);
    let behaviours = behaviours.take(next.map_or(usize::MAX, |next| next - first));
    let means = behaviours.map(|stats| stats.full.bytes / stats.full.messages.max(1));
    u32::try_from(means.sum::<u64>()).unwrap_or(u32::MAX)
}

/// Returns the bytes of the snapshots so far.
pub(super) fn snapshot_bytes(stats: &Stats) -> u64 {
    let types = [
        MessageType::ObjectSpawn,
        MessageType::ObjectSpawnScene,
        MessageType::SpawnBatch,
    ];
    types.map(|it| stats.encoded(it).bytes).iter().sum()
}

/// Charges the requesting connections of a snapshot with the bytes written since `before`.
pub(super) fn charge_resync(ground: &mut Ground<'_>, receivers: &[ConnectionId], before: u64) {
    let bytes = snapshot_bytes(&ground.context.stats) - before;
    let rate = Rate::per_second(ground.context.config.limits.snapshot_rate);
    let now = ground.context.clock.now();
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    for receiver in receivers {
        if let Some(connection) = ground.sessions.connections.get_mut(receiver.0) {
            connection.requests.resync_bytes.add(bytes, rate, now);
        }
    }
}
