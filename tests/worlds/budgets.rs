//! Connections that are sent so many bytes of changes with one update and no more.

use std::collections::BTreeMap;

use syncvar::prelude::*;
use syncvar::{
    Budget, ClientConfig, ConnectionId, Framing, ServerConfig, SpawnOptions,
    values::{Quaternion, Vector3},
};
use syncvar_testing::{Banner, Player, Score, change, drain, network, states};

/// A server with players and a client that speaks a dialect, all of them known to it.
fn world(players: i32, dialect: Framing) -> (MemoryNetwork, Vec<NetId>, ConnectionId) {
    let mut net = MemoryNetwork::new(syncvar_testing::prefabs_with_scoreboard);
    let spawn = |health| net.server.spawn(Player::new(health, "x"));
    let ids = (0..players).map(spawn).collect();
    let mut config = ClientConfig {
        framing: dialect,
        ..ClientConfig::default()
    };
    // Answers about the time would be among the bytes that are counted.
    config.ping_interval = std::time::Duration::ZERO;
    let prefabs = syncvar_testing::prefabs_with_scoreboard();
    let client = net.connect_client(NetworkClient::with_config(prefabs, config));
    net.settle();
    let connection = net.connection(client);
    (net, ids, connection)
}

/// One update; returns how many bytes each connection is sent, and hands them over.
fn update(net: &mut MemoryNetwork) -> u64 {
    let before = net.client(0).stats().received.bytes;
    net.step();
    net.client(0).stats().received.bytes - before
}

fn set_all(net: &mut MemoryNetwork, ids: &[NetId], health: i32) {
    for id in ids {
        change(net, *id, |player| player.health.set(health));
    }
}

fn health(net: &MemoryNetwork, id: NetId) -> i32 {
    *net.client(0).get::<Player>(id).unwrap().health
}

#[test]
fn an_update_never_has_more_bytes_of_changes_than_the_budget() {
    for dialect in [Framing::Unet, Framing::Compact] {
        for budget in [30, 200, 1000] {
            let (mut net, ids, connection) = world(300, dialect);
            net.server
                .set_budget(connection, Some(Budget::new(budget)))
                .unwrap();
            for health in 1000..1020 {
                set_all(&mut net, &ids, health);
                let sent = update(&mut net);
                assert!(sent <= budget as u64, "{sent} of {budget}, {dialect:?}");
                assert!(
                    sent * 10 >= budget as u64 * 4,
                    "{sent} of {budget}, {dialect:?}"
                );
            }
            net.settle();
            assert!(ids.iter().all(|id| health(&net, *id) == 1019));
        }
    }
}

#[test]
fn delayed_field_is_sent_as_current_and_runs_its_hook_once() {
    let (mut net, ids, connection) = world(40, Framing::Compact);
    net.server
        .set_budget(connection, Some(Budget::new(40)))
        .unwrap();
    for health in 1000..1010 {
        set_all(&mut net, &ids, health);
        update(&mut net);
    }
    for id in &ids {
        net.client_mut(0)
            .get_mut::<Player>(*id)
            .unwrap()
            .log
            .clear();
    }
    let before: Vec<_> = ids.iter().map(|id| health(&net, *id)).collect();
    net.settle();
    for (id, before) in ids.iter().zip(before) {
        let expected = if before == 1009 {
            vec![]
        } else {
            vec![format!("health {before} -> 1009 (x, 0)")]
        };
        assert_eq!(net.client(0).get::<Player>(*id).unwrap().log, expected);
    }
}

#[test]
fn backlog_sends_only_missed_fields_of_several_updates() {
    let (mut net, ids, connection) = world(2, Framing::Compact);
    net.server
        .set_budget(connection, Some(Budget::new(1)))
        .unwrap();
    net.server.set_priority(ids[0], 1000.0).unwrap();
    change(&mut net, ids[0], |player| player.health.set(1));
    change(&mut net, ids[1], |player| player.health.set(2));
    net.step();
    drain(&mut net, 0);
    change(&mut net, ids[0], |player| player.health.set(3));
    change(&mut net, ids[1], |player| player.score.set(4));
    net.settle();
    let events = drain(&mut net, 0);
    let of_second = events.iter().find_map(|event| match event {
        ClientEvent::Changed { object, fields, .. } if *object == ids[1] => Some(*fields),
        _ => None,
    });
    let names: Vec<_> = of_second.unwrap().names().collect();
    assert_eq!(names, ["health", "score"]);
    assert_eq!(states(&net, ids[1]), [Some((2, "x".into(), 4))]);
}

/// How often each object is sent in 400 updates in which all of them change.
fn turns(net: &mut MemoryNetwork, ids: &[NetId]) -> BTreeMap<NetId, u32> {
    let mut turns = BTreeMap::new();
    drain(net, 0);
    for health in 0..400 {
        set_all(net, ids, 10_000 + health);
        net.step();
        for event in drain(net, 0) {
            if let ClientEvent::Changed { object, .. } = event {
                *turns.entry(object).or_default() += 1;
            }
        }
    }
    turns
}

