//! Sections 3 and 4: fields with few readers, and writes of owners.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{Framing, PacketLimits, ServerConfig, behaviour::BehaviourSet, interest::Tag};
use syncvar_testing::Pair;

use crate::examples::Examples;

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

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Chest {
    #[sync_var]
    open: SyncVar<bool>,
    #[sync_var(read = server)]
    seed: SyncVar<i32>,
}

const RED: Tag = Tag(1);

/// Returns a client and its server, which speak `Unet`.
fn joined() -> Pair {
    let prefabs = || {
        Prefabs::new()
            .register::<Hero>("hero")
            .register::<Tank>("tank")
            .register::<Chest>("chest")
    };
    let config = ServerConfig {
        framing: Framing::Unet,
        ..ServerConfig::default()
    };
    let server = NetworkServer::with_config(prefabs(), config);
    let client = NetworkClient::new(prefabs());
    let mut pair = Pair::connect(server, client, PacketLimits::STREAM);
    pair.tick = Duration::from_secs(1);
    (0..3).for_each(|_| drop(step(&mut pair)));
    pair
}

/// Runs a tick. Returns the messages of both directions.
fn step(pair: &mut Pair) -> Vec<String> {
    pair.now += pair.tick;
    pair.client.update(pair.now);
    let up = pair.client_packets();
    for packet in &up {
        pair.to_server(packet).expect("a packet of the client");
    }
    pair.server.update(pair.now);
    let down = pair.server_packets();
    pair.deliver(&down);
    let mut messages = Vec::new();
    for packet in up.iter().chain(&down) {
        cut(&packet.bytes, &mut messages);
    }
    messages
}

fn spawn_5(pair: &mut Pair, behaviours: impl BehaviourSet, owner: Option<ConnectionId>) {
    let options = SpawnOptions {
        net_id: Some(NetId(5)),
        owner,
        ..SpawnOptions::default()
    };
    let spawned = pair.server.try_spawn(behaviours, options);
    spawned.expect("a free id");
}

/// Spawns a hero. Returns the messages of the tick.
fn spawn_hero(pair: &mut Pair, owner: Option<ConnectionId>) -> Vec<String> {
    let hero = Hero {
        gold: 7.into(),
        aim: 3.into(),
    };
    spawn_5(pair, hero, owner);
    step(pair)
}

/// Returns the state of a tank of a group in its snapshot.
fn spawn_tank(pair: &mut Pair, owner: Option<ConnectionId>, is_member: bool) -> String {
    let tank = Tank {
        heading: 7.into(),
        ammunition: 3.into(),
    };
    spawn_5(pair, tank, owner);
    pair.server.set_group(NetId(5), Some(RED)).unwrap();
    if is_member {
        pair.server.join_group(pair.connection, RED).unwrap();
    }
    state(&step(pair))
}

/// Cuts a packet of UNet into its messages.
fn cut(mut packet: &[u8], messages: &mut Vec<String>) {
    while let [low, high, ..] = packet {
        let (message, rest) = packet.split_at(4 + usize::from(u16::from_le_bytes([*low, *high])));
        messages.push(hex::encode(message));
        packet = rest;
    }
}

/// Returns the message of a type.
fn of_type(messages: &[String], number: u8) -> String {
    let found = messages
        .iter()
        .find(|message| message[4..6] == hex::encode([number]));
    found.expect("a message of this type").clone()
}

/// Returns the state in an `ObjectSpawn`: behind head, id, asset id, position and length, before the rotation.
fn state(messages: &[String]) -> String {
    let spawn = of_type(messages, 3);
    spawn[2 * (4 + 1 + 16 + 12 + 2)..spawn.len() - 2 * 16].to_owned()
}

#[test]
pub(crate) fn fields_of_groups_are_written_as_documented() -> Examples {
    let mut pair = joined();
    let for_others = spawn_tank(&mut pair, None, false);
    pair.server.join_group(pair.connection, RED).unwrap();
    let joining = step(&mut pair);
    pair.server.leave_group(pair.connection, RED).unwrap();
    let leaving = step(&mut pair);
    let mut of_owner = joined();
    let owner = Some(of_owner.connection);
    Examples::check(vec![
        (
            "full `Tank { heading: 7, ammunition: 3 }`, where `ammunition` is read by the group, for a member",
            spawn_tank(&mut joined(), None, true),
        ),
        (
            "full `Tank`, for the owner",
            spawn_tank(&mut of_owner, owner, false),
        ),
        (
            "full `Tank`, for an observer outside of the group",
            for_others,
        ),
        (
            "OwnerState #5 for a client that joined the group: `Tank` with `ammunition = 3`",
            of_type(&joining, 30),
        ),
        (
            "OwnerState #5 for a client that left the group",
            of_type(&leaving, 30),
        ),
    ])
}

#[test]
pub(crate) fn fields_of_owners_are_written_as_documented() -> Examples {
    let mut pair = joined();
    let owner = Some(pair.connection);
    let shown = spawn_hero(&mut pair, owner);
    let hero = NetId(5);
    pair.client
        .get_mut::<Hero>(hero)
        .expect("a hero")
        .aim
        .set(9);
    let written = step(&mut pair);
    let mut other = joined();
    let shown_to_others = spawn_hero(&mut other, None);
    let owner = Some(other.connection);
    other.server.set_owner(hero, owner).unwrap();
    let given = step(&mut other);
    let mut kept = joined();
    let chest = Chest {
        open: true.into(),
        seed: 7.into(),
    };
    spawn_5(&mut kept, chest, None);
    Examples::check(vec![
        (
            "full `Chest { open: true, seed: 7 }`, where `seed` is read by the server only",
            state(&step(&mut kept)),
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
    ])
}
