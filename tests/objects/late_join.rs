//! Joining a running game: the whole state, once, and every change after it.

use syncvar::prelude::*;
use syncvar::{ServerConfig, stats::MessageType, testing::Conditions};
use syncvar_testing::{Door, Player, change, drain, network, states};

// checklist: U4 M10 N2 N4 B12
#[test]
fn late_joiner_receives_current_state_of_visible_objects() {
    let mut net = network(1);
    let player = net.server.spawn(Player::new(100, "Ann"));
    let door = net.server.spawn(Door::default());
    net.settle();
    let hidden = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    let secret = net.server.try_spawn(Door::default(), hidden).unwrap();
    change(&mut net, player, |player| player.health.set(42));
    net.server.get_mut::<Door>(door).unwrap().open.set(true);
    net.settle();
    let late = net.connect();
    net.settle();
    let client = net.client(late);
    assert_eq!(
        client.get::<Player>(player).unwrap().state(),
        (42, "Ann".into(), 0)
    );
    assert_eq!(client.get::<Door>(door).unwrap().open, true);
    assert!(client.get::<Door>(secret).is_none());
}

/// B13, M12: announced when all of them are there, each with its state.
#[test]
fn burst_objects_are_announced_together() {
    let mut net = network(0);
    let ids: Vec<_> = (0..5)
        .map(|health| net.server.spawn(Player::new(health, "x")))
        .collect();
    let client = net.connect();
    net.settle();
    let mut expected = vec![ClientEvent::Connected];
    expected.extend(ids.iter().map(|id| ClientEvent::Spawned { object: *id }));
    expected.push(ClientEvent::Ready);
    assert_eq!(drain(&mut net, client), expected);
}

/// B10, B11: a new object comes to all observers with its state, in one message.
#[test]
fn a_new_object_is_spawned_with_its_state_for_every_observer() {
    let mut net = network(2);
    let id = net.server.spawn(Player::new(7, "Ann"));
    net.settle();
    for client in 0..2 {
        assert_eq!(
            drain(&mut net, client),
            [ClientEvent::Spawned { object: id }]
        );
        assert_eq!(*net.client(client).get::<Player>(id).unwrap().health, 7);
    }
    assert_eq!(
        net.server.stats().encoded(MessageType::SpawnBatch).messages,
        1,
        "encoded once"
    );
}

/// Lesson 9, D7: in the snapshot or as a delta, never both and never neither.
#[test]
fn change_during_a_join_reaches_each_client_once() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    drain(&mut net, 0);
    let late = net.connect();
    net.step();
    net.step();
    let updates = net
        .server
        .stats()
        .encoded(MessageType::UpdateBatch)
        .messages;
    change(&mut net, id, |player| player.health.set(2));
    let connection = net.connection(late);
    net.server.set_ready(connection);
    net.settle();
    assert_eq!(
        states(&net, id),
        [Some((2, "Ann".into(), 0)), Some((2, "Ann".into(), 0))]
    );
    assert_eq!(
        net.server
            .stats()
            .encoded(MessageType::UpdateBatch)
            .messages,
        updates + 1
    );
    let changed = |event: &ClientEvent| matches!(event, ClientEvent::Changed { .. });
    assert_eq!(
        drain(&mut net, 0)
            .iter()
            .filter(|event| changed(event))
            .count(),
        1
    );
}

#[test]
fn values_before_the_first_update_are_sent_in_the_spawn_only() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "Ann"));
    change(&mut net, id, |player| player.health.set(3));
    net.settle();
    assert_eq!(states(&net, id), [Some((3, "Ann".into(), 0))]);
    assert_eq!(
        net.server
            .stats()
            .encoded(MessageType::UpdateBatch)
            .messages,
        0
    );
}

/// Lesson 12: one joining client does not make the others receive everything.
#[test]
fn join_sends_no_bytes_to_others() {
    let mut net = network(1);
    for _ in 0..100 {
        net.server.spawn(Door::default());
    }
    net.settle();
    let before = net.client(0).stats().received;
    net.connect();
    net.settle();
    assert_eq!(net.client(0).stats().received, before);
}

#[test]
fn snapshot_of_an_audience_is_encoded_once_per_update() {
    let mut net = network(0);
    for _ in 0..10 {
        net.server.spawn(Door::default());
    }
    for _ in 0..20 {
        net.connect();
    }
    net.settle();
    assert_eq!(
        net.server.stats().encoded(MessageType::SpawnBatch).messages,
        10
    );
    assert!((0..20).all(|client| net.client(client).object_count() == 10));
}

