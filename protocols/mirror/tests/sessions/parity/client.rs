//! `NetworkClientTests`: owners, spawning, and what a client sends by itself.

use syncvar::mirror::message::{
    ChangeOwnerMessage, EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta,
    ObjectSpawnFinishedMessage, ObjectSpawnStartedMessage, SpawnFlags, SpawnMessage,
};
use syncvar::mirror::{
    AssetId, MirrorClientEvent, MirrorError, MirrorSpawnFailure, MirrorSpawnOptions, SceneId,
};
use syncvar::prelude::*;
use syncvar::values::{Quaternion, Vector3};

use super::game::{self, Aim, DOOR, Hero, told_by, whole};
use super::world::world;
use syncvar_testing::mirror::{MirrorNetwork, bytes};

const HERO: AssetId = AssetId(1002);
const OWNER: SpawnFlags = SpawnFlags::IS_OWNER;
const PLAYER: SpawnFlags = SpawnFlags(3);

fn owner(id: u32, flags: SpawnFlags) -> Vec<u8> {
    let net_id = NetId(id);
    bytes(&ChangeOwnerMessage { net_id, flags })
}

/// A hero with a health of 7.
fn spawn(id: u32, (asset_id, scene_id): (AssetId, SceneId), flags: SpawnFlags) -> Vec<u8> {
    // One component; its length; an empty list without changes; the health, zigzag; no references.
    let payload = hex::decode("011100000000000000000e0000000000000000").unwrap();
    bytes(&SpawnMessage {
        net_id: NetId(id),
        flags,
        scene_id,
        asset_id,
        position: Vector3::new(1.0, 2.0, 3.0),
        rotation: Quaternion::IDENTITY,
        scale: Vector3::new(2.0, 2.0, 2.0),
        payload: Some(&payload),
    })
}

fn hero(id: u32, flags: SpawnFlags) -> Vec<u8> {
    spawn(id, (HERO, SceneId::NONE), flags)
}

/// A client that has taken an empty burst, and then these messages.
fn given(messages: &[&[u8]]) -> (MirrorNetwork, ConnectionId) {
    let mut world = world();
    let client = world.connect();
    let (started, finished) = (
        bytes(&ObjectSpawnStartedMessage),
        bytes(&ObjectSpawnFinishedMessage),
    );
    world.give(client, &[&started, &finished]).unwrap();
    game::told();
    if !messages.is_empty() {
        world.give(client, messages).unwrap();
    }
    (world, client)
}

// ChangeOwner_AddsToConnectionOwnedWhenGranted, ChangeOwner_RemovesFromConnectionOwnedWhenRevoked,
// ChangeOwner_SetsIsOwnedTrue, ChangeOwner_SetsIsOwnedFalse, OnChangeOwner_AppliesOwnershipToKnownObject.
#[test]
fn ownership_follows_the_servers_messages() {
    let (mut world, client) = given(&[&hero(4, SpawnFlags::NONE)]);
    let object = NetId(4);
    assert!(!world.client(client).is_owned(object));
    world.give(client, &[&owner(4, OWNER)]).unwrap();
    assert!(world.client(client).is_owned(object));
    world.give(client, &[&owner(4, SpawnFlags::NONE)]).unwrap();
    assert!(!world.client(client).is_owned(object));
    assert_eq!(told_by("client"), ["spawn 4", "gained 4", "lost 4"]);
}

// ChangeOwner_SetsLocalPlayerWhenGranted, ChangeOwner_ClearsLocalPlayerWhenRevoked,
// ChangeOwner_CallsOnStopLocalPlayerWhenLocalPlayerRevoked,
// ChangeOwner_DoesNotClearLocalPlayerWhenDifferentIdentityRevoked.
#[test]
fn player_is_replaced_when_the_object_loses_ownership() {
    let (mut world, client) = given(&[&hero(4, SpawnFlags::NONE), &hero(5, OWNER)]);
    world.give(client, &[&owner(4, PLAYER)]).unwrap();
    assert_eq!(world.client(client).local_player(), Some(NetId(4)));
    world.give(client, &[&owner(5, SpawnFlags::NONE)]).unwrap();
    assert_eq!(world.client(client).local_player(), Some(NetId(4)));
    game::told();
    world.give(client, &[&owner(4, SpawnFlags::NONE)]).unwrap();
    assert_eq!(world.client(client).local_player(), None);
    assert_eq!(told_by("client"), ["was player 4", "lost 4"]);
}

