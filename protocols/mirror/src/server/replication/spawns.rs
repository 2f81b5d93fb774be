//! Spawn messages.

use syncvar_runtime::{ConnectionId, Encoding, NetId, NetworkWriter};

use crate::message::{NetworkMessage, SpawnFlags, SpawnMessage};
use crate::server::encoding::ComponentSelection;
use crate::server::objects::entry::for_each_of;
use crate::server::replication::{Replication, write_or_report};
use crate::server::rooms::Rooms;

/// The last spawn message, reused for further observers.
#[derive(Debug)]
pub(crate) struct Spawns {
    message: NetworkWriter,
    /// Object and flags of the message; `None` if the object may have changed since.
    of: Option<(NetId, SpawnFlags)>,
    /// Memory for mask and components.
    payload: Vec<u8>,
}

impl Default for Spawns {
    fn default() -> Self {
        Self {
            message: NetworkWriter::with_encoding(Encoding::Mirror),
            of: None,
            payload: Vec::new(),
        }
    }
}

impl Spawns {
    /// Forgets the message: an object may have changed.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.of = None;
    }
}

impl Replication {
    /// Sends an object to a new observer: Mirror's `SendSpawnMessage`. Returns whether it was sent.
    pub(crate) fn send_spawn(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        connection: ConnectionId,
    ) -> bool {
        let mut flags = SpawnFlags::NONE;
        if rooms.objects.owner(id) == Some(connection) {
            flags = flags | SpawnFlags::IS_OWNER;
            self.flush_owner_written_operations(rooms, id, connection);
        }
        let client = rooms.sessions.get(connection);
        if client.is_some_and(|client| client.player == Some(id)) {
            flags = flags | SpawnFlags::IS_LOCAL_PLAYER;
        }
        if self.spawns.of != Some((id, flags)) {
            if !self.write_spawn(rooms, id, flags) {
                return false;
            }
            self.spawns.of = Some((id, flags));
        }
        let message = self.spawns.message.as_bytes();
        let Rooms {
            sessions,
            objects,
            context,
            ..
        } = rooms;
        sessions.send_encoded(id, connection, message, objects, context)
    }

    /// Writes the spawn message for observers with these flags. Returns false after a write error.
    fn write_spawn(&mut self, rooms: &mut Rooms<'_>, id: NetId, flags: SpawnFlags) -> bool {
        let place = rooms.objects.world.place(id);
        let Some(object) = rooms.objects.world.objects.get_mut(id.0) else {
            return false;
        };
        let (Some(entry), Some(slots)) = (
            rooms.objects.prefabs.get(object.prefab),
            rooms.objects.world.pools.slots_mut(object.at),
        ) else {
            return false;
        };
        let has_components = slots.len() > 0;
        if entry.hybrid != 0 && self.baselines.has_baseline(id) {
            // The observer waits for the next baseline: its snapshot is not a base of differences.
            for_each_of(slots, entry.hybrid, |slot| slot.set_observed(true));
        }
        let is_owner = flags.contains(SpawnFlags::IS_OWNER);
        let selection = ComponentSelection {
            observers: if is_owner {
                entry.all()
            } else {
                entry.observers
            },
            owner: 0,
            initial_state: true,
            fully_dirty: 0,
            prefab: rooms.objects.world.prefabs.get(object.prefab),
        };
        let (encoder, context) = (&mut self.encoder, &mut *rooms.context);
        if !write_or_report(encoder, slots, selection, id, entry, context) {
            return false;
        }
        object.announced = object
            .announced
            .max(self.encoder.observers.take_announced());
        self.encoder.write_payload(&mut self.spawns.payload);
        let message = SpawnMessage {
            net_id: id,
            flags,
            scene_id: object.scene_id,
            asset_id: entry.asset_id,
            position: place.position,
            rotation: place.rotation,
            scale: object.scale,
            payload: has_components.then_some(&self.spawns.payload[..]),
        };
        self.spawns.message.truncate(0);
        message.encode(&mut self.spawns.message);
        true
    }
}
