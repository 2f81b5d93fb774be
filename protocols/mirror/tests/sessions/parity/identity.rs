//! `NetworkIdentityTests`, `NetworkIdentityStateTests` and `NetworkIdentitySerializationTests`.

use syncvar::behaviour::{BehaviourList, LifecycleCallback};
use syncvar::mirror::message::{EntityStateMessage, Message};
use syncvar::mirror::{
    Component, MirrorPrefab, MirrorPrefabs, MirrorServerEvent, MirrorSpawnOptions, StateRefusal,
    SyncDirection, SyncMode, Visibility,
};
use syncvar::prelude::*;

use super::game::{Aim, Hero, Purse, told, told_by, whole};
use super::world::{world, world_of};
use syncvar_testing::mirror::{MirrorNetwork, bytes};

// AddObserver, RemoveObserver, ClearObservers.
#[test]
fn observers_are_listed_once() {
    let mut world = world();
    let (first, _) = world.join(whole());
    let (second, _) = world.join(whole());
    let hero = world.server.spawn(Hero::with(1));
    assert!(world.server.observers(hero).eq([first, second]));
    world.server.show(hero, first).unwrap();
    assert!(
        world.server.observers(hero).eq([first, second]),
        "it was one"
    );
    world.server.hide(hero, first).unwrap();
    assert!(world.server.observers(hero).eq([second]));
    world.server.handle_disconnect(second);
    assert!(world.server.observers(hero).eq([]));
}

// AssignAndRemoveClientAuthority, SetClientOwner, UnSpawnAndClearAuthority,
// NotifyAuthorityCallsOnStartStopAuthority, IsOwned_TriggersAuthorityCallbacks.
#[test]
fn each_ownership_change_raises_one_event() {
    let mut world = world();
    let (first, _) = world.join(whole());
    let (second, _) = world.join(whole());
    let hero = world.server.spawn(Hero::with(1));
    world.frame();
    assert_eq!(world.server.owner(hero), None);
    let nobody = ConnectionId(99);
    assert!(
        world.server.set_owner(hero, Some(nobody)).is_err(),
        "who is that?"
    );
    assert!(
        world.server.set_owner(NetId(99), Some(first)).is_err(),
        "what is that?"
    );

    told();
    for owner in [Some(first), Some(first), None, None, Some(second)] {
        world.server.set_owner(hero, owner).unwrap();
        assert_eq!(world.server.owner(hero), owner);
        world.frame();
        for client in [first, second] {
            assert_eq!(world.client(client).is_owned(hero), owner == Some(client));
        }
    }
    let id = hero.0;
    let lines = ["gained", "lost", "gained"].map(|line| format!("{line} {id}"));
    assert_eq!(told_by("client"), lines);
    world.server.despawn(hero).unwrap();
    assert_eq!(world.server.owner(hero), None);
}

// OnStartServerTest, OnStopServer, OnStopLocalPlayer, OnStopClient, OnStartClient, OnStartLocalPlayer,
// OnStartServer_CallsComponent, OnStopServer_CallsComponent, ServerMode_IsFlags_Test, IsServerOnly, IsClientOnly.
#[test]
fn lifecycle_callbacks_run_on_both_sides_and_know_their_side() {
    let mut world = world();
    let (_, player) = world.join(whole());
    world.server.despawn(player).unwrap();
    world.frame();
    let id = player.0;
    let both = told();
    let on = |side: &str| -> Vec<_> {
        let lines = both.iter().filter_map(|line| line.strip_prefix(side));
        lines.map(|line| line.trim().to_owned()).collect()
    };
    // `Hero::lived` looks at the flags each time.
    assert_eq!(
        on("server"),
        [format!("spawn {id}"), format!("despawn {id}")]
    );
    let words = ["spawn", "gained", "is player", "was player", "despawn"];
    assert_eq!(on("client"), words.map(|word| format!("{word} {id}")));
}

