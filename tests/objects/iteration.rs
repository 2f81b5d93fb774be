//! Objects by the type of their behaviours, and several behaviours at once.

use syncvar::behaviour::BehaviourList;
use syncvar::error::ObjectError;
use syncvar::mirror::{AssetId, MirrorPrefab, MirrorPrefabs, MirrorServer};
use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Health {
    #[sync_var]
    points: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Armour {
    #[sync_var]
    plates: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Rock;

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Health>("goblin")
        .register::<(Armour, Health)>("knight")
        .register::<Rock>("rock")
        .register::<(Armour, Armour)>("rack")
}

fn health(points: i32) -> Health {
    Health {
        points: points.into(),
    }
}

fn armour(plates: i32) -> Armour {
    Armour {
        plates: plates.into(),
    }
}

fn sorted(ids: impl Iterator<Item = NetId>) -> Vec<NetId> {
    let mut ids: Vec<NetId> = ids.collect();
    ids.sort();
    ids
}

#[test]
fn iter_finds_a_behaviour_on_any_prefab() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    let goblin = net.server.spawn(health(1));
    net.server.spawn(Rock);
    let knight = net.server.spawn((armour(3), health(2)));
    let list = net
        .server
        .spawn(BehaviourList::new().with(armour(4)).with(health(5)));
    net.settle();
    for found in [
        sorted(net.server.iter::<Health>().map(|(id, _)| id)),
        sorted(net.client(0).iter::<Health>().map(|(id, _)| id)),
    ] {
        assert_eq!(found, [goblin, knight, list]);
    }
    let sum = |points: i32, (_, health): (NetId, &Health)| points + *health.points;
    assert_eq!(net.server.iter::<Health>().fold(0, sum), 8);
    assert_eq!(net.client(0).iter::<Health>().fold(0, sum), 8);
    assert_eq!(sorted(net.server.ids_of_prefab("knight")), [knight, list]);
    assert_eq!(sorted(net.client(0).ids_of_prefab("goblin")), [goblin]);
    assert_eq!(net.server.ids_of_prefab("dragon").count(), 0);

    net.server.despawn(knight).unwrap();
    assert_eq!(
        sorted(net.server.iter::<Armour>().map(|(id, _)| id)),
        [list]
    );
}

#[test]
fn for_each_mut_sends_changed_objects_only() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    let ids = [5, 10, 15].map(|points| net.server.spawn(health(points)));
    net.settle();
    while net.client_mut(0).poll_event().is_some() {}
    net.server.for_each_mut::<Health>(|id, health| {
        if id != ids[1] {
            health.points += 1;
        }
    });
    net.settle();
    let events = syncvar_testing::events(net.client_mut(0));
    let changed = events.filter_map(|event| match event {
        ClientEvent::Changed { object, .. } => Some(object),
        _ => None,
    });
    assert_eq!(sorted(changed), [ids[0], ids[2]]);
    assert_eq!(
        ids.map(|id| *net.client(0).get::<Health>(id).unwrap().points),
        [6, 10, 16]
    );
}

#[test]
fn rows_are_reused_after_any_order_of_despawns() {
    let mut server = NetworkServer::new(prefabs());
    let mut alive = Vec::new();
    for round in 0..50 {
        let new: Vec<NetId> = (0..40).map(|points| server.spawn(health(points))).collect();
        alive.extend(new);
        let mut place = 0;
        alive.retain(|id| {
            place += 1;
            let stays = (place * 7 + round) % 5 < 2 && round % 10 != 9;
            if !stays {
                server.despawn(*id).unwrap();
            }
            stays
        });
        assert_eq!(sorted(server.iter::<Health>().map(|(id, _)| id)), alive);
        assert_eq!(server.object_count(), alive.len());
    }
}

