//! Connections, their shared settings, and the messages that are queued for them.

pub(crate) mod connection;
mod messages;

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar_runtime::behaviour::MessageTime;
use syncvar_runtime::endpoint::{ConnectionIds, Intake, Lobby};
use syncvar_runtime::unstable::table::Table;
use syncvar_runtime::{Channel, ConnectionId, Encoding, NetworkWriter, ObjectError};

use super::context::Context;
use super::event::MirrorServerEvent;
use crate::{AuthRequestMessage, Limits, MirrorError, MirrorMessage};
use connection::Connection;

/// Connections, and the scene that they load.
#[derive(Debug)]
pub(crate) struct Sessions {
    connections: Table<Connection>,
    ids: ConnectionIds,
    /// Longest message that every connection carries: reliably, and unreliably.
    longest: [usize; 2],
    /// Ids of user messages accepted before authentication.
    pub(crate) unauthenticated: BTreeSet<u16>,
    /// Input since the last update.
    pub(crate) intake: Intake,
    /// Connections before their first ready, and the places of ready connections.
    pub(crate) lobby: Lobby,
    /// Times of the batch that is being read.
    pub(crate) message_time: Option<MessageTime>,
    /// Current scene of the clients.
    pub(crate) scene: Option<String>,
    /// Memory for a message.
    written: NetworkWriter,
}

impl Sessions {
    /// Returns a table without connections.
    pub(crate) fn new(limits: &syncvar_runtime::Limits) -> Self {
        Self {
            connections: Table::default(),
            ids: ConnectionIds::default(),
            longest: [usize::MAX; 2],
            unauthenticated: BTreeSet::from([AuthRequestMessage::ID]),
            intake: Intake::new(limits),
            lobby: Lobby::default(),
            message_time: None,
            scene: None,
            written: NetworkWriter::with_encoding(Encoding::Mirror),
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        self.connections.get(id.0)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.connections.get_mut(id.0)
    }

    /// Returns all connections, by ascending number.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        let connections = self.connections.iter();
        connections.map(|(number, connection)| (ConnectionId(number), connection))
    }

    /// Returns all connections, by ascending number.
    #[inline]
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (ConnectionId, &mut Connection)> {
        let connections = self.connections.iter_mut();
        connections.map(|(number, connection)| (ConnectionId(number), connection))
    }

    /// Adds a connection. Returns its number.
    #[inline]
    pub(crate) fn add(&mut self, limits: Limits) -> ConnectionId {
        let connections = &self.connections;
        let id = self.ids.next(|id| connections.get(id.0).is_some());
        self.connections.insert(id.0, Connection::new(limits));
        self.lobby.enter(id);
        self.update_longest();
        id
    }

    #[inline]
    pub(crate) fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        let connection = self.connections.remove(id.0)?;
        self.lobby.leave(id);
        self.update_longest();
        Some(connection)
    }

    /// Begins a packet of this length. Returns whether its connection may send messages.
    #[inline]
    pub(crate) fn begin_packet(
        &mut self,
        from: ConnectionId,
        length: usize,
        context: &Context,
    ) -> bool {
        let count = self.connections.len();
        let connection = self.connections.get(from.0);
        connection.is_some_and(|connection| {
            let (limits, now) = (&context.config.limits, context.now());
            let conduct = &connection.conduct;
            self.intake.begin(conduct, limits, count, length, now)
        })
    }

    /// Ends a packet. Returns whether the misbehaviour of its connection exceeds the limit.
    #[inline]
    pub(crate) fn end_packet(&mut self, from: ConnectionId, context: &Context) -> bool {
        let (limits, now) = (&context.config.limits, context.now());
        let connection = self.connections.get_mut(from.0);
        connection.is_some_and(|connection| self.intake.end(&mut connection.conduct, limits, now))
    }

    /// Returns whether a connection may send a further packet before the next update.
    pub(crate) fn accepts(&self, from: ConnectionId, context: &Context) -> bool {
        let connection = self.connections.get(from.0);
        connection.is_none_or(|connection| {
            let (count, limits) = (self.connections.len(), &context.config.limits);
            let conduct = &connection.conduct;
            self.intake.accepts(conduct, limits, count, context.now())
        })
    }

    /// Returns the longest message that every connection carries on a channel.
    #[inline]
    pub(crate) fn longest(&self, channel: Channel) -> usize {
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

    /// Returns whether a connection is ready and received the spawn burst. Before the end of a
    /// burst, Mirror's client stores spawns and ignores updates and despawns for them, so it would
    /// keep removed objects and outdated values. Mirror's server sends them nevertheless.
    pub(crate) fn receives_objects(&self, connection: ConnectionId) -> bool {
        self.get(connection).is_some_and(Connection::is_receiving)
    }

    /// Makes a connection ready. Returns `None` for an unknown connection.
    pub(crate) fn become_ready(
        &mut self,
        connection: ConnectionId,
        context: &mut Context,
    ) -> Option<&mut Connection> {
        let client = self.connections.get_mut(connection.0)?;
        self.lobby.place(connection);
        if client.become_ready() {
            let event = MirrorServerEvent::Ready { connection };
            context.events.push(event);
        }
        Some(client)
    }

    /// Returns an error unless a connection exists.
    pub(crate) fn expect(&self, connection: ConnectionId) -> Result<(), ObjectError> {
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
    pub(crate) fn send(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        now: Duration,
        parts: &[&[u8]],
    ) -> Result<usize, MirrorError> {
        let client = self.get_mut(connection);
        let outbox = &mut client.ok_or(MirrorError::NoSuchConnection)?.outbox;
        outbox.send_or_fail(channel, now, parts)
    }
}
