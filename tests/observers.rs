//! Who sees what: ready connections, shown and hidden objects, owners.

mod support;

use support::{Door, Player, change, drain, network, states};
use syncvar::prelude::*;
use syncvar::{MessageType, SpawnError};

const ANN: fn(i32) -> Option<(i32, String, u32)> = |health| Some((health, "Ann".into(), 0));

#[test]
fn u16_u17_u23_every_ready_observer_gets_the_change_and_nobody_else() {
    let mut net = network(2);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    let not_ready = net.connection(1);
    net.server.set_not_ready(not_ready);
    net.settle();
    change(&mut net, id, |player| player.health.set(2));
    net.settle();
    assert_eq!(states(&net, id), [ANN(2), ANN(1)]);
}

#[test]
fn t40_hide_and_show_one_by_one_and_a_change_while_hidden_arrives_with_the_show() {
    let mut net = network(2);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    drain(&mut net, 1);
    let hidden_from = net.connection(1);
    assert!(net.server.hide(id, hidden_from));
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
    net.server.show(id, hidden_from);
    net.settle();
    assert_eq!(states(&net, id), [ANN(5), ANN(5)]);
    assert_eq!(drain(&mut net, 1), [ClientEvent::Spawned { object: id }]);
}

#[test]
fn t41_show_one_and_hide_another_in_the_same_update() {
    let mut net = network(1);
    let connection = net.connection(0);
    let (a, b) = (
        net.server.spawn(Player::new(1, "Ann")),
        net.server.spawn(Player::new(2, "Ann")),
    );
    net.server.hide(a, connection);
    net.settle();
    assert_eq!(
        (states(&net, a), states(&net, b)),
        (vec![None], vec![ANN(2)])
    );
    net.server.show(a, connection);
    net.server.hide(b, connection);
    net.settle();
    assert_eq!(
        (states(&net, a), states(&net, b)),
        (vec![ANN(1)], vec![None])
    );
}

#[test]
fn t42_hide_then_show_in_one_update_ends_visible_and_sends_no_spawn() {
    let mut net = network(1);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    let spawns = net.server.stats().encoded(MessageType::ObjectSpawn);
    let connection = net.connection(0);
    net.server.hide(id, connection);
    net.server.show(id, connection);
    change(&mut net, id, |player| player.health.set(3));
    net.settle();
    assert_eq!(states(&net, id), [ANN(3)]);
    assert_eq!(net.server.stats().encoded(MessageType::ObjectSpawn), spawns);
}

#[test]
fn t43_a_dirty_variable_a_hide_and_a_despawn_in_one_update_are_clean() {
    let mut net = network(2);
    let id = net.server.spawn(Player::new(1, "Ann"));
    net.settle();
    let connection = net.connection(0);
    change(&mut net, id, |player| player.health.set(9));
    net.server.hide(id, connection);
    assert!(net.server.despawn(id));
    assert!(!net.server.despawn(id));
    net.settle();
    assert_eq!(states(&net, id), [None, None]);
    assert_eq!(net.client(0).stats().unknown_objects, 0);
}

#[test]
fn t36_a_client_from_whom_an_object_is_hidden_gets_not_one_byte_of_it() {
    let mut net = network(2);
    let id = net.server.spawn(Player::new(1, "Ann"));
    let hidden_from = net.connection(1);
    net.server.hide(id, hidden_from);
    net.settle();
    let before = net.client(1).stats().received;
    change(&mut net, id, |player| player.health.set(2));
    net.settle();
    assert_eq!(net.client(1).stats().received, before);
    assert_eq!(states(&net, id), [ANN(2), None]);
}

#[test]
fn t48_an_object_spawned_hidden_is_seen_by_those_it_is_shown_to_late_joiners_included() {
    let mut net = network(1);
    let options = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    let id = net
        .server
        .spawn_with(Player::new(1, "Ann"), options)
        .unwrap();
    let late = net.connect();
    net.settle();
    assert_eq!(states(&net, id), [None, None]);
    let connection = net.connection(late);
    net.server.show(id, connection);
    net.settle();
    assert_eq!(states(&net, id), [None, ANN(1)]);
    net.server.show_to_all(id);
    net.connect();
    net.settle();
    assert_eq!(states(&net, id), [ANN(1), ANN(1), ANN(1)]);
    net.server.hide_from_all(id);
    net.settle();
    assert_eq!(states(&net, id), [None, None, None]);
}

