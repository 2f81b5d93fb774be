//! Spawns and roles of objects.

use syncvar_runtime::LifecycleCallback;
use syncvar_runtime::unstable::world::{CheckOut, LifecycleEvent};

use crate::MirrorError;
use crate::client::inbound::burst::PendingSpawn;
use crate::client::inbound::payload::ObjectPayload;
use crate::client::{MirrorClient, MirrorClientEvent};
use crate::message::{ChangeOwnerMessage, NetworkMessage, SpawnFlags, SpawnMessage};

impl MirrorClient {
    /// Completes a burst: applies its spawns one by one.
    pub(crate) fn handle_spawn_finished(&mut self) -> Result<(), MirrorError> {
        let pending = self.inbound.burst.complete();
        self.context.events.reserve(pending.len());
        for spawn in &pending {
            self.objects.reveal(spawn.id);
        }
        let session = self.session.number();
        for spawn in pending {
            self.apply_spawn(&spawn)?;
            if self.session.number() != session {
                return Ok(());
            }
        }
        if self.inbound.burst.is_first_complete() {
            let ids: Vec<_> = self.objects.order.iter().collect();
            for id in ids {
                if self.objects.is_spawned(id) {
                    let callback = LifecycleCallback::SessionSynchronized;
                    self.dispatch(id, LifecycleEvent::Call(callback));
                }
            }
        }
        if self.session.number() == session {
            self.context.events.push(MirrorClientEvent::Synchronized);
        }
        Ok(())
    }

    /// Handles the spawn of a new or known object.
    pub(crate) fn handle_spawn(
        &mut self,
        time: f64,
        message: &SpawnMessage<'_>,
    ) -> Result<(), MirrorError> {
        let id = message.net_id;
        if self.objects.get(id).is_none() {
            let limit = self.context.config.max_objects;
            if self.objects.world.objects.len() >= limit {
                let what = "objects";
                return Err(MirrorError::TooMuch { what, limit });
            }
            let (objects, scenes) = (&self.objects, &mut self.scenes);
            match self
                .inbound
                .make(objects, scenes, &mut self.context, message)
            {
                Ok(made) => self.objects.insert(message, made, &mut self.scenes),
                Err(reason) => {
                    let (asset_id, scene_id) = (message.asset_id, message.scene_id);
                    tracing::error!(object = %id, %asset_id, %scene_id, %reason, "cannot spawn an object");
                    self.context.events.push(MirrorClientEvent::SpawnFailed {
                        object: id,
                        asset_id,
                        scene_id,
                        reason,
                    });
                    return Ok(());
                }
            }
        }
        let mut serial = 0;
        if let Some(object) = self.objects.get_mut(id) {
            object.unreliable.set_snapshot_time(time);
            serial = object.serial;
        }
        let spawn = PendingSpawn::new(message, serial);
        if self.inbound.burst.is_complete() {
            self.objects.reveal(id);
            return self.apply_spawn(&spawn);
        }
        let limit = self.context.config.max_parked_bytes;
        if self.inbound.burst.push(spawn) > limit {
            let what = "bytes of spawns in a burst";
            return Err(MirrorError::TooMuch { what, limit });
        }
        Ok(())
    }

    /// Applies a spawn message to its object.
    fn apply_spawn(&mut self, spawn: &PendingSpawn) -> Result<(), MirrorError> {
        let object = self.objects.get_mut(spawn.id);
        let Some(object) = object.filter(|object| object.serial == spawn.serial) else {
            // Despawned before the end of the burst.
            return Ok(());
        };
        object.scale = spawn.scale;
        let is_player = spawn.flags.contains(SpawnFlags::IS_LOCAL_PLAYER);
        object.role.player |= is_player;
        self.objects.world.set_place(spawn.id, spawn.place);
        if is_player {
            let player = Some(spawn.id);
            self.session.set_player(player, &mut self.context);
        }
        let owned = spawn.flags.contains(SpawnFlags::IS_OWNER);
        if self.objects.set_owned(spawn.id, owned) {
            self.writes.remove(spawn.id);
        }
        if !spawn.payload.is_empty() {
            self.read_payload(&ObjectPayload {
                object: spawn.id,
                message: SpawnMessage::NAME,
                bytes: &spawn.payload,
                initial_state: true,
            })?;
        }
        self.finish_spawn(spawn.id);
        Ok(())
    }

    /// Handles a change of this client's role for an object.
    pub(crate) fn handle_change_owner(&mut self, message: ChangeOwnerMessage) {
        let (id, flags) = (message.net_id, message.flags);
        let Some(object) = self.objects.spawned(id, &mut self.context.stats) else {
            return;
        };
        let is_player = flags.contains(SpawnFlags::IS_LOCAL_PLAYER);
        let was_player = std::mem::replace(&mut object.role.player, is_player);
        let stops = was_player && !is_player && std::mem::take(&mut object.reported.player);
        if stops {
            self.dispatch(id, LifecycleEvent::Call(LifecycleCallback::StopLocalPlayer));
        }
        if self
            .objects
            .set_owned(id, flags.contains(SpawnFlags::IS_OWNER))
        {
            self.writes.remove(id);
        }
        self.report_ownership(id);
        if is_player {
            self.session.set_player(Some(id), &mut self.context);
            self.report_player_start(id);
        } else if self.session.local_player == Some(id) {
            self.session.set_player(None, &mut self.context);
        }
    }
}
