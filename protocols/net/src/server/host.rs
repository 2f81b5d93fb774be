//! Host mode: a server with a client in the same process that shares the server's objects.

mod calls;
mod client;
mod context_hooks;
mod hooks;
#[cfg(test)]
mod tests;
mod view;

pub use client::LocalClient;

use std::collections::VecDeque;

use syncvar_runtime::events::Events;
use syncvar_runtime::ordered::{IdMap, Ids};
use syncvar_runtime::{ConnectionId, NetId};

use crate::server::sessions::connection::{Connection, ConnectionState};
use crate::server::{NetworkServer, ServerEvent};
use crate::{ClientEvent, Framing};
use calls::LocalRpc;
use hooks::{BehaviourKey, PendingHooks};

/// The server's state of the local client.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) connection: ConnectionId,
    /// Whether it connected since the last update.
    joining: bool,
    /// Objects shown to it or hidden from it by name. Audiences do not mention it, so other
    /// connections keep their audiences.
    pub(super) views: IdMap<NetId, bool>,
    /// Objects announced to it.
    known: Ids<NetId>,
    /// Objects that it owns, as announced to it.
    owned: Ids<NetId>,
    /// Objects with a possible change of its visibility or owner.
    marked: Ids<NetId>,
    /// Behaviours written since the last update, by object and index.
    written: IdMap<BehaviourKey, PendingHooks>,
    /// Behaviours with hooks to call in this update.
    due: IdMap<BehaviourKey, PendingHooks>,
    /// Calls of the server on it since the last update, oldest first.
    rpcs: VecDeque<LocalRpc>,
    pub(in crate::server) events: Events<ClientEvent>,
}

impl Host {
    fn new(connection: ConnectionId, max_events: usize) -> Self {
        let mut events = Events::with_limit(max_events);
        events.push(ClientEvent::Connected);
        Self {
            connection,
            joining: true,
            views: IdMap::default(),
            known: Ids::default(),
            owned: Ids::default(),
            marked: Ids::default(),
            written: IdMap::default(),
            due: IdMap::default(),
            rpcs: VecDeque::new(),
            events,
        }
    }

    /// Queues an event of the local client.
    pub(super) fn push_event(&mut self, event: ClientEvent) {
        self.events.push(event);
    }

    /// Returns whether the next update has no work for it.
    pub(super) fn is_idle(&self) -> bool {
        let waits = self.joining || !self.marked.is_empty();
        let changed = !self.written.is_empty() || !self.due.is_empty();
        !waits && !changed && self.rpcs.is_empty()
    }
}

impl NetworkServer {
    /// Connects a client in the same process that shares the server's objects. It is accepted and
    /// ready at once. A server has at most one: a second call returns the same connection.
    ///
    /// The local client receives no bytes, and the other clients receive the same bytes with and
    /// without it. Objects can be [shown](Self::show) to it, [hidden](Self::hide) from it and owned
    /// by it. The interest management knows it. Read its objects with
    /// [`local_client`](Self::local_client), and its events with
    /// [`poll_local_event`](Self::poll_local_event). [`update`](Self::update) creates the events
    /// that another client would have. [`disconnect`](Self::disconnect) or
    /// [`handle_disconnect`](Self::handle_disconnect) ends it.
    ///
    /// # Hooks on a host
    ///
    /// Hooks of visible objects run on the server's own objects, in [`update`](Self::update):
    ///
    /// * once for each field with another value than at the last update, and with that former
    ///   value; values in between are skipped,
    /// * after all writes and before the send. A hook's writes to its own behaviour go out with the
    ///   same update and trigger hooks in the next one, so a hook that writes its own field ends,
    /// * without the send interval: the local client has the value at once,
    /// * by ascending object id, and in the order of the fields,
    /// * with the server as [`ctx.server()`](crate::NetworkContextExt::server), if they take a context;
    ///   the object is checked out meanwhile,
    /// * never for the initial state of an object.
    ///
    /// For that, a guard copies the fields with a hook, at most once between two updates. A
    /// collection with a hook is copied as a whole. A panic in a hook is
    /// [`ClientEvent::HookFailed`]: the later hooks of the behaviour are skipped, all others run.
    ///
    /// # Calls on a host
    ///
    /// A [call](Self::calls) of the server also reaches the local client if it observes the object.
    /// It runs on the server's own object in the next [`update`](Self::update), after all other
    /// steps, in the order of calling. An event is [`ClientEvent::SyncEvent`]; a panic is
    /// [`ClientEvent::CallFailed`]. A call to [`Target::Everyone`](syncvar_runtime::Target::Everyone) runs at
    /// once and only once. The local client calls the server with
    /// [`local_calls`](Self::local_calls).
    ///
    /// ```
    /// # use syncvar::*;
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// let local = server.connect_local();
    /// assert!(server.is_ready(local));
    /// assert_eq!(server.connect_local(), local);
    /// server.disconnect(local, "the game is over");
    /// assert!(server.local_client().is_none());
    /// ```
    pub fn connect_local(&mut self) -> ConnectionId {
        if let Some(host) = &self.host {
            return host.connection;
        }
        let connection = self.sessions.next_id();
        let mut local = Connection::new(connection, self.context.config.gathered_size());
        local.state = ConnectionState::Ready;
        // Independent of the limits of UNet's framing.
        local.framing = Framing::Compact;
        self.sessions.connections.insert(connection.0, local);
        self.sessions.local = Some(connection);
        self.host = Some(Box::new(Host::new(
            connection,
            self.context.config.max_events,
        )));
        self.visibility
            .interest
            .management
            .handle_connect(connection);
        self.context
            .events
            .push(ServerEvent::Connected { connection });
        self.context.events.push(ServerEvent::Ready { connection });
        connection
    }

    /// Returns whether a connection is the local client.
    #[inline]
    pub fn is_local(&self, connection: ConnectionId) -> bool {
        self.sessions.is_local(connection)
    }

    /// Removes the local client, if this is its connection.
    pub(super) fn close_local(&mut self, connection: ConnectionId) {
        if self.is_local(connection) {
            self.host = None;
            self.sessions.local = None;
            self.sessions.connections.remove(connection.0);
            self.outbound
                .outgoing
                .retain(|listed| *listed != connection);
        }
    }

    /// Updates the local client, as the last step of an update.
    pub(super) fn update_local(&mut self) {
        self.update_local_view();
        self.run_local_rpcs();
    }
}
