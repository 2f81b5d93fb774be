//! `World`: a server, a healthy client and three attackers, in virtual time.

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::time::Duration;

use syncvar::{ConnectionId, Endpoint};

use crate::limits::bounded;
use crate::packet::Packet;
use crate::protocol::Protocol;
use crate::script::Step;

/// Time between two updates.
pub const TICK: Duration = Duration::from_millis(50);

/// Most links of the attackers of an input.
const MAX_LINKS: usize = 12;

/// Server and its clients. The attackers are connections without a client: their packets come from an
/// input.
pub struct World<P: Protocol> {
    /// Server.
    pub server: P::Server,
    /// Client that behaves.
    pub healthy: P::Client,
    /// Connections: three attackers and the healthy client. An attacker connects at its first packet;
    /// until then it has the healthy client's number.
    pub connections: [ConnectionId; 4],
    /// Set while the healthy client is connected.
    pub is_connected: bool,
    now: Duration,
    /// Links that the attackers may still open: each adds objects.
    links: usize,
    /// Sequence of the last datagram around a message of an attacker.
    sequence: u16,
    /// Packets of the healthy client that the server has not taken.
    queue: VecDeque<Packet>,
    /// Packets of the healthy client and to it, if they are recorded.
    records: Option<[Vec<Packet>; 2]>,
}

/// Packets of a session, recorded once.
#[derive(Debug)]
pub struct Recording {
    /// Packets of the client. The first packets connect it and make it ready.
    pub up: Vec<Packet>,
    /// Number of packets that make the client ready.
    pub greeting: usize,
    /// Packets of the server.
    pub down: Vec<Packet>,
    /// Number of packets of the server up to the first changes.
    pub opening: usize,
}

impl<P: Protocol> Default for World<P> {
    /// Returns a world with a healthy client that has joined.
    fn default() -> Self {
        Self::with_records(None)
    }
}

impl<P: Protocol> World<P> {
    fn with_records(records: Option<[Vec<Packet>; 2]>) -> Self {
        let (mut server, mut healthy) = (P::server(), P::client());
        let connection = server.handle_connect(P::LIMITS);
        healthy.handle_connect(P::LIMITS);
        let mut world = Self {
            server,
            healthy,
            connections: [connection; 4],
            is_connected: true,
            now: Duration::ZERO,
            links: MAX_LINKS,
            sequence: 0,
            queue: VecDeque::new(),
            records,
        };
        while !P::is_ready(&world.server, connection) {
            assert!(world.now < TICK * 8, "the healthy client cannot join");
            world.step();
        }
        P::join(&mut world.server, connection);
        world.step();
        world
    }

    /// Replaces the connection of an attacker, makes it ready and gives it an object.
    pub fn reconnect(&mut self, attacker: usize) {
        if let Some(connection) = self.connect(attacker, None) {
            P::join(&mut self.server, connection);
        }
    }

    /// Lets an attacker return to a session by a new link.
    pub fn return_to(&mut self, attacker: usize, request: &Packet) {
        self.connect(attacker, Some(request));
    }

    /// Opens a link of an attacker in the place of the former link, and sends a request and the greeting.
    fn connect(&mut self, attacker: usize, request: Option<&Packet>) -> Option<ConnectionId> {
        self.links = self.links.checked_sub(1)?;
        if self.connections[attacker] != self.connections[3] {
            self.server.handle_disconnect(self.connections[attacker]);
        }
        let connection = self.server.handle_connect(P::LIMITS);
        self.connections[attacker] = connection;
        let recording = Recording::of::<P>();
        let greeting = &recording.up[..recording.greeting];
        for packet in request.into_iter().chain(greeting) {
            let _ = packet.arrive(&mut self.server, connection);
        }
        Some(connection)
    }

    /// Cuts the link of the healthy client, with its packets, and opens a new link.
    pub fn cut(&mut self) {
        let former = self.connections[3];
        if !self.is_connected {
            return;
        }
        self.queue.clear();
        self.server.handle_disconnect(former);
        self.healthy.handle_disconnect(ConnectionId::SERVER);
        let link = self.server.handle_connect(P::LIMITS);
        self.healthy.handle_connect(P::LIMITS);
        for connection in &mut self.connections {
            if *connection == former {
                *connection = link;
            }
        }
    }

