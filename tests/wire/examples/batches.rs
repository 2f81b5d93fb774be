//! Section 6: messages of many objects.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{
    Framing, NetworkSceneId, PacketLimits, ServerConfig,
    behaviour::BehaviourList,
    values::{Quaternion, Vector3},
};

use syncvar_testing::{Pair, client, spawn_with_id};

use crate::examples::{Examples, Lamp, One, Two, Vault, packets};

const ORIGIN: Vector3 = Vector3::new(0.0, 0.0, 0.0);
const PLACE: Vector3 = Vector3::new(1.0, 2.0, 3.0);
const TURN: Option<Quaternion> = Some(Quaternion::new(0.0, 1.0, 0.0, 0.0));

#[test]
pub(crate) fn batches_of_updates_are_written_as_documented() -> Examples {
    let bytes = sent(
        1340,
        |server| _ = spawn_with_id(server, Vault::default(), 3),
        |server| {
            let mut vault = server.get_mut::<Vault>(NetId(3)).expect("a vault");
            vault.bytes.set(vec![b'x'; 65_535]);
        },
    );
    let list = sent(
        1340,
        |server| _ = spawn_with_id(server, list(), 3),
        |server| {
            let mut two = server.get_mut::<Two>(NetId(3)).expect("an object");
            two.k.set(2);
        },
    );
    Examples::check(vec![
        (
            "UpdateBatch #3: `v = 77`",
            updated(&[3], |server| set(server, 3, 77)),
        ),
        (
            "UpdateBatch #3: `v = 77`; #4: `v = 6`",
            updated(&[3, 4], |server| {
                set(server, 4, 6);
                set(server, 3, 77);
            }),
        ),
        (
            "UpdateBatch #3: `v = 77`; #300: `v = 6`",
            updated(&[3, 300], set_both),
        ),
        (
            "UpdateBatch #3: a text of 5 bytes changed, 7 bytes in all",
            updated_text("hello"),
        ),
        (
            "UpdateBatch #3: a text of 133 bytes `x` changed, 136 bytes in all; up to the text",
            updated_text(&"x".repeat(133)).replace(&"78".repeat(133), ""),
        ),
        (
            "UpdateBatch #3: 65535 bytes `x` changed, 65539 bytes in all; up to the bytes",
            bytes.concat().replace(&"78".repeat(65_535), ""),
        ),
        (
            "UpdateBatch #3: a clean behaviour, one with its second field 2, a clean one",
            list.concat(),
        ),
        (
            "UpdateBatch #3: `v = 77`; #300: `v = 6`, in packets of 11 bytes",
            update((11, &[3, 300]), set_both).concat(),
        ),
    ])
}

#[test]
pub(crate) fn batches_of_spawns_are_written_as_documented() -> Examples {
    let lamp = |server: &mut NetworkServer| {
        let lit = Lamp { lit: true.into() };
        server.spawn(lit);
    };
    let one =
        |position, rotation| spawned(move |server| spawn_one(server, 1, (position, rotation)));
    Examples::check(vec![
        ("SpawnBatch #1: `lamp` with `lit = true`", spawned(lamp)),
        (
            "SpawnBatch #1: `one` with `v = 5` at (1, 2, 3)",
            one(PLACE, None),
        ),
        (
            "SpawnBatch #1: `one` with `v = 5`, turned by (0, 1, 0, 0)",
            one(ORIGIN, TURN),
        ),
        (
            "SpawnBatch #1: `one` with `v = 5` at (1, 2, 3), turned by (0, 1, 0, 0)",
            one(PLACE, TURN),
        ),
        (
            "SpawnBatch #1: `lamp` with `lit = true`; #300: `one` with `v = 5`",
            spawned(|server| {
                lamp(server);
                spawn_one(server, 300, (ORIGIN, None));
            }),
        ),
        (
            "SpawnBatch #1: `one` with `v = 5`, scene id 300",
            spawned(|server| spawn_in_scene(server, 300)),
        ),
        (
            "SpawnBatch #1: `lamp` with `lit = true`; #2: `one` with `v = 5`, below #1",
            spawned(|server| {
                lamp(server);
                spawn_one(server, 2, (ORIGIN, None));
                below_1(server);
            }),
        ),
        (
            "SpawnBatch #1: `lamp` with `lit = true`; #2: `one` with `v = 5`, scene id 12, below #1",
            spawned(|server| {
                lamp(server);
                spawn_in_scene(server, 12);
                below_1(server);
            }),
        ),
    ])
}

