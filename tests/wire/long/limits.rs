//! The limits of both sides: who is beyond them is reported, and nobody else is hurt.

use syncvar::prelude::*;
use syncvar::{
    ClientConfig, ServerConfig,
    testing::Conditions,
    wire::{ReadErrorKind, WriteErrorKind},
};

use super::route::{Route, numbers, points, prefabs, settled};
use syncvar_testing::{Player, change, drain};

/// What a server could not send.
fn failures(net: &mut MemoryNetwork) -> Vec<(NetId, WriteErrorKind)> {
    let events = std::iter::from_fn(|| net.server.poll_event());
    let failed = events.filter_map(|event| match event {
        ServerEvent::SerializeFailed { object, error, .. } => Some((object, error.kind())),
        _ => None,
    });
    failed.collect()
}

fn set(net: &mut MemoryNetwork, id: NetId, points: Vec<u64>) {
    net.server.get_mut::<Route>(id).unwrap().points.set(points);
}

fn score(net: &MemoryNetwork, client: usize, id: NetId) -> u32 {
    *net.client(client).get::<Player>(id).unwrap().score
}

fn server_with_limit(max_message_size: usize) -> MemoryNetwork {
    let config = ServerConfig {
        max_message_size,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect();
    net
}

fn client_with_limit(net: &mut MemoryNetwork, max_message_size: usize) -> usize {
    let config = ClientConfig {
        // Answers about the time would be among the bytes that are counted.
        ping_interval: std::time::Duration::ZERO,
        max_message_size,
        ..ClientConfig::default()
    };
    net.connect_client(NetworkClient::with_config(prefabs(), config))
}

#[test]
fn change_beyond_the_server_limit_is_sent_once_within() {
    let mut net = server_with_limit(200_000);
    let small = net.server.spawn(Player::new(1, "small"));
    let large = net.server.spawn(Route::of(numbers(10, 0)));
    net.settle();
    failures(&mut net);
    set(&mut net, large, numbers(20_000, 1));
    change(&mut net, small, |player| player.score.set(1));
    net.settle();
    // A count of three bytes and a mask of one; a header of one byte and a length of three.
    let (length, limit) = (200_008, 200_000);
    let kind = WriteErrorKind::MessageTooLarge { length, limit };
    assert_eq!(failures(&mut net), [(large, kind)]);
    assert_eq!(score(&net, 0, small), 1);
    assert_eq!(points(&net, 0, large), numbers(10, 0));
    let late = net.connect();
    net.settle();
    assert!(
        points(&net, late, large).is_empty(),
        "a snapshot without them"
    );
    set(&mut net, large, numbers(19_999, 2));
    net.settle();
    assert_eq!(failures(&mut net), []);
    assert!(settled(&net, large));
}

#[test]
fn snapshot_beyond_the_server_limit_is_sent_once_within() {
    let mut net = server_with_limit(200_000);
    let large = net.server.spawn(Route::of(numbers(20_000, 1)));
    let small = net.server.spawn(Player::new(1, "small"));
    net.settle();
    let [(object, WriteErrorKind::MessageTooLarge { length, limit })] = failures(&mut net)[..]
    else {
        panic!()
    };
    assert_eq!((object, limit), (large, 200_000));
    assert!(length > limit);
    assert!(points(&net, 0, large).is_empty());
    assert!(net.client(0).get::<Player>(small).is_some());
    set(&mut net, large, numbers(19_999, 2));
    net.settle();
    assert!(settled(&net, large));
    // With a higher limit the same is no error.
    let mut net = server_with_limit(300_000);
    let large = net.server.spawn(Route::of(numbers(20_000, 1)));
    net.settle();
    assert_eq!(failures(&mut net), []);
    assert!(settled(&net, large));
}

/// What everybody can be sent is not forbidden.
#[test]
fn limits_are_at_least_the_capacity_of_the_short_form() {
    let mut net = server_with_limit(0);
    let client = client_with_limit(&mut net, 0);
    let id = net.server.spawn(Route::of(numbers(6_500, 1)));
    net.settle();
    assert!(settled(&net, id));
    set(&mut net, id, numbers(6_600, 2));
    net.settle();
    let (length, limit) = (66_007, 65_535);
    let kind = WriteErrorKind::MessageTooLarge { length, limit };
    assert_eq!(failures(&mut net), [(id, kind)]);
    assert_eq!(points(&net, client, id), numbers(6_500, 1));
}

#[test]
fn change_beyond_a_client_limit_poisons_only_its_object() {
    let mut net = MemoryNetwork::new(prefabs);
    let (low, high) = (client_with_limit(&mut net, 200_000), net.connect());
    let small = net.server.spawn(Player::new(1, "small"));
    let large = net.server.spawn(Route::of(numbers(10, 0)));
    let after = net.server.spawn(Player::new(1, "after"));
    net.settle();
    drain(&mut net, low);
    set(&mut net, large, numbers(20_000, 1));
    for id in [small, after] {
        change(&mut net, id, |player| player.score.set(1));
    }
    net.settle();
    let poisoned: Vec<_> = drain(&mut net, low)
        .into_iter()
        .filter_map(|event| match event {
            ClientEvent::Poisoned { object, error } => Some((object, error)),
            _ => None,
        })
        .collect();
    // The change, and the full state that was asked for.
    let [(first, change_error), (second, state_error)] = &poisoned[..] else {
        panic!("{poisoned:?}")
    };
    assert_eq!((*first, *second), (large, large));
    let (length, limit) = (200_008, 200_000);
    let kind = ReadErrorKind::MessageTooLong { length, limit };
    assert_eq!(change_error.kind(), kind);
    assert!(matches!(
        state_error.kind(),
        ReadErrorKind::MessageTooLong { .. }
    ));
    let expected = "a message of 200008 bytes, more than the limit of 200000, at byte 0";
    assert_eq!(change_error.to_string(), expected);
    assert_eq!((score(&net, low, small), score(&net, low, after)), (1, 1));
    assert_eq!(
        points(&net, low, large),
        numbers(10, 0),
        "it keeps what it has"
    );
    assert_eq!(points(&net, high, large), numbers(20_000, 1));
    set(&mut net, large, numbers(500, 2));
    net.settle();
    assert!(settled(&net, large));
    let restored = ClientEvent::Restored { object: large };
    assert!(drain(&mut net, low).contains(&restored));
}

#[test]
fn object_too_long_for_a_client_arrives_once_shorter() {
    for joins_late in [false, true] {
        let mut net = MemoryNetwork::new(prefabs);
        let mut low = 0;
        if !joins_late {
            low = client_with_limit(&mut net, 200_000);
            net.settle();
        }
        let large = net.server.spawn(Route::of(numbers(30_000, 1)));
        let small = net.server.spawn(Player::new(1, "small"));
        net.settle();
        if joins_late {
            low = client_with_limit(&mut net, 200_000);
            net.settle();
        }
        assert!(net.client(low).get::<Route>(large).is_none());
        assert!(net.client(low).get::<Player>(small).is_some());
        assert!(net.server.is_idle(), "it is not sent again and again");
        let sent = net.server.stats().sent.bytes;
        for _ in 0..5 {
            net.step();
        }
        assert_eq!(net.server.stats().sent.bytes, sent);
        set(&mut net, large, numbers(19_000, 2));
        net.settle();
        assert!(settled(&net, large));
        let spawned = ClientEvent::Spawned { object: large };
        assert!(drain(&mut net, low).contains(&spawned));
        // With a higher limit it comes at once.
        set(&mut net, large, numbers(30_000, 3));
        let high = net.connect();
        net.settle();
        assert_eq!(points(&net, high, large), numbers(30_000, 3));
    }
}
