//! Lifecycle callbacks and events.

use syncvar_runtime::world::{CheckOut, Departure, LifecycleEvent};
use syncvar_runtime::{LifecycleCallback, NetId};

use crate::client::world::object::Stage;
use crate::client::{MirrorClient, MirrorClientEvent};

impl MirrorClient {
    /// Reports a spawn or respawn to the behaviours and the application, and then this client's
    /// role.
    pub(in crate::client) fn finish_spawn(&mut self, id: NetId) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        if std::mem::replace(&mut object.stage, Stage::Spawned) == Stage::Spawned {
            self.events
                .push(MirrorClientEvent::Respawned { object: id });
        } else {
            self.report_spawn(id);
        }
        self.report_ownership(id);
        self.report_player_start(id);
    }

    /// Reports a spawn to the behaviours, then to the application.
    fn report_spawn(&mut self, id: NetId) {
        let spawned = MirrorClientEvent::Spawned { object: id };
        if !self.world.has_lifecycle(id) {
            return self.events.push(spawned);
        }
        self.check_out(id, |slots, client| {
            for callback in LifecycleCallback::SPAWN {
                client.call_all(id, slots, callback);
            }
            // Before check-in, which may despawn the object.
            client.events.push(spawned);
        });
    }

    /// Reports a change of ownership to the behaviours and the application.
    pub(in crate::client) fn report_ownership(&mut self, id: NetId) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
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
        self.events
            .push(MirrorClientEvent::OwnerChanged { object, owned });
    }

    /// Reports that the object became the player of this client, once.
    pub(in crate::client) fn report_player_start(&mut self, id: NetId) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        if object.role.player && !std::mem::replace(&mut object.reported.player, true) {
            self.dispatch(
                id,
                LifecycleEvent::Call(LifecycleCallback::StartLocalPlayer),
            );
        }
    }

    /// Reports that the object is no longer the player.
    pub(in crate::client) fn report_player_stop(&mut self, id: NetId) {
        let object = self.world.objects.get_mut(id.0);
        if object.is_some_and(|object| std::mem::take(&mut object.reported.player)) {
            self.dispatch(id, LifecycleEvent::Call(LifecycleCallback::StopLocalPlayer));
        }
    }

    /// Sets the player of this client.
    pub(in crate::client) fn set_player(&mut self, player: Option<NetId>) {
        if std::mem::replace(&mut self.session.local_player, player) != player {
            self.events
                .push(MirrorClientEvent::PlayerChanged { player });
        }
    }

    /// Despawns an object; a checked-out one at check-in.
    pub(in crate::client) fn despawn(&mut self, id: NetId, leaving: Departure) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            self.stats.unknown_objects = self.stats.unknown_objects.wrapping_add(1);
            return;
        };
        let (stage, is_player) = (object.stage, object.reported.player);
        object.reported.player = false;
        let has_callbacks = stage == Stage::Spawned && self.world.has_lifecycle(id);
        if has_callbacks && is_player {
            self.dispatch(id, LifecycleEvent::Call(LifecycleCallback::StopLocalPlayer));
        }
        if self.world.checked_out.contains(id) {
            self.world.checked_out.depart(id, leaving);
        } else if has_callbacks {
            self.check_out(id, |_, client| client.world.checked_out.depart(id, leaving));
        } else {
            self.remove(id, leaving);
        }
    }

    /// Despawns all objects, in Mirror's order.
    pub(in crate::client) fn despawn_all(&mut self) {
        let ids: Vec<_> = self.order.iter().collect();
        for id in ids {
            self.despawn(id, Departure::Destroyed);
        }
    }

    /// Removes an object after its despawn callbacks.
    pub(in crate::client) fn remove(&mut self, id: NetId, leaving: Departure) {
        let Some(object) = self.world.objects.get(id.0) else {
            return;
        };
        // The behaviours of a scene object outlive it.
        let behaviours = self.world.pools.withdraw(object.at);
        let Some(object) = self.world.remove(id) else {
            return;
        };
        self.order.remove(id);
        self.writes.remove(id);
        self.frames.objects.remove(&id);
        if self.session.local_player == Some(id) {
            self.set_player(None);
        }
        if let (Some(scene_id), Some(behaviours)) = (object.scene_id, behaviours) {
            self.scene.deactivate(scene_id, object.prefab, behaviours);
        }
        if object.stage == Stage::Spawned {
            let hidden = leaving == Departure::Hidden;
            let object = id;
            self.events
                .push(MirrorClientEvent::Despawned { object, hidden });
        }
    }

    /// Runs a callback of each spawned object.
    pub(in crate::client) fn dispatch_to_all(&mut self, callback: LifecycleCallback) {
        let ids: Vec<_> = self.order.iter().collect();
        for id in ids {
            let object = self.world.objects.get(id.0);
            if object.is_some_and(|object| object.stage == Stage::Spawned) {
                self.dispatch(id, LifecycleEvent::Call(callback));
            }
        }
    }
}
