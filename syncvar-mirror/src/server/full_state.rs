//! What is said of an object to those who begin to observe it.

use syncvar_runtime::{Channel, ConnectionId, NetId};

use super::encode::{Wanted, write_message};
use super::stats::count;
use super::{MirrorServer, MirrorServerEvent};
use crate::message::{NetworkMessage, SpawnFlags, SpawnMessage};

impl MirrorServer {
    /// Sends an object to somebody: Mirror's `SendSpawnMessage`. Returns whether that could be done.
    pub(super) fn send_spawn(&mut self, id: NetId, connection: ConnectionId) -> bool {
        let Some(object) = self.objects.get_mut(id.0) else {
            return false;
        };
        let (Some(entry), Some(behaviours)) =
            (self.prefabs.get(object.prefab), object.behaviours.as_mut())
        else {
            return false;
        };
        let is_owner = object.owner == Some(connection);
        let is_player = self
            .connections
            .get(connection.0)
            .is_some_and(|client| client.player == Some(id));
        let slots = behaviours.slots_mut();
        let components = if is_owner {
            entry.all()
        } else {
            entry.observers
        };
        let wanted = Wanted {
            observers: components,
            owner: 0,
            initial_state: true,
            everything_dirty: 0,
        };
        if let Err(unwritable) = self.scratch.write_components(slots, wanted) {
            self.report_unwritable(id, unwritable);
            return false;
        }
        let mut flags = SpawnFlags::NONE;
        if is_owner {
            flags = flags | SpawnFlags::IS_OWNER;
        }
        if is_player {
            flags = flags | SpawnFlags::IS_LOCAL_PLAYER;
        }
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
        let sent = self.send_about(id, connection, &message);
        self.scratch.payload = payload;
        sent
    }

    /// Sends a message about an object to somebody. Returns whether that could be done.
    pub(super) fn send_about<'a, M: NetworkMessage<'a>>(
        &mut self,
        object: NetId,
        connection: ConnectionId,
        message: &M,
    ) -> bool {
        write_message(&mut self.scratch.head, message);
        let Some(client) = self.connections.get_mut(connection.0) else {
            return false;
        };
        let message = self.scratch.head.as_bytes();
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
