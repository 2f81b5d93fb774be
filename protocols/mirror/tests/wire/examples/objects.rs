//! Section 4: the payload of an object, as a server and a client send it.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::message::{Message, NetworkMessage, ReadyMessage};
use syncvar::mirror::{
    Component, Limits, MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig,
    MirrorSpawnOptions, SpawnPolicy, SyncDirection, SyncMode,
};
use syncvar::prelude::*;

use crate::examples::Examples;

/// A component with one value.
#[derive(NetworkBehaviour, Default)]
struct Part {
    #[sync_var]
    value: SyncVar<i32>,
}

/// The same, of another class.
#[derive(NetworkBehaviour, Default)]
struct Text {
    #[sync_var]
    text: SyncVar<String>,
}

fn part(value: i32) -> Part {
    let value = value.into();
    Part { value }
}

fn prefabs() -> MirrorPrefabs {
    let owners = Component::new().sync_mode(SyncMode::Owner);
    let written = Component::new().sync_direction(SyncDirection::ClientToServer);
    let three = MirrorPrefab::new("three", 1.into());
    let three = three.component(1, owners).component(2, written);
    MirrorPrefabs::new()
        .register::<(Part, Part, Part)>(three)
        .register::<Text>(MirrorPrefab::new("text", 2.into()))
}

/// A server, its owner of an object and another connection.
struct World {
    server: MirrorServer,
    owner: ConnectionId,
    other: ConnectionId,
    /// What has been sent, without times: to whom, the batch, and the payloads in it.
    sent: Vec<(ConnectionId, Vec<u8>, Vec<String>)>,
}

impl World {
    fn new() -> Self {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs(), config);
        let [owner, other] = [(); 2].map(|()| server.handle_connect(Limits::TELEPATHY));
        let ready = ReadyMessage.to_bytes().expect("it is short");
        let length = u8::try_from(ready.len()).expect("it is short");
        let batch = [&[0; 8][..], &[length], &ready].concat();
        for connection in [owner, other] {
            let taken = server.handle_packet(connection, Channel::Reliable, &batch);
            taken.expect("a batch");
        }
        let sent = Vec::new();
        Self {
            server,
            owner,
            other,
            sent,
        }
    }

    fn update(&mut self) {
        self.server.update(Duration::ZERO);
        self.sent.clear();
        while let Some(transmit) = self.server.poll_transmit() {
            let batch = transmit.to_bytes().to_vec();
            let payloads = payloads(&batch);
            if !payloads.is_empty() {
                self.sent.push((transmit.connection, batch, payloads));
            }
        }
    }

    /// The one payload that a connection has been sent with the last update.
    #[track_caller]
    fn to(&self, connection: ConnectionId) -> String {
        let mut sent = self.sent.iter().filter(|(to, ..)| *to == connection);
        let Some((.., payloads)) = sent.next() else {
            panic!("nothing has been sent to {connection}");
        };
        assert!(payloads.len() == 1 && sent.next().is_none());
        payloads[0].clone()
    }

    fn write(&mut self, object: NetId, index: usize, value: i32) {
        let part = self.server.get_mut_at::<Part>(object, index);
        part.expect("it is there").value.set(value);
    }
}

fn payloads(batch: &[u8]) -> Vec<String> {
    let messages = Unbatcher::new(batch).expect("a batch");
    let payloads = messages.filter_map(|message| {
        match Message::decode(message.expect("a message")).expect("a message") {
            Message::Spawn(spawn) => Some(spawn.payload.map_or(String::new(), hex::encode)),
            Message::EntityState(state) => Some(state.payload.map_or(String::new(), hex::encode)),
            _ => None,
        }
    });
    payloads.collect()
}

pub(crate) fn examples() -> Examples {
    let mut world = World::new();
    let (owner, other) = (world.owner, world.other);
    let options = MirrorSpawnOptions {
        owner: Some(owner),
        ..MirrorSpawnOptions::default()
    };
    let three = (part(5), part(7), part(9));
    let object = world
        .server
        .try_spawn(three, options)
        .expect("it is registered");
    world.update();
    let mut examples = vec![
        (
            "A, B, C of 5, 7, 9: full state for the owner",
            world.to(owner),
        ),
        ("for another observer", world.to(other)),
    ];
    // The owner is a client of ours.
    let mut client = MirrorClient::new(prefabs());
    client.handle_connect(Limits::TELEPATHY);
    let burst = [&[0; 8][..], &[2, 0xd8, 0x30, 2, 0xb4, 0xa9]].concat();
    client
        .handle_packet(Channel::Reliable, &burst)
        .expect("a batch");
    let spawns = world.sent.iter().find(|(to, ..)| *to == owner);
    let (_, spawns, _) = spawns.expect("it has been sent something");
    client
        .handle_packet(Channel::Reliable, spawns)
        .expect("a batch");

    world.write(object, 0, 6);
    world.update();
    assert_eq!(world.to(owner), world.to(other));
    examples.push(("A is 6: the change for both", world.to(other)));
    world.write(object, 0, 7);
    world.write(object, 1, 8);
    world.update();
    examples.push((
        "A is 7 and B is 8: the change for the owner",
        world.to(owner),
    ));
    examples.push(("the same change for another observer", world.to(other)));

    let mut written = client.get_mut_at::<Part>(object, 2).expect("it is there");
    written.value.set(-1);
    drop(written);
    client.update(Duration::from_millis(1));
    let mut own = Vec::new();
    while let Some(packet) = client.poll_transmit() {
        let payloads = payloads(&packet.bytes);
        if !payloads.is_empty() {
            own.extend(payloads);
            let taken = world
                .server
                .handle_packet(owner, packet.channel, &packet.bytes);
            taken.expect("a batch");
        }
    }
    examples.push(("the owner has written -1 to C: its change", own.concat()));
    world.update();
    assert!(world.sent.iter().all(|(to, ..)| *to != owner));
    examples.push((
        "what the server makes of that for another observer",
        world.to(other),
    ));
    world.server.set_owner(object, Some(other)).unwrap();
    world.update();
    examples.push((
        "what the new owner is sent behind `ChangeOwnerMessage`",
        world.to(other),
    ));

    let text = Text {
        text: "x".repeat(298).into(),
    };
    world.server.spawn(text);
    world.update();
    let text = world.to(other);
    let (head, rest) = text.split_at(8);
    assert_eq!(rest, "78".repeat(298));
    examples.push((
        "another object, with one component of 300 bytes, a text: how it begins",
        head.into(),
    ));
    examples
}
