//! What is said of an object to those who begin to observe it.

use syncvar_runtime::{Channel, ConnectionId, NetId, NetworkWriter};

use super::encode::{Scratch, Wanted, write_message};
use super::stats::count;
use super::{MirrorServer, MirrorServerEvent};
use crate::message::{NetworkMessage, SpawnFlags, SpawnMessage};

impl MirrorServer {
    /// Sends an object to somebody: Mirror's `SendSpawnMessage`. Returns whether that could be done.
    pub(super) fn send_spawn(&mut self, id: NetId, connection: ConnectionId) -> bool {
        let mut flags = SpawnFlags::NONE;
        if self.owner(id) == Some(connection) {
            flags = flags | SpawnFlags::IS_OWNER;
            self.settle_written(id, connection);
        }
        if self.player_of(connection) == Some(id) {
            flags = flags | SpawnFlags::IS_LOCAL_PLAYER;
        }
        if self.scratch.spawn_of != Some((id, flags)) {
            if !self.write_spawn(id, flags) {
                return false;
            }
            self.scratch.spawn_of = Some((id, flags));
        }
        self.send_written(id, connection, |scratch| &scratch.spawn)
    }

    /// Writes what an object is to those to whom it is this. Returns whether that could be done.
    fn write_spawn(&mut self, id: NetId, flags: SpawnFlags) -> bool {
        let Some(object) = self.objects.get_mut(id.0) else {
            return false;
        };
        let (Some(entry), Some(behaviours)) =
            (self.prefabs.get(object.prefab), object.behaviours.as_mut())
        else {
            return false;
        };
        let slots = behaviours.slots_mut();
        let is_owner = flags.contains(SpawnFlags::IS_OWNER);
        let wanted = Wanted {
            observers: if is_owner {
                entry.all()
            } else {
                entry.observers
            },
            owner: 0,
            initial_state: true,
            everything_dirty: 0,
        };
        if let Err(unwritable) = self.scratch.write_components(slots, wanted) {
            self.report_unwritable(id, unwritable);
            return false;
        }
        object.promised = object.promised.max(self.scratch.observers.take_promised());
        let payload = self.scratch.take_payload();
        let message = SpawnMessage {
            net_id: id,
            flags,
            scene_id: object.scene_id,
            asset_id: entry.asset_id,
            position: object.place.position,
            rotation: object.place.rotation,
            scale: object.scale,
            payload: (slots.len() > 0).then_some(&payload[..]),
        };
        write_message(&mut self.scratch.spawn, &message);
        self.scratch.payload = payload;
        true
    }

    /// Sends a message about an object to somebody. Returns whether that could be done.
    pub(super) fn send_about<'a, M: NetworkMessage<'a>>(
        &mut self,
        object: NetId,
        connection: ConnectionId,
        message: &M,
    ) -> bool {
        write_message(&mut self.scratch.head, message);
        self.send_written(object, connection, |scratch| &scratch.head)
    }

    fn send_written(
        &mut self,
        object: NetId,
        connection: ConnectionId,
        message: impl FnOnce(&Scratch) -> &NetworkWriter,
    ) -> bool {
        let Some(client) = self.connections.get_mut(connection.0) else {
            return false;
        };
        let message = message(&self.scratch).as_bytes();
        if client.outbox.send(Channel::Reliable, self.now, &[message]) {
            count(&mut self.stats.messages, message.len());
            return true;
        }
        self.events.push(MirrorServerEvent::TooLong {
            object,
            connection: Some(connection),
            length: message.len(),
            limit: client.outbox.longest(Channel::Reliable),
        });
        false
    }

    /// Sends a message that is about no object. It is short.
    pub(super) fn send_short<'a, M: NetworkMessage<'a>>(
        &mut self,
        channel: Channel,
        connection: ConnectionId,
        message: &M,
    ) {
        write_message(&mut self.scratch.head, message);
        if let Some(client) = self.connections.get_mut(connection.0) {
            let message = self.scratch.head.as_bytes();
            if client.outbox.send(channel, self.now, &[message]) {
                count(&mut self.stats.messages, message.len());
            }
        }
    }
}
