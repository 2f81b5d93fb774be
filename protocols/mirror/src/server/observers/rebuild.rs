//! Rebuilds of observers by the rules of Mirror.

use std::any::{Any, type_name};
use std::collections::BTreeSet;
use std::fmt;

use syncvar_runtime::{ConnectionId, NetId};

use crate::server::MirrorServer;
use crate::server::objects::entry::{Observed, Viewers};

/// Chooses observers at the moments of Mirror: its `InterestManagement`.
///
/// The server asks [`check`](Self::check) for each object when a connection becomes ready, and
/// [`observers`](Self::observers) for a new object, a new owner, and the objects that
/// [`frame`](Self::frame) names. Between two rebuilds nobody enters or leaves. Independent of the
/// implementation, the owner of an object observes it from the next rebuild on.
///
/// [`mirror::interest`](crate::interest) has Mirror's ready made managements. Implement this trait for a
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
pub(crate) struct Rebuilds {
    /// `None` while it is called.
    pub(crate) interest: Option<Box<dyn MirrorInterest>>,
    /// Objects whose behaviours may have changed.
    pub(crate) written: BTreeSet<NetId>,
    /// Despawned objects.
    pub(crate) removed: Vec<NetId>,
    /// Empty; kept for its memory.
    pub(crate) observers: Vec<ConnectionId>,
}

impl Rebuilds {
    pub(crate) fn new(interest: impl MirrorInterest) -> Self {
        Self {
            interest: Some(Box::new(interest)),
            written: BTreeSet::new(),
            removed: Vec::new(),
            observers: Vec::new(),
        }
    }

    pub(crate) fn remove_object(&mut self, id: NetId) {
        self.written.remove(&id);
        match &mut self.interest {
            Some(interest) => interest.handle_despawn(id),
            None => self.removed.push(id),
        }
    }
}

/// Sets the chosen observers of an object, ascending. Returns the connections that enter or leave.
pub(crate) fn choose(object: &mut Observed, chosen: &[ConnectionId]) -> Vec<ConnectionId> {
    let Viewers::Chosen(former) = &mut object.view.viewers else {
        return Vec::new();
    };
    if *former == chosen {
        return Vec::new();
    }
    let former = std::mem::replace(former, chosen.to_vec());
    let entering = chosen.iter().filter(|it| former.binary_search(it).is_err());
    let leaving = former.iter().filter(|it| chosen.binary_search(it).is_err());
    entering.chain(leaving).copied().collect()
}
