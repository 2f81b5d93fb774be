//! Host mode: a server with a client in the same process, which looks at the server's own objects.

mod calls;
mod client;
mod hooks;
mod sight;
#[cfg(test)]
mod tests;

pub use client::LocalClient;

use super::connection::{Connection, ConnectionState};
use super::{NetworkServer, ServerEvent};
use crate::ConnectionId;
use crate::events::Events;
use crate::{ClientEvent, Framing, NetId};
use calls::LocalRpc;
use hooks::Lent;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The local client, as the server keeps it.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) connection: ConnectionId,
    /// Whether it is to be told of everything there is: it has not been there at the last update.
    joining: bool,
    /// The objects that it was shown or that were hidden from it by name. It is named by no audience, so
    /// that those of the others stay what they are without it.
    views: BTreeMap<NetId, bool>,
    /// The objects that it has been told of.
    known: BTreeSet<NetId>,
    /// Those of them that it owns, as it has been told.
    owned: BTreeSet<NetId>,
    /// Objects that it may see now, or see no more, or that have another owner.
    touched: BTreeSet<NetId>,
    /// Behaviours that have been lent for writing since the last update, by object and position.
    lent: BTreeMap<(NetId, usize), Lent>,
    /// Those whose hooks are being called.
    due: BTreeMap<(NetId, usize), Lent>,
    /// What the server has called on it since the last update, oldest first.
    calls: VecDeque<LocalRpc>,
    events: Events<ClientEvent>,
}

impl Host {
    fn new(connection: ConnectionId, max_events: usize) -> Self {
        let mut events = Events::with_limit(max_events);
        events.push(ClientEvent::Connected);
        Self {
            connection,
            joining: true,
            views: BTreeMap::new(),
            known: BTreeSet::new(),
            owned: BTreeSet::new(),
            touched: BTreeSet::new(),
            lent: BTreeMap::new(),
            due: BTreeMap::new(),
            calls: VecDeque::new(),
            events,
        }
    }

    /// Whether the next update has nothing to do for it.
    pub(super) fn is_idle(&self) -> bool {
        let waits = self.joining || !self.touched.is_empty();
        let changed = !self.lent.is_empty() || !self.due.is_empty();
        !waits && !changed && self.calls.is_empty()
    }
}

impl NetworkServer {
    /// Lets this program play as well: a connection for a client in the same process, which shares the
    /// server's objects. It is let in and ready at once. There is one at most; if it is there already,
    /// its number is returned.
    ///
    /// Nothing is ever serialised for it, and what the other clients are sent is the same with and
    /// without it. It takes part in everything else: objects are [shown](Self::show) to it and
    /// [hidden](Self::hide) from it, the interest management knows it, it can own objects. What it sees
    /// is to be had from [`local_client`](Self::local_client), and what happens to it from
    /// [`poll_local_event`](Self::poll_local_event): the events that another client would have, made by
    /// [`update`](Self::update). It ends with [`disconnect`](Self::disconnect), or with
    /// [`handle_disconnect`](Self::handle_disconnect).
    ///
    /// # Hooks on a host
    ///
    /// For the objects that the local client sees, the hooks run on the server's own objects, in
    /// [`update`](Self::update):
    ///
    /// * once for each field that is different from what it was at the last update, with the value that
    ///   it had then, whatever it has been in between; not for one that is the same again,
    /// * after everything has been written and before anything is sent: what a hook writes to its own
    ///   behaviour goes out with the same update, and counts for the hooks of the next one, so that a
    ///   hook that writes to its own field comes to an end,
    /// * without waiting for the send interval, for the local client has the value at once,
    /// * objects by ascending number, and the fields of an object in their order,
    /// * never for the state that an object has when the local client meets it.
    ///
    /// For that, the fields with a hook are copied, once between two updates, when the behaviour is lent
    /// for writing; a collection with a hook is copied as a whole. A hook that panics is
    /// [`ClientEvent::HookFailed`]; those of the behaviour that come behind it do not run then, and all
    /// others do.
    ///
    /// # Calls on a host
    ///
    /// What the server [calls](Self::calls) reaches the local client as well, if it sees the object: it
    /// runs on the server's own object, in the next [`update`](Self::update), in the order of calling and
    /// behind everything else, if the object is still there and seen. An event is
    /// [`ClientEvent::SyncEvent`], and a call that panics [`ClientEvent::CallFailed`]. What goes to
    /// [`Target::Everyone`](crate::Target::Everyone) runs at once and no second time. The local client
    /// itself calls the server by [`local_calls`](Self::local_calls).
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
    ///
    /// # Panics
    ///
    /// After 4 294 967 295 connections.
    pub fn connect_local(&mut self) -> ConnectionId {
        if let Some(host) = &self.host {
            return host.connection;
        }
        let connection = self.new_connection_id();
        let mut local = Connection::new(connection, self.config.gathered_size());
        local.state = ConnectionState::Ready;
        // It has no part in the limits of the other one.
        local.framing = Framing::Compact;
        self.connections.insert(connection.0, local);
        self.host = Some(Box::new(Host::new(connection, self.config.max_events)));
        self.interest.management.handle_connect(connection);
        self.events.push(ServerEvent::Connected { connection });
        self.events.push(ServerEvent::Ready { connection });
        connection
    }

    /// Whether a connection is that of the local client.
    #[inline]
    pub fn is_local(&self, connection: ConnectionId) -> bool {
        let host = self.host.as_ref();
        host.is_some_and(|host| host.connection == connection)
    }

    /// The local client is gone, if this was its connection.
    pub(super) fn close_local(&mut self, connection: ConnectionId) {
        if self.is_local(connection) {
            self.host = None;
            self.connections.remove(connection.0);
            self.outgoing.retain(|listed| *listed != connection);
        }
    }

    /// What is done for the local client when everything else of an update has been.
    pub(super) fn update_local(&mut self) {
        self.settle_local_sight();
        self.run_calls_for_local();
    }
}
