//! Sections 3 and 4: fields that not everyone reads, and what owners write.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{Framing, ServerConfig, behaviour::BehaviourSet, interest::Tag};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Hero {
    #[sync_var(read = owner)]
    gold: SyncVar<i32>,
    #[sync_var(write = owner)]
    aim: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Tank {
    #[sync_var]
    heading: SyncVar<i32>,
    #[sync_var(read = group)]
    ammunition: SyncVar<i32>,
}

const RED: Tag = Tag(1);

/// The owner of hero #5 and its server, which speak `Unet`.
struct Pair {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    now: Duration,
}

impl Pair {
    fn new() -> Self {
        let prefabs = || {
            Prefabs::new()
                .register::<Hero>("hero")
                .register::<Tank>("tank")
        };
        let config = ServerConfig {
            framing: Framing::Unet,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let mut client = NetworkClient::new(prefabs());
        client.handle_connect();
        let connection = server.handle_connect();
        let now = Duration::ZERO;
        let mut pair = Self {
            server,
            client,
            connection,
            now,
        };
        (0..3).for_each(|_| drop(pair.step()));
        pair
    }

    /// The messages that have been sent in either direction.
    fn step(&mut self) -> Vec<String> {
        let mut messages = Vec::new();
        self.now += Duration::from_secs(1);
        self.client.update(self.now);
        while let Some(packet) = self.client.poll_transmit() {
            cut(&packet.bytes, &mut messages);
            self.server
                .handle_packet(self.connection, packet.channel, &packet.bytes)
                .expect("it was written");
        }
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            cut(&transmit.chunks.concat(), &mut messages);
            self.client
                .handle_packet(transmit.channel, &transmit.to_bytes())
                .expect("it was written");
        }
        messages
    }

    /// Returns the messages in a packet of the client.
    fn spawn(&mut self, owner: Option<ConnectionId>) -> Vec<String> {
        let hero = Hero {
            gold: 7.into(),
            aim: 3.into(),
        };
        self.spawn_as(hero, owner);
        self.step()
    }

    /// The state of a tank of a group in its snapshot.
    fn spawn_tank(&mut self, owner: Option<ConnectionId>, is_member: bool) -> String {
        let tank = Tank {
            heading: 7.into(),
            ammunition: 3.into(),
        };
        self.spawn_as(tank, owner);
        self.server.set_group(NetId(5), Some(RED)).unwrap();
        if is_member {
            self.server.join_group(self.connection, RED).unwrap();
        }
        state(&self.step())
    }

    fn spawn_as(&mut self, behaviours: impl BehaviourSet, owner: Option<ConnectionId>) {
        let options = SpawnOptions {
            net_id: Some(NetId(5)),
            owner,
            ..SpawnOptions::default()
        };
        self.server
            .try_spawn(behaviours, options)
            .expect("a free id");
    }
}

fn cut(mut packet: &[u8], messages: &mut Vec<String>) {
    while let [low, high, ..] = packet {
        let (message, rest) = packet.split_at(4 + usize::from(u16::from_le_bytes([*low, *high])));
        messages.push(hex::encode(message));
        packet = rest;
    }
}

/// The message of this number.
fn of_type(messages: &[String], number: u8) -> String {
    let found = messages
        .iter()
        .find(|message| message[4..6] == hex::encode([number]));
    found.expect("there is one").clone()
}

/// The state in an `ObjectSpawn`: behind head, id, asset id, position and length, before the rotation.
fn state(messages: &[String]) -> String {
    let spawn = of_type(messages, 3);
    spawn[2 * (4 + 1 + 16 + 12 + 2)..spawn.len() - 2 * 16].to_owned()
}

pub(crate) fn examples() -> Vec<(&'static str, String)> {
    let mut pair = Pair::new();
    let owner = pair.connection;
    let shown = pair.spawn(Some(owner));
    pair.client
        .get_mut::<Hero>(NetId(5))
        .expect("it is there")
        .aim
        .set(9);
    let written = pair.step();
    let mut other = Pair::new();
    let connection = other.connection;
    let shown_to_others = other.spawn(None);
    other.server.set_owner(NetId(5), Some(connection)).unwrap();
    let given = other.step();
    let mut tank = Pair::new();
    let for_others = tank.spawn_tank(None, false);
    tank.server.join_group(tank.connection, RED).unwrap();
    let joined = tank.step();
    tank.server.leave_group(tank.connection, RED).unwrap();
    let left = tank.step();
    let mut given_tank = Pair::new();
    let holder = Some(given_tank.connection);
    vec![
        (
            "full `Tank { heading: 7, ammunition: 3 }`, where `ammunition` is read by the group, for a member",
            Pair::new().spawn_tank(None, true),
        ),
        (
            "full `Tank`, for the owner",
            given_tank.spawn_tank(holder, false),
        ),
        (
            "full `Tank`, for an observer outside of the group",
            for_others,
        ),
        (
            "OwnerState #5 for a client that joined the group: `Tank` with `ammunition = 3`",
            of_type(&joined, 30),
        ),
        (
            "OwnerState #5 for a client that left the group",
            of_type(&left, 30),
        ),
        (
            "full `Hero { gold: 7, aim: 3 }`, where `gold` is read by the owner only, for the owner",
            state(&shown),
        ),
        ("full `Hero`, for all others", state(&shown_to_others)),
        (
            "OwnerWrite #5, permit 1: `Hero` with `aim = 9`",
            of_type(&written, 26),
        ),
        ("OwnerState #5, permit 1", of_type(&shown, 30)),
        (
            "OwnerState #5, permit 1: `Hero` with `gold = 7`",
            of_type(&given, 30),
        ),
    ]
}
