//! View of the local client.

use syncvar_runtime::NetId;
use syncvar_runtime::interest::Area;
use syncvar_runtime::object::DeferredHooks;

use crate::ClientEvent;
use crate::server::NetworkServer;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::visibility::audience::Base;

impl NetworkServer {
    /// Returns whether the local client observes an object.
    pub(crate) fn is_seen_locally(&self, id: NetId) -> bool {
        let host = self.host.as_ref();
        host.is_some_and(|host| host.known.contains(id))
    }

    /// Returns whether an object is visible to the local client, from the next update on.
    pub(crate) fn is_visible_locally(&self, id: NetId, replicated: &Replicated) -> bool {
        let Some(host) = &self.host else {
            return false;
        };
        if let Some(visible) = host.views.get(id) {
            return *visible;
        }
        match self.visibility.audiences.base(replicated.target_audience) {
            Base::Everyone => true,
            Base::Nobody => false,
            Base::Area(area) => {
                replicated.owner == Some(host.connection) || self.will_see(host.connection, area)
            }
        }
    }

    /// Shows or hides an object for the local client, or restores its default.
    pub(crate) fn set_local_view(&mut self, id: NetId, view: Option<bool>) {
        if let Some(host) = &mut self.host {
            match view {
                Some(visible) => host.views.insert(id, visible),
                None => host.views.remove(id),
            };
            host.marked.insert(id);
        }
    }

    /// Marks an object for a check with the next update.
    #[inline]
    pub(crate) fn mark_local(&mut self, id: NetId) {
        if let Some(host) = &mut self.host {
            host.marked.insert(id);
        }
    }

    /// Marks all objects of an area for a check with the next update.
    pub(crate) fn mark_area_local(&mut self, area: Area) {
        if let Some(host) = &mut self.host {
            host.marked.extend(self.visibility.interest.objects(area));
        }
    }

    /// Removes an object.
    pub(crate) fn remove_locally(&mut self, object: NetId) {
        let Some(host) = &mut self.host else {
            return;
        };
        host.views.remove(object);
        host.owned.remove(object);
        host.marked.remove(object);
        host.rpcs.retain(|call| call.object != object);
        if host.known.remove(object) {
            let hidden = false;
            host.events.push(ClientEvent::Despawned { object, hidden });
        }
    }

    /// Announces visible objects to the local client, and despawns the others there.
    pub(crate) fn update_local_view(&mut self) {
        let Some(host) = &mut self.host else {
            return;
        };
        let mut marked = std::mem::take(&mut host.marked);
        let joining = std::mem::take(&mut host.joining);
        if joining {
            marked = self
                .objects
                .world
                .objects
                .iter()
                .map(|(id, _)| NetId(id))
                .collect();
            if self.context.config.max_events > 0 {
                host.events.reserve(marked.len());
            }
        }
        for id in marked.iter() {
            self.update_local_object(id);
        }
        if let Some(host) = self.host.as_mut().filter(|_| joining) {
            host.events.push(ClientEvent::Ready);
        }
    }

    /// Runs initial hooks on an object that is checked out, then reports its spawn.
    pub(crate) fn announce_locally(&mut self, object: NetId, hooks: Vec<DeferredHooks>) {
        if let Some(host) = &mut self.host {
            host.known.insert(object);
        }
        self.run_local_hooks(object, hooks, |server| {
            if let Some(host) = &mut server.host {
                host.events.push(ClientEvent::Spawned { object });
            }
        });
    }

    pub(crate) fn update_local_object(&mut self, object: NetId) {
        let replicated = self.objects.world.objects.get(object.0);
        let visible = replicated.filter(|replicated| {
            replicated.is(State::Announced) && self.is_visible_locally(object, replicated)
        });
        let owner = visible.and_then(|replicated| replicated.owner);
        let sees = visible.is_some();
        let Some(host) = &mut self.host else {
            return;
        };
        let is_own = owner == Some(host.connection);
        if sees && !host.known.contains(object) {
            let hooks = self.call_initial_hooks_locally(object);
            if !hooks.is_empty() {
                self.announce_locally(object, hooks);
            }
        }
        if sees && !self.objects.world.contains(object) {
            // A hook has removed it.
            return;
        }
        let Some(host) = &mut self.host else {
            return;
        };
        if sees && host.known.insert(object) {
            host.events.push(ClientEvent::Spawned { object });
        }
        if !sees {
            host.owned.remove(object);
            if host.known.remove(object) {
                let hidden = true;
                host.events.push(ClientEvent::Despawned { object, hidden });
            }
            return;
        }
        let news = if is_own {
            host.owned.insert(object)
        } else {
            host.owned.remove(object)
        };
        if news {
            host.events.push(ClientEvent::OwnerChanged {
                object,
                owned: is_own,
            });
        }
    }
}
