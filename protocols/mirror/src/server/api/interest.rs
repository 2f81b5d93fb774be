//! Interest management: areas, and Mirror's rebuilds.

use std::any::{Any, type_name};

use syncvar_runtime::{
    ConnectionId, InterestManagement, NetId, ObjectError, Vector3, WrongInterest,
};

use crate::server::MirrorServer;
use crate::server::objects::entry::Viewers;
use crate::server::objects::visibility::Visibility;
use crate::server::observers::interest::ObserverInterest;
use crate::server::observers::rebuild::{MirrorInterest, Rebuilds, choose};
use crate::{MirrorPrefabs, MirrorServerConfig};

impl MirrorServer {
    /// Creates a server with interest management and custom settings. View changes take effect with
    /// the next update; or earlier, with a spawn or the burst of a new connection. The owner of an
    /// object always sees it.
    ///
    /// ```
    /// # use syncvar::mirror::*;
    /// # use syncvar::{interest::SpatialGrid, values::Vector3};
    /// let grid = SpatialGrid::xz(20.0, 50.0);
    /// let config = MirrorServerConfig::default();
    /// let mut server = MirrorServer::with_interest(MirrorPrefabs::new(), config, grid);
    /// let connection = server.handle_connect(Limits::TELEPATHY);
    /// let grid: &mut SpatialGrid = server.interest_mut().unwrap();
    /// grid.watch(connection, Vector3::new(1.0, 0.0, 2.0)).unwrap();
    /// ```
    pub fn with_interest(
        prefabs: MirrorPrefabs,
        config: MirrorServerConfig,
        interest: impl InterestManagement,
    ) -> Self {
        let mut server = Self::with_config(prefabs, config);
        server.observers.interest = ObserverInterest::new(Box::new(interest));
        server
    }

    /// Returns the interest management of a known type.
    ///
    /// # Errors
    ///
    /// When it has a different type.
    pub fn interest<I: InterestManagement>(&self) -> Result<&I, WrongInterest> {
        <dyn InterestManagement>::downcast_ref(&*self.observers.interest.management)
    }

    /// Returns the interest management of a known type, for input from the game: positions of
    /// viewers, teams.
    ///
    /// # Errors
    ///
    /// When it has a different type.
    pub fn interest_mut<I: InterestManagement>(&mut self) -> Result<&mut I, WrongInterest> {
        <dyn InterestManagement>::downcast_mut(&mut *self.observers.interest.management)
    }

    /// Creates a server with an interest management of Mirror and custom settings.
    ///
    /// ```
    /// use syncvar::mirror::interest::DistanceInterestManagement;
    /// use syncvar::mirror::{MirrorPrefabs, MirrorServer, MirrorServerConfig};
    ///
    /// let interest = DistanceInterestManagement::new(100);
    /// let config = MirrorServerConfig::default();
    /// let mut server = MirrorServer::with_mirror_interest(MirrorPrefabs::new(), config, interest);
    /// server.mirror_interest_mut::<DistanceInterestManagement>().unwrap().range = 200;
    /// ```
    pub fn with_mirror_interest(
        prefabs: MirrorPrefabs,
        config: MirrorServerConfig,
        interest: impl MirrorInterest,
    ) -> Self {
        let mut server = Self::with_config(prefabs, config);
        server.observers.rebuilds = Some(Box::new(Rebuilds::new(interest)));
        server
    }

    /// Returns Mirror's interest management of a known type.
    ///
    /// # Errors
    ///
    /// When it has a different type, or the server has none of Mirror.
    pub fn mirror_interest<I: MirrorInterest>(&self) -> Result<&I, WrongInterest> {
        let rebuilds = self.observers.rebuilds.as_ref();
        let interest = rebuilds.and_then(|it| it.interest.as_deref());
        let actual = interest.map_or(NO_INTEREST, MirrorInterest::type_name);
        let found = interest.and_then(|it| (it as &dyn Any).downcast_ref());
        found.ok_or(WrongInterest {
            expected: type_name::<I>(),
            actual,
        })
    }

    /// Returns Mirror's interest management of a known type, for input from the game.
    ///
    /// # Errors
    ///
    /// When it has a different type, or the server has none of Mirror.
    pub fn mirror_interest_mut<I: MirrorInterest>(&mut self) -> Result<&mut I, WrongInterest> {
        let rebuilds = self.observers.rebuilds.as_mut();
        let interest = rebuilds.and_then(|it| it.interest.as_deref_mut());
        let actual = interest.as_deref().map_or(NO_INTEREST, |it| it.type_name());
        let found = interest.and_then(|it| (it as &mut dyn Any).downcast_mut());
        found.ok_or(WrongInterest {
            expected: type_name::<I>(),
            actual,
        })
    }

