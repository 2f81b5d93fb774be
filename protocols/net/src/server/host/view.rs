//! View of the local client.

use syncvar_runtime::NetId;

use crate::ClientEvent;
use crate::server::host::Host;
use crate::server::objects::Objects;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::Base;

impl Host {
    /// Returns whether the local client will observe an object from the next update on.
    pub(crate) fn observes(
        &self,
        visibility: &Visibility,
        id: NetId,
        replicated: &Replicated,
    ) -> bool {
        if let Some(visible) = self.views.get(id) {
            return *visible;
        }
        match visibility.audiences.base(replicated.target_audience) {
            Base::Everyone => true,
            Base::Nobody => false,
            Base::Area(area) => {
                replicated.owner == Some(self.connection)
                    || visibility.will_see(self.connection, area)
            }
        }
    }

    /// Shows an object to the local client or hides the object by name. `None` removes the exception.
    pub(crate) fn set_view(&mut self, objects: &mut Objects, id: NetId, view: Option<bool>) {
        match view {
            Some(visible) => self.views.insert(id, visible),
            None => self.views.remove(id),
        };
        objects.note_local_change(id);
    }

    /// Removes an object.
    pub(crate) fn remove_object(&mut self, object: NetId) {
        self.views.remove(object);
        self.owned.remove(object);
        self.rpcs.retain(|call| call.object != object);
        if self.known.remove(object) {
            let hidden = false;
            self.events.push(ClientEvent::Despawned { object, hidden });
        }
    }

    /// Announces an object, without an event.
    pub(crate) fn announce(&mut self, object: NetId) {
        self.known.insert(object);
    }

    fn observes_announced(&self, objects: &Objects, visibility: &Visibility, id: NetId) -> bool {
        let replicated = objects.world.objects.get(id.0);
        replicated.is_some_and(|replicated| {
            replicated.is(State::Announced) && self.observes(visibility, id, replicated)
        })
    }

    /// Reports that an object enters or leaves the view, and a change of its owner.
    pub(crate) fn update_object(&mut self, object: NetId, view: LocalView) {
        if !view.observed {
            self.owned.remove(object);
            if self.known.remove(object) {
                let hidden = true;
                self.events.push(ClientEvent::Despawned { object, hidden });
            }
            return;
        }
        if self.known.insert(object) {
            self.events.push(ClientEvent::Spawned { object });
        }
        let has_changed = if view.owned {
            self.owned.insert(object)
        } else {
            self.owned.remove(object)
        };
        if has_changed {
            self.events.push(ClientEvent::OwnerChanged {
                object,
                owned: view.owned,
            });
        }
    }

    /// Returns whether the local client observes and owns an object.
    pub(crate) fn view_of(
        &self,
        objects: &Objects,
        visibility: &Visibility,
        object: NetId,
    ) -> LocalView {
        let observed = self.observes_announced(objects, visibility, object);
        LocalView {
            observed,
            owned: observed && objects.owner(object) == Some(self.connection),
        }
    }
}

/// Object as the local client observes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalView {
    pub(crate) observed: bool,
    pub(crate) owned: bool,
}
