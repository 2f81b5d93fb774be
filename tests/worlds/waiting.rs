//! What waits for a connection with a budget, and what happens to the object meanwhile.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{Budget, Channel, ConnectionId, Framing, ServerConfig, SpawnOptions};
use syncvar_testing::{Banner, Door, Player, Score, client, drain, network};

/// Two long texts on a reliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Letter {
    #[sync_var]
    first: SyncVar<String>,
    #[sync_var]
    second: SyncVar<String>,
    #[sync_var]
    third: SyncVar<String>,
}

/// Two texts on an unreliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = 1)]
struct Shout {
    #[sync_var]
    first: SyncVar<String>,
    #[sync_var]
    second: SyncVar<String>,
}

fn prefabs() -> Prefabs {
    syncvar_testing::prefabs_with_scoreboard()
        .register::<Letter>("letter")
        .register::<Shout>("shout")
}

/// A server and a client of a dialect, which waits for all but a byte with each update.
fn world(dialect: Framing) -> (MemoryNetwork, ConnectionId) {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(client(prefabs(), dialect));
    net.settle();
    let connection = net.connection(0);
    (net, connection)
}

fn is_poisoned(events: &[ClientEvent]) -> bool {
    events
        .iter()
        .any(|event| matches!(event, ClientEvent::Poisoned { .. }))
}

#[test]
fn reused_id_inherits_no_backlog() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let (mut net, connection) = world(dialect);
        let first = net.server.spawn(Player::new(1, "x"));
        let id = net.server.spawn(Player::new(1, "x"));
        net.settle();
        net.server
            .set_budget(connection, Some(Budget::new(1)))
            .unwrap();
        net.server.set_priority(first, 1000.0).unwrap();
        for n in 2..5 {
            for id in [first, id] {
                let mut player = net.server.get_mut::<Player>(id).unwrap();
                player.health.set(n);
                player.score.set(n.unsigned_abs());
            }
            net.step();
        }
        net.server.despawn(id).unwrap();
        let options = SpawnOptions {
            net_id: Some(id),
            ..SpawnOptions::default()
        };
        net.server.try_spawn(Door::default(), options).unwrap();
        net.settle();
        let events = drain(&mut net, 0);
        assert!(!is_poisoned(&events), "{events:?}");
        assert_eq!(net.client(0).stats().unknown_objects, 0);
    }
}

#[test]
fn oversized_backlog_is_split_into_messages() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let (mut net, connection) = world(dialect);
        let ahead = net.server.spawn(Player::new(1, "x"));
        let letter = net.server.spawn(Letter::default());
        net.settle();
        net.server
            .set_budget(connection, Some(Budget::new(1)))
            .unwrap();
        net.server.set_priority(ahead, 1000.0).unwrap();
        let text = "t".repeat(30_000);
        for part in 0..3 {
            let mut player = net.server.get_mut::<Player>(ahead).unwrap();
            player.health.set(part);
            drop(player);
            let mut letter = net.server.get_mut::<Letter>(letter).unwrap();
            match part {
                0 => letter.first.set(text.clone()),
                1 => letter.second.set(text.clone()),
                _ => letter.third.set(text.clone()),
            };
            drop(letter);
            net.step();
        }
        net.server.set_budget(connection, None).unwrap();
        net.step();
        net.step();
        net.server
            .get_mut::<Letter>(letter)
            .unwrap()
            .first
            .set("short".into());
        net.settle();
        let there = net.client(0).get::<Letter>(letter).unwrap();
        assert_eq!((&**there.first, &**there.third), ("short", &*text));
        assert!(!is_poisoned(&drain(&mut net, 0)));
    }
}

#[test]
fn unreliable_backlog_fits_a_packet() {
    let (mut net, connection) = world(Framing::Compact);
    let ahead = net.server.spawn(Player::new(1, "x"));
    let shout = net.server.spawn(Shout::default());
    net.settle();
    net.server
        .set_budget(connection, Some(Budget::new(1)))
        .unwrap();
    net.server.set_priority(ahead, 1000.0).unwrap();
    let text = "t".repeat(1000);
    for part in 0..2 {
        net.server
            .get_mut::<Player>(ahead)
            .unwrap()
            .health
            .set(part);
        let mut shout = net.server.get_mut::<Shout>(shout).unwrap();
        let field = if part == 0 {
            &mut shout.first
        } else {
            &mut shout.second
        };
        field.set(text.clone());
        drop(shout);
        net.server
            .update(Duration::from_secs(1000 + u64::from(part.unsigned_abs())));
        while net.server.poll_transmit().is_some() {}
    }
    net.server.set_budget(connection, None).unwrap();
    for second in 2000..2005 {
        net.server.update(Duration::from_secs(second));
        while let Some(packet) = net.server.poll_transmit() {
            // Without datagrams a longer one takes the stream.
            let is_stream = packet.delivery == Channel::Reliable;
            assert!(is_stream || packet.len() <= 1340);
        }
    }
}

#[test]
fn client_awaiting_a_snapshot_gets_no_operations() {
    let (mut net, connection) = world(Framing::Compact);
    let ahead = net.server.spawn(Player::new(1, "x"));
    let score = net.server.spawn((Score::default(), Banner::default()));
    net.settle();
    net.server
        .set_budget(connection, Some(Budget::new(1)))
        .unwrap();
    net.server.set_priority(ahead, 1000.0).unwrap();
    net.server.get_mut::<Score>(score).unwrap().points.add(1);
    for health in 10..60 {
        net.server
            .get_mut::<Player>(ahead)
            .unwrap()
            .health
            .set(health);
        net.step();
    }
    net.server.set_budget(connection, None).unwrap();
    net.step();
    drain(&mut net, 0);
    net.server.get_mut::<Score>(score).unwrap().points.add(1);
    net.step();
    let events = drain(&mut net, 0);
    assert_eq!(events, [ClientEvent::Restored { object: score }]);
    let score = net.client(0).get::<Score>(score).unwrap();
    assert_eq!(score.points.value, 2);
}

#[test]
fn debt_of_a_large_budget_is_limited_by_a_smaller_one() {
    let mut net = network(0);
    // Answers to pings would use up the small budget.
    net.ping_interval = Duration::ZERO;
    net.connect();
    let id = net.server.spawn(Player::new(1, "x"));
    net.settle();
    let connection = net.connection(0);
    net.server
        .set_budget(connection, Some(Budget::new(1000)))
        .unwrap();
    net.step();
    for _ in 0..100 {
        net.server.spawn(Player::new(1, &"n".repeat(450)));
    }
    net.step();
    net.server
        .set_budget(connection, Some(Budget::new(10)))
        .unwrap();
    net.server.get_mut::<Player>(id).unwrap().health.set(2);
    for _ in 0..22 {
        net.step();
    }
    assert_eq!(*net.client(0).get::<Player>(id).unwrap().health, 2);
}

#[test]
fn a_server_has_64_channels_at_most_however_many_are_asked_for() {
    let config = ServerConfig {
        channels: vec![Channel::Reliable; 300],
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(syncvar_testing::prefabs(), config);
    assert_eq!(server.config().channels.len(), 64);
    server.spawn(Player::new(1, "x"));
    server.update(Duration::from_secs(1));
}
