//! A `NetworkServer` under attack.

mod bag;
mod packets;

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::wire::Encoding;
use syncvar::{ClientConfig, Framing, ServerConfig};

use super::Victim;
use super::bytes::Payload;
use super::objects::{Trove, trove_prefabs};

/// Numbers of the messages.
pub(super) const RESYNC: i16 = 20;
const CALL: i16 = 25;
const OWNER_WRITE: i16 = 26;
pub(super) const PING: i16 = 27;
pub(super) const READY: i16 = 35;

/// Operations on a list.
pub(super) const ADD: u8 = 0;
pub(super) const CLEAR: u8 = 1;
pub(super) const INSERT: u8 = 2;
pub(super) const REMOVE_AT: u8 = 4;
pub(super) const SET: u8 = 5;
pub(super) const SPLICE: u8 = 6;
pub(super) const REMOVE: u8 = 7;

/// Largest packet of `TransportOptions`.
const PACKET: usize = 65_000;

/// Server with one [`Trove`], its owner, and an observer.
pub struct Server {
    end: NetworkServer,
    owner: ConnectionId,
    /// Object of the owner.
    pub object: NetId,
    /// Encoding of the owner's packets.
    pub encoding: Encoding,
    now: Duration,
}

impl Server {
    /// Returns a server whose object has a state before it gets its owner.
    ///
    /// # Panics
    ///
    /// If the owner is not accepted.
    #[must_use]
    pub fn new(framing: Framing, fill: impl FnOnce(&mut Trove)) -> Self {
        Self::with_config(framing, ServerConfig::default(), fill)
    }

    /// Returns a server with settings.
    ///
    /// # Panics
    ///
    /// If the owner is not accepted.
    #[must_use]
    pub fn with_config(
        framing: Framing,
        config: ServerConfig,
        fill: impl FnOnce(&mut Trove),
    ) -> Self {
        Self::with_object(framing, config, |server| {
            let mut trove = Trove::default();
            fill(&mut trove);
            server.spawn(trove)
        })
    }

    /// Returns a server with an object of any type.
    fn with_object(
        framing: Framing,
        config: ServerConfig,
        spawn: impl FnOnce(&mut NetworkServer) -> NetId,
    ) -> Self {
        let mut server = NetworkServer::with_config(trove_prefabs(), config);
        let (owner, _) = connect(&mut server, framing);
        connect(&mut server, framing);
        let object = spawn(&mut server);
        let mut this = Self {
            end: server,
            owner,
            object,
            encoding: match framing {
                Framing::Unet => Encoding::Unet,
                Framing::Compact => Encoding::Compact,
            },
            now: Duration::ZERO,
        };
        this.update();
        this.end.set_owner(object, Some(owner)).unwrap();
        this.update();
        assert_eq!(this.end.owner(object), Some(owner));
        this
    }

    /// Returns the server.
    #[must_use]
    pub fn server(&self) -> &NetworkServer {
        &self.end
    }

    /// Connects a client, and returns it with the present snapshot.
    ///
    /// # Panics
    ///
    /// If the server and the client disagree.
    pub fn join(&mut self) -> NetworkClient {
        let (connection, mut client) = connect(&mut self.end, Framing::Compact);
        self.now += Duration::from_millis(50);
        self.end.update(self.now);
        while let Some(packet) = self.end.poll_transmit() {
            if packet.connection == connection {
                let handled = client.handle_packet(packet.channel, &packet.to_bytes());
                handled.expect("a valid packet");
            }
        }
        client
    }

    /// Returns an empty payload.
    #[must_use]
    pub fn payload(&self) -> Payload {
        Payload::new(self.encoding)
    }

    /// Returns the message `OwnerWrite` of a field: its bit and its content.
    #[must_use]
    pub fn owner_write(&self, bit: u32, content: impl FnOnce(Payload) -> Payload) -> Vec<u8> {
        self.write_of(self.object, bit, content)
    }

    /// Returns the message `OwnerWrite` of a field of an object.
    fn write_of(
        &self,
        object: NetId,
        bit: u32,
        content: impl FnOnce(Payload) -> Payload,
    ) -> Vec<u8> {
        // The permit of the first owner is 1; the behaviour is the first.
        let head = self.payload().packed(object.0).packed(1).raw(&[0]);
        content(head.number(1 << bit)).message(OWNER_WRITE)
    }

    /// Returns the message `OwnerWrite` of operations on the collection of a bit: as many as fit into a packet.
    #[must_use]
    pub fn operations(&self, bit: u32, operation: impl Fn(Payload, usize) -> Payload) -> Vec<u8> {
        let length = (0..8).fold(self.payload(), &operation).len().div_ceil(8);
        self.some_operations(bit, (PACKET - 32) / length, operation)
    }

    /// Returns the message `OwnerWrite` of a number of operations.
    #[must_use]
    pub fn some_operations(
        &self,
        bit: u32,
        count: usize,
        operation: impl Fn(Payload, usize) -> Payload,
    ) -> Vec<u8> {
        self.owner_write(bit, |write| write.number(count).times(count, operation))
    }

    /// Returns a command by its position among the calls, in the framing `Compact`.
    #[must_use]
    pub fn command(&self, call: usize, arguments: impl FnOnce(Payload) -> Payload) -> Vec<u8> {
        let head = Payload::new(Encoding::Compact).value(&self.object);
        arguments(head.number(call)).message(CALL)
    }
}

impl Victim for Server {
    fn handle(&mut self, packet: &[u8]) -> bool {
        self.end.handle_packet(self.owner, 0, packet).is_ok()
    }

    fn update(&mut self) -> usize {
        self.now += Duration::from_millis(50);
        self.end.update(self.now);
        let mut sent = 0;
        while let Some(packet) = self.end.poll_transmit() {
            sent += packet.len();
        }
        while self.end.poll_event().is_some() {}
        sent
    }
}

/// Connects a client. Its connection is ready with the next update.
fn connect(server: &mut NetworkServer, framing: Framing) -> (ConnectionId, NetworkClient) {
    let mut config = ClientConfig {
        framing,
        ..ClientConfig::default()
    };
    // The state of the object exceeds the default limits of a client before the attack begins.
    config.limits.max_memory = usize::MAX;
    config.limits.max_work = usize::MAX;
    let mut client = NetworkClient::with_config(trove_prefabs(), config);
    client.handle_connect();
    let connection = server.handle_connect();
    for _ in 0..2 {
        while let Some(packet) = client.poll_transmit() {
            let handled = server.handle_packet(connection, packet.channel, &packet.bytes);
            handled.expect("a valid packet");
        }
        while let Some(packet) = server.poll_transmit() {
            if packet.connection == connection {
                let handled = client.handle_packet(packet.channel, &packet.to_bytes());
                handled.expect("a valid packet");
            }
        }
    }
    (connection, client)
}

/// Returns the attacks on a server of the protocols UNet and Compact.
pub(super) fn attacks() -> Vec<super::Named> {
    [packets::attacks(), bag::attacks()].concat()
}
