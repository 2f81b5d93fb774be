//! `LinkPort`: the endpoint of a transport between nodes.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use syncvar_runtime::endpoint::ConnectionIds;
use syncvar_runtime::{Channel, ConnectionId, Endpoint, PacketLimits, Transmit};

use super::connection::LinkConnection;
use super::message::{Hello, LinkError, LinkMessage};

/// Updates per second of a transport with its own loop.
const UPDATES: u32 = 200;

/// Links of a [`LinkCarrier`](super::LinkCarrier): those of its listeners, or the link to a dialled source. An [`Endpoint`] for
/// every transport with reliable packets. It is without events: the carrier takes its messages.
#[derive(Debug)]
pub struct LinkPort {
    hello: Hello,
    /// Numbers of accepted connections; `None` for a dialled source.
    ids: Option<ConnectionIds>,
    connections: BTreeMap<ConnectionId, LinkConnection>,
    /// Messages for the carrier; `None` for the end of a link.
    inbox: VecDeque<(ConnectionId, Option<LinkMessage>)>,
    closing: VecDeque<ConnectionId>,
    now: Duration,
}

impl LinkPort {
    pub(super) fn of_listeners(hello: Hello) -> Self {
        Self {
            hello,
            ids: Some(ConnectionIds::default()),
            connections: BTreeMap::new(),
            inbox: VecDeque::new(),
            closing: VecDeque::new(),
            now: Duration::ZERO,
        }
    }

    pub(super) fn of_source(hello: Hello) -> Self {
        Self {
            ids: None,
            ..Self::of_listeners(hello)
        }
    }

    pub(super) fn set_hello(&mut self, hello: Hello) {
        self.hello = hello;
    }

    /// Returns the next message of a link; without a message the link has ended.
    pub(super) fn poll_message(&mut self) -> Option<(ConnectionId, Option<LinkMessage>)> {
        self.inbox.pop_front()
    }

    /// Queues a message. A node that does not read is left.
    pub(super) fn send(&mut self, connection: ConnectionId, message: LinkMessage) {
        let link = self.connections.get_mut(&connection);
        if link.is_some_and(|link| !link.push(message)) {
            self.close(connection);
        }
    }

    /// Ends a link.
    pub(super) fn close(&mut self, connection: ConnectionId) {
        if self.connections.remove(&connection).is_some() {
            self.closing.push_back(connection);
            self.inbox.push_back((connection, None));
        }
    }

    /// Moves the time on: silent nodes are left.
    pub(super) fn advance(&mut self, now: Duration) {
        self.now = now;
        let mut silent = Vec::new();
        for (connection, link) in &mut self.connections {
            if !link.update(now) {
                silent.push(*connection);
            }
        }
        for connection in silent {
            self.close(connection);
        }
    }
}

impl Endpoint for LinkPort {
    type Error = LinkError;
    type Event = ();

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        let connections = &self.connections;
        let connection = match &mut self.ids {
            Some(ids) => ids.next(|id| connections.contains_key(&id)),
            None => ConnectionId::SERVER,
        };
        let link = LinkConnection::new(self.hello.clone(), limits.max_reliable, self.now);
        self.connections.insert(connection, link);
        connection
    }

    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        _channel: u8,
        packet: &[u8],
    ) -> Result<(), LinkError> {
        let link = self.connections.get_mut(&connection);
        let link = link.ok_or(LinkError::UnknownConnection)?;
        match link.handle_packet(packet, &self.hello.key) {
            Ok(Some(message)) => self.inbox.push_back((connection, Some(message))),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "the link of a node ends");
                self.close(connection);
                return Err(error);
            }
        }
        Ok(())
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        if self.connections.remove(&connection).is_some() {
            self.inbox.push_back((connection, None));
        }
    }

    fn disconnect(&mut self, connection: ConnectionId, _text: &str) {
        self.close(connection);
    }

    fn is_connected(&self, connection: ConnectionId) -> bool {
        self.connections.contains_key(&connection)
    }

    /// Has no effect but for the time of the links: the carrier updates them.
    fn update(&mut self, now: Duration) {
        self.now = self.now.max(now);
    }

    /// A node is dialled for as long as the program runs.
    fn dials_again(&self) -> bool {
        true
    }

    fn hold_state(&mut self, connection: ConnectionId, held: bool) {
        if let Some(link) = self.connections.get_mut(&connection) {
            link.is_slow = held;
        }
    }

    fn tick_rate(&self) -> u32 {
        UPDATES
    }

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        let now = self.now;
        let mut waiting = self.connections.iter_mut();
        let (connection, link) = waiting.find(|(_, link)| link.has_packet())?;
        let (header, chunks) = link.take_packet(now)?;
        Some(Transmit::new(*connection, 0, Channel::Reliable, chunks).with_header(header))
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.closing.pop_front()
    }

    fn poll_event(&mut self) -> Option<()> {
        None
    }

    fn event_count(&self) -> u64 {
        0
    }

    fn forget_events(&mut self, _count: u64) {}
}