// OnChangeOwner_LogsErrorForUnknownNetId, OnEntityStateMessageUnreliableBaseline_UnknownNetId_DoesNothing,
// OnEntityStateMessageUnreliableDelta_UnknownNetId_DoesNothing.
#[test]
fn messages_for_unknown_objects_are_counted_and_skipped() {
    let (baseline_tick, net_id, payload) = (1, NetId(99), Some(&[1, 2, 3][..]));
    let baseline = EntityStateMessageUnreliableBaseline {
        baseline_tick,
        net_id,
        payload,
    };
    let delta = EntityStateMessageUnreliableDelta {
        baseline_tick,
        net_id,
        payload,
    };
    let (mut world, client) = given(&[&owner(99, PLAYER), &bytes(&baseline), &bytes(&delta)]);
    let client = world.client(client);
    assert_eq!(client.stats().unknown_objects, 3);
    assert_eq!((client.object_count(), client.local_player()), (0, None));
    assert!(client.is_connected());
}

// ApplyPayload_AppliesTransform, ApplyPayload_AppliesLocalValuesToTransform, ApplyPayload_AppliesAuthority,
// ApplyPayload_SetsAssetId, ApplyPayload_DoesNotSetAssetIdToEmpty, ApplyPayload_LocalPlayerAddsIdentityToConnection,
// FindOrSpawnObject_SpawnsFromPrefabDictionary, FindOrSpawnObject_SpawnHandlerCalledFromDictionary.
#[test]
fn a_spawned_object_is_as_the_message_says() {
    let (mut world, client) = given(&[&hero(4, PLAYER)]);
    let (object, client) = (NetId(4), world.client(client));
    let identity = client.identity(object).unwrap();
    assert_eq!(identity.position, Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(client.scale(object), Some(Vector3::new(2.0, 2.0, 2.0)));
    assert_eq!(client.prefab_name(object), Some("hero"));
    assert!(client.is_owned(object));
    assert_eq!(client.local_player(), Some(object));
    assert_eq!(client.get::<Hero>(object).unwrap().health, 7);
}

// FindOrSpawnObject_FindExistingObject, OnStartLocalPlayer: called once even with repeated spawn messages.
#[test]
fn second_spawn_keeps_the_object_and_its_single_start() {
    let (mut world, client) = given(&[&hero(4, PLAYER), &hero(4, PLAYER)]);
    let object = NetId(4);
    assert_eq!(world.client(client).object_count(), 1);
    let told = told_by("client");
    assert_eq!(told, ["spawn 4", "gained 4", "is player 4"]);
    let events = world.client_events(client);
    assert!(events.contains(&MirrorClientEvent::Respawned { object }));
}

// FindOrSpawnObject_ErrorWhenNoExistingAndAssetIdAndSceneIdAreBothEmpty,
// FindOrSpawnObject_ErrorWhenPrefabInNullInDictionary, FindOrSpawnObject_ErrorWhenSceneIdIsNotInSpawnableObjectsDictionary,
// OnSpawn_GiveNoExtraErrorsWhenPrefabIsntSpawned.
#[test]
fn missing_prefab_is_reported_once_and_skipped() {
    let (mut world, client) = given(&[
        &spawn(4, (AssetId::NONE, SceneId::NONE), SpawnFlags::NONE),
        &spawn(5, (AssetId(77), SceneId::NONE), SpawnFlags::NONE),
        &spawn(6, (HERO, SceneId(0x77)), SpawnFlags::NONE),
        &hero(7, SpawnFlags::NONE),
    ]);
    assert_eq!(
        failures(&mut world, client),
        [
            MirrorSpawnFailure::UnknownPrefab,
            MirrorSpawnFailure::UnknownPrefab,
            MirrorSpawnFailure::UnknownSceneObject
        ]
    );
    assert_eq!(world.client(client).object_count(), 1);

    fn failures(world: &mut MirrorNetwork, client: ConnectionId) -> Vec<MirrorSpawnFailure> {
        let events = world.client_events(client).into_iter();
        let failures = events.filter_map(|event| match event {
            MirrorClientEvent::SpawnFailed { reason, .. } => Some(reason),
            _ => None,
        });
        failures.collect()
    }
}

// FindOrSpawnObject_UsesSceneIdToSpawnFromSpawnableObjectsDictionary, ApplyPayload_EnablesObject,
// FindOrSpawnObject_SpawnsUsingSceneIdInsteadOfAssetId.
#[test]
fn a_scene_id_goes_before_an_asset_id() {
    let (mut world, client) = given(&[]);
    let door = bytes(&SpawnMessage {
        net_id: NetId(4),
        flags: SpawnFlags::NONE,
        scene_id: DOOR,
        asset_id: HERO,
        position: Vector3::default(),
        rotation: Quaternion::IDENTITY,
        scale: Vector3::new(1.0, 1.0, 1.0),
        payload: Some(&[1, 1, 1]),
    });
    assert!(world.client(client).dormant(DOOR).is_some());
    world.give(client, &[&door]).unwrap();
    let object = NetId(4);
    assert!(*world.seen::<game::Door>(client, object).open);
    assert_eq!(world.client(client).scene_id(object), Some(DOOR));
    assert!(world.client(client).dormant(DOOR).is_none(), "it is awake");
}

// OnObjectSpawnStarted_SetsIsSpawnFinishedFalse, OnObjectSpawnFinished_SetsIsSpawnFinishedTrue,
// OnObjectSpawnFinished_InvokesStartClientOnSpawnedObjects, OnSpawn_DeferredWhenIsSpawnNotFinished.
#[test]
fn burst_is_applied_when_complete() {
    let (mut world, client) = given(&[&bytes(&ObjectSpawnStartedMessage), &hero(4, PLAYER)]);
    world.client_events(client);
    assert_eq!(game::told(), [""; 0]);
    let finished = bytes(&ObjectSpawnFinishedMessage);
    world.give(client, &[&finished]).unwrap();
    assert_eq!(
        game::told(),
        [
            "hook health 0 -> 7",
            "client spawn 4",
            "client gained 4",
            "client is player 4"
        ]
    );
    assert!(
        world
            .client_events(client)
            .contains(&MirrorClientEvent::Synchronized)
    );
}

// BroadcastToServer_NoOwnedObjects_DoesNotThrow, BroadcastToServer_ReliableDirtyComponent_ClearsDirtyBitsAfterSend.
#[test]
fn client_sends_each_write_once() {
    let mut world = world();
    let (client, player) = world.join(whole());
    let sent = |world: &mut MirrorNetwork| {
        let before = world.client(client).stats().bytes_sent;
        world.frame();
        world.client(client).stats().bytes_sent - before
    };
    assert_eq!(sent(&mut world), 0);
    { world.client(client).get_mut::<Aim>(player) }
        .unwrap()
        .yaw
        .set(3);
    assert!(sent(&mut world) > 0);
    assert_eq!(world.server.get::<Aim>(player).unwrap().yaw, 3);
    assert_eq!(sent(&mut world), 0);
}

// OnTransportData_InvalidBatch_ExceptionsDisconnect_LogsError, OnTransportData_TooShortMessage_ExceptionsDisconnect_LogsError,
// OnTransportData_UnknownMessageId_ExceptionsDisconnect_LogsWarningThenError.
#[test]
fn malformed_message_ends_the_connection_and_its_objects() {
    for message in [&[7][..], &[0x34, 0x12]] {
        let (mut world, client) = given(&[&hero(4, PLAYER)]);
        let error: Result<(), MirrorError> = world.give(client, &[message]);
        assert!(error.is_err());
        let client = world.client(client);
        assert!(!client.is_connected() && client.poll_close());
        assert_eq!(client.object_count(), 0);
    }
}

// OnTransportData_HaltsProcessingWhenIsLoadingScene.
#[test]
fn messages_wait_while_a_scene_loads() {
    use syncvar::mirror::message::SceneOperation;
    let mut world = world();
    let (client, _) = world.join(whole());
    let hero = world
        .server
        .try_spawn(Hero::with(5), MirrorSpawnOptions::default());
    let hero = hero.unwrap();
    world
        .server
        .load_scene("Cave", SceneOperation::LoadAdditive)
        .unwrap();
    world.server.despawn(hero).unwrap();
    world.frame();
    assert!(world.client(client).is_loading_scene());
    assert!(
        world.sees(client, hero),
        "what comes behind the scene waits"
    );
    world.client(client).scene_loaded();
    assert!(!world.sees(client, hero));
}