#[test]
fn split_borrows_behaviours_in_any_order() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    let knight = net.server.spawn((armour(3), health(2)));
    let rack = net.server.spawn((armour(1), armour(2)));
    net.settle();
    let mut object = net.server.object_mut(knight).unwrap();
    let (health, armour) = object.split::<(Health, Armour)>().unwrap();
    std::mem::swap(&mut *health.points, &mut *armour.plates);
    let missing = object.split::<(Health, Rock)>().map(|_| ());
    assert!(
        matches!(missing, Err(ObjectError::NoSuchBehaviour { object, .. }) if object == knight)
    );
    drop(object);
    let mut object = net.server.object_mut(rack).unwrap();
    let (first, second) = object.split::<(Armour, Armour)>().unwrap();
    assert_eq!((*first.plates, *second.plates), (1, 2));
    first.plates += 10;
    drop(object);
    net.settle();
    let client = net.client(0);
    assert_eq!(client.get::<Health>(knight).unwrap().points, 3);
    assert_eq!(client.get::<Armour>(knight).unwrap().plates, 2);
    assert_eq!(client.get::<Armour>(rack).unwrap().plates, 11);
}

#[test]
fn a_failed_borrow_leaves_all_objects_in_place() {
    let mut server = NetworkServer::new(prefabs());
    let (goblin, rock) = (server.spawn(health(1)), server.spawn(Rock));
    let gone = server.spawn(health(2));
    server.despawn(gone).unwrap();
    let error = server
        .get_many_mut::<Health, 2>([goblin, rock])
        .unwrap_err();
    assert!(matches!(error, ObjectError::NoSuchBehaviour { object, .. } if object == rock));
    assert_eq!(
        server
            .get_many_mut::<Health, 2>([goblin, gone])
            .unwrap_err(),
        ObjectError::NoSuchObject(gone)
    );
    assert_eq!(
        server
            .get_many_mut::<Health, 2>([goblin, goblin])
            .unwrap_err(),
        ObjectError::CheckedOut(goblin)
    );
    assert_eq!(server.get::<Health>(goblin).unwrap().points, 1);
    assert!(server.get::<Rock>(rock).is_some());
}

#[test]
fn mirror_finds_and_writes_behaviours_by_type() {
    let prefabs = MirrorPrefabs::new()
        .register::<Health>(MirrorPrefab::new("goblin", AssetId(1)))
        .register::<(Armour, Health)>(MirrorPrefab::new("knight", AssetId(2)));
    let mut server = MirrorServer::new(prefabs);
    let goblin = server.spawn(health(1));
    let knight = server.spawn((armour(3), health(2)));
    server.for_each_mut::<Health>(|_, health| health.points *= 10);
    let mut both = server.get_many_mut::<Health, 2>([knight, goblin]).unwrap();
    assert_eq!(both.each_mut().map(|health| *health.points), [20, 10]);
    drop(both);
    assert_eq!(
        sorted(server.iter::<Health>().map(|(id, _)| id)),
        [goblin, knight]
    );
    assert_eq!(sorted(server.ids_of_prefab("knight")), [knight]);
}

#[test]
fn identity_prints_its_prefab_owner_and_behaviours() {
    let mut net = MemoryNetwork::pair(prefabs);
    let options = SpawnOptions {
        owner: Some(net.connection(0)),
        ..SpawnOptions::default()
    };
    let knight = (armour(3), health(7));
    let knight = net.server.try_spawn(knight, options).unwrap();
    net.settle();
    let identity = net.server.identity(knight).unwrap();
    assert_eq!(identity.prefab(), "knight");
    assert_eq!(identity.owner(), Some(net.connection(0)));
    let text = format!("{identity:?}");
    for part in [
        "prefab: \"knight\"",
        &format!("owner: {:?}", Some(net.connection(0))),
        "[\"Armour\", \"Health\"]",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let replica = net.client(0).identity(knight).unwrap();
    assert_eq!((replica.prefab(), replica.owner()), ("knight", None));
}
