//! Spawn messages.

use syncvar_runtime::{Channel, ConnectionId, NetId, NetworkWriter};

use crate::MirrorError;
use crate::message::{NetworkMessage, SpawnFlags, SpawnMessage};
use crate::server::MirrorServer;
use crate::server::replication::encode::{Scratch, Selection, write_message};
use crate::server::stats::count;
use crate::server::world::object::for_each_of;

impl MirrorServer {
    /// Sends an object to a new observer: Mirror's `SendSpawnMessage`. Returns whether it was sent.
    pub(in crate::server) fn send_spawn(&mut self, id: NetId, connection: ConnectionId) -> bool {
        let mut flags = SpawnFlags::NONE;
        if self.owner(id) == Some(connection) {
            flags = flags | SpawnFlags::IS_OWNER;
            self.flush_owner_written_operations(id, connection);
        }
        if self.player_of(connection) == Some(id) {
            flags = flags | SpawnFlags::IS_LOCAL_PLAYER;
        }
        if self.replication.scratch.cached_spawn != Some((id, flags)) {
            if !self.write_spawn(id, flags) {
                return false;
            }
            self.replication.scratch.cached_spawn = Some((id, flags));
        }
        self.send_encoded(id, connection, |scratch| &scratch.spawn)
    }

    /// Writes the spawn message for observers with these flags. Returns false after a write error.
    fn write_spawn(&mut self, id: NetId, flags: SpawnFlags) -> bool {
        let place = self.world.place(id);
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return false;
        };
        let (Some(entry), Some(slots)) = (
            self.prefabs.get(object.prefab),
            self.world.pools.slots_mut(object.at),
        ) else {
            return false;
        };
        let has_components = slots.len() > 0;
        if entry.hybrid != 0 && self.replication.hybrid.has_baseline(id) {
            // The observer waits for the next baseline: its snapshot is no base of differences.
            for_each_of(slots, entry.hybrid, |slot| slot.set_observed(true));
        }
        let is_owner = flags.contains(SpawnFlags::IS_OWNER);
        let selection = Selection {
            observers: if is_owner {
                entry.all()
            } else {
                entry.observers
            },
            owner: 0,
            initial_state: true,
            fully_dirty: 0,
            prefab: self.world.prefabs.get(object.prefab),
        };
        if let Err(unwritable) = self.replication.scratch.write_components(
            slots,
            selection,
            (id, entry, &mut self.stats),
        ) {
            self.report_unwritable(id, unwritable);
            return false;
        }
        object.announced = object
            .announced
            .max(self.replication.scratch.observers.take_announced());
        let payload = self.replication.scratch.take_payload();
        let message = SpawnMessage {
            net_id: id,
            flags,
            scene_id: object.scene_id,
            asset_id: entry.asset_id,
            position: place.position,
            rotation: place.rotation,
            scale: object.scale,
            payload: has_components.then_some(&payload[..]),
        };
        write_message(&mut self.replication.scratch.spawn, &message);
        self.replication.scratch.payload = payload;
        true
    }

    /// Sends a message about an object. Returns whether it was sent.
    pub(in crate::server) fn send_object_message<'a, M: NetworkMessage<'a>>(
        &mut self,
        object: NetId,
        connection: ConnectionId,
        message: &M,
    ) -> bool {
        write_message(&mut self.replication.scratch.head, message);
        self.send_encoded(object, connection, |scratch| &scratch.head)
    }

    fn send_encoded(
        &mut self,
        object: NetId,
        connection: ConnectionId,
        message: impl FnOnce(&Scratch) -> &NetworkWriter,
    ) -> bool {
        let message = message(&self.replication.scratch).as_bytes();
        let sent = self.sessions.send(
            connection,
            (Channel::Reliable, self.clock.now()),
            &[message],
        );
        match sent {
            Ok(length) => {
                count(&mut self.stats.messages, length);
                return true;
            }
            Err(MirrorError::TooLong { length, limit }) => {
                self.report_too_long(object, Some(connection), (length, limit));
            }
            Err(_) => {}
        }
        false
    }

    /// Sends a short message without an object.
    pub(in crate::server) fn send_message<'a, M: NetworkMessage<'a>>(
        &mut self,
        channel: Channel,
        connection: ConnectionId,
        message: &M,
    ) {
        write_message(&mut self.replication.scratch.head, message);
        let message = self.replication.scratch.head.as_bytes();
        let sent = self
            .sessions
            .send(connection, (channel, self.clock.now()), &[message]);
        if let Ok(length) = sent {
            count(&mut self.stats.messages, length);
        }
    }
}
