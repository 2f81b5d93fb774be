//! Scene objects: both sides make them themselves, and the server's state is applied to them.

use syncvar::prelude::*;
use syncvar::{
    Budget, ClientConfig, Framing, NetworkIdentity, NetworkSceneId, ServerConfig,
    error::{PrefabError, SpawnError, SpawnFailure},
    stats::MessageType,
    values::Vector3,
    wire::ReadErrorKind,
};
use syncvar_testing::ClientMessages as _;
use syncvar_testing::{Compass, Door, Player, drain, frame, prefabs};

const GATE: NetworkSceneId = NetworkSceneId(12);
const GUARD: NetworkSceneId = NetworkSceneId(300);

const DIALECTS: [Framing; 2] = [Framing::Compact, Framing::Unet];

/// A client that has loaded the level.
fn client(dialect: Framing) -> NetworkClient {
    let mut client = empty_client(dialect);
    load(&mut client);
    client
}

fn empty_client(dialect: Framing) -> NetworkClient {
    let config = ClientConfig {
        framing: dialect,
        ..ClientConfig::default()
    };
    NetworkClient::with_config(prefabs(), config)
}

/// The level: a gate, and a guard with something that does not travel.
fn load(client: &mut NetworkClient) {
    client.add_scene_object(GATE, Door::default()).unwrap();
    client.add_scene_object(GUARD, guard()).unwrap();
}

fn guard() -> Player {
    Player {
        last_input: 77,
        ..Player::new(1, "local")
    }
}

/// The same level on the server.
fn spawn_scene(server: &mut NetworkServer) -> [NetId; 2] {
    let gate = Door { open: true.into() };
    [
        server.spawn_scene_object(GATE, gate).unwrap(),
        server
            .spawn_scene_object(GUARD, Player::new(50, "server"))
            .unwrap(),
    ]
}

/// A network with the level and one client in it.
fn with_level(dialect: Framing) -> (MemoryNetwork, [NetId; 2]) {
    let mut net = MemoryNetwork::new(prefabs);
    let ids = spawn_scene(&mut net.server);
    net.connect_client(client(dialect));
    net.settle();
    drain(&mut net, 0);
    (net, ids)
}

fn guard_of(net: &MemoryNetwork, client: usize) -> Option<(i32, String, u32)> {
    let client = net.client(client);
    let id = client.scene_object(GUARD)?;
    let guard: &Player = client.get(id)?;
    Some((*guard.health, guard.name.to_string(), guard.last_input))
}

// checklist: B13 N8
#[test]
fn scene_object_exists_before_its_spawn_applies_state() {
    for dialect in DIALECTS {
        let mut net = MemoryNetwork::new(prefabs);
        net.connect_client(client(dialect));
        net.settle();
        let own = net.client_mut(0).dormant_mut(GUARD).unwrap();
        own.behaviour_mut::<Player>().unwrap().last_input = 78;
        assert_eq!(net.client(0).object_count(), 0, "dormant is not spawned");
        assert_eq!(net.client(0).scene_object(GUARD), None);
        drain(&mut net, 0);

        let [gate, guard] = spawn_scene(&mut net.server);
        net.settle();
        let spawned = [gate, guard].map(|object| ClientEvent::Spawned { object });
        assert_eq!(drain(&mut net, 0), spawned);
        let client = net.client(0);
        assert_eq!(guard_of(&net, 0), Some((50, "server".into(), 78)));
        assert!(*client.get::<Door>(gate).unwrap().open);
        assert_eq!(client.identity(gate).unwrap().scene_id(), Some(GATE));
        assert_eq!(net.server.identity(gate).unwrap().scene_id(), Some(GATE));
        assert_eq!(client.dormant_scene_ids().count(), 0);
        let scene: Vec<_> = client.scene_objects().collect();
        assert_eq!(scene, [(GATE, gate), (GUARD, guard)]);
        assert_eq!(scene, net.server.scene_objects().collect::<Vec<_>>());
        // From now on it is an object like any other.
        syncvar_testing::change(&mut net, guard, |guard| guard.health.set(49));
        net.settle();
        assert_eq!(guard_of(&net, 0), Some((49, "server".into(), 78)));
        assert_eq!(
            syncvar_testing::hooks(&mut net, 0, guard),
            ["health 50 -> 49 (server, 0)"]
        );
    }
}