#[test]
fn client_ready_again_is_updated_and_drops_gone_objects() {
    let mut net = network(1);
    let (stays, goes) = (
        net.server.spawn(Player::new(1, "Ann")),
        net.server.spawn(Door::default()),
    );
    net.settle();
    drain(&mut net, 0);
    let connection = net.connection(0);
    net.server.set_not_ready(connection);
    net.settle();
    assert_eq!(drain(&mut net, 0), [ClientEvent::NotReady]);
    change(&mut net, stays, |player| player.health.set(8));
    net.server.despawn(goes).unwrap();
    let comes = net.server.spawn(Door::default());
    net.settle();
    net.client_mut(0).ready();
    net.settle();
    assert_eq!(
        drain(&mut net, 0),
        [
            ClientEvent::Restored { object: stays },
            ClientEvent::Despawned {
                object: goes,
                hidden: true
            },
            ClientEvent::Spawned { object: comes },
            ClientEvent::Ready,
        ]
    );
    assert_eq!(states(&net, stays), [Some((8, "Ann".into(), 0))]);
}

#[test]
fn a_client_that_connects_again_starts_afresh() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    net.cut(0);
    change(&mut net, id, |player| player.health.set(2));
    let again = net.connect();
    net.settle();
    assert_eq!(*net.client(again).get::<Player>(id).unwrap().health, 2);
    assert_eq!(
        *net.client(0).get::<Player>(id).unwrap().health,
        1,
        "kept until it connects again"
    );
}

/// T51: 1500 objects in one update, over a slow link with loss.
#[test]
fn large_join_uses_bounded_packets_over_a_bad_link() {
    let link = Conditions {
        delay: std::time::Duration::from_millis(80),
        jitter: std::time::Duration::from_millis(60),
        loss: 0.1,
        seed: 7,
        ..Conditions::default()
    };
    let mut net =
        MemoryNetwork::with_config(syncvar_testing::prefabs, ServerConfig::default(), link);
    net.datagrams = false;
    for health in 0..1500 {
        net.server.spawn(Player::new(
            health,
            "one of many, and by no means the last of them",
        ));
    }
    let client = net.connect();
    net.settle();
    assert_eq!(net.client(client).object_count(), 1500);
    let sent = net.server.stats().sent;
    assert!(
        sent.bytes / sent.messages > 1200,
        "packets are filled: {sent:?}"
    );
}

/// Every packet fits, and what changes while they are on their way comes once, after them.
#[test]
fn a_hundred_thousand_objects_join_in_packets_while_they_change() {
    const OBJECTS: usize = 100_000;
    let mut net = network(0);
    let ids: Vec<_> = (0..OBJECTS)
        .map(|_| net.server.spawn(Door::default()))
        .collect();
    net.step();
    let mut client = NetworkClient::new(syncvar_testing::prefabs());
    client.handle_connect();
    let connection = net.server.handle_connect();
    let_in(&mut net.server, &mut client, connection);
    let mut arrived = Vec::new();
    let packet_size = net.server.config().packet_size;
    // The join, then two updates, before the first packet of it arrives.
    for update in 0..3_u32 {
        if update > 0 {
            for id in ids.iter().skip(update as usize).step_by(1000) {
                net.server.get_mut::<Door>(*id).unwrap().open.set(true);
            }
        }
        let now = net.now() + std::time::Duration::from_secs(1 + u64::from(update));
        net.server.update(now);
        while let Some(transmit) = net.server.poll_transmit() {
            assert!(transmit.len() <= packet_size);
            arrived.push((transmit.channel, transmit.to_bytes()));
        }
    }
    assert!(arrived.len() > 200, "{} packets", arrived.len());
    for (channel, packet) in arrived {
        client.handle_packet(channel, &packet).unwrap();
    }
    let (mut spawned, mut changed) = (0, 0);
    while let Some(event) = client.poll_event() {
        match event {
            ClientEvent::Spawned { .. } => spawned += 1,
            ClientEvent::Changed { .. } => changed += 1,
            _ => {}
        }
    }
    assert_eq!((spawned, changed), (OBJECTS, 2 * OBJECTS / 1000));
    let open = ids
        .iter()
        .filter(|id| client.get::<Door>(**id).unwrap().open == true);
    assert_eq!(open.count(), 2 * OBJECTS / 1000);

    /// Lets a client in and has it say that it is ready.
    fn let_in(server: &mut NetworkServer, client: &mut NetworkClient, connection: ConnectionId) {
        for _ in 0..2 {
            while let Some(packet) = client.poll_transmit() {
                server
                    .handle_packet(connection, packet.channel, &packet.bytes)
                    .unwrap();
            }
            while let Some(transmit) = server.poll_transmit() {
                let (channel, packet) = (transmit.channel, transmit.to_bytes());
                client.handle_packet(channel, &packet).unwrap();
            }
        }
        assert!(client.is_connected());
    }
}