#[test]
pub(crate) fn answers_to_a_join_are_written_as_documented() -> Examples {
    let answer = |dialect| {
        let config = ServerConfig {
            framing: dialect,
            incarnation: 0xff,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        server.update(Duration::from_secs(10));
        packets(&mut connect(server).server).concat()
    };
    Examples::check(vec![
        (
            "Connect 7, the answer: `Compact`, incarnation `00000000000000ff`, tick 1 is 300, 30 ticks a \
             second, sends each 0.1 s, a reliable and an unreliable channel",
            answer(Framing::Compact),
        ),
        (
            "Connect 7, the answer: `Unet`, a reliable and an unreliable channel",
            answer(Framing::Unet),
        ),
    ])
}

fn list() -> BehaviourList {
    BehaviourList::new()
        .with(One::default())
        .with(Two::default())
        .with(One::default())
}

fn prefabs() -> Prefabs {
    // The order of names is another.
    Prefabs::new()
        .register::<One>("one")
        .register::<Two>("two")
        .register_with("three", list)
        .register::<Lamp>("lamp")
        .register::<Vault>("vault")
}

/// Connects a client that asks for `Compact`.
fn connect(server: NetworkServer) -> Pair {
    let client = client(prefabs(), Framing::Compact);
    let mut pair = Pair::connect(server, client, PacketLimits::STREAM);
    pair.now = pair.server.now();
    pair.up();
    pair
}

/// Returns the packets to a client with `Compact` after spawns (`before`) and changes.
fn sent(
    packet_size: usize,
    before: impl FnOnce(&mut NetworkServer),
    act: impl FnOnce(&mut NetworkServer),
) -> Vec<String> {
    let config = ServerConfig {
        // The room for a header.
        packet_size: packet_size + 24,
        ..ServerConfig::default()
    };
    let pair = connect(NetworkServer::with_config(prefabs(), config));
    let mut server = pair.server;
    server.set_ready(pair.connection);
    before(&mut server);
    server.update(Duration::from_secs(1));
    packets(&mut server);
    act(&mut server);
    server.update(Duration::from_secs(2));
    packets(&mut server)
}

fn spawned(act: impl FnOnce(&mut NetworkServer)) -> String {
    sent(1340, |_| (), act).concat()
}

fn updated(ids: &[u32], act: impl FnOnce(&mut NetworkServer)) -> String {
    update((1340, ids), act).concat()
}

fn update(
    (packet_size, ids): (usize, &[u32]),
    act: impl FnOnce(&mut NetworkServer),
) -> Vec<String> {
    let spawn = |server: &mut NetworkServer| {
        for id in ids {
            spawn_one(server, *id, (ORIGIN, None));
        }
    };
    sent(packet_size, spawn, act)
}

fn updated_text(text: &str) -> String {
    let spawn = |server: &mut NetworkServer| _ = spawn_with_id(server, Two::default(), 3);
    let write = |server: &mut NetworkServer| {
        let mut two = server.get_mut::<Two>(NetId(3)).expect("it is there");
        two.w.set(text.into());
    };
    sent(1340, spawn, write).concat()
}

fn spawn_one(
    server: &mut NetworkServer,
    id: u32,
    (position, rotation): (Vector3, Option<Quaternion>),
) {
    let options = SpawnOptions {
        net_id: Some(NetId(id)),
        position,
        rotation,
        ..SpawnOptions::default()
    };
    server
        .try_spawn(One { v: 5.into() }, options)
        .expect("a free id");
}

fn spawn_in_scene(server: &mut NetworkServer, scene_id: u32) {
    let one = One { v: 5.into() };
    server
        .spawn_scene_object(NetworkSceneId(scene_id), one)
        .expect("a free scene id");
}

fn below_1(server: &mut NetworkServer) {
    server
        .set_parent(NetId(2), Some(NetId(1)))
        .expect("they are there");
}

fn set(server: &mut NetworkServer, id: u32, value: i32) {
    let mut one = server.get_mut::<One>(NetId(id)).expect("it is there");
    one.v.set(value);
}

fn set_both(server: &mut NetworkServer) {
    set(server, 3, 77);
    set(server, 300, 6);
}
