//! Objects of which more is to be said than the short form of a message can hold.

mod hostile;
mod limits;
pub(crate) mod route;
mod statistics;

use self::route::{Route, changed, exchange, network, numbers, points, settled};
use syncvar::prelude::*;
use syncvar::{Budget, Channel, Framing, ServerConfig, stats::MessageType, testing::Conditions};
use syncvar_testing::{Player, change, client, drain};

/// The ids of a small object, a large one, and a small one.
fn spawn_three(net: &mut MemoryNetwork) -> [NetId; 3] {
    let before = net.server.spawn(Player::new(1, "before"));
    let large = net.server.spawn(Route::of(numbers(60_000, 0)));
    [before, large, net.server.spawn(Player::new(3, "after"))]
}

fn change_three(net: &mut MemoryNetwork, [before, large, after]: [NetId; 3], seed: u32) {
    for id in [before, after] {
        change(net, id, |player| player.score.set(seed));
    }
    let mut route = net.server.get_mut::<Route>(large).unwrap();
    route.points.set(numbers(60_000, seed));
}

#[test]
fn object_of_any_size_keeps_its_order_among_neighbours() {
    let mut net = network(2);
    let ids = spawn_three(&mut net);
    let [before, large, after] = ids;
    let lengths = exchange(&mut net);
    assert_eq!(lengths.iter().filter(|length| **length > 1340).count(), 2);
    assert_eq!(lengths.len(), 6, "a packet each, for two clients");
    let spawned = ids.map(|object| ClientEvent::Spawned { object });
    assert_eq!(drain(&mut net, 0), spawned);
    for seed in 1..4 {
        change_three(&mut net, ids, seed);
        let lengths = exchange(&mut net);
        assert!(lengths[1] > 600_000, "{lengths:?}");
        assert_eq!(changed(&mut net, 0), [before, large, after]);
        assert!(settled(&net, large));
        let scores = net.replicas::<Player>(after).flatten();
        assert_eq!(scores.map(|p| *p.score).collect::<Vec<_>>(), [seed; 2]);
    }
    let late = net.connect();
    net.settle();
    assert!(settled(&net, large));
    assert_eq!(net.client(late).object_count(), 3);
    assert_eq!(net.client(late).framing(), Framing::Compact);
    // What has come in the long form is changed by short ones, and the other way round.
    for length in [1, 60_000, 0] {
        let mut route = net.server.get_mut::<Route>(large).unwrap();
        route.points.set(numbers(length, 7));
        drop(route);
        net.settle();
        assert!(settled(&net, large), "{length} numbers");
    }
}

#[test]
fn every_length_around_the_border_comes_through() {
    let mut net = network(1);
    let id = net.server.spawn(Route::default());
    for length in (65_500..=65_535).chain([0]) {
        let mut route = net.server.get_mut::<Route>(id).unwrap();
        route.bytes.set(vec![7; length]);
        drop(route);
        net.settle();
        let route = net.client(0).get::<Route>(id).unwrap();
        assert_eq!(route.bytes.len(), length);
        let join = net.connect();
        net.settle();
        let route = net.client(join).get::<Route>(id).unwrap();
        assert_eq!(route.bytes.len(), length);
        net.cut(join);
    }
}

#[test]
fn long_objects_travel_with_any_gathering_and_packet_size() {
    for (gather, packet_size) in [(false, 1340), (true, 10), (true, 70_000), (true, 2_000_000)] {
        let mut config = ServerConfig::default();
        (config.gather, config.packet_size) = (gather, packet_size);
        let mut net = MemoryNetwork::with_config(route::prefabs, config, Conditions::default());
        net.connect();
        let ids = spawn_three(&mut net);
        net.settle();
        assert!(settled(&net, ids[1]));
        change_three(&mut net, ids, 5);
        exchange(&mut net);
        assert!(settled(&net, ids[1]), "packets of {packet_size}");
        assert_eq!(changed(&mut net, 0), ids);
    }
}

#[test]
fn so_it_is_over_a_link_that_delays_and_loses() {
    let link = Conditions {
        delay: std::time::Duration::from_millis(80),
        jitter: std::time::Duration::from_millis(60),
        loss: 0.3,
        seed: 9,
        ..Conditions::default()
    };
    let mut net = MemoryNetwork::with_config(route::prefabs, ServerConfig::default(), link);
    net.connect();
    let ids = spawn_three(&mut net);
    for seed in 1..5 {
        change_three(&mut net, ids, seed);
        net.step();
    }
    net.settle();
    assert!(settled(&net, ids[1]));
}