// OnStartServerCallsComponentsAndCatchesExceptions, OnStopServerException, OnStartClientCallsComponentsAndCatchesExceptions.
#[test]
fn failing_callback_is_reported_and_does_not_stop_the_rest() {
    let mut world = world();
    let (client, _) = world.join(whole());
    world.events();
    let broken = Hero {
        is_broken: true,
        ..Hero::with(5)
    };
    let object = world.server.spawn(broken);
    world.frame();
    assert_eq!(world.seen::<Hero>(client, object).health, 5);
    world.server.despawn(object).unwrap();
    world.frame();
    assert!(!world.sees(client, object));
    let failed = world.events().into_iter().filter_map(|event| match event {
        MirrorServerEvent::CallbackFailed { callback, .. } => Some(callback),
        _ => None,
    });
    assert_eq!(
        failed.collect::<Vec<_>>(),
        [LifecycleCallback::Spawn, LifecycleCallback::Despawn]
    );
}

// Visibility_Default_UsesInterestManagement, Visibility_ForceHidden_PreventsObserverAdding,
// Visibility_ForceHidden_OwnerConnectionStillAdded, Visibility_ForceShown_IgnoresInterestManagement.
#[test]
fn an_object_that_is_hidden_from_all_is_seen_by_its_owner_alone() {
    let mut world = world();
    let (owner, _) = world.join(whole());
    let (other, _) = world.join(whole());
    let options = MirrorSpawnOptions {
        owner: Some(owner),
        visibility: Visibility::ForceHidden,
        ..MirrorSpawnOptions::default()
    };
    let hero = world.server.try_spawn(Hero::with(1), options).unwrap();
    assert!(world.server.observers(hero).eq([owner]));
    world.server.set_owner(hero, None).unwrap();
    assert!(world.server.observers(hero).eq([]));
    world
        .server
        .set_visibility(hero, Visibility::ForceShown)
        .unwrap();
    assert!(world.server.observers(hero).eq([owner, other]));
}

// ComponentIndex, ComponentIndex_ThreeComponents, HasIdentitysNetId, HasIdentitysConnectionToClient.
#[test]
fn components_are_addressed_by_position() {
    let mut world = world();
    let mut three = (Purse::default(), Hero::with(3), Purse::default());
    three.0.coins.set(1);
    three.2.coins.set(2);
    let (client, object) = world.join(three);
    let identity = world.client(client).identity(object).unwrap();
    assert_eq!(identity.net_id(), object);
    let coins = |index| {
        let client = world.server.get_at::<Purse>(object, index)?;
        Some(*client.coins)
    };
    assert_eq!([coins(0), coins(1), coins(2)], [Some(1), None, Some(2)]);
    world
        .server
        .get_mut_at::<Purse>(object, 2)
        .unwrap()
        .coins
        .set(9);
    world.frame();
    let seen = world.client(client).get_at::<Purse>(object, 2).unwrap();
    assert_eq!(seen.coins, 9);
    assert_eq!(world.server.owner(object), Some(client));
}

#[derive(NetworkBehaviour, Default)]
struct Part {
    #[sync_var]
    value: SyncVar<i32>,
}

fn parts(count: usize) -> BehaviourList {
    (0..count).fold(BehaviourList::new(), |list, _| list.with(Part::default()))
}

fn crowd() -> MirrorPrefabs {
    [1, 2, 63, 64]
        .into_iter()
        .fold(MirrorPrefabs::new(), |prefabs, count| {
            let prefab = MirrorPrefab::new(
                &format!("crowd {count}"),
                u32::try_from(count).unwrap().into(),
            );
            prefabs.register_with(prefab, move || parts(count))
        })
}

