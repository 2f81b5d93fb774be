//! Lifecycle callbacks and events.

use syncvar_runtime::unstable::world::{CheckOut, Departure, LifecycleEvent};
use syncvar_runtime::{LifecycleCallback, NetId};

use crate::client::objects::entry::SpawnStage;
use crate::client::scenes::MadeBehaviours;
use crate::client::{MirrorClient, MirrorClientEvent};

impl MirrorClient {
    /// Reports a spawn or respawn to the behaviours and the application, and then this client's
    /// role.
    pub(crate) fn finish_spawn(&mut self, id: NetId) {
        let Some(object) = self.objects.get_mut(id) else {
            return;
        };
        if std::mem::replace(&mut object.stage, SpawnStage::Spawned) == SpawnStage::Spawned {
            self.context
                .events
                .push(MirrorClientEvent::Respawned { object: id });
        } else {
            let spawned = MirrorClientEvent::Spawned { object: id };
            if self.objects.world.has_lifecycle(id) {
                self.check_out(id, |slots, client| {
                    for callback in LifecycleCallback::SPAWN {
                        client.call_all(id, slots, callback);
                    }
                    // Before check-in, which may despawn the object.
                    client.context.events.push(spawned);
                });
            } else {
                self.context.events.push(spawned);
            }
        }
        self.report_ownership(id);
        self.report_player_start(id);
    }

    /// Reports a change of ownership to the behaviours and the application.
    pub(crate) fn report_ownership(&mut self, id: NetId) {
        let Some(object) = self.objects.get_mut(id) else {
            return;
        };
        let owned = object.role.owner;
        if std::mem::replace(&mut object.reported.owner, owned) == owned {
            return;
        }
        let callback = if owned {
            LifecycleCallback::GainedOwnership
        } else {
            LifecycleCallback::LostOwnership
        };
        self.dispatch(id, LifecycleEvent::Call(callback));
        let object = id;
        self.context
            .events
            .push(MirrorClientEvent::OwnerChanged { object, owned });
    }

    /// Reports that the object became the player of this client, once.
    pub(crate) fn report_player_start(&mut self, id: NetId) {
        let Some(object) = self.objects.get_mut(id) else {
            return;
        };
        if object.role.player && !std::mem::replace(&mut object.reported.player, true) {
            self.dispatch(
                id,
                LifecycleEvent::Call(LifecycleCallback::StartLocalPlayer),
            );
        }
    }

    /// Despawns an object; a checked-out one at check-in.
    pub(crate) fn despawn(&mut self, id: NetId, leaving: Departure) {
        let Some(object) = self.objects.get_mut(id) else {
            self.context.stats.unknown_objects = self.context.stats.unknown_objects.wrapping_add(1);
            return;
        };
        let (stage, is_player) = (object.stage, object.reported.player);
        object.reported.player = false;
        let has_callbacks = stage == SpawnStage::Spawned && self.objects.world.has_lifecycle(id);
        if has_callbacks && is_player {
            self.dispatch(id, LifecycleEvent::Call(LifecycleCallback::StopLocalPlayer));
        }
        if self.objects.world.checked_out.contains(id) {
            self.objects.world.checked_out.depart(id, leaving);
        } else if has_callbacks {
            self.check_out(id, |_, client| {
                client.objects.world.checked_out.depart(id, leaving)
            });
        } else {
            self.remove(id, leaving);
        }
    }

    /// Despawns all objects, in Mirror's order.
    pub(crate) fn despawn_all(&mut self) {
        let ids: Vec<_> = self.objects.order.iter().collect();
        for id in ids {
            self.despawn(id, Departure::Destroyed);
        }
    }

    /// Removes an object after its despawn callbacks.
    pub(crate) fn remove(&mut self, id: NetId, leaving: Departure) {
        let Some((object, behaviours)) = self.objects.remove(id) else {
            return;
        };
        self.writes.remove(id);
        if self.session.local_player == Some(id) {
            self.session.set_player(None, &mut self.context);
        }
        if let (Some(scene_id), Some(behaviours)) = (object.scene_id, behaviours) {
            let prefab = object.prefab;
            self.scenes
                .deactivate(scene_id, MadeBehaviours { prefab, behaviours });
        }
        if object.stage == SpawnStage::Spawned {
            self.context.events.push(MirrorClientEvent::Despawned {
                object: id,
                hidden: leaving == Departure::Hidden,
            });
        }
    }
}
