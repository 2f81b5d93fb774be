//! Connections and their shared settings.

pub(super) mod command;
pub(super) mod connection;
pub(super) mod message;
pub(super) mod player;
pub(super) mod receive;
pub(super) mod scene;

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar_runtime::behaviour::MessageTime;
use syncvar_runtime::endpoint::{ConnectionIds, Intake, Lobby};
use syncvar_runtime::table::Table;
use syncvar_runtime::{Channel, ConnectionId, ObjectError};

use crate::{AuthRequestMessage, Limits, MirrorError, MirrorMessage};
use connection::Connection;

/// Connections, and the scene that they load.
#[derive(Debug)]
pub(super) struct Sessions {
    connections: Table<Connection>,
    ids: ConnectionIds,
    /// Longest message that every connection carries: reliably, and unreliably.
    longest: [usize; 2],
    /// Ids of user messages accepted before authentication.
    pub(super) unauthenticated: BTreeSet<u16>,
    /// Input since the last update.
    pub(super) intake: Intake,
    /// Connections before their first ready, and the places of the others.
    pub(super) lobby: Lobby,
    /// Times of the batch that is being read.
    pub(super) message_time: Option<MessageTime>,
    /// Current scene of the clients.
    pub(super) scene: Option<String>,
}

impl Sessions {
    /// Returns a table without connections.
    pub(super) fn new(limits: &syncvar_runtime::Limits) -> Self {
        Self {
            connections: Table::default(),
            ids: ConnectionIds::default(),
            longest: [usize::MAX; 2],
            unauthenticated: BTreeSet::from([AuthRequestMessage::ID]),
            intake: Intake::new(limits),
            lobby: Lobby::default(),
            message_time: None,
            scene: None,
        }
    }

    #[inline]
    pub(super) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        self.connections.get(id.0)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.connections.get_mut(id.0)
    }

    /// Returns all connections, by ascending number.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        let connections = self.connections.iter();
        connections.map(|(number, connection)| (ConnectionId(number), connection))
    }

    /// Returns all connections, by ascending number.
    #[inline]
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (ConnectionId, &mut Connection)> {
        let connections = self.connections.iter_mut();
        connections.map(|(number, connection)| (ConnectionId(number), connection))
    }

    /// Adds a connection. Returns its number.
    #[inline]
    pub(super) fn add(&mut self, limits: Limits) -> ConnectionId {
        let connections = &self.connections;
        let id = self.ids.next(|id| connections.get(id.0).is_some());
        self.connections.insert(id.0, Connection::new(limits));
        self.lobby.enter(id);
        self.update_longest();
        id
    }

    #[inline]
    pub(super) fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        let connection = self.connections.remove(id.0)?;
        self.lobby.leave(id);
        self.update_longest();
        Some(connection)
    }

    /// Begins a packet. Returns whether its connection may send messages.
    #[inline]
    pub(super) fn begin_packet(
        &mut self,
        from: ConnectionId,
        limits: &syncvar_runtime::Limits,
        (length, now): (usize, Duration),
    ) -> bool {
        let count = self.connections.len();
        let connection = self.connections.get(from.0);
        connection.is_some_and(|connection| {
            self.intake
                .begin(&connection.conduct, limits, count, length, now)
        })
    }

    /// Ends a packet. Returns whether the misbehaviour of its connection exceeds the limit.
    #[inline]
    pub(super) fn end_packet(
        &mut self,
        from: ConnectionId,
        limits: &syncvar_runtime::Limits,
        now: Duration,
    ) -> bool {
        let connection = self.connections.get_mut(from.0);
        connection.is_some_and(|connection| self.intake.end(&mut connection.conduct, limits, now))
    }

    /// Returns whether a connection may send another packet before the next update.
    pub(super) fn accepts(
        &self,
        from: ConnectionId,
        limits: &syncvar_runtime::Limits,
        now: Duration,
    ) -> bool {
        let connection = self.connections.get(from.0);
        connection.is_none_or(|connection| {
            let count = self.connections.len();
            self.intake.accepts(&connection.conduct, limits, count, now)
        })
    }

    /// Returns the longest message that every connection carries on a channel.
    #[inline]
    pub(super) fn longest(&self, channel: Channel) -> usize {
        let [reliable, unreliable] = self.longest;
        match channel {
            Channel::Reliable => reliable,
            Channel::Unreliable => unreliable,
        }
    }

    fn update_longest(&mut self) {
        self.longest = [Channel::Reliable, Channel::Unreliable].map(|channel| {
            let connections = self.connections.values();
            let longest = connections.map(|connection| connection.outbox.longest(channel));
            longest.min().unwrap_or(usize::MAX)
        });
    }

    /// Returns an error unless a connection exists.
    pub(super) fn expect(&self, connection: ConnectionId) -> Result<(), ObjectError> {
        if self.get(connection).is_some() {
            Ok(())
        } else {
            Err(ObjectError::NotConnected(connection))
        }
    }

    /// Queues a message for a connection. Returns its length.
    ///
    /// # Errors
    ///
    /// [`MirrorError::NoSuchConnection`] and [`MirrorError::TooLong`].
    #[inline]
    pub(super) fn send(
        &mut self,
        connection: ConnectionId,
        (channel, now): (Channel, Duration),
        parts: &[&[u8]],
    ) -> Result<usize, MirrorError> {
        let client = self.get_mut(connection);
        let outbox = &mut client.ok_or(MirrorError::NoSuchConnection)?.outbox;
        let length = parts.iter().map(|part| part.len()).sum();
        if outbox.send(channel, now, parts) {
            Ok(length)
        } else {
            let limit = outbox.longest(channel);
            Err(MirrorError::TooLong { length, limit })
        }
    }
}
