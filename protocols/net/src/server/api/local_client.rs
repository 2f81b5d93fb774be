//! `LocalClient`: the local client's view of the server's objects.

use syncvar_runtime::{ConnectionId, NetId, NetworkBehaviour, NetworkIdentity};

use crate::server::NetworkServer;
use crate::server::host::Host;

/// The local client's view: the server's objects except hidden objects and objects not announced
/// yet. See [`NetworkServer::connect_local`].
///
/// Values change at once with the server's. Spawns and hides take effect with
/// [`NetworkServer::update`], as on any client; a despawn takes effect at once.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
/// let me = server.connect_local();
/// let door = server.spawn(Door { open: true.into() });
/// server.update(Duration::from_millis(50));
/// let local = server.local_client().unwrap();
/// assert_eq!(local.connection(), me);
/// assert_eq!(local.get::<Door>(door).unwrap().open, true);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LocalClient<'a> {
    pub(super) server: &'a NetworkServer,
    pub(super) host: &'a Host,
}

impl<'a> LocalClient<'a> {
    /// Returns its connection.
    pub fn connection(self) -> ConnectionId {
        self.host.connection
    }

    /// Returns an object, once [`ClientEvent::Spawned`](crate::ClientEvent::Spawned) announced it.
    pub fn identity(self, id: NetId) -> Option<NetworkIdentity<'a>> {
        let known = self.host.known.contains(id);
        known.then(|| self.server.identity(id)).flatten()
    }

    /// Returns all visible objects, by ascending id.
    pub fn identities(self) -> impl Iterator<Item = NetworkIdentity<'a>> {
        let server = self.server;
        let known = self.host.known.iter();
        known.filter_map(|id| server.identity(id))
    }

    /// Returns the number of visible objects.
    pub fn object_count(self) -> usize {
        self.host.known.len()
    }

    /// Returns the first behaviour of this type on a visible object.
    pub fn get<B: NetworkBehaviour>(self, id: NetId) -> Option<&'a B> {
        self.identity(id)?.behaviour()
    }

    /// Returns the behaviour at an index of a visible object, for objects with two behaviours of
    /// one type.
    pub fn get_at<B: NetworkBehaviour>(self, id: NetId, index: usize) -> Option<&'a B> {
        self.identity(id)?.behaviour_at(index)
    }

    /// Returns whether it observes and owns an object.
    pub fn is_owner(self, id: NetId) -> bool {
        let owned = self.server.owner(id) == Some(self.host.connection);
        owned && self.host.known.contains(id)
    }
}
