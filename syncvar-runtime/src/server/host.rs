//! Host mode: a server with a client in the same process, which looks at the server's own objects.

mod client;
mod hooks;
mod sight;
#[cfg(test)]
mod tests;

pub use client::LocalClient;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use super::connection::{Connection, ConnectionState};
use super::{ConnectionId, NetworkServer, ServerEvent};
use crate::events::Events;
use crate::{ClientEvent, NetId};
use hooks::Lent;

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
    tasks: Tasks,
    events: Events<ClientEvent>,
}

/// What is to be done on the local client.
type Task = Box<dyn FnOnce(&mut NetworkServer) + Send + Sync>;

/// What is to be done with the next update, first what was asked for first.
#[derive(Default)]
struct Tasks(VecDeque<Task>);

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks")
            .field("waiting", &self.0.len())
            .finish()
    }
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
            tasks: Tasks::default(),
            events,
        }
    }

    /// Whether the next update has nothing to do for it.
    pub(super) fn is_idle(&self) -> bool {
        let waits = self.joining || !self.touched.is_empty();
        let changed = !self.lent.is_empty() || !self.due.is_empty();
        !waits && !changed && self.tasks.0.is_empty()
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
    /// for writing; a collection with a hook is copied as a whole.
    ///
    /// ```
    /// # use syncvar_runtime::*;
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

    /// Has something done with the next update, after the local client has been told of what it sees:
    /// what other clients are sent in the form of messages. Does nothing if there is no local client.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "remote calls are not there yet")
    )]
    pub(crate) fn queue_local(&mut self, task: impl FnOnce(&mut Self) + Send + Sync + 'static) {
        if let Some(host) = &mut self.host {
            host.tasks.0.push_back(Box::new(task));
        }
    }

    /// What is done for the local client when everything else of an update has been.
    pub(super) fn update_local(&mut self) {
        self.settle_local_sight();
        let waiting = self.host.as_ref().map_or(0, |host| host.tasks.0.len());
        for _ in 0..waiting {
            // What a task asks for is done with the next update; it may also end the local client.
            let task = self.host.as_mut().and_then(|host| host.tasks.0.pop_front());
            if let Some(task) = task {
                task(self);
            }
        }
    }
}
