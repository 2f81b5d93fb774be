//! `MirrorServer` and `MirrorClient`, each as the other's counterpart, with the game of the recordings. What
//! happens at random is in `found/world.rs`.

mod world;

use std::time::Duration;

use syncvar::mirror::{MirrorServerEvent, MirrorSpawnOptions, Visibility};

use syncvar_testing::mirror::MirrorNetwork;

use crate::client::game::{Aim, DOOR, Door, GlobalMsg, Loot, Monster, Player, Wallet};
use world::{check, joined, settle, world};

#[test]
fn a_client_of_ours_joins_a_server_of_ours() {
    let mut world = world();
    let mut monster = Monster::default();
    monster.loot.push(Loot {
        item: 5,
        label: Some("sword".into()),
        chance: 0.5,
    });
    world.server.spawn(monster);
    world
        .server
        .spawn_scene_object(DOOR, Door::default(), MirrorSpawnOptions::default())
        .unwrap();
    let me = world.connect();
    settle(&mut world);
    check(&mut world);
    let client = world.client(me);
    assert_eq!(client.object_count(), 3);
    assert!(client.is_owned(client.local_player().unwrap()));
    assert!(client.network_time().is_some());
    assert!(client.rtt() > Duration::ZERO);
}

#[test]
fn owner_writes_reach_the_other_clients() {
    let (mut world, me, player) = joined();
    let other = world.connect();
    settle(&mut world);
    world
        .client(me)
        .get_mut::<Aim>(player)
        .unwrap()
        .yaw
        .set(2.5);
    settle(&mut world);
    let right = 2.5_f32.to_bits();
    for connection in [me, other] {
        let aim: &Aim = world.client(connection).get(player).unwrap();
        assert_eq!(aim.yaw.to_bits(), right);
    }
    let aim: &Aim = world.server.get(player).unwrap();
    assert_eq!(aim.yaw.to_bits(), right);
    check(&mut world);
}

#[test]
fn messages_and_calls_reach_the_other_side() {
    let (mut world, me, player) = joined();
    crate::client::game::called();
    world.server.calls::<Player>(player).rpc_others(3).unwrap();
    settle(&mut world);
    assert_eq!(crate::client::game::called(), ["rpc RpcOthers 3"]);
    let message = GlobalMsg {
        a: 8,
        ..GlobalMsg::default()
    };
    world.client(me).send(&message).unwrap();
    let events = settle(&mut world);
    let got = events.iter().find_map(|event| match event {
        MirrorServerEvent::Message { message, .. } => message.get::<GlobalMsg>(),
        _ => None,
    });
    assert_eq!(got, Some(&message));
}

#[test]
fn disconnected_client_has_no_objects() {
    let (mut world, me, player) = joined();
    let other = world.connect();
    settle(&mut world);
    world.server.disconnect(me);
    settle(&mut world);
    assert!(!world.clients.contains_key(&me));
    assert!(world.client(other).identity(player).is_none());
    check(&mut world);
}

#[test]
fn former_owner_keeps_its_values_as_in_mirror() {
    let (mut world, me, player) = joined();
    let gold = |world: &mut MirrorNetwork, gold| {
        let mut wallet = world.server.get_mut::<Wallet>(player).unwrap();
        wallet.gold.set(gold);
        drop(wallet);
        settle(world);
    };
    gold(&mut world, 7);
    assert_eq!(*world.seen::<Wallet>(me, player).gold, 7);
    world.server.set_owner(player, None).unwrap();
    settle(&mut world);
    assert!(!world.client(me).is_owned(player));
    assert_eq!(*world.seen::<Wallet>(me, player).gold, 7);
    gold(&mut world, 9);
    assert_eq!(*world.seen::<Wallet>(me, player).gold, 7, "not its reader");
    world.server.set_owner(player, Some(me)).unwrap();
    settle(&mut world);
    assert_eq!(*world.seen::<Wallet>(me, player).gold, 9);
}

#[test]
fn objects_that_left_while_not_ready_leave_after_the_burst() {
    let (mut world, me, player) = joined();
    let [gone, hidden, kept] = [(); 3].map(|()| world.server.spawn(Monster::default()));
    settle(&mut world);
    check(&mut world);

    world.server.set_not_ready(me);
    world.server.despawn(gone).unwrap();
    let visibility = Visibility::ForceHidden;
    world.server.set_visibility(hidden, visibility).unwrap();
    settle(&mut world);
    for object in [gone, hidden, kept, player] {
        assert!(world.client(me).identity(object).is_some(), "{object}");
    }

    world.client(me).ready();
    settle(&mut world);
    check(&mut world);
    assert!(world.client(me).identity(gone).is_none());
    assert!(world.client(me).identity(hidden).is_none());
    assert!(world.client(me).identity(kept).is_some());
}