#[test]
fn a_connection_with_a_budget_is_sent_it_when_its_turn_comes() {
    let mut net = network(2);
    let ids = spawn_three(&mut net);
    let others: Vec<_> = (0..50)
        .map(|_| net.server.spawn(Player::new(1, "x")))
        .collect();
    net.settle();
    let limited = net.connection(0);
    net.server
        .set_budget(limited, Some(Budget::new(300)))
        .unwrap();
    for seed in 1..4 {
        change_three(&mut net, ids, seed);
        for id in &others {
            change(&mut net, *id, |player| player.score.set(seed));
        }
        net.step();
    }
    assert_eq!(points(&net, 1, ids[1]), &numbers(60_000, 3)[..]);
    net.settle();
    assert!(settled(&net, ids[1]));
    for id in others {
        let scores = net.replicas::<Player>(id).flatten();
        assert_eq!(scores.map(|p| *p.score).collect::<Vec<_>>(), [3; 2]);
    }
}

/// Who sees an object is sent it, encoded once, and who does not sees its neighbours.
#[test]
fn two_audiences_each_get_their_long_message() {
    let mut net = network(3);
    let everybodys = net.server.spawn(Route::of(numbers(50_000, 1)));
    let options = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    let route = Route::of(numbers(40_000, 2));
    let hidden = net.server.try_spawn(route, options).unwrap();
    let third = net.server.spawn(Route::of(numbers(10, 3)));
    let viewer = net.connection(1);
    net.server.show(hidden, viewer).unwrap();
    net.settle();
    let encoded = |net: &MemoryNetwork| net.server.stats().encoded(MessageType::UpdateBatch);
    for seed in 4..7 {
        let before = encoded(&net).messages;
        for (id, length) in [(everybodys, 50_000), (hidden, 40_000), (third, 10)] {
            let mut route = net.server.get_mut::<Route>(id).unwrap();
            route.points.set(numbers(length, seed));
        }
        net.settle();
        assert_eq!(encoded(&net).messages - before, 3);
        for id in [everybodys, third] {
            assert!(settled(&net, id));
        }
        let expected = numbers(40_000, seed);
        for (client, sees) in [(0, false), (1, true), (2, false)] {
            let route = net.client(client).get::<Route>(hidden);
            let seen = route.map(|route| &route.points[..]);
            assert_eq!(seen, sees.then_some(&expected[..]));
        }
    }
}

/// It is as large as a packet there, which may be large.
#[test]
fn unreliable_message_may_fill_a_packet() {
    let config = ServerConfig {
        packet_size: 700_000,
        channels: vec![Channel::Unreliable],
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(route::prefabs, config, Conditions::default());
    net.connect();
    let id = net.server.spawn(Route::default());
    net.settle();
    for length in [60_000, 65_000, 65_535] {
        let mut route = net.server.get_mut::<Route>(id).unwrap();
        route.points.set(numbers(length, 1));
        drop(route);
        net.settle();
        assert!(settled(&net, id), "{length} numbers");
    }
    let mut route = net.server.get_mut::<Route>(id).unwrap();
    route.points.set(numbers(65_535, 2));
    route.bytes.set(vec![1; 60_000]);
    drop(route);
    net.settle();
    assert!(settled(&net, id), "together they take two packets");
}

#[test]
fn literal_unet_has_no_form_for_it_and_says_so() {
    let mut net = network(0);
    let client = client(route::prefabs(), Framing::Unet);
    let unet = net.connect_client(client);
    let id = net.server.spawn(Route::default());
    net.settle();
    let compact = net.connect();
    net.settle();
    let mut route = net.server.get_mut::<Route>(id).unwrap();
    route.points.set(numbers(60_000, 1));
    drop(route);
    net.settle();
    let failed = |event| match event {
        ServerEvent::SerializeFailed { object, error, .. } => Some((object, error.to_string())),
        _ => None,
    };
    let errors: Vec<_> = std::iter::from_fn(|| net.server.poll_event()).collect();
    let errors: Vec<_> = errors.into_iter().filter_map(failed).collect();
    let expected =
        "Route.points: a payload of 540004 bytes is larger than the limit of 65535, at byte 540003";
    assert_eq!(errors, [(id, expected.into())]);
    for client in [unet, compact] {
        assert!(points(&net, client, id).is_empty(), "to all or to none");
    }
    // Who limits the others has gone: the next change brings all.
    net.cut(unet);
    net.server.get_mut::<Route>(id).unwrap().bytes.set(vec![1]);
    net.settle();
    assert_eq!(points(&net, compact, id), &numbers(60_000, 1)[..]);
}
