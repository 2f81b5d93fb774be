//! How a client joins, becomes not ready, and leaves.

use std::time::Duration;

use syncvar::mirror::message::{AddPlayerMessage, NotReadyMessage, ReadyMessage};
use syncvar::mirror::{
    AuthRequestMessage, AuthResponseMessage, Limits, MirrorClient, MirrorClientConfig,
    MirrorClientEvent,
};
use syncvar::prelude::*;
use syncvar::{Channel, calls::CallError};

use crate::client::game::{self, Monster, Player, prefabs};
use crate::client::server::{
    MINE, MONSTER, PLAYER, World, finished, full, message, sent, spawn, started,
};

#[test]
fn new_connection_sends_the_messages_of_a_unity_client() {
    let mut client = MirrorClient::new(prefabs());
    client.update(Duration::from_micros(104_912));
    client.handle_connect(Limits::TELEPATHY);
    assert_eq!(client.poll_transmit(), None, "all is sent with the frame");
    client.update(Duration::from_micros(104_912));
    let batches: Vec<_> = std::iter::from_fn(|| client.poll_transmit())
        .map(|packet| (packet.channel, hex::encode(packet.bytes)))
        .collect();
    // As recorded but for the time, which is 0.104912 s: ping and time, then ready and a player.
    let time = hex::encode(0.104_912_f64.to_le_bytes());
    let unreliable = format!("{time}124f44{time}{time}0a09df{time}");
    let reliable = format!("{time}02bcaa0206c1");
    assert_eq!(
        batches,
        [
            (Channel::Unreliable, unreliable),
            (Channel::Reliable, reliable)
        ]
    );
}

#[test]
fn disabled_messages_are_not_sent() {
    let mut config = MirrorClientConfig {
        auto_add_player: false,
        ping_interval: Duration::ZERO,
        time_snapshots: false,
        ..MirrorClientConfig::default()
    };
    let mut client = MirrorClient::with_config(prefabs(), config.clone());
    client.handle_connect(Limits::KCP);
    client.update(Duration::ZERO);
    let ready = message(&ReadyMessage).to_vec();
    assert_eq!(sent(&mut client), [(Channel::Reliable, vec![ready])]);

    config.auto_ready = false;
    let mut client = MirrorClient::with_config(prefabs(), config);
    client.handle_connect(Limits::KCP);
    client.add_player();
    client.update(Duration::ZERO);
    assert_eq!(sent(&mut client), [], "who is not ready gets no player");
    assert!(client.is_connected() && !client.is_ready());
}

#[test]
fn an_authenticator_is_two_messages_and_then_ready() {
    let config = MirrorClientConfig {
        auto_ready: false,
        ..MirrorClientConfig::default()
    };
    let prefabs = prefabs()
        .message::<AuthRequestMessage>()
        .message::<AuthResponseMessage>();
    let mut world = World::with(MirrorClient::with_config(prefabs, config));
    let request = AuthRequestMessage {
        username: "me".to_string(),
        password: "secret".to_string(),
    };
    world.client.send(&request).unwrap();
    assert_eq!(world.frame().len(), 1);
    let name = "Mirror.Authenticators.BasicAuthenticator+AuthResponseMessage";
    let id = syncvar::mirror::hash16(name).to_le_bytes();
    let response = [&id[..], &[100], &[3, 0], b"ok"].concat();
    world.give(&[response.into()]);
    let accepted = world.events().into_iter().find_map(|event| match event {
        MirrorClientEvent::Message(message) => message.get::<AuthResponseMessage>().cloned(),
        _ => None,
    });
    assert_eq!(accepted.unwrap().code, 100);
    world.client.ready();
    world.client.ready();
    world.client.add_player();
    let expected = [message(&ReadyMessage), message(&AddPlayerMessage)];
    assert_eq!(world.frame(), expected, "ready is said once");
}

