//! What the server does to objects: spawn, change, own, hide, destroy.

use syncvar::mirror::message::{
    EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta, ObjectHideMessage,
    SpawnFlags,
};
use syncvar::mirror::{AssetId, MirrorClientEvent, MirrorSpawnFailure, SceneId};
use syncvar::prelude::*;
use syncvar::values::Vector3;

use crate::client::game::{self, Kind, Monster, Player};
use crate::client::server::{
    MINE, MONSTER, PLAYER, World, changes, destroy, finished, full, message, owner, spawn,
    spawn_door, started, state,
};

fn monster(hp: u16) -> Monster {
    Monster {
        hp: hp.into(),
        ..Monster::default()
    }
}

#[test]
fn hooks_of_all_components_run_before_the_first_callback() {
    let mut world = World::new();
    let (mut player, mut wallet, mut aim) = game::player();
    player.player_name.set(Some("rusty".into()));
    wallet.gold.set(55);
    aim.yaw.set(1.5);
    let player = spawn(7, PLAYER, SpawnFlags::NONE, &full((player, wallet, aim)));
    world.give(&[started(), player, finished()]);
    assert_eq!(
        game::called(),
        [
            "hook playerName",
            "hook gold",
            "hook yaw",
            "OnStartClient 7.0",
            "OnStartClient 7.1",
            "OnStartClient 7.2"
        ]
    );
}

