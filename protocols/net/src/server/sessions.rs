//! Connections and their requests for the next update.

pub(super) mod admission;
mod client_requests;
pub(super) mod closing;
pub(super) mod connection;
pub(super) mod headers;
pub(super) mod incoming;
mod intake;
pub(super) mod owner_write;
mod ownership;
mod ping;
pub(super) mod player_keys;
mod players;
pub(super) mod program_messages;
pub(super) mod request;
mod returning;
pub(super) mod send_queue;
pub(super) mod session;

use std::collections::VecDeque;
use std::time::Duration;

use syncvar_runtime::endpoint::{ConnectionIds, Intake, Lobby};
use syncvar_runtime::unstable::ordered::IdPairs;
use syncvar_runtime::unstable::table::Table;
use syncvar_runtime::{ConnectionId, Limits, NetId, ObjectError};

use crate::Framing;
use crate::server::context::Context;
use crate::server::sessions::admission::AdmissionRule;
use crate::server::sessions::connection::{Connection, ConnectionState};
use crate::server::sessions::incoming::Origin;
use crate::server::sessions::session::Returns;

/// Connections and their requests for the next update.
#[derive(Debug)]
pub(crate) struct Sessions {
    pub(crate) connections: Table<Connection>,
    /// Connection of the local client, which receives no bytes.
    pub(crate) local: Option<ConnectionId>,
    ids: ConnectionIds,
    pub(crate) returns: Returns,
    /// Links of ended connections that the transport has not closed.
    pub(crate) closing: VecDeque<ConnectionId>,
    /// Hash of all schemas, compared with the hash of each client.
    pub(crate) schema_hash: u64,
    /// Requests for the next update.
    pub(crate) pending: PendingRequests,
    /// Connections with datagrams, and connections that have ended since the last update.
    pub(crate) with_datagrams: Vec<ConnectionId>,
    /// Carrier and tick of the packet in progress.
    pub(crate) origin: Origin,
    /// Input since the last update.
    pub(crate) intake: Intake,
    /// Rule about join requests.
    pub(crate) admission_rule: AdmissionRule,
    /// Connections before their first ready, and the places of connections after it.
    pub(crate) lobby: Lobby,
}

/// Connections with requests for the next update.
#[derive(Debug, Default)]
pub(crate) struct PendingRequests {
    /// Connections that became ready since the last update.
    pub(crate) joining: Vec<ConnectionId>,
    /// Connections that requested snapshots.
    pub(crate) resyncing: Vec<ConnectionId>,
    /// Connections with an unanswered ping.
    pub(crate) pinging: Vec<ConnectionId>,
    /// Owners with a rejected write. The next update sends them the server's values.
    pub(crate) owner_corrections: IdPairs<ConnectionId, NetId>,
}

impl Sessions {
    /// Returns a table without connections.
    pub(crate) fn new(schema_hash: u64, limits: &Limits) -> Self {
        Self {
            connections: Table::default(),
            local: None,
            ids: ConnectionIds::default(),
            returns: Returns::default(),
            closing: VecDeque::new(),
            pending: PendingRequests::default(),
            schema_hash,
            with_datagrams: Vec::new(),
            origin: Origin::default(),
            intake: Intake::new(limits),
            admission_rule: AdmissionRule::default(),
            lobby: Lobby::default(),
        }
    }

    /// Returns the number of the next connection.
    pub(crate) fn next_id(&mut self) -> ConnectionId {
        let (connections, returns) = (&self.connections, &self.returns);
        self.ids
            .next(|id| connections.get(id.0).is_some() || returns.has_link(id))
    }

    /// Returns the number of the next connection, which a present one may have.
    pub(crate) fn peek_id(&self) -> u32 {
        self.ids.peek()
    }

    /// Continues the numbers of an earlier run.
    pub(crate) fn continue_ids(&mut self, next: u32) {
        self.ids = ConnectionIds::starting_at(next);
    }

    /// Returns the connection of a link. A link of before finds nothing.
    #[inline]
    pub(crate) fn of_link(&self, link: ConnectionId) -> Option<ConnectionId> {
        let id = self.returns.of_link(link);
        let connection = self.connections.get(id.0)?;
        (connection.link() == Some(link)).then_some(id)
    }

    /// Notes that the stream carries the snapshot of an object to connections in a tick.
    pub(crate) fn note_snapshot(&mut self, id: NetId, receivers: &[ConnectionId], tick: u32) {
        for receiver in receivers {
            if let Some(connection) = self.connections.get_mut(receiver.0) {
                let has_datagrams = connection.datagrams.is_some();
                connection.ledger.forget_object(id, tick, has_datagrams);
            }
        }
    }

