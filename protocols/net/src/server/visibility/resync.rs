//! Snapshots that clients request for objects that they could not read.

use syncvar_runtime::clock::Rate;
use syncvar_runtime::{ConnectionId, NetId};

use crate::MessageType;
use crate::server::NetworkServer;
use crate::server::objects::replicated::State;

impl NetworkServer {
    /// Queues requested snapshots, limited per connection by number and bytes.
    pub(in crate::server) fn queue_resyncs(&mut self) {
        if self.sessions.resyncing.is_empty() {
            return;
        }
        let mut waiting = std::mem::take(&mut self.sessions.resyncing);
        waiting.retain(|connection| self.queue_resyncs_of(*connection));
        self.sessions.resyncing = waiting;
    }

    /// Queues the requests of a connection. Returns whether others wait.
    fn queue_resyncs_of(&mut self, id: ConnectionId) -> bool {
        let rate = Rate::per_second(self.context.config.limits.snapshot_rate);
        let now = self.context.clock.now();
        let mut bytes = match self.sessions.connections.get(id.0) {
            Some(connection) => connection.resync_bytes,
            None => return false,
        };
        for _ in 0..self.context.config.resyncs_per_update.max(1) {
            if !bytes.has_room(rate, now) {
                self.context.stats.refused.delayed_snapshots += 1;
                break;
            }
            let connection = self.sessions.connections.get_mut(id.0);
            let object = connection.and_then(|connection| connection.resync_requests.pop_first());
            let Some(object) = object else {
                return false;
            };
            // Exact bytes are known after the write: `charge_resync`.
            bytes.add(self.mean_snapshot(object), rate, now);
            self.queue_resync(object, id);
        }
        let connection = self.sessions.connections.get(id.0);
        connection.is_some_and(|connection| !connection.resync_requests.is_empty())
    }

    fn queue_resync(&mut self, object: NetId, connection: ConnectionId) {
        if let Some(replicated) = self.objects.world.objects.get_mut(object.0) {
            let pending = &mut self.visibility.pending_snapshots;
            let owed = pending.get_or_insert_with(object, Vec::new);
            if !owed.contains(&connection) {
                owed.push(connection);
            }
            replicated.set(State::SnapshotPending, true);
            self.objects.schedule.queue_view_change(object, replicated);
        }
    }

    /// Returns the mean length of the snapshots of an object's prefab so far.
    fn mean_snapshot(&self, object: NetId) -> u32 {
        let replicated = self.objects.world.objects.get(object.0);
        let prefab =
            replicated.map(|replicated| self.objects.world.pools.prefab(replicated.at.pool));
        let prefab = prefab.and_then(|prefab| usize::try_from(prefab).ok());
        let infos = self
            .objects
            .prefab_infos
            .get(prefab.unwrap_or(usize::MAX)..);
        let mut infos = infos.unwrap_or_default().iter();
        let first = infos.next().map_or(0, |info| info.first_behaviour);
        let next = infos.next().map(|info| info.first_behaviour);
        let behaviours = self.context.stats.behaviours.iter().skip(first);
        let behaviours = behaviours.take(next.map_or(usize::MAX, |next| next - first));
        let means = behaviours.map(|stats| stats.full.bytes / stats.full.messages.max(1));
        u32::try_from(means.sum::<u64>()).unwrap_or(u32::MAX)
    }

    /// Returns the bytes of all snapshots so far.
    pub(in crate::server) fn snapshot_bytes(&self) -> u64 {
        let types = [
            MessageType::ObjectSpawn,
            MessageType::ObjectSpawnScene,
            MessageType::SpawnBatch,
        ];
        types
            .map(|it| self.context.stats.encoded(it).bytes)
            .iter()
            .sum()
    }

    /// Charges the requesting connections of a snapshot with its bytes.
    pub(in crate::server) fn charge_resync(&mut self, receivers: &[ConnectionId], bytes: u64) {
        let rate = Rate::per_second(self.context.config.limits.snapshot_rate);
        let now = self.context.clock.now();
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        for receiver in receivers {
            if let Some(connection) = self.sessions.connections.get_mut(receiver.0) {
                connection.resync_bytes.add(bytes, rate, now);
            }
        }
    }
}