#[test]
fn burst_is_applied_once_complete() {
    let mut world = World::new();
    let monster = Monster {
        hp: 7.into(),
        ..Monster::default()
    };
    world.give(&[spawn(9, MONSTER, MINE, &full(monster))]);
    world.give(&[started(), spawn(4, PLAYER, MINE, &full(game::player()))]);
    world.frame();
    assert_eq!(game::called(), [""; 0]);
    assert_eq!(world.client.object_count(), 0);
    assert_eq!(world.events(), [MirrorClientEvent::Connected]);

    world.give(&[finished()]);
    assert_eq!(world.client.object_count(), 2);
    let monster: &Monster = world.client.get(NetId(9)).unwrap();
    assert_eq!(*monster.hp, 7);
    let spawned: Vec<_> = { world.events().into_iter() }
        .filter_map(|event| match event {
            MirrorClientEvent::Spawned { object } => Some(object.0),
            _ => None,
        })
        .collect();
    assert_eq!(spawned, [9, 4], "in the order in which they came");
}

#[test]
fn client_that_is_not_ready_keeps_objects_and_sends_no_calls() {
    let mut world = World::joined();
    world.give(&[message(&NotReadyMessage)]);
    assert!(!world.client.is_ready() && world.client.is_connected());
    assert_eq!(world.events(), [MirrorClientEvent::NotReady]);
    let me = NetId(4);
    let refused = world.client.calls::<Player>(me).cmd_damage(2);
    assert_eq!(refused, Err(CallError::NotReady));
    assert!(world.client.get::<Player>(me).is_some());
    let aim = world
        .client
        .get_mut::<game::Aim>(me)
        .map(|mut aim| aim.yaw.set(1.0));
    aim.unwrap();
    assert_eq!(
        world.frame(),
        [[0; 0]; 0],
        "nothing is sent of what is written"
    );

    world.client.ready();
    let sent = world.frame();
    assert_eq!(sent.len(), 2, "ready, and then what was written");
    assert_eq!(sent[0], message(&ReadyMessage));

    let mut player = game::player();
    player.0.health.set(55);
    world.give(&[started(), spawn(4, PLAYER, MINE, &full(player)), finished()]);
    let why = "the server has not had what was written when it said this";
    assert_eq!(game::called(), ["hook health", "hook yaw"], "{why}");
    let events = world.events();
    assert!(events.contains(&MirrorClientEvent::Respawned { object: me }));
    assert!(events.contains(&MirrorClientEvent::Synchronized));
}

#[test]
fn when_the_connection_ends_all_objects_go() {
    let mut world = World::joined();
    world.give(&[spawn(5, MONSTER, MINE, &full(Monster::default()))]);
    game::called();
    world.events();
    world.client.handle_disconnect();
    assert_eq!(world.client.object_count(), 0);
    assert_eq!(world.client.local_player(), None);
    let calls = game::called();
    assert_eq!(calls.first().unwrap(), "OnStopLocalPlayer 4.0");
    assert_eq!(calls.last().unwrap(), "OnStopClient 5.0");
    assert!(!calls.iter().any(|call| call.starts_with("OnStopAuthority")));
    let events = world.events();
    let error = None;
    assert_eq!(events[0], MirrorClientEvent::Disconnected { error });
    let (object, hidden) = (NetId(4), false);
    assert!(events.contains(&MirrorClientEvent::Despawned { object, hidden }));
    assert!(!world.client.poll_close(), "it is closed already");
    assert_eq!(world.client.poll_transmit(), None);

    world.client.handle_connect(Limits::TELEPATHY);
    assert_eq!(world.frame().len(), 2, "it can join again");
}

#[test]
fn disconnect_flushes_the_queue_and_closes() {
    let mut world = World::joined();
    world
        .client
        .calls::<Player>(NetId(4))
        .cmd_damage(7)
        .unwrap();
    world.client.disconnect();
    assert!(!world.client.is_connected());
    let batches = sent(&mut world.client);
    assert!(
        batches
            .iter()
            .any(|(channel, _)| *channel == Channel::Reliable)
    );
    assert!(world.client.poll_close());
    assert!(!world.client.poll_close());
    world.client.disconnect();
    assert!(!world.client.poll_close());
}