    /// Gives the server a packet of an attacker. An attacker without a connection connects first.
    pub fn receive(&mut self, attacker: usize, packet: &Packet) {
        let is_new = self.connections[attacker] == self.connections[3];
        if is_new || !self.server.is_connected(self.connections[attacker]) {
            self.reconnect(attacker);
        }
        if self.connections[attacker] == self.connections[3] {
            return;
        }
        let (server, connection) = (&mut self.server, self.connections[attacker]);
        // An error is ignored here, so that the later packets of an input count.
        let _ = bounded(packet.bytes.len(), || packet.arrive(server, connection));
    }

    /// Gives the server messages of an attacker, in a packet that it has not sent before.
    pub fn receive_message(&mut self, attacker: usize, channel: u8, messages: &[u8]) {
        self.sequence = self.sequence.wrapping_add(1);
        self.receive(attacker, &P::packet(channel, self.sequence, messages));
    }

    /// Changes the world.
    pub fn change(&mut self, step: Step<'_>) {
        P::change(&mut self.server, &self.connections, step);
    }

    /// Lets time pass.
    pub fn advance(&mut self, time: Duration) {
        self.now = self.now.saturating_add(time);
    }

    /// Runs one tick: the client's packets, the server's update and its packets.
    pub fn step(&mut self) {
        self.advance(TICK);
        self.healthy.update(self.now);
        self.carry_up();
        P::step(&mut self.server, &self.connections, self.now);
        self.server.update(self.now);
        self.carry_down();
        while let Some(closed) = self.server.poll_close() {
            self.server.handle_disconnect(closed);
            self.is_connected &= closed != self.connections[3];
        }
        while self.server.poll_event().is_some() {}
        while self.healthy.poll_event().is_some() {}
    }

    /// Carries the packets of the healthy client, as far as the server takes them.
    fn carry_up(&mut self) {
        while let Some(packet) = self.healthy.poll_transmit() {
            let packet = Packet::of(P::LIMITS, &packet);
            if let Some([sent, _]) = &mut self.records {
                sent.push(packet.clone());
            }
            self.queue.push_back(packet);
        }
        let connection = self.connections[3];
        while self.server.accepts_packets(connection)
            && let Some(packet) = self.queue.pop_front()
        {
            let taken = packet.arrive(&mut self.server, connection);
            let is_taken = taken.is_ok() || !self.is_connected;
            assert!(is_taken, "{taken:?} for a healthy client");
        }
    }

    /// Carries the packets to the healthy client, and drops the rest.
    fn carry_down(&mut self) {
        while let Some(packet) = self.server.poll_transmit() {
            if packet.connection != self.connections[3] {
                continue;
            }
            let packet = Packet::of(P::LIMITS, &packet);
            let taken = packet.arrive(&mut self.healthy, ConnectionId::SERVER);
            assert!(taken.is_ok(), "{taken:?} from a healthy server");
            if let Some([_, received]) = &mut self.records {
                received.push(packet);
            }
        }
    }
}

impl Recording {
    /// Returns the recording of a protocol: a join, then changes, writes and calls of every kind.
    pub fn of<P: Protocol>() -> &'static Self {
        static RECORDINGS: [OnceLock<Recording>; 3] = [const { OnceLock::new() }; 3];
        RECORDINGS[P::INDEX].get_or_init(Self::record::<P>)
    }

    fn record<P: Protocol>() -> Self {
        let mut world = World::<P>::with_records(Some([Vec::new(), Vec::new()]));
        let lengths = |world: &World<P>| {
            let records = world.records.as_ref();
            records.map_or([0; 2], |records| records.each_ref().map(Vec::len))
        };
        let [greeting, _] = lengths(&world);
        let mut opening = 0;
        for what in 0..=255 {
            // The client's object stays, and the client observes it.
            let object = if matches!(what % 20, 12 | 14) {
                2
            } else {
                what % 2
            };
            let bytes = [object, what, 3, what / 20, 0, 0, b'a', b'b', what];
            world.change(Step {
                op: 0,
                bytes: &bytes,
            });
            let write = [1, what, what, 1, 0, 0, b'w', what];
            P::write(
                &mut world.healthy,
                Step {
                    op: 0,
                    bytes: &write,
                },
            );
            if what % 4 == 0 {
                world.step();
            }
            if what == 24 {
                [_, opening] = lengths(&world);
            }
        }
        (0..4).for_each(|_| world.step());
        let [up, down] = world.records.unwrap_or_default();
        Self {
            up,
            greeting,
            down,
            opening,
        }
    }
}