#[test]
fn priorities_share_the_budget_without_starvation() {
    let (mut net, ids, connection) = world(20, Framing::Compact);
    net.server
        .set_budget(connection, Some(Budget::new(20)))
        .unwrap();
    net.server.set_priority(ids[0], 2.0).unwrap();
    net.server.set_priority(ids[1], 0.5).unwrap();
    net.server.set_priority(ids[2], f32::NAN).unwrap();
    let turns = turns(&mut net, &ids);
    let of = |index: usize| f64::from(turns[&ids[index]]);
    for (index, expected) in [(0, 2.0), (1, 0.5), (2, 1.0)] {
        let ratio = of(index) / of(10);
        assert!((ratio / expected - 1.0).abs() < 0.25, "{index}: {turns:?}");
    }
    assert_eq!(turns.len(), 20);
}

#[test]
fn near_objects_are_sent_more_often_and_far_ones_eventually() {
    let (mut net, mut ids, connection) = world(0, Framing::Compact);
    for x in 0..20_u8 {
        let options = SpawnOptions {
            position: Vector3::new(f32::from(x) * 10.0, 0.0, 0.0),
            ..SpawnOptions::default()
        };
        let spawned = net.server.try_spawn(Player::new(0, "x"), options);
        ids.push(spawned.unwrap());
    }
    net.settle();
    let budget = Budget {
        half_distance: 30.0,
        ..Budget::new(20)
    };
    net.server.set_budget(connection, Some(budget)).unwrap();
    net.server
        .set_viewpoint(connection, Some(Vector3::new(0.0, 0.0, 0.0)))
        .unwrap();
    let turns = turns(&mut net, &ids);
    let (near, half, far) = (turns[&ids[0]], turns[&ids[3]], turns[&ids[19]]);
    assert!(
        (f64::from(near) / f64::from(half) / 2.0 - 1.0).abs() < 0.25,
        "{turns:?}"
    );
    assert!(far > 0 && far < half, "{turns:?}");
}

#[test]
fn unlimited_clients_share_all_changes_at_once() {
    let mut net = network(3);
    let ids: Vec<_> = (0..100)
        .map(|n| net.server.spawn(Player::new(n, "x")))
        .collect();
    net.settle();
    let connection = net.connection(0);
    net.server
        .set_budget(connection, Some(Budget::new(50)))
        .unwrap();
    let encoded = |net: &MemoryNetwork| {
        let message_type = syncvar::stats::MessageType::UpdateBatch;
        net.server.stats().encoded(message_type).messages
    };
    let before = encoded(&net);
    set_all(&mut net, &ids, 7777);
    net.step();
    assert_eq!(encoded(&net) - before, 100);
    let done = |net: &MemoryNetwork, client: usize| {
        let has = |id: &&NetId| *net.client(client).get::<Player>(**id).unwrap().health == 7777;
        ids.iter().filter(has).count()
    };
    assert_eq!((done(&net, 1), done(&net, 2)), (100, 100));
    assert!((1..50).contains(&done(&net, 0)));
}

#[test]
fn changes_that_are_operations_are_made_good_by_the_full_state() {
    let (mut net, ids, connection) = world(10, Framing::Compact);
    let score = net.server.spawn((Score::default(), Banner::default()));
    net.settle();
    net.server
        .set_budget(connection, Some(Budget::new(20)))
        .unwrap();
    for ids in &ids {
        net.server.set_priority(*ids, 50.0).unwrap();
    }
    for round in 1..=30 {
        set_all(&mut net, &ids, 1000 + round);
        net.server.get_mut::<Score>(score).unwrap().points.add(1);
        net.step();
    }
    net.settle();
    let score = net.client(0).get::<Score>(score).unwrap();
    assert_eq!(score.points.value, 30);
}

#[test]
fn removed_budget_sends_the_backlog_with_the_next_update() {
    let (mut net, ids, connection) = world(100, Framing::Compact);
    net.server
        .set_budget(connection, Some(Budget::new(30)))
        .unwrap();
    set_all(&mut net, &ids, 7);
    net.step();
    assert!(ids.iter().any(|id| health(&net, *id) != 7));
    net.server.set_budget(connection, None).unwrap();
    net.step();
    assert!(ids.iter().all(|id| health(&net, *id) == 7));
    set_all(&mut net, &ids, 8);
    net.step();
    assert!(ids.iter().all(|id| health(&net, *id) == 8));
}

