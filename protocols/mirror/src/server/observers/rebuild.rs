//! Rebuilds of observers by the rules of Mirror.

use std::any::{Any, type_name};
use std::collections::BTreeSet;
use std::fmt;

use syncvar_runtime::{ConnectionId, NetId, ObjectError, Vector3, WrongInterest};

use crate::server::MirrorServer;
use crate::server::sessions::connection::Connection;
use crate::server::world::object::{Viewers, Visibility};
use crate::{MirrorPrefabs, MirrorServerConfig};

/// Chooses observers at the moments of Mirror: its `InterestManagement`.
///
/// The server asks [`check`](Self::check) for each object when a connection becomes ready, and
/// [`observers`](Self::observers) for a new object, a new owner, and the objects that
/// [`frame`](Self::frame) names. Between two rebuilds nobody enters or leaves. Independent of the
/// implementation, the owner of an object observes it from the next rebuild on.
///
/// [`mirror::interest`](crate::interest) has Mirror's ready made ones. Implement this trait for a
/// class of your own that overrides `OnCheckObserver` and `OnRebuildObservers`; a new game prefers
/// [areas](MirrorServer::with_interest), whose cost follows the changes.
///
/// A game in which a connection sees the objects on the floor of its player:
///
/// ```
/// use std::collections::BTreeSet;
/// use syncvar::mirror::{MirrorInterest, MirrorPrefabs, MirrorServer, MirrorServerConfig};
/// use syncvar::prelude::*;
///
/// #[derive(Debug)]
/// struct Floors;
///
/// fn floor(server: &MirrorServer, object: NetId) -> i64 {
///     (server.position(object).y / 4.0) as i64
/// }
///
/// impl MirrorInterest for Floors {
///     fn check(&self, server: &MirrorServer, object: NetId, connection: ConnectionId) -> bool {
///         let player = server.player_of(connection);
///         player.is_some_and(|player| floor(server, player) == floor(server, object))
///     }
///
///     fn observers(&self, server: &MirrorServer, object: NetId, observers: &mut Vec<ConnectionId>) {
///         let seeing = server.connections().filter(|it| self.check(server, object, *it));
///         observers.extend(seeing);
///     }
///
///     fn frame(&mut self, server: &MirrorServer, rebuilds: &mut BTreeSet<NetId>) {
///         rebuilds.extend(server.identities().map(|object| object.net_id()));
///     }
/// }
///
/// let config = MirrorServerConfig::default();
/// let server = MirrorServer::with_mirror_interest(MirrorPrefabs::new(), config, Floors);
/// assert!(server.mirror_interest::<Floors>().is_ok());
/// ```
pub trait MirrorInterest: Any + Send + Sync + fmt::Debug {
    /// Handles a new object, after its spawn callbacks. Mirror, `OnSpawned`.
    fn handle_spawn(&mut self, server: &MirrorServer, object: NetId) {
        let _ = (server, object);
    }

    /// Handles write access to the behaviours or the scene of a spawned object since the last call.
    fn handle_write(&mut self, server: &MirrorServer, object: NetId) {
        let _ = (server, object);
    }

    /// Handles a despawn. Mirror, `OnDestroyed`.
    fn handle_despawn(&mut self, object: NetId) {
        let _ = object;
    }

    /// Returns whether a connection that becomes ready sees an object. Mirror, `OnCheckObserver`.
    fn check(&self, server: &MirrorServer, object: NetId, connection: ConnectionId) -> bool;

    /// Adds the connections that see an object, in any order; the server leaves out those that are
    /// not ready. Mirror, `OnRebuildObservers`.
    fn observers(&self, server: &MirrorServer, object: NetId, observers: &mut Vec<ConnectionId>);

    /// Adds the objects whose observers change. Called in each frame after the behaviours. Mirror,
    /// `Update` and `LateUpdate`.
    fn frame(&mut self, server: &MirrorServer, rebuilds: &mut BTreeSet<NetId>) {
        let _ = (server, rebuilds);
    }

    /// Returns the name of the type, for errors.
    fn type_name(&self) -> &'static str {
        type_name::<Self>()
    }
}

/// The interest management, and its input since the last frame.
#[derive(Debug)]
pub(in crate::server) struct Rebuilds {
    /// `None` while it is called.
    interest: Option<Box<dyn MirrorInterest>>,
    /// Objects whose behaviours may have changed.
    pub(in crate::server) written: BTreeSet<NetId>,
    /// Despawned objects.
    removed: Vec<NetId>,
    /// Empty; kept for its memory.
    observers: Vec<ConnectionId>,
}

impl Rebuilds {
    pub(in crate::server) fn remove_object(&mut self, id: NetId) {
        self.written.remove(&id);
        match &mut self.interest {
            Some(interest) => interest.handle_despawn(id),
            None => self.removed.push(id),
        }
    }
}