// checklist: N2 B12 T61
#[test]
fn late_joiner_receives_current_scene_objects() {
    for dialect in DIALECTS {
        let (mut net, [gate, guard]) = with_level(dialect);
        let dynamic = net.server.spawn(Player::new(5, "dynamic"));
        syncvar_testing::change(&mut net, guard, |guard| guard.health.set(7));
        net.server.get_mut::<Door>(gate).unwrap().open.set(false);
        net.settle();
        net.connect_client(client(dialect));
        net.settle();
        let ids: Vec<_> = net
            .client(1)
            .identities()
            .map(NetworkIdentity::net_id)
            .collect();
        assert_eq!(ids, [gate, guard, dynamic]);
        assert_eq!(guard_of(&net, 1), Some((7, "server".into(), 77)));
        assert!(!*net.client(1).get::<Door>(gate).unwrap().open);
        assert_eq!(net.client(1).identity(dynamic).unwrap().scene_id(), None);
        let events = drain(&mut net, 1);
        let objects = [gate, guard, dynamic].map(|object| ClientEvent::Spawned { object });
        let told = [
            &[ClientEvent::Connected][..],
            &objects,
            &[ClientEvent::SceneObjectsSpawned, ClientEvent::Ready],
        ];
        assert_eq!(events, told.concat());
    }
}

// checklist: B6
#[test]
fn scene_events_come_after_all_scene_objects() {
    for dialect in DIALECTS {
        let mut net = MemoryNetwork::new(prefabs);
        let plain = net.connect_client(empty_client(dialect));
        let other = net.connect_client(client(dialect));
        net.settle();
        // A client with a scene is told after its burst, one without is not.
        let ready = [ClientEvent::Connected, ClientEvent::Ready];
        assert_eq!(drain(&mut net, plain), ready);
        assert!(drain(&mut net, other).contains(&ClientEvent::SceneObjectsSpawned));

        // The server loads its scene while clients are there, and says when it has.
        net.server
            .spawn_scene_object(GATE, Door::default())
            .unwrap();
        net.settle();
        assert!(!drain(&mut net, other).contains(&ClientEvent::SceneObjectsSpawned));
        net.server.scene_loaded();
        net.server.spawn_scene_object(GUARD, guard()).unwrap();
        net.settle();
        let events = drain(&mut net, other);
        let last = events.iter().rev().take(2).collect::<Vec<_>>();
        assert_eq!(*last[0], ClientEvent::SceneObjectsSpawned, "{events:?}");
        assert!(matches!(last[1], ClientEvent::Spawned { .. }));
        assert_eq!(net.client(other).scene_objects().count(), 2);
        assert!(net.server.is_idle());
    }
}

// checklist: B6
#[test]
fn empty_scene_raises_its_event_and_unet_gets_no_message() {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(client(Framing::Compact));
    net.settle();
    drain(&mut net, 0);
    net.server.scene_loaded();
    net.settle();
    assert_eq!(drain(&mut net, 0), [ClientEvent::SceneObjectsSpawned]);

    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let connection = server.handle_connect();
    server.set_ready(connection);
    server.update(std::time::Duration::ZERO);
    while server.poll_transmit().is_some() {}
    server.scene_loaded();
    server.update(std::time::Duration::from_secs(1));
    assert!(server.poll_transmit().is_none());
}

// checklist: T61
#[test]
fn hidden_scene_object_is_dormant_and_can_respawn() {
    for dialect in DIALECTS {
        let (mut net, [gate, guard]) = with_level(dialect);
        net.server.despawn(gate).unwrap();
        net.server.hide(guard, net.connection(0)).unwrap();
        net.settle();
        let gone = [(gate, false), (guard, true)];
        let gone = gone.map(|(object, hidden)| ClientEvent::Despawned { object, hidden });
        let mut events = drain(&mut net, 0);
        events.sort_by_key(|event| format!("{event:?}"));
        assert_eq!(events, gone);
        let client = net.client(0);
        assert_eq!(
            client.dormant_scene_ids().collect::<Vec<_>>(),
            [GATE, GUARD]
        );
        let own: &Player = client.dormant(GUARD).unwrap().behaviour().unwrap();
        assert_eq!((*own.health, own.last_input), (50, 77), "its values stay");
        assert_eq!(net.server.scene_object(GATE), None);

        // What has changed meanwhile comes with the next spawn.
        syncvar_testing::change(&mut net, guard, |guard| guard.health.set(3));
        net.server.show(guard, net.connection(0)).unwrap();
        let again = net
            .server
            .spawn_scene_object(GATE, Door::default())
            .unwrap();
        net.settle();
        assert_eq!(guard_of(&net, 0), Some((3, "server".into(), 77)));
        assert_ne!(again, gate, "ids are never given twice");
        assert!(!*net.client(0).get::<Door>(again).unwrap().open);
        assert_eq!(net.client(0).dormant_scene_ids().count(), 0);
    }
}

