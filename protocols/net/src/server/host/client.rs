//! `LocalClient`: the server's objects, as far as the local client sees them.

use super::Host;
use crate::ConnectionId;
use crate::server::NetworkServer;
use crate::{ClientEvent, NetId, NetworkBehaviour, NetworkIdentity};

/// What the client in the server's own process sees: the server's objects themselves, but for those
/// that it has not been told of, or that are hidden from it. See
/// [`NetworkServer::connect_local`].
///
/// Values are what they are on the server, at once. Which objects there are follows with
/// [`NetworkServer::update`], as on any client; only one that is despawned is gone at once.
#[derive(Clone, Copy, Debug)]
pub struct LocalClient<'a> {
    server: &'a NetworkServer,
    host: &'a Host,
}

impl NetworkServer {
    /// What the local client sees, if there is one.
    pub fn local_client(&self) -> Option<LocalClient<'_>> {
        let host = self.host.as_deref()?;
        Some(LocalClient { server: self, host })
    }

    /// Something that happened to the local client, oldest first: what
    /// [`NetworkClient::poll_event`](crate::NetworkClient::poll_event) gives to another one, without
    /// what can only happen to bytes. At most
    /// [`max_events`](crate::ServerConfig::max_events) of them are kept, besides one for each object that
    /// was there when it came. They are gone when the local client is; that it is gone is told by
    /// [`ServerEvent::Disconnected`](crate::ServerEvent::Disconnected).
    ///
    /// A [`ClientEvent::Changed`] names the fields whose hooks have run, and those that are to be sent to
    /// others and belong to a behaviour that was lent for writing since the last update. One that waits
    /// for its send interval is named again when its behaviour is lent again.
    pub fn poll_local_event(&mut self) -> Option<ClientEvent> {
        self.host.as_mut()?.events.pop()
    }

    /// How many events of the local client were dropped, oldest first, because nobody polled them.
    pub fn missed_local_events(&self) -> u64 {
        let host = self.host.as_ref();
        host.map_or(0, |host| host.events.missed())
    }
}

impl<'a> LocalClient<'a> {
    /// Its connection.
    pub fn connection(self) -> ConnectionId {
        self.host.connection
    }

    /// The object with this id, once it has been announced by [`ClientEvent::Spawned`].
    pub fn identity(self, id: NetId) -> Option<NetworkIdentity<'a>> {
        let known = self.host.known.contains(&id);
        known.then(|| self.server.identity(id)).flatten()
    }

    /// All objects that it sees, by ascending id.
    pub fn identities(self) -> impl Iterator<Item = NetworkIdentity<'a>> {
        let server = self.server;
        let known = self.host.known.iter();
        known.filter_map(|id| server.identity(*id))
    }

    /// How many objects it sees.
    pub fn object_count(self) -> usize {
        self.host.known.len()
    }

    /// The first behaviour of this type on an object that it sees.
    pub fn get<B: NetworkBehaviour>(self, id: NetId) -> Option<&'a B> {
        self.identity(id)?.behaviour()
    }

    /// The behaviour at a position of an object that it sees, for objects with two behaviours of one
    /// type.
    pub fn get_at<B: NetworkBehaviour>(self, id: NetId, index: usize) -> Option<&'a B> {
        self.identity(id)?.behaviour_at(index)
    }

    /// Whether it sees an object and owns it.
    pub fn is_owner(self, id: NetId) -> bool {
        let owned = self.server.owner(id) == Some(self.host.connection);
        owned && self.host.known.contains(&id)
    }
}
