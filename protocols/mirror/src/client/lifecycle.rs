//! What behaviours and the application are told of the life of objects.

use syncvar_runtime::lend::{Leaving, Lends};
use syncvar_runtime::{LifecycleCallback, NetId};

use super::object::Stage;
use super::{MirrorClient, MirrorClientEvent};

impl MirrorClient {
    /// An object has its state: its behaviours and the application are told, and then what it is to this
    /// client.
    pub(super) fn announce(&mut self, id: NetId) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        if std::mem::replace(&mut object.stage, Stage::Spawned) == Stage::Spawned {
            self.events
                .push(MirrorClientEvent::Respawned { object: id });
        } else {
            self.tell_spawned(id);
        }
        self.tell_ownership(id);
        self.tell_player(id);
    }

    /// Tells the behaviours and then the application that an object is there.
    fn tell_spawned(&mut self, id: NetId) {
        let spawned = MirrorClientEvent::Spawned { object: id };
        if !self.has_lifecycle(id) {
            return self.events.push(spawned);
        }
        self.lend(id, |slots, client| {
            for callback in LifecycleCallback::SPAWN {
                client.call_all(id, slots, callback);
            }
            // It may go with this.
            client.events.push(spawned);
        });
    }

    /// Tells the behaviours and the application whether this client owns an object, if that is news.
    pub(super) fn tell_ownership(&mut self, id: NetId) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        let owned = object.owned;
        if std::mem::replace(&mut object.told_owned, owned) == owned {
            return;
        }
        let callback = if owned {
            LifecycleCallback::GainedOwnership
        } else {
            LifecycleCallback::LostOwnership
        };
        self.tell(id, callback);
        let object = id;
        self.events
            .push(MirrorClientEvent::OwnerChanged { object, owned });
    }

    /// Tells them that it is this client's player, if it is and they do not know.
    pub(super) fn tell_player(&mut self, id: NetId) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        if object.is_player && !std::mem::replace(&mut object.told_player, true) {
            self.tell(id, LifecycleCallback::StartLocalPlayer);
        }
    }

    /// Tells them that it is no longer.
    pub(super) fn tell_no_player(&mut self, id: NetId) {
        let object = self.objects.get_mut(id.0);
        if object.is_some_and(|object| std::mem::take(&mut object.told_player)) {
            self.tell(id, LifecycleCallback::StopLocalPlayer);
        }
    }

    /// Whose player this client has, or that it has none.
    pub(super) fn set_player(&mut self, player: Option<NetId>) {
        if std::mem::replace(&mut self.local_player, player) != player {
            self.events
                .push(MirrorClientEvent::PlayerChanged { player });
        }
    }

    /// An object is gone. If it is being called, it goes when that is done.
    pub(super) fn forget(&mut self, id: NetId, leaving: Leaving) {
        let Some(object) = self.objects.get_mut(id.0) else {
            self.stats.unknown_objects = self.stats.unknown_objects.wrapping_add(1);
            return;
        };
        let (stage, told_player) = (object.stage, object.told_player);
        object.told_player = false;
        let told = stage == Stage::Spawned && self.has_lifecycle(id);
        if told && told_player {
            self.tell(id, LifecycleCallback::StopLocalPlayer);
        }
        if self.lent.contains(id) {
            self.lent.let_go(id, leaving);
        } else if told {
            self.lend(id, |_, client| client.lent.let_go(id, leaving));
        } else {
            self.remove(id, leaving);
        }
    }

    /// All objects go, in Mirror's order.
    pub(super) fn forget_all(&mut self) {
        let ids: Vec<_> = self.order.iter().collect();
        for id in ids {
            self.forget(id, Leaving::Destroyed);
        }
    }

    /// Takes an object away, when its behaviours have been told.
    pub(super) fn remove(&mut self, id: NetId, leaving: Leaving) {
        let Some(mut object) = self.objects.remove(id.0) else {
            return;
        };
        self.order.remove(id);
        self.writing.remove(&id);
        if self.local_player == Some(id) {
            self.set_player(None);
        }
        if let (Some(scene_id), Some(behaviours)) = (object.scene_id, object.behaviours.take()) {
            self.scene.put_to_sleep(scene_id, object.prefab, behaviours);
        }
        if object.stage == Stage::Spawned {
            let hidden = leaving == Leaving::Hidden;
            let object = id;
            self.events
                .push(MirrorClientEvent::Despawned { object, hidden });
        }
    }

    /// Runs a callback of each of the objects that are there.
    pub(super) fn tell_all(&mut self, callback: LifecycleCallback) {
        let ids: Vec<_> = self.order.iter().collect();
        for id in ids {
            let object = self.objects.get(id.0);
            if object.is_some_and(|object| object.stage == Stage::Spawned) {
                self.tell(id, callback);
            }
        }
    }

    /// Whether any behaviour of an object is told of its life.
    fn has_lifecycle(&self, id: NetId) -> bool {
        let object = self.objects.get(id.0);
        let prefab = object.and_then(|object| self.prefabs.get(object.prefab));
        prefab.is_some_and(|prefab| prefab.lifecycle)
    }

    /// Runs a callback of every behaviour of an object, now or when it is given back.
    fn tell(&mut self, id: NetId, callback: LifecycleCallback) {
        if self.has_lifecycle(id) && !self.lent.leave(id, &[callback]) {
            self.lend(id, |slots, client| client.call_all(id, slots, callback));
        }
    }
}