// checklist: T61
#[test]
fn scene_objects_survive_a_connection_and_match_in_the_next() {
    let (mut net, [_, guard]) = with_level(Framing::Compact);
    net.cut(0);
    assert_eq!(
        net.client(0).scene_object(GUARD),
        Some(guard),
        "as they are"
    );
    let mut client = std::mem::replace(net.client_mut(0), empty_client(Framing::Compact));
    client.handle_connect();
    assert_eq!(client.scene_object(GUARD), None);
    assert_eq!(client.dormant_scene_ids().count(), 2);
    syncvar_testing::change(&mut net, guard, |guard| guard.name.set("later".into()));
    let index = net.connect_client(client);
    net.settle();
    assert_eq!(guard_of(&net, index), Some((50, "later".into(), 77)));
}

#[test]
fn ready_again_restores_scene_objects_in_place() {
    for dialect in DIALECTS {
        let (mut net, [gate, guard]) = with_level(dialect);
        net.server.set_not_ready(net.connection(0));
        syncvar_testing::change(&mut net, guard, |guard| guard.health.set(8));
        net.server.despawn(gate).unwrap();
        net.settle();
        net.client_mut(0).ready();
        net.settle();
        assert_eq!(guard_of(&net, 0), Some((8, "server".into(), 77)));
        let events = drain(&mut net, 0);
        assert!(events.contains(&ClientEvent::Restored { object: guard }));
        assert!(!events.contains(&ClientEvent::Spawned { object: guard }));
        assert!(net.client(0).dormant(GATE).is_some());
    }
}

#[test]
fn scene_object_respawned_during_not_ready_is_matched() {
    for dialect in DIALECTS {
        let (mut net, [gate, _]) = with_level(dialect);
        net.server.set_not_ready(net.connection(0));
        net.server.despawn(gate).unwrap();
        let again = net.server.spawn_scene_object(GATE, Door::default());
        net.settle();
        net.client_mut(0).ready();
        net.settle();
        let again = again.unwrap();
        assert_eq!(net.client(0).scene_object(GATE), Some(again));
        assert!(net.client(0).identity(gate).is_none());
        let events = drain(&mut net, 0);
        let failed = |event: &ClientEvent| matches!(event, ClientEvent::SpawnFailed { .. });
        assert!(!events.iter().any(failed), "{events:?}");
        assert!(events.contains(&ClientEvent::Spawned { object: again }));
    }
}

#[test]
fn missing_scene_object_is_reported_and_requested_when_added() {
    for dialect in DIALECTS {
        let mut net = MemoryNetwork::new(prefabs);
        let [gate, guard] = spawn_scene(&mut net.server);
        net.connect_client(empty_client(dialect));
        net.settle();
        let failed: Vec<_> = drain(&mut net, 0)
            .into_iter()
            .filter_map(|event| match event {
                ClientEvent::SpawnFailed { object, reason, .. } => Some((object, reason)),
                _ => None,
            })
            .collect();
        let unknown = |scene_id| SpawnFailure::UnknownSceneObject { scene_id };
        assert_eq!(failed, [(gate, unknown(GATE)), (guard, unknown(GUARD))]);
        // It changes while nobody here can know.
        syncvar_testing::change(&mut net, guard, |guard| guard.health.set(9));
        net.settle();
        load(net.client_mut(0));
        assert_eq!(net.client(0).object_count(), 0);
        net.settle();
        assert_eq!(guard_of(&net, 0), Some((9, "server".into(), 77)));
        let spawned = [gate, guard].map(|object| ClientEvent::Spawned { object });
        assert_eq!(drain(&mut net, 0), spawned);
    }
}

#[test]
fn despawned_missing_scene_object_is_not_requested() {
    let mut net = MemoryNetwork::new(prefabs);
    let [gate, guard] = spawn_scene(&mut net.server);
    net.connect_client(empty_client(Framing::Compact));
    net.settle();
    net.server.despawn(gate).unwrap();
    net.server.hide(guard, net.connection(0)).unwrap();
    net.settle();
    let asked = net.client(0).stats().encoded(MessageType::Resync).messages;
    load(net.client_mut(0));
    let asks = net.client(0).stats().encoded(MessageType::Resync).messages;
    assert_eq!(asks, asked);
    net.server.show(guard, net.connection(0)).unwrap();
    net.settle();
    assert_eq!(net.client(0).scene_object(GUARD), Some(guard));
}