#[test]
fn hidden_gone_or_resent_objects_leave_the_backlog() {
    let (mut net, ids, connection) = world(3, Framing::Compact);
    net.server
        .set_budget(connection, Some(Budget::new(1)))
        .unwrap();
    net.server.set_priority(ids[0], 1000.0).unwrap();
    for round in 0..3 {
        set_all(&mut net, &ids, 100 + round);
        net.step();
    }
    net.server.hide(ids[1], connection).unwrap();
    net.server.despawn(ids[2]).unwrap();
    net.settle();
    assert_eq!(states(&net, ids[1]), [None]);
    net.server.show(ids[1], connection).unwrap();
    drain(&mut net, 0);
    net.settle();
    assert_eq!(
        drain(&mut net, 0),
        [ClientEvent::Spawned { object: ids[1] }]
    );
    assert_eq!(states(&net, ids[1]), [Some((102, "x".into(), 0))]);
}

#[test]
fn spawns_are_sent_at_once_and_reduce_later_budgets() {
    let (mut net, ids, connection) = world(50, Framing::Compact);
    net.server
        .set_budget(connection, Some(Budget::new(100)))
        .unwrap();
    net.step();
    let new = net.server.spawn(Player::new(1, &"n".repeat(450)));
    assert!(update(&mut net) > 450);
    assert_eq!(health(&net, new), 1);
    for round in 0..3 {
        set_all(&mut net, &ids, 1000 + round);
        assert_eq!(update(&mut net), 0, "in debt");
    }
    set_all(&mut net, &ids, 1004);
    assert!(update(&mut net) > 0);
}

#[test]
fn unknown_connections_and_objects_take_no_settings() {
    let mut server =
        NetworkServer::with_config(syncvar_testing::prefabs(), ServerConfig::default());
    let nobody = ConnectionId(7);
    assert!(server.set_budget(nobody, Some(Budget::new(1))).is_err());
    assert!(server.set_viewpoint(nobody, None).is_err());
    assert!(server.set_priority(NetId(9), 1.0).is_err());
}

#[test]
fn smallest_budget_delays_changes_and_drops_none() {
    for bytes in [0, 1] {
        let (mut net, ids, connection) = world(50, Framing::Compact);
        net.server
            .set_budget(connection, Some(Budget::new(bytes)))
            .unwrap();
        set_all(&mut net, &ids, 77);
        let updates = (1..2000).find(|_| {
            update(&mut net);
            ids.iter().all(|id| health(&net, *id) == 77)
        });
        assert!(updates.is_some_and(|count| count > 50), "{updates:?}");
    }
}

#[test]
fn budgets_of_any_numbers_delay_nothing_for_ever() {
    let numbers = [
        f32::NAN,
        -f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        0.0,
        -0.0,
        -1.0,
    ];
    for number in numbers {
        for other in numbers {
            let (mut net, ids, connection) = world(8, Framing::Compact);
            let budget = Budget {
                half_distance: number,
                ..Budget::new(12)
            };
            net.server.set_budget(connection, Some(budget)).unwrap();
            let viewpoint = Some(Vector3::new(other, number, other));
            net.server.set_viewpoint(connection, viewpoint).unwrap();
            for (id, priority) in ids.iter().zip([number, other, 1.0].into_iter().cycle()) {
                net.server.set_priority(*id, priority).unwrap();
                let place = Vector3::new(number, other, 1.0);
                net.server
                    .set_transform(*id, place, Quaternion::default())
                    .unwrap();
            }
            for health in 0..4 {
                set_all(&mut net, &ids, health);
                net.step();
            }
            net.settle();
            let whole = ids.iter().all(|id| health(&net, *id) == 3);
            assert!(whole, "{number} {other}");
        }
    }
}

/// The object waits behind another one when its field changes again, below the threshold of the frame that the
/// connection has not received.
#[test]
fn withheld_field_below_its_threshold_arrives() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Gauge {
        #[sync_var(threshold = is_far)]
        level: SyncVar<u32>,
    }

    impl Gauge {
        #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form of a threshold")]
        fn is_far(sent: &u32, present: &u32) -> bool {
            sent.abs_diff(*present) >= 10
        }
    }

    let mut net = MemoryNetwork::pair(|| {
        Prefabs::new()
            .register::<Banner>("banner")
            .register::<Gauge>("gauge")
    });
    let banner = net.server.spawn(Banner::default());
    let gauge = net.server.spawn(Gauge::default());
    net.settle();
    net.server
        .set_budget(net.connection(0), Some(Budget::new(1)))
        .unwrap();
    net.server
        .get_mut::<Banner>(banner)
        .unwrap()
        .text
        .set("x".repeat(100));
    net.server.get_mut::<Gauge>(gauge).unwrap().level.set(100);
    net.step();
    assert_eq!(net.client(0).get::<Gauge>(gauge).unwrap().level, 0);
    net.server.get_mut::<Gauge>(gauge).unwrap().level.set(105);
    net.settle();
    assert_eq!(net.client(0).get::<Gauge>(gauge).unwrap().level, 105);
}
