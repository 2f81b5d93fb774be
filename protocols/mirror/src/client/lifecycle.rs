//! Lifecycle callbacks and events.

use syncvar_runtime::lend::{Leaving, Lends};
use syncvar_runtime::{LifecycleCallback, NetId};

use super::object::Stage;
use super::{MirrorClient, MirrorClientEvent};

impl MirrorClient {
    /// Reports a spawn or respawn to the behaviours and the application, and then this client's
    /// role.
    pub(super) fn finish_spawn(&mut self, id: NetId) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        if std::mem::replace(&mut object.stage, Stage::Spawned) == Stage::Spawned {
            self.events
                .push(MirrorClientEvent::Respawned { object: id });
        } else {
            self.dispatch_spawn(id);
        }
        self.dispatch_ownership(id);
        self.dispatch_player_start(id);
    }

    /// Reports a spawn to the behaviours, then to the application.
    fn dispatch_spawn(&mut self, id: NetId) {
        let spawned = MirrorClientEvent::Spawned { object: id };
        if !self.world.has_lifecycle(id) {
            return self.events.push(spawned);
        }
        self.lend(id, |slots, client| {
            for callback in LifecycleCallback::SPAWN {
                client.call_all(id, slots, callback);
            }
            // Before check-in, which may despawn the object.
            client.events.push(spawned);
        });
    }

    /// Reports a change of ownership to the behaviours and the application.
    pub(super) fn dispatch_ownership(&mut self, id: NetId) {
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
        self.dispatch(id, callback);
        let object = id;
        self.events
            .push(MirrorClientEvent::OwnerChanged { object, owned });
    }

    /// Reports that the object became the player of this client, once.
    pub(super) fn dispatch_player_start(&mut self, id: NetId) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        if object.role.player && !std::mem::replace(&mut object.reported.player, true) {
            self.dispatch(id, LifecycleCallback::StartLocalPlayer);
        }
    }

    /// Reports that the object is no longer the player.
    pub(super) fn dispatch_player_stop(&mut self, id: NetId) {
        let object = self.world.objects.get_mut(id.0);
        if object.is_some_and(|object| std::mem::take(&mut object.reported.player)) {
            self.dispatch(id, LifecycleCallback::StopLocalPlayer);
        }
    }

    /// Sets the player of this client.
    pub(super) fn set_player(&mut self, player: Option<NetId>) {
        if std::mem::replace(&mut self.session.local_player, player) != player {
            self.events
                .push(MirrorClientEvent::PlayerChanged { player });
        }
    }

    /// Despawns an object; a checked-out one at check-in.
    pub(super) fn despawn(&mut self, id: NetId, leaving: Leaving) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            self.stats.unknown_objects = self.stats.unknown_objects.wrapping_add(1);
            return;
        };
        let (stage, is_player) = (object.stage, object.reported.player);
        object.reported.player = false;
        let has_callbacks = stage == Stage::Spawned && self.world.has_lifecycle(id);
        if has_callbacks && is_player {
            self.dispatch(id, LifecycleCallback::StopLocalPlayer);
        }
        if self.world.checked_out.contains(id) {
            self.world.checked_out.let_go(id, leaving);
        } else if has_callbacks {
            self.lend(id, |_, client| client.world.checked_out.let_go(id, leaving));
        } else {
            self.remove(id, leaving);
        }
    }

    /// Despawns all objects, in Mirror's order.
    pub(super) fn despawn_all(&mut self) {
        let ids: Vec<_> = self.world.order.iter().collect();
        for id in ids {
            self.despawn(id, Leaving::Destroyed);
        }
    }

    /// Removes an object after its despawn callbacks.
    pub(super) fn remove(&mut self, id: NetId, leaving: Leaving) {
        let Some((object, behaviours)) = self.world.remove(id) else {
            return;
        };
        self.writes.remove(id);
        if self.session.local_player == Some(id) {
            self.set_player(None);
        }
        if let (Some(scene_id), Some(behaviours)) = (object.scene_id, behaviours) {
            self.scene.deactivate(scene_id, object.prefab, behaviours);
        }
        if object.stage == Stage::Spawned {
            let hidden = leaving == Leaving::Hidden;
            let object = id;
            self.events
                .push(MirrorClientEvent::Despawned { object, hidden });
        }
    }

    /// Runs a callback of each spawned object.
    pub(super) fn dispatch_to_all(&mut self, callback: LifecycleCallback) {
        let ids: Vec<_> = self.world.order.iter().collect();
        for id in ids {
            let object = self.world.objects.get(id.0);
            if object.is_some_and(|object| object.stage == Stage::Spawned) {
                self.dispatch(id, callback);
            }
        }
    }

    /// Runs a callback of all behaviours of an object, now or at check-in.
    fn dispatch(&mut self, id: NetId, callback: LifecycleCallback) {
        if self.world.has_lifecycle(id) && !self.world.checked_out.leave(id, &[callback]) {
            self.lend(id, |slots, client| client.call_all(id, slots, callback));
        }
    }
}
