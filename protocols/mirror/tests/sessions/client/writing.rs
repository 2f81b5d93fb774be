//! What a client writes to components of objects that it owns.

use std::time::Duration;

use syncvar::mirror::message::SpawnFlags;
use syncvar::mirror::{Component, MirrorClient, MirrorPrefab, MirrorPrefabs, SyncDirection};
use syncvar::prelude::*;

use crate::client::game::{self, Aim, Player};
use crate::client::server::{
    MINE, PLAYER, World, changes, finished, full, owner, spawn, started, state,
};

#[test]
fn owned_component_is_sent_in_unitys_bytes() {
    let mut world = World::joined();
    {
        let mut aim = world.client.get_mut::<Aim>(NetId(4)).unwrap();
        aim.yaw.set(1.5);
        aim.firing.set(true);
    }
    let expected = hex::decode("33300411040e0000000000000000030000c03f01").unwrap();
    assert_eq!(world.frame(), [expected]);
    assert_eq!(world.frame(), [[0; 0]; 0], "once");
}

#[test]
fn write_without_ownership_stays_local() {
    let mut world = World::joined();
    world.give(&[spawn(9, PLAYER, SpawnFlags::NONE, &full(game::player()))]);
    let (mine, other) = (NetId(4), NetId(9));
    world.client.get_mut::<Player>(mine).unwrap().health.set(1);
    world.client.get_mut::<Aim>(other).unwrap().yaw.set(1.0);
    assert_eq!(world.frame(), [[0; 0]; 0]);
    assert_eq!(*world.client.get::<Player>(mine).unwrap().health, 1);
    // It does not become this client's when the object does.
    world.give(&[owner(9, SpawnFlags::IS_OWNER)]);
    assert_eq!(world.frame(), [[0; 0]; 0]);
    let mut player = Player::default();
    player.health.set(99);
    world.give(&[state(4, &changes(player))]);
    assert_eq!(*world.client.get::<Player>(mine).unwrap().health, 99);
}

#[test]
fn former_owner_sends_nothing() {
    let mut world = World::joined();
    world.client.get_mut::<Aim>(NetId(4)).unwrap().yaw.set(1.0);
    world.give(&[owner(4, SpawnFlags::NONE)]);
    assert_eq!(world.frame(), [[0; 0]; 0]);
}

/// Steers, and says so in a list.
#[derive(NetworkBehaviour, Default)]
struct Wheel {
    #[sync_var(hook = on_angle, write = owner)]
    angle: SyncVar<i32>,
    #[sync_var(write = owner)]
    turns: SyncList<i32>,
}

impl Wheel {
    fn on_angle(&mut self, _: i32) {
        let angle = *self.angle;
        self.turns.push(angle);
    }
}

fn wheel() -> World {
    let twice_a_second = Component::new().sync_interval(Duration::from_millis(450));
    let prefab = MirrorPrefab::new("Wheel", PLAYER).component(0, twice_a_second);
    let prefabs = MirrorPrefabs::new()
        .register::<Wheel>(prefab)
        .register::<game::Door>(MirrorPrefab::scene("Door"));
    let mut world = World::with(MirrorClient::new(prefabs));
    let wheel = Wheel::default();
    world.give(&[started(), spawn(4, PLAYER, MINE, &full(wheel)), finished()]);
    world.frame();
    world
}

#[test]
fn interval_delays_owner_writes() {
    let mut world = wheel();
    let mut frames = Vec::new();
    for angle in 1..=10 {
        world
            .client
            .get_mut::<Wheel>(NetId(4))
            .unwrap()
            .angle
            .set(angle);
        if !world.frame().is_empty() {
            frames.push(angle);
        }
    }
    assert_eq!(frames, [4, 9], "at 0.5 s and at 1 s");
}

#[test]
fn collections_are_sent_operation_by_operation() {
    let mut world = wheel();
    world.now = Duration::from_secs(1);
    {
        let mut wheel = world.client.get_mut::<Wheel>(NetId(4)).unwrap();
        wheel.turns.push(1);
        wheel.turns.push(2);
        wheel.turns.remove(0);
    }
    // Object 4, 24 bytes: component 0, 22 bytes: list 0 has 3 operations, and no value has changed.
    let expected = "33300419011601000000000000000300000000020004030000000000";
    let sent: Vec<_> = world.frame().iter().map(hex::encode).collect();
    assert_eq!(sent, [expected]);
}

#[test]
fn hook_writes_to_an_owned_component_are_sent() {
    let mut world = wheel();
    world.now = Duration::from_secs(1);
    let mut wheel = Wheel::default();
    wheel.angle.set(3);
    world.give(&[state(4, &changes(wheel))]);
    assert_eq!(world.client.get::<Wheel>(NetId(4)).unwrap().turns[..], [3]);
    assert_eq!(world.frame().len(), 1);
}

#[test]
fn a_direction_can_be_said_at_registration() {
    let to_server = Component::new().sync_direction(SyncDirection::ClientToServer);
    let prefabs = MirrorPrefabs::new()
        .register::<Player>(MirrorPrefab::new("Player", PLAYER).component(0, to_server))
        .register::<game::Door>(MirrorPrefab::scene("Door"));
    let mut world = World::with(MirrorClient::new(prefabs));
    let player = spawn(4, PLAYER, MINE, &full(Player::default()));
    world.give(&[started(), finished(), player]);
    world.frame();
    world
        .client
        .get_mut::<Player>(NetId(4))
        .unwrap()
        .health
        .set(7);
    assert_eq!(world.frame().len(), 1);
}