#[test]
fn object_has_its_place_and_its_prefab() {
    let mut world = World::joined();
    world.give(&[spawn(9, MONSTER, SpawnFlags::NONE, &full(monster(5)))]);
    let object = world.client.identity(NetId(9)).unwrap();
    assert_eq!(object.position, Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(object.asset_id().as_u32(), Some(1002));
    assert_eq!(world.client.prefab_name(NetId(9)), Some("Monster"));
    assert_eq!(
        world.client.scale(NetId(9)),
        Some(Vector3::new(1.0, 1.0, 2.0))
    );
    assert_eq!(world.client.scene_id(NetId(9)), None);
}

#[test]
fn objects_without_a_payload_are_as_their_prefab_makes_them() {
    let mut world = World::joined();
    world.give(&[spawn(9, MONSTER, SpawnFlags::NONE, &[])]);
    assert_eq!(*world.client.get::<Monster>(NetId(9)).unwrap().hp, 50);
    assert_eq!(game::called(), ["OnStartClient 9.0"]);
}

#[test]
fn change_event_names_its_fields() {
    let mut world = World::joined();
    world.give(&[spawn(9, MONSTER, SpawnFlags::NONE, &full(monster(50)))]);
    world.events();
    game::called();
    let mut changed = Monster::default();
    changed.hp.set(40);
    changed.kind.set(Kind::Orc);
    world.give(&[state(9, &changes(changed))]);
    assert_eq!(game::called(), ["hook kind", "hook hp"]);
    let [
        MirrorClientEvent::Changed {
            object,
            component,
            fields,
        },
    ] = &world.events()[..]
    else {
        panic!("one change");
    };
    assert_eq!((object.0, *component), (9, 0));
    assert_eq!(fields.names().collect::<Vec<_>>(), ["kind", "hp"]);

    let mut same = Monster::default();
    same.hp.set(40);
    world.give(&[state(9, &changes(same))]);
    assert_eq!(game::called(), [""; 0], "it is what it was");
}

#[test]
fn second_spawn_updates_the_object() {
    let mut world = World::joined();
    world.give(&[spawn(9, MONSTER, SpawnFlags::NONE, &full(monster(50)))]);
    game::called();
    world.events();
    world.give(&[spawn(9, MONSTER, SpawnFlags::IS_OWNER, &full(monster(49)))]);
    assert_eq!(game::called(), ["hook hp", "OnStartAuthority 9.0"]);
    let object = NetId(9);
    let events = world.events();
    assert!(events.contains(&MirrorClientEvent::Respawned { object }));
    assert!(!events.contains(&MirrorClientEvent::Spawned { object }));
    assert!(world.client.is_owned(object));
    world.give(&[spawn(9, MONSTER, SpawnFlags::NONE, &full(monster(49)))]);
    assert_eq!(game::called(), ["OnStopAuthority 9.0"]);
}

#[test]
fn another_object_can_become_the_player() {
    let mut world = World::joined();
    world.give(&[spawn(9, PLAYER, SpawnFlags::NONE, &full(game::player()))]);
    game::called();
    world.events();
    world.give(&[owner(4, SpawnFlags::NONE), owner(9, MINE)]);
    let names = |callback: &str, id: u32| {
        (0..3)
            .map(move |at| format!("{callback} {id}.{at}"))
            .collect::<Vec<_>>()
    };
    let expected = [
        names("OnStopLocalPlayer", 4),
        names("OnStopAuthority", 4),
        names("OnStartAuthority", 9),
        names("OnStartLocalPlayer", 9),
    ];
    assert_eq!(game::called(), expected.concat());
    let (old, new) = (NetId(4), NetId(9));
    assert_eq!(world.client.local_player(), Some(new));
    assert_eq!(
        world.events(),
        [
            MirrorClientEvent::OwnerChanged {
                object: old,
                owned: false
            },
            MirrorClientEvent::PlayerChanged { player: None },
            MirrorClientEvent::OwnerChanged {
                object: new,
                owned: true
            },
            MirrorClientEvent::PlayerChanged { player: Some(new) },
        ]
    );
}

#[test]
fn hide_removes_the_object_like_destroy() {
    let mut world = World::joined();
    let net_id = NetId(9);
    for hidden in [true, false] {
        world.give(&[spawn(9, MONSTER, SpawnFlags::NONE, &full(monster(1)))]);
        world.events();
        game::called();
        let gone = if hidden {
            message(&ObjectHideMessage { net_id })
        } else {
            destroy(9)
        };
        world.give(&[gone]);
        assert_eq!(game::called(), ["OnStopClient 9.0"]);
        let object = net_id;
        assert_eq!(
            world.events(),
            [MirrorClientEvent::Despawned { object, hidden }]
        );
        assert!(world.client.identity(net_id).is_none());
    }
}

#[test]
fn object_destroyed_within_its_burst_never_appears() {
    let mut world = World::new();
    world.events();
    let monster = spawn(9, MONSTER, SpawnFlags::NONE, &full(monster(1)));
    world.give(&[started(), monster, destroy(9), finished()]);
    assert_eq!(game::called(), [""; 0]);
    assert_eq!(world.events(), [MirrorClientEvent::Synchronized]);
    assert_eq!(world.client.object_count(), 0);
}

#[test]
fn a_number_that_comes_again_in_a_burst_is_another_object() {
    let mut world = World::new();
    world.give(&[
        started(),
        spawn(9, MONSTER, SpawnFlags::NONE, &full(monster(1))),
        destroy(9),
        spawn(9, PLAYER, SpawnFlags::NONE, &full(game::player())),
        finished(),
    ]);
    assert!(world.client.get::<Player>(NetId(9)).is_some());
    assert_eq!(world.client.stats().mismatches, 0);
    assert_eq!(game::called().len(), 3, "each component is started once");
}

#[test]
fn object_that_cannot_be_made_is_reported_and_skipped() {
    let mut world = World::joined();
    world.give(&[
        spawn(9, AssetId(77), SpawnFlags::NONE, &full(monster(1))),
        spawn_door(10, &[]),
        spawn_door(11, &[]),
    ]);
    let failures: Vec<_> = { world.events().into_iter() }
        .filter_map(|event| match event {
            MirrorClientEvent::SpawnFailed {
                object,
                asset_id,
                scene_id,
                reason,
            } => Some((object.0, asset_id.0, scene_id, reason)),
            _ => None,
        })
        .collect();
    assert_eq!(
        failures,
        [
            (9, 77, SceneId::NONE, MirrorSpawnFailure::UnknownPrefab),
            (11, 0, game::DOOR, MirrorSpawnFailure::UnknownSceneObject),
        ]
    );
    world.give(&[state(9, &[0]), destroy(9), owner(9, MINE)]);
    assert_eq!(world.client.stats().unknown_objects, 3);
}

#[test]
fn unreliable_changes_count_from_the_state_before_them() {
    let mut world = World::joined();
    world.give(&[spawn(9, MONSTER, SpawnFlags::NONE, &full(monster(50)))]);
    let hp = |world: &World| *world.client.get::<Monster>(NetId(9)).unwrap().hp;
    let delta = |tick: u8, hp: u16| {
        let mut changed = Monster::default();
        changed.hp.set(hp);
        message(&EntityStateMessageUnreliableDelta {
            baseline_tick: tick,
            net_id: NetId(9),
            payload: Some(&changes(changed)),
        })
    };
    world.give(&[delta(3, 10)]);
    assert_eq!(hp(&world), 50, "there is nothing that it counts from");
    world.give(&[delta(0, 48)]);
    assert_eq!(hp(&world), 48, "it counts from the spawn");
    world.frame();
    world.give(&[message(&EntityStateMessageUnreliableBaseline {
        baseline_tick: 3,
        net_id: NetId(9),
        payload: Some(&full(monster(45))),
    })]);
    assert_eq!(hp(&world), 45);
    world.give(&[delta(3, 46)]);
    assert_eq!(hp(&world), 45, "the baseline contains it");
    world.frame();
    world.give(&[delta(3, 44)]);
    assert_eq!(hp(&world), 44);
    world.give(&[delta(3, 41)]);
    assert_eq!(hp(&world), 44, "it is not newer");
    world.frame();
    world.give(&[delta(2, 43)]);
    assert_eq!(hp(&world), 44, "it counts from another one");
    world.give(&[delta(3, 42)]);
    assert_eq!(hp(&world), 42);
    assert_eq!(world.client.stats().outdated, 4);
}

#[test]
fn references_are_looked_up_on_the_client() {
    let mut world = World::joined();
    let mut hunter = monster(3);
    hunter.target.set(NetRef::from(NetId(4)));
    world.give(&[spawn(9, MONSTER, SpawnFlags::NONE, &full(hunter))]);
    let target = *world.client.get::<Monster>(NetId(9)).unwrap().target;
    let player: &Player = target.behaviour(&world.client).unwrap();
    assert_eq!(*player.health, 100);
    world.give(&[destroy(4)]);
    assert!(target.try_get(&world.client).is_none());
}
