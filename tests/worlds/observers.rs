//! Who sees what: ready connections, shown and hidden objects, owners.

use syncvar::prelude::*;
use syncvar::stats::MessageType;
use syncvar_testing::{Door, Player, change, drain, network, spawn_for, states};

const ANN: fn(i32) -> Option<(i32, String, u32)> = |health| Some((health, "Ann".into(), 0));

// checklist: U16 U17 U23
#[test]
fn only_ready_observers_receive_a_change() {
    let mut net = network(4);
    let id = net.server.spawn(Player::new(1, "Ann"));
    let no_observer = net.connection(2);
    net.server.hide(id, no_observer).unwrap();
    net.settle();
    let not_ready = net.connection(1);
    net.server.set_not_ready(not_ready);
    net.settle();
    let received = |net: &MemoryNetwork| [0, 1, 2, 3].map(|c| net.client(c).stats().received);
    let before = received(&net);
    change(&mut net, id, |player| player.health.set(2));
    net.settle();
    assert_eq!(states(&net, id), [ANN(2), ANN(1), None, ANN(2)]);
    let after = received(&net);
    let packets = [0, 1, 2, 3].map(|c| after[c].messages - before[c].messages);
    assert_eq!(packets, [1, 0, 0, 1]);
}

// checklist: T40
#[test]
fn change_while_hidden_arrives_with_the_show() {
    let mut net = network(2);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    drain(&mut net, 1);
    let hidden_from = net.connection(1);
    net.server.hide(id, hidden_from).unwrap();
    assert!(!net.server.is_visible(id, hidden_from));
    net.settle();
    assert_eq!(
        drain(&mut net, 1),
        [ClientEvent::Despawned {
            object: id,
            hidden: true
        }]
    );
    change(&mut net, id, |player| player.health.set(5));
    net.settle();
    assert_eq!(states(&net, id), [ANN(5), None]);
    net.server.show(id, hidden_from).unwrap();
    net.settle();
    assert_eq!(states(&net, id), [ANN(5), ANN(5)]);
    assert_eq!(drain(&mut net, 1), [ClientEvent::Spawned { object: id }]);
}

// checklist: T41
#[test]
fn show_one_and_hide_another_in_the_same_update() {
    let mut net = network(1);
    let connection = net.connection(0);
    let (a, b) = (
        net.server.spawn(Player::new(1, "Ann")),
        net.server.spawn(Player::new(2, "Ann")),
    );
    net.server.hide(a, connection).unwrap();
    net.settle();
    assert_eq!(
        (states(&net, a), states(&net, b)),
        (vec![None], vec![ANN(2)])
    );
    net.server.show(a, connection).unwrap();
    net.server.hide(b, connection).unwrap();
    net.settle();
    assert_eq!(
        (states(&net, a), states(&net, b)),
        (vec![ANN(1)], vec![None])
    );
}

// checklist: T42
#[test]
fn hide_then_show_in_one_update_ends_visible_and_sends_no_spawn() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    let spawns = net.server.stats().encoded(MessageType::SpawnBatch);
    let connection = net.connection(0);
    net.server.hide(id, connection).unwrap();
    net.server.show(id, connection).unwrap();
    change(&mut net, id, |player| player.health.set(3));
    net.settle();
    assert_eq!(states(&net, id), [ANN(3)]);
    assert_eq!(net.server.stats().encoded(MessageType::SpawnBatch), spawns);
}

// checklist: T43
#[test]
fn dirty_variable_with_a_hide_and_a_despawn_is_clean() {
    let mut net = network(2);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    let connection = net.connection(0);
    change(&mut net, id, |player| player.health.set(9));
    net.server.hide(id, connection).unwrap();
    net.server.despawn(id).unwrap();
    assert!(net.server.despawn(id).is_err());
    net.settle();
    assert_eq!(states(&net, id), [None, None]);
    assert_eq!(net.client(0).stats().unknown_objects, 0);
}

