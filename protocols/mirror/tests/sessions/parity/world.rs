//! A server of ours and clients of ours in one program, in virtual time, and bytes by hand for either.

use std::collections::BTreeMap;
use std::iter::from_fn;
use std::time::Duration;

use syncvar::mirror::batch::Batcher;
use syncvar::mirror::message::NetworkMessage;
use syncvar::mirror::{
    Limits, MirrorClient, MirrorClientConfig, MirrorClientEvent, MirrorError, MirrorPrefabs,
    MirrorServer, MirrorServerConfig, MirrorServerEvent,
};
use syncvar::prelude::*;
use syncvar::{Channel, behaviour::BehaviourSet};

use super::game::{self, DOOR, Door};

/// What one frame lasts.
const FRAME: Duration = Duration::from_millis(20);

pub(crate) struct World {
    pub(crate) server: MirrorServer,
    clients: BTreeMap<ConnectionId, MirrorClient>,
    prefabs: fn() -> MirrorPrefabs,
    pub(crate) limits: Limits,
    pub(crate) now: Duration,
}

impl World {
    /// A server of the game of these tests.
    pub(crate) fn new() -> Self {
        Self::of(game::prefabs)
    }

    pub(crate) fn of(prefabs: fn() -> MirrorPrefabs) -> Self {
        game::told();
        let mut config = MirrorServerConfig::default();
        config.ping_interval = Duration::ZERO;
        config.time_snapshots = false;
        Self {
            server: MirrorServer::with_config(prefabs(), config),
            clients: BTreeMap::new(),
            prefabs,
            limits: Limits::TELEPATHY,
            now: Duration::ZERO,
        }
    }

    /// A connection that has said nothing yet, and does not by itself.
    pub(crate) fn connect(&mut self) -> ConnectionId {
        let connection = self.server.handle_connect(self.limits);
        let mut config = MirrorClientConfig::default();
        (config.auto_ready, config.auto_add_player) = (false, false);
        config.ping_interval = Duration::ZERO;
        config.time_snapshots = false;
        let mut client = MirrorClient::with_config((self.prefabs)(), config);
        // Prefabs of other tests have no door.
        let _ = client.add_scene_object(DOOR, Door::default());
        client.handle_connect(self.limits);
        self.clients.insert(connection, client);
        connection
    }

    /// A connection that has become ready and has this for its player.
    pub(crate) fn join<S: BehaviourSet>(&mut self, player: S) -> (ConnectionId, NetId) {
        let connection = self.connect();
        self.client(connection).ready();
        self.frame();
        let player = self.server.add_player(connection, player).unwrap();
        self.frame();
        (connection, player)
    }

    /// One frame: everything that is sent arrives.
    pub(crate) fn frame(&mut self) {
        self.now += FRAME;
        let connections: Vec<_> = self.clients.keys().copied().collect();
        for connection in connections {
            let client = self.clients.get_mut(&connection).unwrap();
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let (channel, bytes) = (packet.channel, packet.bytes);
                // What is wrong is told by events, and by being closed.
                let _ = self.server.handle_packet(connection, channel, &bytes);
            }
            if client.poll_close() {
                client.handle_disconnect();
                self.server.handle_disconnect(connection);
            }
        }
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let (connection, channel) = (transmit.connection, transmit.channel);
            let bytes = transmit.to_bytes();
            if let Some(client) = self.clients.get_mut(&connection) {
                let _ = client.handle_packet(channel, &bytes);
            }
        }
        while let Some(connection) = self.server.poll_close() {
            if let Some(client) = self.clients.get_mut(&connection) {
                client.handle_disconnect();
            }
            self.server.handle_disconnect(connection);
        }
    }

    pub(crate) fn frames(&mut self, count: usize) {
        (0..count).for_each(|_| self.frame());
    }

    #[track_caller]
    pub(crate) fn client(&mut self, connection: ConnectionId) -> &mut MirrorClient {
        self.clients.get_mut(&connection).expect("it is connected")
    }

    /// What a client has of an object.
    #[track_caller]
    pub(crate) fn seen<B: NetworkBehaviour>(&self, connection: ConnectionId, id: NetId) -> &B {
        self.clients[&connection]
            .get(id)
            .expect("it sees the object")
    }

    pub(crate) fn sees(&self, connection: ConnectionId, id: NetId) -> bool {
        self.clients[&connection].identity(id).is_some()
    }

    /// What the server has told the game since this was last asked.
    pub(crate) fn events(&mut self) -> Vec<MirrorServerEvent> {
        from_fn(|| self.server.poll_event()).collect()
    }

    /// What a client has told the game since this was last asked.
    pub(crate) fn heard(&mut self, connection: ConnectionId) -> Vec<MirrorClientEvent> {
        let client = self.client(connection);
        from_fn(|| client.poll_event()).collect()
    }

    /// The server is given a batch of these messages.
    pub(crate) fn say(
        &mut self,
        connection: ConnectionId,
        messages: &[&[u8]],
    ) -> Result<(), MirrorError> {
        let batch = batch(self.now, messages);
        let server = &mut self.server;
        server.handle_packet(connection, Channel::Reliable, &batch)
    }

    /// A client is given a batch of these messages.
    pub(crate) fn tell(
        &mut self,
        connection: ConnectionId,
        messages: &[&[u8]],
    ) -> Result<(), MirrorError> {
        let batch = batch(self.now, messages);
        let client = self.client(connection);
        client.handle_packet(Channel::Reliable, &batch)
    }

    /// The bytes of the messages about objects that one frame sends, to everybody together.
    pub(crate) fn states(&mut self) -> u64 {
        let before = self.server.stats().states.bytes;
        self.frame();
        self.server.stats().states.bytes - before
    }
}

fn batch(now: Duration, messages: &[&[u8]]) -> Vec<u8> {
    let mut batcher = Batcher::new(usize::MAX);
    for message in messages {
        batcher.add(message, now.as_secs_f64());
    }
    batcher.next_batch().expect("there are messages").to_vec()
}

pub(crate) fn bytes<'a>(message: &impl NetworkMessage<'a>) -> Vec<u8> {
    message.to_bytes().expect("it can be written").to_vec()
}
