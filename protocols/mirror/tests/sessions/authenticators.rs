//! Authenticators of a server and a client.

use std::time::Duration;

use syncvar::mirror::authenticator::{
    BasicAuthenticator, ClientAuthentication, ClientAuthenticator, DeviceAuthenticator,
    ServerAuthentication, ServerAuthenticator, UniqueNameAuthenticator,
};
use syncvar::mirror::message::{
    DeviceAuthRequestMessage, DeviceAuthResponseMessage, NameAuthRequestMessage,
    NameAuthResponseMessage,
};
use syncvar::mirror::{
    AuthRequestMessage, AuthResponseMessage, Limits, MirrorClient, MirrorClientConfig,
    MirrorPrefabs, MirrorServer, MirrorServerConfig,
};
use syncvar::prelude::*;

const FRAME: Duration = Duration::from_millis(100);

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .message::<AuthRequestMessage>()
        .message::<AuthResponseMessage>()
        .message::<DeviceAuthRequestMessage>()
        .message::<DeviceAuthResponseMessage>()
        .message::<NameAuthRequestMessage>()
        .message::<NameAuthResponseMessage>()
}

/// A client with its connection and authenticator.
struct Guest<C> {
    client: MirrorClient,
    connection: ConnectionId,
    key: ClientAuthentication<C>,
}

struct World<S, C> {
    now: Duration,
    server: MirrorServer,
    door: ServerAuthentication<S>,
    guests: Vec<Guest<C>>,
}

impl<S: ServerAuthenticator, C: ClientAuthenticator> World<S, C> {
    fn new(authenticator: S) -> Self {
        let config = MirrorServerConfig {
            authenticate: true,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs(), config);
        let door = ServerAuthentication::new(authenticator, &mut server);
        let door = door.with_timeout(Duration::from_secs(5));
        Self {
            now: Duration::ZERO,
            server,
            door,
            guests: Vec::new(),
        }
    }

    fn join(&mut self, key: C) -> ConnectionId {
        let config = MirrorClientConfig {
            auto_ready: false,
            ..MirrorClientConfig::default()
        };
        let mut client = MirrorClient::with_config(prefabs(), config);
        client.handle_connect(Limits::TELEPATHY);
        let connection = self.server.handle_connect(Limits::TELEPATHY);
        let key = ClientAuthentication::new(key);
        self.guests.push(Guest {
            client,
            connection,
            key,
        });
        connection
    }

    fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            self.now += FRAME;
            for guest in &mut self.guests {
                while let Some(event) = guest.client.poll_event() {
                    guest.key.handle_event(&mut guest.client, &event);
                }
                guest.key.update(&mut guest.client);
                guest.client.update(self.now);
                while let Some(packet) = guest.client.poll_transmit() {
                    let connection = guest.connection;
                    // A disconnected client's last packets are refused.
                    let _ = self
                        .server
                        .handle_packet(connection, packet.channel, &packet.bytes);
                }
            }
            while let Some(event) = self.server.poll_event() {
                self.door.handle_event(&mut self.server, &event);
            }
            self.door.update(&mut self.server);
            self.server.update(self.now);
            while let Some(transmit) = self.server.poll_transmit() {
                let of_it = |guest: &&mut Guest<C>| {
                    guest.connection == transmit.connection && guest.client.is_connected()
                };
                if let Some(guest) = self.guests.iter_mut().find(of_it) {
                    let (channel, bytes) = (transmit.channel, transmit.to_bytes());
                    guest.client.handle_packet(channel, &bytes).unwrap();
                }
            }
        }
    }
}

#[test]
fn basic_authenticator_accepts_equal_credentials() {
    let account = BasicAuthenticator::new("admin", "secret");
    let mut world = World::new(account.clone());
    let friend = world.join(account);
    let stranger = world.join(BasicAuthenticator::new("admin", "guess"));
    world.run(3);
    assert!(world.server.is_authenticated(friend) && world.guests[0].client.is_ready());
    assert!(!world.server.is_authenticated(stranger));
    assert!(
        !world.guests[1].client.is_connected(),
        "it has left by itself"
    );
    assert!(
        world.server.is_connected(stranger),
        "the answer has a second"
    );
    world.run(10);
    assert!(!world.server.is_connected(stranger) && world.server.is_connected(friend));
}

#[test]
fn device_authenticator_accepts_all_and_knows_the_device() {
    let mut world = World::new(DeviceAuthenticator::default());
    let connection = world.join(DeviceAuthenticator::new("d-17"));
    world.run(3);
    assert!(world.guests[0].client.is_ready());
    assert_eq!(world.door.authenticator().device(connection), Some("d-17"));
    world.server.handle_disconnect(connection);
    world.run(1);
    assert_eq!(world.door.authenticator().device(connection), None);
}

#[test]
fn a_name_is_free_again_after_its_connection() {
    let mut world = World::new(UniqueNameAuthenticator::default());
    let first = world.join(UniqueNameAuthenticator::new("ada"));
    world.run(3);
    let second = world.join(UniqueNameAuthenticator::new("ada"));
    world.run(3);
    assert!(world.server.is_authenticated(first) && !world.server.is_authenticated(second));
    world.server.handle_disconnect(first);
    world.run(1);
    let third = world.join(UniqueNameAuthenticator::new("ada"));
    world.run(3);
    assert!(world.server.is_authenticated(third));
    assert_eq!(world.door.authenticator().name(third), Some("ada"));
}

#[test]
fn a_silent_connection_is_disconnected_when_its_time_is_over() {
    let mut world = World::<_, BasicAuthenticator>::new(BasicAuthenticator::default());
    let connection = world.server.handle_connect(Limits::TELEPATHY);
    world.run(50);
    assert!(world.server.is_connected(connection));
    world.run(2);
    assert!(!world.server.is_connected(connection));
}

#[test]
fn a_client_without_an_answer_disconnects_when_its_time_is_over() {
    let mut client = MirrorClient::with_config(
        prefabs(),
        MirrorClientConfig {
            auto_ready: false,
            ..MirrorClientConfig::default()
        },
    );
    let key = ClientAuthentication::new(BasicAuthenticator::new("admin", "secret"));
    let mut key = key.with_timeout(Duration::from_secs(1));
    client.handle_connect(Limits::TELEPATHY);
    for frame in 1..=12 {
        while let Some(event) = client.poll_event() {
            key.handle_event(&mut client, &event);
        }
        client.update(FRAME * frame);
        key.update(&mut client);
        assert_eq!(client.is_connected(), frame <= 9, "frame {frame}");
    }
}