// checklist: T36
#[test]
fn hidden_client_receives_no_byte_of_the_object() {
    let mut net = network(2);
    let id = net.server.spawn(Player::new(1, "Ann"));
    let hidden_from = net.connection(1);
    net.server.hide(id, hidden_from).unwrap();
    net.settle();
    let before = net.client(1).stats().received;
    change(&mut net, id, |player| player.health.set(2));
    net.settle();
    assert_eq!(net.client(1).stats().received, before);
    assert_eq!(states(&net, id), [ANN(2), None]);
}

// checklist: T48
#[test]
fn object_spawned_hidden_reaches_its_chosen_observers() {
    let mut net = network(1);
    let options = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    let id = net
        .server
        .try_spawn(Player::new(1, "Ann"), options)
        .unwrap();
    let late = net.connect();
    net.settle();
    assert_eq!(states(&net, id), [None, None]);
    let connection = net.connection(late);
    net.server.show(id, connection).unwrap();
    net.settle();
    assert_eq!(states(&net, id), [None, ANN(1)]);
    net.server.show_to_all(id).unwrap();
    net.connect();
    net.settle();
    assert_eq!(states(&net, id), [ANN(1), ANN(1), ANN(1)]);
    net.server.hide_from_all(id).unwrap();
    net.settle();
    assert_eq!(states(&net, id), [None, None, None]);
}

#[test]
fn despawned_object_is_gone_and_its_id_stays_unused() {
    let mut net = network(2);
    let id = net.server.spawn(Door::default());
    net.settle();
    drain(&mut net, 0);
    net.server.despawn(id).unwrap();
    let newer = net.server.spawn(Door::default());
    net.settle();
    assert!(newer > id);
    assert_eq!(
        net.server
            .identity(id)
            .map(syncvar::NetworkIdentity::net_id),
        None
    );
    assert_eq!(
        drain(&mut net, 0),
        [
            ClientEvent::Despawned {
                object: id,
                hidden: false
            },
            ClientEvent::Spawned { object: newer }
        ]
    );
}

// checklist: T50
#[test]
fn owner_change_reaches_the_former_and_the_new_owner_only() {
    let mut net = network(2);
    let id = net.server.spawn(Door::default());
    net.settle();
    let (first, second) = (net.connection(0), net.connection(1));
    drain(&mut net, 0);
    drain(&mut net, 1);
    net.server.set_owner(id, Some(first)).unwrap();
    net.settle();
    assert_eq!(
        drain(&mut net, 0),
        [ClientEvent::OwnerChanged {
            object: id,
            owned: true
        }]
    );
    assert_eq!(drain(&mut net, 1), []);
    net.server.set_owner(id, Some(second)).unwrap();
    net.settle();
    assert_eq!(
        drain(&mut net, 0),
        [ClientEvent::OwnerChanged {
            object: id,
            owned: false
        }]
    );
    assert_eq!(
        drain(&mut net, 1),
        [ClientEvent::OwnerChanged {
            object: id,
            owned: true
        }]
    );
    assert_eq!(net.server.owner(id), Some(second));
    assert!(!net.client(0).is_owner(id) && net.client(1).is_owner(id));
}

// checklist: T44
#[test]
fn owner_set_before_a_spawn_arrives_with_it() {
    let mut net = network(1);
    let owner = Some(net.connection(0));
    let options = SpawnOptions {
        owner,
        hidden: true,
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Door::default(), options).unwrap();
    net.settle();
    drain(&mut net, 0);
    net.server.show_to_all(id).unwrap();
    net.settle();
    let expected = [
        ClientEvent::Spawned { object: id },
        ClientEvent::OwnerChanged {
            object: id,
            owned: true,
        },
    ];
    assert_eq!(drain(&mut net, 0), expected);
    let options = SpawnOptions {
        owner,
        ..SpawnOptions::default()
    };
    let other = net.server.try_spawn(Door::default(), options).unwrap();
    net.settle();
    assert!(net.client(0).is_owner(other));
}

