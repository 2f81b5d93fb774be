//! Values that have no form on the wire: reported with their place, and nothing is lost.

use syncvar::prelude::*;
use syncvar::{Framing, ServerConfig};
use syncvar_testing::{Banner, Player, Score, change};

fn network(clients: usize) -> MemoryNetwork {
    let mut net = MemoryNetwork::new(syncvar_testing::prefabs_with_scoreboard);
    for _ in 0..clients {
        net.connect();
    }
    net.settle();
    net
}

/// Lesson 24: the limit is an error on the sender that names the field; nothing is lost.
#[test]
fn unwritable_value_is_reported_and_sent_once_writable() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    while net.server.poll_event().is_some() {}
    change(&mut net, id, |player| {
        player.health.set(2);
        player.name.set("n".repeat(40_000));
    });
    net.settle();
    let event = net.server.poll_event().unwrap();
    let ServerEvent::SerializeFailed {
        object,
        behaviour,
        field,
        error,
    } = event
    else {
        panic!()
    };
    assert_eq!(
        (object, behaviour, field),
        (id, Some("Player"), Some("name"))
    );
    assert!(
        error
            .to_string()
            .starts_with("Player.name: a string of 40000 bytes is longer than the limit of 32767")
    );
    assert_eq!(
        syncvar_testing::states(&net, id),
        [Some((2, "a".into(), 0))],
        "the other fields travel on"
    );
    net.connect();
    net.settle();
    assert_eq!(
        syncvar_testing::states(&net, id),
        [Some((2, "a".into(), 0)), Some((2, String::new(), 0))],
        "a snapshot leaves the field empty"
    );
    change(&mut net, id, |player| player.name.set("short".into()));
    net.settle();
    let expected = Some((2, "short".into(), 0));
    assert_eq!(
        syncvar_testing::states(&net, id),
        [expected.clone(), expected]
    );
}

/// What could not be sent to those who see the object is not given to a newcomer either: it would
/// come again as a change.
#[test]
fn unwritten_change_reaches_newcomers_once_too() {
    let mut net = network(1);
    let id = net.server.spawn((Score::default(), Banner::default()));
    net.settle();
    net.server.get_mut::<Score>(id).unwrap().points.add(5);
    net.server.get_mut::<Banner>(id).unwrap().text = "t".repeat(40_000).into();
    net.settle();
    net.connect();
    net.server.get_mut::<Score>(id).unwrap().points.add(2);
    net.settle();
    net.server.get_mut::<Banner>(id).unwrap().text = "short".into();
    net.server.get_mut::<Score>(id).unwrap().points.add(10);
    net.settle();
    net.server.get_mut::<Score>(id).unwrap().points.add(100);
    net.settle();
    let points = net
        .replicas::<Score>(id)
        .map(|score| score.map(|score| score.points.value));
    assert_eq!(points.collect::<Vec<_>>(), [Some(117); 2]);
}

#[test]
fn an_object_with_a_long_text_is_spawned_without_it() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, &"n".repeat(40_000)));
    net.settle();
    assert_eq!(
        syncvar_testing::states(&net, id),
        [Some((1, String::new(), 0))]
    );
    change(&mut net, id, |player| player.name.set("short".into()));
    net.settle();
    assert_eq!(
        syncvar_testing::states(&net, id),
        [Some((1, "short".into(), 0))]
    );
}

#[test]
fn owner_of_an_oversized_object_learns_it_at_the_spawn() {
    let mut net = network(1);
    let first = net.connection(0);
    let kept = net.server.spawn(Player::new(1, &"n".repeat(40_000)));
    let taken = net.server.spawn(Player::new(2, &"n".repeat(40_000)));
    net.settle();
    // It joins as the owner of both.
    let client = net.connect();
    let joiner = net.connection(client);
    for id in [kept, taken] {
        net.server.set_owner(id, Some(joiner)).unwrap();
    }
    net.settle();
    net.server.set_owner(taken, Some(first)).unwrap();
    net.settle();
    for id in [kept, taken] {
        change(&mut net, id, |player| player.name.set("short".into()));
    }
    net.settle();
    let owns = |client: usize, id| net.client(client).is_owner(id);
    assert_eq!([owns(0, kept), owns(client, kept)], [false, true]);
    assert_eq!([owns(0, taken), owns(client, taken)], [true, false]);
}

#[test]
fn oversized_unreliable_message_of_unet_is_reported_and_kept() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, channel = 1)]
    struct Chatter {
        #[sync_var]
        text: SyncVar<String>,
    }
    let prefabs = || Prefabs::new().register::<Chatter>("chatter");
    let config = ServerConfig {
        framing: Framing::Unet,
        ..ServerConfig::default()
    };
    let link = syncvar::testing::Conditions::default();
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    let client = net.connect();
    let id = net.server.spawn(Chatter::default());
    net.settle();
    while net.server.poll_event().is_some() {}
    net.server
        .get_mut::<Chatter>(id)
        .unwrap()
        .text
        .set("t".repeat(2000));
    net.settle();
    let event = net.server.poll_event().unwrap();
    let ServerEvent::SerializeFailed { error, .. } = event else {
        panic!("{event:?}")
    };
    assert!(
        error
            .to_string()
            .contains("does not fit a packet of 1340 on an unreliable channel")
    );
    net.server
        .get_mut::<Chatter>(id)
        .unwrap()
        .text
        .set("t".repeat(20));
    net.settle();
    assert_eq!(
        net.client(client).get::<Chatter>(id).unwrap().text.len(),
        20
    );
}
