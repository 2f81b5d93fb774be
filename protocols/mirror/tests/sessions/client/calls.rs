//! Commands, and calls of the server.

use bytes::Bytes;
use syncvar::mirror::message::{Message, RpcMessage};
use syncvar::mirror::{MirrorClientEvent, hash16};
use syncvar::prelude::*;
use syncvar::{calls::CallError, wire::WriteErrorKind};

use crate::client::game::{self, DOOR, Door, GlobalMsg, Monster, Player};
use crate::client::server::{MONSTER, PLAYER, World, full, message, spawn, spawn_door};
use syncvar::mirror::message::SpawnFlags;

pub(crate) fn rpc(id: u32, component_index: u8, name: &str, arguments: &[u8]) -> Bytes {
    message(&RpcMessage {
        net_id: NetId(id),
        component_index,
        function_hash: hash16(name),
        payload: Some(arguments),
    })
}

#[test]
fn a_command_is_written_as_unity_writes_it() {
    let mut world = World::joined();
    world
        .client
        .calls::<Player>(NetId(4))
        .cmd_damage(7)
        .unwrap();
    assert_eq!(world.frame(), [hex::decode("d4980400b552020e").unwrap()]);
}

#[test]
fn forbidden_call_returns_an_error() {
    let mut world = World::joined();
    let (mine, other, nobody) = (NetId(4), NetId(9), NetId(99));
    world.give(&[
        spawn(9, PLAYER, SpawnFlags::NONE, &full(game::player())),
        spawn_door(1, &[]),
    ]);
    let client = &mut world.client;
    let refused = client.calls::<Player>(other).cmd_damage(1);
    assert_eq!(refused, Err(CallError::NotOwner(other)));
    let refused = client.calls::<Player>(nobody).cmd_damage(1);
    assert_eq!(refused, Err(CallError::UnknownObject(nobody)));
    let refused = client.calls::<Door>(mine).cmd_toggle();
    let (object, behaviour) = (mine, "Door");
    assert_eq!(
        refused,
        Err(CallError::NoSuchBehaviour { object, behaviour })
    );
    let door = client.scene_object(DOOR).unwrap();
    client.calls::<Door>(door).cmd_toggle().unwrap();
    assert_eq!(world.frame().len(), 1, "the door is anybody's");
    world.client.handle_disconnect();
    let refused = world.client.calls::<Player>(mine).cmd_damage(1);
    assert_eq!(refused, Err(CallError::NotConnected));
}

#[test]
fn calls_of_the_server_run_where_they_are_meant() {
    let mut world = World::joined();
    world.give(&[rpc(
        4,
        0,
        "System.Void Player::RpcOthers(System.Int32)",
        &[8],
    )]);
    assert_eq!(game::called(), ["rpc RpcOthers 4"]);
    // Another component, another name, a command, another object.
    let damage = rpc(4, 0, "System.Void Player::CmdDamage(System.Int32)", &[8]);
    world.give(&[
        rpc(4, 1, "System.Void Player::RpcOthers(System.Int32)", &[8]),
        rpc(4, 0, "System.Void Player::RpcOthers(System.String)", &[8]),
        damage,
        rpc(99, 0, "System.Void Player::RpcOthers(System.Int32)", &[8]),
    ]);
    assert_eq!(game::called(), [""; 0]);
    let stats = world.client.stats();
    assert_eq!((stats.unknown_calls, stats.unknown_objects), (3, 1));
    assert!(world.client.is_connected());
}

#[test]
fn a_call_that_panics_ends_with_itself() {
    let mut world = World::joined();
    world.give(&[spawn(
        9,
        MONSTER,
        SpawnFlags::NONE,
        &full(Monster::default()),
    )]);
    world.events();
    let name = "System.Void Monster::RpcRoar(System.Int32,UnityEngine.Vector3)";
    world.give(&[rpc(9, 0, name, &[[2].as_slice(), &[0; 12]].concat())]);
    let [MirrorClientEvent::CallFailed(failure)] = &world.events()[..] else {
        panic!("one failure");
    };
    assert_eq!((failure.object, failure.call), (NetId(9), "rpc_roar"));
    assert!(world.client.get::<Monster>(NetId(9)).is_some());
}

#[test]
fn messages_of_the_game_travel_both_ways() {
    let mut world = World::joined();
    let mut sent = GlobalMsg {
        a: 7,
        ..GlobalMsg::default()
    };
    sent.item.name = Some("n".into());
    world.client.send(&sent).unwrap();
    let [bytes] = &world.frame()[..] else {
        panic!("one message");
    };
    assert!(matches!(Message::decode(bytes), Ok(Message::Other { .. })));
    world.give(&[Bytes::copy_from_slice(bytes)]);
    let [MirrorClientEvent::Message(back)] = &world.events()[..] else {
        panic!("one message");
    };
    assert_eq!((back.name(), back.get()), ("GlobalMsg", Some(&sent)));
}

#[test]
fn call_beyond_the_transport_limit_is_not_sent() {
    let mut world = World::joined();
    let mut sent = GlobalMsg::default();
    sent.item.name = Some("n".repeat(20_000));
    assert!(world.client.send(&sent).is_err());
    let refused = world
        .client
        .calls::<Player>(NetId(4))
        .cmd_name("n".repeat(20_000));
    let Err(CallError::Unsendable(error)) = refused else {
        panic!("{refused:?}");
    };
    assert!(matches!(
        error.kind(),
        WriteErrorKind::MessageTooLarge { limit: 16_373, .. }
    ));
    assert_eq!(world.frame(), [[0; 0]; 0]);
}
