//! `LocalClient`: the local client's view of the server's objects.

use syncvar_runtime::events::EventReader;
use syncvar_runtime::{Changed, ConnectionId, NetId, NetworkBehaviour, NetworkIdentity};

use super::Host;
use crate::ClientEvent;
use crate::server::NetworkServer;

/// The local client's view: the server's objects except the hidden ones and the ones not announced
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
    server: &'a NetworkServer,
    host: &'a Host,
}

impl NetworkServer {
    /// Returns the view of the local client, if it is connected.
    pub fn local_client(&self) -> Option<LocalClient<'_>> {
        let host = self.host.as_deref()?;
        Some(LocalClient { server: self, host })
    }

    /// Returns the oldest event of the local client. These are the events of
    /// [`NetworkClient::poll_event`](crate::NetworkClient::poll_event), without failures of
    /// decoding. The queue holds [`max_events`](crate::ServerConfig::max_events), plus one for each
    /// object at connect. It ends with the local client, which
    /// [`ServerEvent::Disconnected`](crate::ServerEvent::Disconnected) reports.
    ///
    /// A [`ClientEvent::Changed`] names the fields whose hooks ran, and the dirty fields of
    /// behaviours written since the last update. A field that waits for its send interval is named
    /// again after the next write of its behaviour.
    pub fn poll_local_event(&mut self) -> Option<ClientEvent> {
        self.host.as_mut()?.events.pop()
    }

    /// Creates a reader of the local client's events, for a program with several consumers: see
    /// [`EventReader`]. `None` without a local client. A later local client has its own events.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// server.connect_local();
    /// let mut reader = server.local_event_reader().unwrap();
    /// server.update(Duration::from_millis(50));
    /// let ready = server.read_local_events(&mut reader).any(|event| *event == ClientEvent::Ready);
    /// assert!(ready);
    /// ```
    pub fn local_event_reader(&mut self) -> Option<EventReader> {
        Some(self.host.as_mut()?.events.reader())
    }

    /// Returns the events of the local client that a reader has not read, oldest first. Empty without a
    /// local client.
    ///
    /// # Panics
    ///
    /// In debug builds, if another end or an earlier local client created the reader.
    pub fn read_local_events<'a>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = &'a ClientEvent> {
        let events = self.host.as_ref().map(|host| host.events.read(reader));
        events.into_iter().flatten()
    }

    /// Returns the changed fields of a behaviour type, in the events of the local client that a reader
    /// has not read. Reads all other events too.
    ///
    /// # Panics
    ///
    /// As [`read_local_events`](Self::read_local_events).
    pub fn local_changes_of<'a, B: NetworkBehaviour>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = Changed<B>> {
        self.read_local_events(reader)
            .filter_map(ClientEvent::changed::<B>)
    }

    /// Appends an event of the local client.
    pub(in crate::server) fn report_local(&mut self, event: ClientEvent) {
        if let Some(host) = &mut self.host {
            host.events.push(event);
        }
    }

    /// Returns the number of events dropped because the queue was full, oldest first.
    pub fn missed_local_events(&self) -> u64 {
        let host = self.host.as_ref();
        host.map_or(0, |host| host.events.missed())
    }
}

impl<'a> LocalClient<'a> {
    /// Returns its connection.
    pub fn connection(self) -> ConnectionId {
        self.host.connection
    }

    /// Returns an object, once [`ClientEvent::Spawned`] announced it.
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