// SerializeAndDeserializeN, VarInt_DirtyMask_Compression.
#[test]
fn objects_have_up_to_64_components_and_each_can_change_alone() {
    let mut world = world_of(crowd);
    let (client, _) = world.join(parts(1));
    for count in [1, 2, 63, 64] {
        let object = world.server.spawn(parts(count));
        world.frame();
        for index in 0..count {
            let value = i32::try_from(index).unwrap() + 1;
            let mut part = world.server.get_mut_at::<Part>(object, index).unwrap();
            part.value.set(value);
            drop(part);
            let length = world.state_bytes();
            // Length, id, number, size of the segment, mask of components, length, masks, value.
            if index < 7 {
                // The mask takes one byte as long as it is not more than 240.
                assert_eq!(length, 1 + 2 + 1 + 1 + 1 + 1 + 9 + 1, "component {index}");
            }
            let seen = world.client(client).get_at::<Part>(object, index).unwrap();
            assert_eq!(seen.value, value);
        }
        for index in 0..count {
            let mut part = world.server.get_mut_at::<Part>(object, index).unwrap();
            part.value.set(-1);
        }
        world.frame();
        for index in 0..count {
            let seen = world.client(client).get_at::<Part>(object, index).unwrap();
            assert_eq!(seen.value, -1);
        }
    }
}

// TooManyComponents.
#[test]
#[should_panic(expected = "64")]
fn an_object_of_65_components_cannot_be_registered() {
    let prefab = MirrorPrefab::new("crowd", 1.into());
    let _ = MirrorPrefabs::new().register_with(prefab, || parts(65));
}

/// The four kinds of components: 0 is for all, 1 for the owner, 2 and 3 are that, and are the owner's to write.
fn four() -> MirrorPrefabs {
    let kinds = [
        (SyncMode::Observers, SyncDirection::ServerToClient),
        (SyncMode::Owner, SyncDirection::ServerToClient),
        (SyncMode::Observers, SyncDirection::ClientToServer),
        (SyncMode::Owner, SyncDirection::ClientToServer),
    ];
    let prefab = MirrorPrefab::new("four", 1.into());
    let prefab = (0..)
        .zip(kinds)
        .fold(prefab, |prefab, (index, (mode, direction))| {
            let component = Component::new().sync_mode(mode).sync_direction(direction);
            prefab.component(index, component)
        });
    MirrorPrefabs::new().register_with(prefab, || parts(4))
}

fn values(world: &mut MirrorNetwork, client: ConnectionId, object: NetId) -> [i32; 4] {
    let client = world.client(client);
    [0, 1, 2, 3].map(|index| *client.get_at::<Part>(object, index).unwrap().value)
}

fn write(world: &mut MirrorNetwork, object: NetId, value: i32) {
    for index in 0..4 {
        let mut part = world.server.get_mut_at::<Part>(object, index).unwrap();
        part.value.set(value);
    }
}

// SerializeServer_SyncModeAndDirection_Matrix, SerializeServer_Spawn_OwnerAndObserver,
// SerializeServer_ObserversMode_ServerToClient_ReliableOnly, SerializeServer_Broadcast_NotDirty_WritesNothing,
// Authority_ServerOnly_NotOwned_ServerToClient_IsTrue, Authority_ServerOnly_NotOwned_ClientToServer_IsFalse.
#[test]
fn sync_mode_and_direction_select_the_receivers() {
    let mut world = world_of(four);
    let (other, _) = world.join(parts(4));
    let (owner, object) = world.join(parts(4));
    write(&mut world, object, 5);
    world.frame();
    // What the owner writes is not sent to the owner, and what only the owner reads to nobody else.
    assert_eq!(values(&mut world, owner, object), [5, 5, 0, 0]);
    assert_eq!(values(&mut world, other, object), [5, 0, 5, 0]);
    assert_eq!(world.state_bytes(), 0, "that was all");

    // The owner's spawn has everything, that of the others what is for observers.
    for client in [owner, other] {
        world.server.hide(object, client).unwrap();
    }
    world.frame();
    for client in [owner, other] {
        world.server.restore(object, client).unwrap();
    }
    world.frame();
    assert_eq!(values(&mut world, owner, object), [5, 5, 5, 5]);
    assert_eq!(values(&mut world, other, object), [5, 0, 5, 0]);
}