#[test]
fn a_despawned_object_is_gone_everywhere_and_its_id_is_not_used_again() {
    let mut net = network(2);
    let id = net.server.spawn(Door::default());
    net.settle();
    drain(&mut net, 0);
    net.server.despawn(id);
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

#[test]
fn t50_former_and_new_owner_are_told_and_others_are_not() {
    let mut net = network(2);
    let id = net.server.spawn(Door::default());
    net.settle();
    let (first, second) = (net.connection(0), net.connection(1));
    drain(&mut net, 0);
    drain(&mut net, 1);
    net.server.set_owner(id, Some(first));
    net.settle();
    assert_eq!(
        drain(&mut net, 0),
        [ClientEvent::OwnerChanged {
            object: id,
            owned: true
        }]
    );
    assert_eq!(drain(&mut net, 1), []);
    net.server.set_owner(id, Some(second));
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

#[test]
fn t44_an_owner_set_while_hidden_or_before_the_spawn_is_told_with_the_spawn() {
    let mut net = network(1);
    let owner = Some(net.connection(0));
    let options = SpawnOptions {
        owner,
        hidden: true,
        ..SpawnOptions::default()
    };
    let id = net.server.spawn_with(Door::default(), options).unwrap();
    net.settle();
    drain(&mut net, 0);
    net.server.show_to_all(id);
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
    let other = net.server.spawn_with(Door::default(), options).unwrap();
    net.settle();
    assert!(net.client(0).is_owner(other));
}

#[test]
fn an_owner_that_changed_while_the_client_was_not_ready_is_told_when_it_is() {
    let mut net = network(1);
    let connection = net.connection(0);
    let options = SpawnOptions {
        owner: Some(connection),
        ..SpawnOptions::default()
    };
    let id = net.server.spawn_with(Door::default(), options).unwrap();
    net.settle();
    net.server.set_not_ready(connection);
    net.server.set_owner(id, None);
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
fn a_disconnected_owner_owns_nothing_any_more() {
    let mut net = network(2);
    let options = SpawnOptions {
        owner: Some(net.connection(0)),
        ..SpawnOptions::default()
    };
    let id = net.server.spawn_with(Door::default(), options).unwrap();
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

#[test]
fn spawning_what_is_not_right_says_why_and_spawns_nothing() {
    let mut net = network(1);
    let error = |options| net.server.spawn_with(Door::default(), options).unwrap_err();
    let mut error = error;
    let named = |name: &str| SpawnOptions {
        prefab: Some(name.into()),
        ..SpawnOptions::default()
    };
    assert_eq!(error(named("dor")).to_string(), "no prefab is named `dor`");
    assert_eq!(
        error(named("player")).to_string(),
        "prefab `player` does not have the behaviours [\"Door\"]"
    );
    let id = SpawnOptions {
        net_id: Some(NetId(0)),
        ..SpawnOptions::default()
    };
    assert_eq!(error(id), SpawnError::IdTaken(NetId(0)));
    let stranger = SpawnOptions {
        owner: Some(ConnectionId(99)),
        ..SpawnOptions::default()
    };
    assert_eq!(error(stranger), SpawnError::UnknownOwner(ConnectionId(99)));
    let unregistered = (Door::default(), Door::default());
    let error = net
        .server
        .spawn_with(unregistered, SpawnOptions::default())
        .unwrap_err();
    assert!(
        error.to_string().contains("call `Prefabs::register`"),
        "{error}"
    );
    assert_eq!(net.server.object_count(), 0);
}

#[test]
fn an_id_of_ones_own_is_kept_and_the_next_ones_follow() {
    let mut net = network(1);
    let options = SpawnOptions {
        net_id: Some(NetId(300)),
        ..SpawnOptions::default()
    };
    assert_eq!(
        net.server.spawn_with(Door::default(), options.clone()),
        Ok(NetId(300))
    );
    assert_eq!(
        net.server.spawn_with(Door::default(), options),
        Err(SpawnError::IdTaken(NetId(300)))
    );
    assert_eq!(net.server.spawn(Door::default()), NetId(301));
    net.settle();
    let ids: Vec<_> = net
        .client(0)
        .identities()
        .map(syncvar::NetworkIdentity::net_id)
        .collect();
    assert_eq!(ids, [NetId(300), NetId(301)]);
}

fn with_id(number: u32) -> SpawnOptions {
    SpawnOptions {
        net_id: Some(NetId(number)),
        ..SpawnOptions::default()
    }
}

#[test]
fn an_id_far_out_leaves_the_others_where_they_are_and_is_passed_over() {
    const NEAR: u32 = 1 << 24;
    let mut net = network(1);
    let mut spawn = |number| net.server.spawn_with(Door::default(), with_id(number));
    let far = NEAR + 3;
    for number in [u32::MAX, far] {
        assert_eq!(spawn(number), Ok(NetId(number)));
    }
    assert_eq!(net.server.spawn(Door::default()), NetId(1));
    let mut spawn = |number| net.server.spawn_with(Door::default(), with_id(number));
    assert_eq!(
        spawn(far - 2),
        Ok(NetId(far - 2)),
        "near: the next follow it"
    );
    assert_eq!(net.server.spawn(Door::default()), NetId(far - 1));
    assert_eq!(net.server.spawn(Door::default()), NetId(far + 1));
    net.settle();
    net.server
        .get_mut::<Door>(NetId(u32::MAX))
        .unwrap()
        .open
        .set(true);
    net.settle();
    let client = net.client(0);
    let ids: Vec<_> = client.identities().map(|found| found.net_id().0).collect();
    assert_eq!(ids, [1, far - 2, far - 1, far, far + 1, u32::MAX]);
    let on_server = net.server.identities().map(|found| found.net_id().0);
    assert_eq!(on_server.collect::<Vec<_>>(), ids);
    assert!(*client.get::<Door>(NetId(u32::MAX)).unwrap().open);
}

#[test]
fn ids_that_have_run_out_do_not_begin_again() {
    let spawn = |net: &mut MemoryNetwork, options| net.server.spawn_with(Door::default(), options);
    let mut net = network(0);
    let hops = (1..256).map(|hop| hop << 24).chain([u32::MAX - 2]);
    for number in hops {
        let spawned = spawn(&mut net, with_id(number));
        assert_eq!(spawned, Ok(NetId(number)));
    }
    for number in [u32::MAX - 1, u32::MAX] {
        assert_eq!(net.server.spawn(Door::default()), NetId(number));
        net.server.despawn(NetId(number));
    }
    assert_eq!(
        spawn(&mut net, SpawnOptions::default()),
        Err(SpawnError::OutOfIds)
    );
    let chosen = spawn(&mut net, with_id(5));
    assert_eq!(chosen, Ok(NetId(5)), "what is free can still be chosen");
    assert_eq!(
        spawn(&mut net, SpawnOptions::default()),
        Err(SpawnError::OutOfIds)
    );
}

/// N6 and the several prefabs of one behaviour.
#[test]
fn a_prefab_can_be_chosen_by_name_and_position_and_rotation_travel_with_the_spawn() {
    let prefabs = || {
        Prefabs::new()
            .register::<Door>("gate")
            .register::<Door>("hatch")
    };
    let mut net = MemoryNetwork::new(prefabs);
    let client = net.connect();
    let options = SpawnOptions {
        prefab: Some("hatch".into()),
        position: syncvar::Vector3::new(1.0, 2.0, 3.0),
        rotation: Some(syncvar::Quaternion::new(0.0, 1.0, 0.0, 0.0)),
        ..SpawnOptions::default()
    };
    let id = net.server.spawn_with(Door::default(), options).unwrap();
    net.settle();
    let identity = net.client(client).identity(id).unwrap();
    assert_eq!(
        net.client(client).prefabs().name(identity.asset_id()),
        Some("hatch")
    );
    assert_eq!(identity.position, syncvar::Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(
        identity.rotation,
        syncvar::Quaternion::new(0.0, 1.0, 0.0, 0.0)
    );
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
            pieces += transmit.segments.len();
        }
    }
    (packets, pieces)
}

/// A server in literal UNet fashion with 50 players.
fn server_with_players() -> (NetworkServer, Vec<NetId>) {
    let mut config = syncvar::ServerConfig::default();
    config.compare_schemas = false;
    let mut server = NetworkServer::with_config(support::prefabs(), config);
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
fn objects_share_one_buffer_again_when_those_who_saw_them_differently_are_gone() {
    let (mut server, ids) = server_with_players();
    let stays = visit(&mut server);
    sent(&mut server, &ids, stays);
    let before = sent(&mut server, &ids, stays);
    let mut visitors = Vec::new();
    for id in &ids {
        let visitor = visit(&mut server);
        server.hide(*id, visitor);
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
fn a_despawn_just_before_the_merge_reaches_those_who_stay() {
    let mut net = network(2);
    let (a, b) = (
        net.server.spawn(Player::new(1, "Ann")),
        net.server.spawn(Player::new(1, "Ann")),
    );
    let leaves = net.connection(1);
    net.server.hide(a, leaves);
    net.server.hide(b, leaves);
    net.settle();
    change(&mut net, b, |player| player.health.set(2));
    net.server.despawn(a);
    net.cut(1);
    net.settle();
    assert_eq!(states(&net, a)[0], None);
    assert_eq!(states(&net, b)[0], ANN(2));
    assert_eq!(net.client(0).stats().unknown_objects, 0);
}