impl MirrorServer {
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
        server.observers.rebuilds = Some(Box::new(Rebuilds {
            interest: Some(Box::new(interest)),
            written: BTreeSet::new(),
            removed: Vec::new(),
            observers: Vec::new(),
        }));
        server
    }

    /// Returns Mirror's interest management of a known type.
    ///
    /// # Errors
    ///
    /// When it has another type, or the server has none of Mirror.
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
    /// When it has another type, or the server has none of Mirror.
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
        self.world.expect_object(id)?;
        self.rebuild(id);
        Ok(())
    }

    /// Returns the position of an object; the origin for an unknown one.
    pub fn position(&self, id: NetId) -> Vector3 {
        self.world.place(id).position
    }

    /// Returns whether a connection is accepted: see
    /// [`MirrorServerConfig::authenticate`](crate::MirrorServerConfig::authenticate).
    pub fn is_authenticated(&self, connection: ConnectionId) -> bool {
        let client = self.sessions.get(connection);
        client.is_some_and(|client| client.authenticated)
    }

    /// Calls the interest management with the server. `None` without one, and within such a call.
    fn with_rebuilds<T>(
        &mut self,
        action: impl FnOnce(&Self, &mut dyn MirrorInterest) -> T,
    ) -> Option<T> {
        let rebuilds = self.observers.rebuilds.as_mut()?;
        let mut interest = rebuilds.interest.take()?;
        let written = std::mem::take(&mut rebuilds.written);
        for id in written {
            if self.world.objects.get(id.0).is_some_and(|it| it.spawned) {
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
    pub(in crate::server) fn rebuild_new(&mut self, id: NetId) {
        if self.observers.rebuilds.is_none() {
            return;
        }
        self.with_rebuilds(|server, interest| interest.handle_spawn(server, id));
        let mut chosen = Vec::new();
        if !self.choose_observers(id, &mut chosen) {
            let ready = self.sessions.iter().filter(|(_, it)| it.is_ready());
            chosen.extend(ready.map(|(connection, _)| connection));
        }
        if let Some(object) = self.world.objects.get_mut(id.0) {
            object.viewers = Viewers::Chosen(chosen);
        }
    }

    /// Chooses the observers of an object anew, except of one that is shown to all.
    pub(in crate::server) fn rebuild(&mut self, id: NetId) {
        let Some(rebuilds) = &mut self.observers.rebuilds else {
            return;
        };
        let mut chosen = std::mem::take(&mut rebuilds.observers);
        if self.choose_observers(id, &mut chosen) {
            self.set_chosen(id, &chosen);
        }
        if let Some(rebuilds) = &mut self.observers.rebuilds {
            chosen.clear();
            rebuilds.observers = chosen;
        }
    }

    /// Lists the observers of an object, ascending. Returns whether a rule decides about them.
    fn choose_observers(&mut self, id: NetId, chosen: &mut Vec<ConnectionId>) -> bool {
        let Some(object) = self.world.objects.get(id.0).filter(|it| it.spawned) else {
            return false;
        };
        let owner = object.owner;
        match object.visibility {
            Visibility::ForceShown => return false,
            Visibility::ForceHidden => {}
            Visibility::ByDefault => {
                self.with_rebuilds(|server, it| it.observers(server, id, chosen));
            }
        }
        chosen.extend(owner);
        chosen.retain(|it| self.sessions.get(*it).is_some_and(Connection::is_ready));
        chosen.sort_unstable();
        chosen.dedup();
        true
    }

    fn set_chosen(&mut self, id: NetId, chosen: &[ConnectionId]) {
        let Some(object) = self.world.objects.get_mut(id.0) else {
            return;
        };
        let Viewers::Chosen(former) = &mut object.viewers else {
            return;
        };
        if *former == chosen {
            return;
        }
        let former = std::mem::replace(former, chosen.to_vec());
        let entering = chosen.iter().filter(|it| former.binary_search(it).is_err());
        let leaving = former.iter().filter(|it| chosen.binary_search(it).is_err());
        for connection in entering.chain(leaving) {
            self.update_observer(id, *connection);
        }
    }

    /// Chooses the objects that a connection sees as it becomes ready.
    pub(in crate::server) fn check_objects(&mut self, connection: ConnectionId) {
        if self.observers.rebuilds.is_none() {
            return;
        }
        let seen = self.with_rebuilds(|server, interest| {
            let objects = server.world.objects.iter();
            let seen = objects.filter(|(number, object)| {
                let check = || interest.check(server, NetId(*number), connection);
                object.spawned
                    && match object.visibility {
                        Visibility::ForceShown => true,
                        Visibility::ForceHidden => false,
                        Visibility::ByDefault => check(),
                    }
            });
            seen.map(|(number, _)| number).collect::<Vec<_>>()
        });
        for number in seen.unwrap_or_default() {
            if let Some(object) = self.world.objects.get_mut(number) {
                object.viewers.choose(connection, true);
            }
        }
    }

    /// Runs the rebuilds of a frame.
    pub(in crate::server) fn run_rebuilds(&mut self) {
        if self.observers.rebuilds.is_none() {
            return;
        }
        let mut rebuilds = BTreeSet::new();
        self.with_rebuilds(|server, interest| interest.frame(server, &mut rebuilds));
        for id in rebuilds {
            self.rebuild(id);
        }
    }
}

/// Name of the missing interest management in errors.
const NO_INTEREST: &str = "none of Mirror";