#[test]
fn scene_id_with_other_behaviours_is_refused_without_effect() {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(client(Framing::Compact));
    let vane = (Door { open: true.into() }, Compass::default());
    let id = net.server.spawn_scene_object(GATE, vane).unwrap();
    net.settle();
    let reason = SpawnFailure::OtherBehaviours { scene_id: GATE };
    let asset_id = net.server.identity(id).unwrap().asset_id();
    let object = id;
    let failed = ClientEvent::SpawnFailed {
        object,
        asset_id,
        reason,
    };
    assert!(drain(&mut net, 0).contains(&failed));
    assert_eq!(reason.to_string(), "scene object 12 has other behaviours");
    let own = net.client_mut(0).remove_scene_object(GATE).unwrap();
    assert!(!*own.behaviour::<Door>().unwrap().open);
    // With the right ones it comes.
    let vane = (Door::default(), Compass::default());
    net.client_mut(0).add_scene_object(GATE, vane).unwrap();
    net.settle();
    assert_eq!(net.client(0).scene_object(GATE), Some(id));
    assert!(*net.client(0).get::<Door>(id).unwrap().open);
}

#[test]
fn scene_ids_are_unique_and_not_zero_on_both_sides() {
    let (mut net, [gate, _]) = with_level(Framing::Compact);
    let none = NetworkSceneId(0);
    for scene_id in [GATE, none] {
        let taken = SpawnError::SceneIdTaken(scene_id);
        let server = net.server.spawn_scene_object(scene_id, Door::default());
        let client = net.client_mut(0);
        let added = client.add_scene_object(scene_id, Door::default());
        assert_eq!((server, added), (Err(taken.clone()), Err(taken)));
    }
    assert_eq!(
        SpawnError::SceneIdTaken(GATE).to_string(),
        "scene id 12 is taken or zero"
    );
    let unregistered = (Player::default(), Compass::default());
    let added = net.client_mut(0).add_scene_object(none, unregistered);
    assert!(matches!(
        added,
        Err(SpawnError::Prefab(PrefabError::NotRegistered(_)))
    ));
    // A dormant one can be taken back, one that is spawned cannot.
    assert!(net.client_mut(0).remove_scene_object(GATE).is_none());
    net.server.despawn(gate).unwrap();
    net.settle();
    assert!(net.client_mut(0).remove_scene_object(GATE).is_some());
    net.client_mut(0)
        .add_scene_object(GATE, Door::default())
        .unwrap();
    net.server
        .spawn_scene_object(GATE, Door::default())
        .unwrap();
}

#[test]
fn scene_object_has_place_owner_and_visibility() {
    for dialect in DIALECTS {
        let mut net = MemoryNetwork::new(prefabs);
        let index = net.connect_client(client(dialect));
        net.settle();
        let connection = net.connection(index);
        let position = Vector3::new(1.0, 2.0, 3.0);
        let options = SpawnOptions {
            position,
            owner: Some(connection),
            hidden: true,
            scene_id: Some(GATE),
            ..SpawnOptions::default()
        };
        let id = net.server.try_spawn(Door::default(), options).unwrap();
        net.settle();
        assert_eq!(net.client(index).object_count(), 0);
        net.server.show(id, connection).unwrap();
        net.settle();
        let client = net.client(index);
        assert_eq!(client.identity(id).unwrap().position, position);
        assert!(client.is_owner(id));
    }
}

#[test]
fn a_connection_with_a_budget_is_given_scene_objects_too() {
    let (mut net, [gate, guard]) = with_level(Framing::Compact);
    net.server
        .set_budget(net.connection(0), Some(Budget::new(4)))
        .unwrap();
    for health in 0..20 {
        syncvar_testing::change(&mut net, guard, |guard| guard.health.set(health));
        net.server
            .get_mut::<Door>(gate)
            .unwrap()
            .open
            .set(health % 2 == 0);
        net.step();
    }
    net.settle();
    assert_eq!(guard_of(&net, 0), Some((19, "server".into(), 77)));
    assert!(!*net.client(0).get::<Door>(gate).unwrap().open);
}

#[test]
fn unreadable_scene_object_is_poisoned_and_sent_again() {
    let (mut net, [_, guard]) = with_level(Framing::Compact);
    let NetId(id) = guard;
    let update = [u8::try_from(id).unwrap(), 2, 5, 0, b'A'];
    net.client_mut(0)
        .handle_messages(0, &frame(8, &update))
        .unwrap();
    assert!(matches!(
        &drain(&mut net, 0)[..],
        [ClientEvent::Poisoned { .. }]
    ));
    net.settle();
    assert_eq!(
        drain(&mut net, 0),
        [ClientEvent::Restored { object: guard }]
    );
    assert_eq!(guard_of(&net, 0), Some((50, "server".into(), 77)));
}

