//! `World`: a server, a healthy client and three attackers, in virtual time.

use std::sync::OnceLock;
use std::time::Duration;

use syncvar::{ConnectionId, Endpoint, PacketLimits};

use crate::protocol::Protocol;
use crate::script::Step;

/// Time between two updates.
pub const TICK: Duration = Duration::from_millis(50);

/// Number and bytes of a packet on a channel.
pub type Packet = (u8, Vec<u8>);

/// Server and its clients. The attackers are connections without a client: their packets come from an
/// input.
pub struct World<P: Protocol> {
    /// Server.
    pub server: P::Server,
    /// Client that behaves.
    pub healthy: P::Client,
    /// Connections: three attackers and the healthy client.
    pub connections: [ConnectionId; 4],
    /// Packets of the healthy client.
    pub sent: Vec<Packet>,
    /// Packets to the healthy client.
    pub received: Vec<Packet>,
    /// Set while the healthy client is connected.
    pub is_connected: bool,
    now: Duration,
    keeps: bool,
}

/// Packets of one session, recorded once.
#[derive(Debug, Default)]
pub struct Recording {
    /// Packets of the client. The first ones connect it and make it ready.
    pub up: Vec<Packet>,
    /// Number of packets up to the answer of a server to a ready client.
    pub greeting: usize,
    /// Packets of the server.
    pub down: Vec<Packet>,
}

impl<P: Protocol> World<P> {
    /// Returns a world with a joined healthy client and attackers with an object each.
    pub fn new() -> Self {
        let mut world = Self::empty(false);
        let recording = Recording::of::<P>();
        for attacker in 0..3 {
            world.connections[attacker] = world.server.handle_connect(PacketLimits::STREAM);
            world.greet(attacker, recording);
        }
        world.step();
        for attacker in 0..3 {
            P::join(&mut world.server, world.connections[attacker]);
        }
        world.step();
        world
    }

    /// Returns a world with the healthy client, as the first connection.
    fn empty(keeps: bool) -> Self {
        let (mut server, mut healthy) = (P::server(), P::client());
        let connection = server.handle_connect(PacketLimits::STREAM);
        healthy.handle_connect(PacketLimits::STREAM);
        let mut world = Self {
            server,
            healthy,
            connections: [connection; 4],
            sent: Vec::new(),
            received: Vec::new(),
            is_connected: true,
            now: Duration::ZERO,
            keeps,
        };
        while !P::is_ready(&world.server, connection) {
            assert!(world.now < TICK * 8, "the healthy client cannot join");
            world.step();
        }
        P::join(&mut world.server, connection);
        world.step();
        world
    }

    /// Sends the packets that connect an attacker and make it ready.
    pub fn greet(&mut self, attacker: usize, recording: &Recording) {
        for (channel, packet) in &recording.up[..recording.greeting] {
            let _ = self
                .server
                .handle_packet(self.connections[attacker], *channel, packet);
        }
    }

    /// Replaces the connection of an attacker.
    pub fn reconnect(&mut self, attacker: usize) {
        self.server.handle_disconnect(self.connections[attacker]);
        self.connections[attacker] = self.server.handle_connect(PacketLimits::STREAM);
        self.greet(attacker, Recording::of::<P>());
        P::join(&mut self.server, self.connections[attacker]);
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
        self.now = self.now.saturating_add(TICK);
        self.healthy.update(self.now);
        while let Some(packet) = self.healthy.poll_transmit() {
            let (channel, bytes) = (packet.channel, packet.to_bytes());
            let taken = self
                .server
                .handle_packet(self.connections[3], channel, &bytes);
            assert!(
                taken.is_ok() || !self.is_connected,
                "{taken:?} for a healthy client"
            );
            if self.keeps {
                self.sent.push((channel, bytes.to_vec()));
            }
        }
        self.server.update(self.now);
        while let Some(packet) = self.server.poll_transmit() {
            if packet.connection == self.connections[3] {
                let (channel, bytes) = (packet.channel, packet.to_bytes());
                let taken = self
                    .healthy
                    .handle_packet(ConnectionId::SERVER, channel, &bytes);
                assert!(taken.is_ok(), "{taken:?} from a healthy server");
                if self.keeps {
                    self.received.push((channel, bytes.to_vec()));
                }
            }
        }
        while let Some(closed) = self.server.poll_close() {
            self.server.handle_disconnect(closed);
            self.is_connected &= closed != self.connections[3];
        }
        while self.server.poll_event().is_some() {}
        while self.healthy.poll_event().is_some() {}
    }
}

impl Recording {
    /// Returns the recording of a protocol: a join, then changes, writes and calls of each kind.
    pub fn of<P: Protocol>() -> &'static Self {
        static RECORDINGS: [OnceLock<Recording>; 3] = [const { OnceLock::new() }; 3];
        RECORDINGS[P::INDEX].get_or_init(Self::record::<P>)
    }

    fn record<P: Protocol>() -> Self {
        let mut world = World::<P>::empty(true);
        let greeting = world.sent.len();
        for what in 0..=255 {
            // Each kind of change, without the end of the client's object and of its readiness.
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
        }
        (0..4).for_each(|_| world.step());
        Self {
            up: world.sent,
            greeting,
            down: world.received,
        }
    }
}