// SerializeServer_AssignOwner.
#[test]
fn new_owner_receives_owner_only_state() {
    let mut world = world_of(four);
    let (client, _) = world.join(parts(4));
    let object = world.server.spawn(parts(4));
    write(&mut world, object, 5);
    world.frames(2);
    assert_eq!(values(&mut world, client, object), [5, 0, 5, 0]);
    assert_eq!(world.state_bytes(), 0);
    world.server.set_owner(object, Some(client)).unwrap();
    world.frame();
    let [_, owned, ..] = values(&mut world, client, object);
    assert_eq!(owned, 5);
}

// DeserializeServer_ClientToServer_OnlyAcceptsOwnedComponents, SerializeClient_NotInitial_NotDirty_WritesNothing,
// SerializeAndDeserialize_ClientToServer_NOT_OWNED, Authority_ClientOnly_Owned_ClientToServer_IsTrue,
// Authority_ClientOnly_Owned_ServerToClient_IsFalse, Authority_ClientOnly_NotOwned_ClientToServer_IsFalse,
// Authority_ClientOnly_NotOwned_ServerToClient_IsFalse.
#[test]
fn client_sends_owner_written_components_of_owned_objects() {
    let mut world = world_of(four);
    let (owner, object) = world.join(parts(4));
    let (other, _) = world.join(parts(4));
    world.frame();
    for client in [owner, other] {
        for index in 0..4 {
            let client = world.client(client);
            let mut part = client.get_mut_at::<Part>(object, index).unwrap();
            part.value.set(8);
        }
    }
    world.frames(2);
    let written = [0, 1, 2, 3].map(|index| {
        let part = world.server.get_at::<Part>(object, index).unwrap();
        *part.value
    });
    assert_eq!(written, [0, 0, 8, 8]);
    let states = world.client(owner).stats().bytes_sent;
    world.frame();
    assert_eq!(world.client(owner).stats().bytes_sent, states);
}

// DeserializeServer_Exploit_RejectsServerToClientChanges.
#[test]
fn server_ignores_components_a_client_may_not_write() {
    let mut world = world_of(four);
    let (owner, object) = world.join(parts(4));
    world.events();
    // Component 0, and 13 bytes that would be a value of 100.
    let payload = hex::decode("010b000000000000000001c8").unwrap();
    let state = bytes(&EntityStateMessage {
        net_id: object,
        payload: Some(&payload),
    });
    assert!(matches!(
        Message::decode(&state),
        Ok(Message::EntityState(_))
    ));
    world.say(owner, &[&state]).unwrap();
    assert_eq!(world.server.get_at::<Part>(object, 0).unwrap().value, 0);
    assert!(world.server.is_connected(owner));

    let (other, _) = world.join(parts(4));
    world.say(other, &[&state]).unwrap();
    let refused = |event: &MirrorServerEvent| {
        matches!(
            event,
            MirrorServerEvent::StateRefused {
                reason: StateRefusal::NotOwner,
                ..
            }
        )
    };
    assert!(world.events().iter().any(refused));
}

// ClearAllComponentsDirtyBits, TestSyncIntervalAndClearAllComponents, ClearAllDirtyBitsClearsSyncVarDirtyBits,
// ClearAllDirtyBitsClearsSyncObjectsDirtyBits.
#[test]
fn sent_changes_are_not_sent_again() {
    let mut world = world();
    let (client, player) = world.join(whole());
    let mut hero = world.server.get_mut::<Hero>(player).unwrap();
    hero.health.set(1);
    hero.items.push(2);
    drop(hero);
    world.server.get_mut::<Aim>(player).unwrap().yaw.set(3);
    told();
    assert!(world.state_bytes() > 0);
    assert_eq!(world.state_bytes(), 0);
    assert_eq!(world.seen::<Hero>(client, player).items[..], [2]);
}