/// `ObjectSpawnScene`, with a door.
fn scene_spawn(id: u8, scene_id: u8, state: &[u8]) -> Vec<u8> {
    let length = u8::try_from(state.len()).unwrap();
    frame(
        10,
        &[&[id, scene_id][..], &[0; 12], &[length, 0], state].concat(),
    )
}

#[test]
fn hostile_server_cannot_steal_or_duplicate_a_scene_object() {
    let (mut net, [gate, guard]) = with_level(Framing::Compact);
    let client = net.client_mut(0);
    client
        .handle_messages(0, &scene_spawn(9, 12, &[0]))
        .unwrap();
    let failed = |event: &ClientEvent| {
        matches!(
            event,
            ClientEvent::SpawnFailed {
                object: NetId(9),
                reason: SpawnFailure::UnknownSceneObject { scene_id: GATE },
                ..
            }
        )
    };
    assert!(drain(&mut net, 0).iter().any(failed));
    assert_eq!(net.client(0).scene_object(GATE), Some(gate));
    assert!(*net.client(0).get::<Door>(gate).unwrap().open);
    // The id of one scene object with the number of another, which is in use.
    let NetId(id) = gate;
    let packet = scene_spawn(u8::try_from(id).unwrap(), 44, &[0]);
    net.client_mut(0).handle_messages(0, &packet).unwrap();
    assert!(net.client(0).dormant(GATE).is_some(), "it is not lost");
    assert_eq!(net.client(0).object_count(), 1);
    // The id of the guard for an object that is no scene object.
    let asset_id = net.server.identity(gate).unwrap().asset_id();
    let NetId(id) = guard;
    let spawn = [
        &[u8::try_from(id).unwrap()][..],
        &asset_id.0,
        &[0; 12],
        &[1, 0, 1],
    ]
    .concat();
    net.client_mut(0)
        .handle_messages(0, &frame(3, &spawn))
        .unwrap();
    assert!(net.client(0).dormant(GUARD).is_some());
    assert!(*net.client(0).get::<Door>(guard).unwrap().open);
    assert_eq!(net.client(0).identity(guard).unwrap().scene_id(), None);
}

#[test]
fn missing_scene_objects_are_bounded_by_the_object_limit() {
    let config = ClientConfig {
        max_objects: 3,
        compare_schemas: false,
        ..ClientConfig::default()
    };
    let mut client = NetworkClient::with_config(prefabs(), config);
    client.handle_connect();
    for number in 1..=100 {
        let packet = scene_spawn(number, number, &[0]);
        client.handle_messages(0, &packet).unwrap();
    }
    while client.poll_transmit().is_some() {}
    for number in 1..=100 {
        let scene_id = NetworkSceneId(number);
        client.add_scene_object(scene_id, Door::default()).unwrap();
    }
    let asked = client.stats().encoded(MessageType::Resync);
    assert_eq!(asked.messages, 3, "three are remembered");
    for number in 1..=100 {
        let packet = scene_spawn(number, number, &[0]);
        client.handle_messages(0, &packet).unwrap();
    }
    assert_eq!(client.object_count(), 3);
    assert_eq!(client.dormant_scene_ids().count(), 97);
}

#[test]
fn extras_that_make_no_sense_are_an_error_with_a_place() {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(client(Framing::Compact));
    net.settle();
    // `door` is prefab 0. Header, kind, extras.
    for (said, what) in [
        (&[4, 4][..], "extras of a full state"),
        (&[4, 0x80, 1], "extras of a full state"),
        (&[4, 1, 0, 1], "scene id"),
        (&[4, 2, 0, 1], "parent"),
    ] {
        let length = u8::try_from(said.len()).unwrap();
        let entry = [&[4 << 3 | length][..], said].concat();
        let error = net
            .client_mut(0)
            .handle_messages(0, &frame(23, &entry))
            .unwrap_err();
        let ReadErrorKind::InvalidValue { what: found, .. } = error.kind() else {
            panic!("{error}")
        };
        assert_eq!(found, what);
    }
    let cut_off = [4 << 3 | 2, 4, 3];
    let error = net
        .client_mut(0)
        .handle_messages(0, &frame(23, &cut_off))
        .unwrap_err();
    assert!(matches!(error.kind(), ReadErrorKind::UnexpectedEnd { .. }));
    assert_eq!(net.client(0).object_count(), 0);
}
