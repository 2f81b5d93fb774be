//! Scenes, and the objects in them.

use syncvar::mirror::message::{
    AddPlayerMessage, NotReadyMessage, ReadyMessage, SceneMessage, SceneOperation, SpawnFlags,
};
use syncvar::mirror::{
    MirrorClient, MirrorClientConfig, MirrorClientEvent, SceneId, SceneObjectError,
};
use syncvar::prelude::*;

use crate::client::game::{self, DOOR, Door, Monster, prefabs};
use crate::client::server::{
    MINE, MONSTER, PLAYER, World, destroy, finished, full, message, spawn, spawn_door, started,
};

fn scene(operation: SceneOperation) -> bytes::Bytes {
    message(&SceneMessage {
        scene_name: Some("Assets/Online.unity"),
        operation,
        custom_handling: false,
    })
}

fn open_door() -> Vec<u8> {
    let mut door = Door::default();
    door.open.set(true);
    full(door)
}

#[test]
fn messages_wait_until_the_scene_is_loaded() {
    let config = MirrorClientConfig {
        awaits_scene: true,
        ..MirrorClientConfig::default()
    };
    let mut world = World::with(MirrorClient::with_config(prefabs(), config));
    assert_eq!(world.frame(), [[0; 0]; 0], "not ready before the scene");
    world.give(&[
        scene(SceneOperation::Normal),
        started(),
        spawn_door(1, &open_door()),
    ]);
    world.give(&[finished(), spawn(2, PLAYER, MINE, &full(game::player()))]);
    assert!(world.client.is_loading_scene());
    assert_eq!(world.client.object_count(), 0);
    let change = world.events().into_iter().find_map(|event| match event {
        MirrorClientEvent::SceneChange(change) => Some(change),
        _ => None,
    });
    let change = change.unwrap();
    assert_eq!(change.scene, "Assets/Online.unity");
    assert_eq!(change.operation, SceneOperation::Normal);
    assert_eq!(world.frame(), [[0; 0]; 0]);

    world.client.scene_loaded();
    assert!(!world.client.is_loading_scene());
    assert_eq!(world.client.object_count(), 2);
    assert_eq!(game::called()[..2], ["hook open", "OnStartClient 1.0"]);
    assert_eq!(
        world.frame(),
        [message(&ReadyMessage), message(&AddPlayerMessage)]
    );
    world.client.scene_loaded();
    assert_eq!(world.frame(), [[0; 0]; 0], "nothing is being loaded");
}

#[test]
fn another_scene_takes_the_objects_of_the_first_away() {
    let mut world = World::joined();
    world.give(&[message(&NotReadyMessage), scene(SceneOperation::Normal)]);
    assert!(
        world.client.get::<game::Player>(NetId(4)).is_some(),
        "still loading"
    );
    world.client.scene_loaded();
    assert_eq!(world.client.object_count(), 0);
    assert!(world.client.is_ready());
    assert_eq!(world.frame().len(), 2, "ready, and a player");
}

#[test]
fn additive_scene_leaves_the_first_unchanged() {
    let mut world = World::joined();
    world.give(&[scene(SceneOperation::LoadAdditive)]);
    world.client.scene_loaded();
    assert!(world.client.get::<game::Player>(NetId(4)).is_some());
    assert_eq!(world.frame(), [[0; 0]; 0], "it is ready, and has a player");
}

#[test]
fn scene_object_is_dormant_before_spawn_and_after_despawn() {
    let mut world = World::joined();
    assert!(world.client.dormant(DOOR).is_some());
    for id in [1, 8] {
        world.give(&[spawn_door(id, &open_door())]);
        assert_eq!(world.client.scene_object(DOOR), Some(NetId(id)));
        assert_eq!(world.client.scene_id(NetId(id)), Some(DOOR));
        assert!(*world.client.get::<Door>(NetId(id)).unwrap().open);
        assert!(world.client.dormant(DOOR).is_none());
        let taken = world.client.add_scene_object(DOOR, Door::default());
        assert_eq!(taken, Err(SceneObjectError::SceneIdTaken(DOOR)));
        world.give(&[destroy(id)]);
        assert_eq!(world.client.scene_object(DOOR), None);
        let door: &Door = world.client.dormant(DOOR).unwrap().behaviour().unwrap();
        assert!(*door.open, "it keeps what it has");
    }
    assert_eq!(world.client.dormant_scene_ids().collect::<Vec<_>>(), [DOOR]);
    assert!(world.client.remove_scene_object(DOOR).is_some());
    let unknown = world
        .client
        .add_scene_object(SceneId(5), (Door::default(), Door::default()));
    assert!(matches!(unknown, Err(SceneObjectError::Prefab(_))));
}

#[test]
fn messages_queued_for_a_scene_are_bounded() {
    let config = MirrorClientConfig {
        max_parked_bytes: 10_000,
        ..MirrorClientConfig::default()
    };
    let mut world = World::with(MirrorClient::with_config(prefabs(), config));
    world.give(&[scene(SceneOperation::Normal)]);
    let monster = spawn(9, MONSTER, SpawnFlags::NONE, &full(Monster::default()));
    let batch = crate::client::server::batch(0.0, &vec![monster; 200]);
    let result = world
        .client
        .handle_packet(syncvar::Channel::Reliable, &batch);
    assert!(result.is_err());
    assert!(world.client.poll_close());
}