    /// Adds a connection with datagrams, once.
    pub(crate) fn list_datagrams(&mut self, id: ConnectionId) {
        if let Err(index) = self.with_datagrams.binary_search(&id) {
            self.with_datagrams.insert(index, id);
        }
    }

    /// Returns whether a connection exists, is not closing and is not the observer of a recording.
    pub(crate) fn knows(&self, connection: ConnectionId) -> bool {
        let connection = self.connections.get(connection.0);
        let unknown = [ConnectionState::Closing, ConnectionState::Recording];
        connection.is_some_and(|connection| !unknown.contains(&connection.state))
    }

    /// Returns an error unless a connection exists and is not closing.
    pub(crate) fn expect(&self, connection: ConnectionId) -> Result<(), ObjectError> {
        if self.knows(connection) {
            Ok(())
        } else {
            Err(ObjectError::NotConnected(connection))
        }
    }

    /// Returns whether a connection is the local client.
    #[inline]
    pub(crate) fn is_local(&self, connection: ConnectionId) -> bool {
        self.local == Some(connection)
    }

    /// Returns whether the client of a connection has joined a gateway.
    pub(crate) fn is_remote(&self, connection: ConnectionId) -> bool {
        let connection = self.connections.get(connection.0);
        connection.is_some_and(Connection::is_remote)
    }

    /// Returns whether only this owner writes the fields of its objects. The local client shares the
    /// objects of the server.
    pub(crate) fn writes(&self, owner: Option<ConnectionId>) -> bool {
        owner.is_some_and(|owner| !self.is_local(owner))
    }

    /// Records that a connection owns an object, or owns the object no more.
    pub(crate) fn set_owned(&mut self, connection: ConnectionId, id: NetId, owned: bool) {
        if let Some(connection) = self.connections.get_mut(connection.0) {
            connection.ownership.set(id, owned);
        }
    }

    /// Returns whether a connection is accepted and not closing.
    pub(crate) fn is_connected(&self, connection: ConnectionId) -> bool {
        let connection = self.connections.get(connection.0);
        connection.is_some_and(Connection::is_connected)
    }

    /// Returns whether a connection receives objects.
    pub(crate) fn is_ready(&self, connection: ConnectionId) -> bool {
        let connection = self.connections.get(connection.0);
        connection.is_some_and(Connection::is_ready)
    }

    /// Returns the framing of a connection.
    pub(crate) fn framing(&self, connection: ConnectionId) -> Option<Framing> {
        let connection = self.connections.get(connection.0);
        connection.map(|connection| connection.framing)
    }

    /// Moves a connected connection to the joining connections, and gives it a place.
    pub(crate) fn set_joining(&mut self, connection: ConnectionId) {
        if let Some(joiner) = self.connections.get_mut(connection.0)
            && joiner.state == ConnectionState::Connected
        {
            joiner.state = ConnectionState::Joining;
            self.pending.joining.push(connection);
            self.lobby.place(connection);
        }
    }

    /// Begins a packet. Returns whether the connection may send messages.
    #[inline]
    pub(crate) fn begin_packet(
        &mut self,
        context: &Context,
        from: ConnectionId,
        length: usize,
    ) -> bool {
        let count = self.connections.len();
        let connection = self.connections.get_mut(from.0);
        connection.is_some_and(|connection| {
            connection.intake.packets.add(length);
            let now = context.clock.now();
            self.intake.begin(
                &connection.intake.conduct,
                &context.config.limits,
                count,
                length,
                now,
            )
        })
    }

    /// Ends a packet. Returns whether the misbehaviour of the connection exceeds the limit.
    #[inline]
    pub(crate) fn end_packet(&mut self, context: &Context, from: ConnectionId) -> bool {
        let (limits, now) = (&context.config.limits, context.clock.now());
        let connection = self.connections.get_mut(from.0);
        connection
            .is_some_and(|connection| self.intake.end(&mut connection.intake.conduct, limits, now))
    }

    /// Returns whether a connection may send a further packet before the next update.
    pub(crate) fn accepts(&self, from: ConnectionId, limits: &Limits, now: Duration) -> bool {
        let connection = self.connections.get(from.0);
        connection.is_none_or(|connection| {
            let count = self.connections.len();
            self.intake
                .accepts(&connection.intake.conduct, limits, count, now)
        })
    }

    /// Returns whether no request waits for the next update.
    pub(crate) fn is_idle(&self) -> bool {
        let pending = &self.pending;
        pending.joining.is_empty()
            && pending.resyncing.is_empty()
            && pending.pinging.is_empty()
            && pending.owner_corrections.is_empty()
    }
}