#[test]
fn owner_change_during_not_ready_arrives_at_ready() {
    let mut net = network(1);
    let connection = net.connection(0);
    let options = SpawnOptions {
        owner: Some(connection),
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Door::default(), options).unwrap();
    net.settle();
    net.server.set_not_ready(connection);
    net.server.set_owner(id, None).unwrap();
    net.settle();
    drain(&mut net, 0);
    net.client_mut(0).ready();
    net.settle();
    let events = drain(&mut net, 0);
    assert!(
        events.contains(&ClientEvent::OwnerChanged {
            object: id,
            owned: false
        }),
        "{events:?}"
    );
    assert!(!net.client(0).is_owner(id));
}

#[test]
fn disconnected_owner_owns_no_objects() {
    let mut net = network(2);
    let id = spawn_for(&mut net, Door::default(), 0);
    net.settle();
    let gone = net.connection(0);
    net.cut(0);
    net.settle();
    assert_eq!(net.server.owner(id), None);
    let events: Vec<_> = std::iter::from_fn(|| net.server.poll_event()).collect();
    assert!(events.iter().any(|event| matches!(
        event,
        ServerEvent::Disconnected { connection, owned, .. } if *connection == gone && owned == &[id]
    )));
}

/// What it takes to send a change of all objects to one connection: packets, and their pieces.
fn sent(server: &mut NetworkServer, ids: &[NetId], to: ConnectionId) -> (usize, usize) {
    let mut second = 0;
    for id in ids {
        let mut player = server.get_mut::<Player>(*id).expect("the player");
        player.score += 1;
        second = (*player.score).into();
    }
    server.update(std::time::Duration::from_secs(second));
    let (mut packets, mut pieces) = (0, 0);
    while let Some(transmit) = server.poll_transmit() {
        if transmit.connection == to {
            packets += 1;
            pieces += transmit.chunks.len();
        }
    }
    (packets, pieces)
}

/// A server in literal UNet fashion with 50 players.
fn server_with_players() -> (NetworkServer, Vec<NetId>) {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(syncvar_testing::prefabs(), config);
    let ids = (0..50)
        .map(|_| server.spawn(Player::new(1, "Ann")))
        .collect();
    (server, ids)
}

fn visit(server: &mut NetworkServer) -> ConnectionId {
    let visitor = server.handle_connect();
    server.set_ready(visitor);
    visitor
}

#[test]
fn objects_with_equal_observers_share_a_buffer_again() {
    let (mut server, ids) = server_with_players();
    let stays = visit(&mut server);
    sent(&mut server, &ids, stays);
    let before = sent(&mut server, &ids, stays);
    let mut visitors = Vec::new();
    for id in &ids {
        let visitor = visit(&mut server);
        server.hide(*id, visitor).unwrap();
        visitors.push(visitor);
    }
    sent(&mut server, &ids, stays);
    assert_eq!(sent(&mut server, &ids, stays).1, ids.len());
    for visitor in visitors {
        server.handle_disconnect(visitor);
    }
    assert_eq!(sent(&mut server, &ids, stays), before);
    let newcomer = visit(&mut server);
    sent(&mut server, &ids, stays);
    assert_eq!(sent(&mut server, &ids, newcomer), before);
}

#[test]
fn despawn_before_an_audience_merge_reaches_the_remaining() {
    let mut net = network(2);
    let (a, b) = (
        net.server.spawn(Player::new(1, "Ann")),
        net.server.spawn(Player::new(1, "Ann")),
    );
    let leaves = net.connection(1);
    net.server.hide(a, leaves).unwrap();
    net.server.hide(b, leaves).unwrap();
    net.settle();
    change(&mut net, b, |player| player.health.set(2));
    net.server.despawn(a).unwrap();
    net.cut(1);
    net.settle();
    assert_eq!(states(&net, a)[0], None);
    assert_eq!(states(&net, b)[0], ANN(2));
    assert_eq!(net.client(0).stats().unknown_objects, 0);
}