    /// Rebuilds the observers of an object at once, by Mirror's interest management. Mirror's
    /// `NetworkServer.RebuildObservers`. Without one, nothing changes.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn rebuild_observers(&mut self, id: NetId) -> Result<(), ObjectError> {
        self.objects.world.expect_object(id)?;
        self.rebuild(id);
        Ok(())
    }

    /// Returns the position of an object; the origin for an unknown one.
    pub fn position(&self, id: NetId) -> Vector3 {
        self.objects.world.place(id).position
    }

    /// Returns whether a connection is accepted: see
    /// [`MirrorServerConfig::authenticate`](crate::MirrorServerConfig::authenticate).
    pub fn is_authenticated(&self, connection: ConnectionId) -> bool {
        let client = self.sessions.get(connection);
        client.is_some_and(|client| client.authenticated)
    }

    /// Calls the interest management of Mirror with the server. `None` without one, and within such a call.
    pub(crate) fn with_rebuilds<T>(
        &mut self,
        action: impl FnOnce(&Self, &mut dyn MirrorInterest) -> T,
    ) -> Option<T> {
        let rebuilds = self.observers.rebuilds.as_mut()?;
        let mut interest = rebuilds.interest.take()?;
        let written = std::mem::take(&mut rebuilds.written);
        for id in written {
            if self.objects.get(id).is_some_and(|object| object.spawned) {
                interest.handle_write(self, id);
            }
        }
        let result = action(self, &mut *interest);
        if let Some(rebuilds) = &mut self.observers.rebuilds {
            for id in rebuilds.removed.drain(..) {
                interest.handle_despawn(id);
            }
            rebuilds.interest = Some(interest);
        }
        Some(result)
    }

    /// Chooses the first observers of an object.
    pub(crate) fn rebuild_new(&mut self, id: NetId) {
        if self.observers.rebuilds.is_none() {
            return;
        }
        self.with_rebuilds(|server, interest| interest.handle_spawn(server, id));
        let mut chosen = Vec::new();
        if !self.choose_observers(id, &mut chosen) {
            let ready = self.sessions.iter().filter(|(_, client)| client.is_ready());
            chosen.extend(ready.map(|(connection, _)| connection));
        }
        if let Some(object) = self.objects.get_mut(id) {
            object.view.viewers = Viewers::Chosen(chosen);
        }
    }

    /// Chooses the observers of an object anew, except of an object that is shown to all.
    pub(crate) fn rebuild(&mut self, id: NetId) {
        let Some(rebuilds) = &mut self.observers.rebuilds else {
            return;
        };
        let mut chosen = std::mem::take(&mut rebuilds.observers);
        if self.choose_observers(id, &mut chosen) {
            let object = self.objects.get_mut(id);
            let changed = object.map_or_else(Vec::new, |object| choose(object, &chosen));
            self.replicate(|replication, rooms| {
                for connection in changed {
                    replication.update_observer(rooms, id, connection);
                }
            });
        }
        if let Some(rebuilds) = &mut self.observers.rebuilds {
            chosen.clear();
            rebuilds.observers = chosen;
        }
    }

    /// Lists the observers of an object, ascending. Returns whether a rule decides about them.
    fn choose_observers(&mut self, id: NetId, chosen: &mut Vec<ConnectionId>) -> bool {
        let Some(object) = self.objects.get(id).filter(|object| object.spawned) else {
            return false;
        };
        let owner = object.owner;
        match object.view.visibility {
            Visibility::ForceShown => return false,
            Visibility::ForceHidden => {}
            Visibility::ByDefault => {
                self.with_rebuilds(|server, interest| interest.observers(server, id, chosen));
            }
        }
        chosen.extend(owner);
        chosen.retain(|chosen| self.is_ready(*chosen));
        chosen.sort_unstable();
        chosen.dedup();
        true
    }

    /// Chooses the objects that a connection sees as it becomes ready.
    pub(crate) fn check_objects(&mut self, connection: ConnectionId) {
        if self.observers.rebuilds.is_none() {
            return;
        }
        let seen = self.with_rebuilds(|server, interest| {
            let objects = server.objects.world.objects.iter();
            let seen = objects.filter(|(number, object)| {
                let check = || interest.check(server, NetId(*number), connection);
                object.spawned
                    && match object.view.visibility {
                        Visibility::ForceShown => true,
                        Visibility::ForceHidden => false,
                        Visibility::ByDefault => check(),
                    }
            });
            seen.map(|(number, _)| number).collect::<Vec<_>>()
        });
        for number in seen.unwrap_or_default() {
            if let Some(object) = self.objects.world.objects.get_mut(number) {
                object.view.viewers.choose(connection, true);
            }
        }
    }
}

/// Name of the missing interest management in errors.
const NO_INTEREST: &str = "none of Mirror";
