//! What the local client sees.

use crate::interest::Area;
use crate::server::NetworkServer;
use crate::server::audience::Base;
use crate::server::spawned::Spawned;
use crate::{ClientEvent, NetId};

impl NetworkServer {
    /// Whether the local client has been told of an object and sees it.
    pub(crate) fn is_seen_locally(&self, id: NetId) -> bool {
        let host = self.host.as_ref();
        host.is_some_and(|host| host.known.contains(&id))
    }

    /// Whether the local client is to see an object.
    pub(in crate::server) fn is_for_local(&self, id: NetId, spawned: &Spawned) -> bool {
        let Some(host) = &self.host else {
            return false;
        };
        if let Some(visible) = host.views.get(&id) {
            return *visible;
        }
        match self.audiences.base(spawned.wanted) {
            Base::Everyone => true,
            Base::Nobody => false,
            Base::Area(area) => {
                spawned.owner == Some(host.connection) || self.will_see(host.connection, area)
            }
        }
    }

    /// As [`show`](Self::show), [`hide`](Self::hide) or [`restore`](Self::restore), for the local client.
    pub(in crate::server) fn set_visible_locally(&mut self, id: NetId, view: Option<bool>) -> bool {
        let exists = self.objects.get(id.0).is_some();
        if exists {
            self.set_view_of_local(id, view);
        }
        exists
    }

    /// Shows an object to the local client or hides it, or leaves that to what is said about all.
    pub(in crate::server) fn set_view_of_local(&mut self, id: NetId, view: Option<bool>) {
        if let Some(host) = &mut self.host {
            match view {
                Some(visible) => host.views.insert(id, visible),
                None => host.views.remove(&id),
            };
            host.touched.insert(id);
        }
    }

    /// Something has happened to an object that may make a difference to the local client.
    #[inline]
    pub(in crate::server) fn touch_for_local(&mut self, id: NetId) {
        if let Some(host) = &mut self.host {
            host.touched.insert(id);
        }
    }

    /// The local client begins or ceases to see an area.
    pub(in crate::server) fn touch_area_for_local(&mut self, area: Area) {
        if let Some(host) = &mut self.host {
            host.touched.extend(self.interest.objects(area));
        }
    }

    /// An object is gone.
    pub(in crate::server) fn forget_for_local(&mut self, object: NetId) {
        let Some(host) = &mut self.host else {
            return;
        };
        host.views.remove(&object);
        host.owned.remove(&object);
        host.touched.remove(&object);
        host.calls.retain(|call| call.object != object);
        if host.known.remove(&object) {
            let hidden = false;
            host.events.push(ClientEvent::Despawned { object, hidden });
        }
    }

    /// Tells the local client what it sees now, and what it sees no more.
    pub(super) fn settle_local_sight(&mut self) {
        let Some(host) = &mut self.host else {
            return;
        };
        let mut touched = std::mem::take(&mut host.touched);
        let joining = std::mem::take(&mut host.joining);
        if joining {
            touched = self.objects.iter().map(|(id, _)| NetId(id)).collect();
            if self.config.max_events > 0 {
                host.events.reserve(touched.len());
            }
        }
        for id in touched {
            self.settle_local_object(id);
        }
        if let Some(host) = self.host.as_mut().filter(|_| joining) {
            host.events.push(ClientEvent::Ready);
        }
    }

    fn settle_local_object(&mut self, object: NetId) {
        let spawned = self.objects.get(object.0);
        let visible =
            spawned.filter(|spawned| spawned.announced && self.is_for_local(object, spawned));
        let owner = visible.and_then(|spawned| spawned.owner);
        let sees = visible.is_some();
        let Some(host) = &mut self.host else {
            return;
        };
        let is_own = owner == Some(host.connection);
        if sees && !host.known.contains(&object) {
            self.call_initial_hooks_locally(object);
        }
        let Some(host) = &mut self.host else {
            return;
        };
        if sees && host.known.insert(object) {
            host.events.push(ClientEvent::Spawned { object });
        }
        if !sees {
            host.owned.remove(&object);
            if host.known.remove(&object) {
                let hidden = true;
                host.events.push(ClientEvent::Despawned { object, hidden });
            }
            return;
        }
        let news = if is_own {
            host.owned.insert(object)
        } else {
            host.owned.remove(&object)
        };
        if news {
            host.events.push(ClientEvent::OwnerChanged {
                object,
                owned: is_own,
            });
        }
    }
}
