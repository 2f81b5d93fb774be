//! Objects: who is sent what of them, and when.

use std::time::Duration;

use syncvar::mirror::*;
use syncvar::{
    NetId,
    behaviour::LifecycleCallback,
    interest::SpatialGrid,
    values::{Quaternion, Vector3},
};

use syncvar_testing::mirror::{FRAME, batch};

use super::net::{Aim, Chest, Net, Wallet, aim, prefabs, whole};

#[test]
fn joining_client_gets_all_objects_and_then_its_player() {
    let mut net = Net::new();
    let first = net.server.spawn(whole(5));
    let second = net.server.spawn(whole(6));
    let (connection, player) = net.join();
    net.step();
    let told = ["started", "spawn 1 0", "spawn 2 0", "finished", "spawn 3 3"];
    assert_eq!(net.told(connection), told);
    assert_eq!(net.server.player_of(connection), Some(player));
    assert_eq!(net.server.owner(player), Some(connection));
    let client = &net.clients[&connection];
    assert_eq!(client.objects[&first].gold, 5);
    assert_eq!(client.objects[&second].gold, 6);
    assert_eq!(client.objects[&first].secret, None, "only the owner has it");
    assert_eq!(client.objects[&player].secret, Some(0));
}

#[test]
fn messages_leave_with_the_update_in_order() {
    let mut net = Net::new();
    let (connection, player) = net.join();
    net.deliver();
    assert!(net.told(connection).is_empty());
    net.step();
    net.told(connection);
    net.chest(player).gold.set(9);
    net.server.calls::<Chest>(player).rpc_open(1).unwrap();
    let chest = net.server.spawn(whole(1));
    net.step();
    let told = [
        "rpc 1".to_string(),
        format!("spawn {} 0", chest.0),
        "state 1".into(),
    ];
    assert_eq!(net.told(connection), told);
}

#[test]
fn ready_client_without_a_player_gets_no_objects() {
    let mut net = Net::new();
    net.server.spawn(whole(1));
    let connection = net.connect();
    net.ready(connection);
    net.step();
    // Mirror's server sends this one, which its client cannot make anything of before it has the others.
    net.server.spawn(whole(2));
    net.step();
    assert!(net.told(connection).is_empty());
    net.server.add_player(connection, whole(3)).unwrap();
    net.step();
    let told = ["started", "spawn 1 0", "spawn 2 0", "finished", "spawn 3 3"];
    assert_eq!(net.told(connection), told);
}

#[test]
fn ready_watcher_can_receive_all_objects() {
    let config = MirrorServerConfig {
        spawn_policy: SpawnPolicy::WhenReady,
        ..MirrorServerConfig::default()
    };
    let mut net = Net::of(MirrorServer::with_config(prefabs(), config));
    net.server.spawn(whole(1));
    let connection = net.connect();
    net.ready(connection);
    net.step();
    assert_eq!(net.told(connection), ["started", "spawn 1 0", "finished"]);
}

#[test]
fn unobserved_writes_are_in_the_spawn_and_not_sent_again() {
    let mut net = Net::new();
    let chest = net.server.spawn(whole(1));
    net.chest(chest).gold.set(2);
    net.chest(chest).items.push(3);
    net.step();
    let (connection, _) = net.join();
    net.step();
    assert_eq!(net.clients[&connection].objects[&chest].gold, 2);
    assert_eq!(net.clients[&connection].objects[&chest].items, [3]);
    assert!(!net.told(connection).contains(&"state 1".to_string()));
}

#[test]
fn write_during_a_join_reaches_all_clients_once() {
    let mut net = Net::new();
    let chest = net.server.spawn(whole(1));
    let (early, _) = net.join();
    net.step();
    for item in 0..3 {
        net.chest(chest).items.push(item);
    }
    let (late, _) = net.join();
    net.chest(chest).items.push(3);
    net.chest(chest).items.remove(0);
    net.step();
    for connection in [early, late] {
        assert_eq!(net.clients[&connection].objects[&chest].items, [1, 2, 3]);
    }
}

#[test]
fn owner_only_component_reaches_the_owner_only() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let (other, _) = net.join();
    net.step();
    net.told(owner);
    net.told(other);
    net.server.get_mut::<Wallet>(player).unwrap().secret.set(4);
    net.step();
    assert_eq!(net.told(owner), ["state 1"]);
    assert!(net.told(other).is_empty());
    assert_eq!(net.clients[&owner].objects[&player].secret, Some(4));

    net.server.get_mut::<Wallet>(player).unwrap().secret.set(5);
    net.chest(player).gold.set(6);
    net.step();
    assert_eq!(net.clients[&owner].objects[&player].secret, Some(5));
    assert_eq!(net.clients[&owner].objects[&player].gold, 6);
    assert_eq!(net.clients[&other].objects[&player].secret, None);
    assert_eq!(net.clients[&other].objects[&player].gold, 6);
}

#[test]
fn write_only_state_is_not_kept_for_the_next_owner() {
    let mut net = Net::new();
    let chest = net.server.spawn(whole(1));
    let (connection, _) = net.join();
    net.step();
    net.server.get_mut::<Wallet>(chest).unwrap().secret.set(4);
    net.step();
    net.told(connection);
    net.server.set_owner(chest, Some(connection)).unwrap();
    net.step();
    assert_eq!(net.told(connection), ["owner 1 1", "state 1"]);
    assert_eq!(net.clients[&connection].objects[&chest].secret, Some(4));
    net.server.set_owner(chest, None).unwrap();
    net.step();
    assert_eq!(net.told(connection), ["owner 1 0"]);
}

#[test]
fn owner_write_reaches_all_others_and_runs_hooks() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let (other, _) = net.join();
    net.step();
    net.told(owner);
    net.told(other);
    net.say(owner, &[&aim(player, 30), &aim(player, 40)])
        .unwrap();
    net.step();
    assert!(net.told(owner).is_empty());
    assert_eq!(net.told(other), ["state 1"]);
    assert_eq!(net.clients[&other].objects[&player].yaw, 40);
    let behaviour = net.server.get::<Aim>(player).unwrap();
    assert_eq!(behaviour.turned, [(0, 30), (30, 40)]);
    let events = net.events();
    let written: Vec<_> = { events.iter() }
        .filter_map(MirrorServerEvent::changed::<Aim>)
        .map(|changed| (changed.object(), changed.contains(Aim::YAW)))
        .collect();
    assert_eq!(written, [(player, true); 2]);
    assert!(
        events
            .iter()
            .all(|event| event.changed::<Chest>().is_none())
    );
}

#[test]
fn equal_owner_write_is_forwarded_without_a_hook() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let (other, _) = net.join();
    net.step();
    net.told(other);
    net.say(owner, &[&aim(player, 0)]).unwrap();
    net.step();
    assert_eq!(net.told(other), ["state 1"]);
    assert!(net.server.get::<Aim>(player).unwrap().turned.is_empty());
}

#[test]
fn set_dirty_sends_all_of_a_component() {
    let mut net = Net::new();
    let chest = net.server.spawn(whole(8));
    let (connection, _) = net.join();
    net.step();
    net.told(connection);
    net.server.set_dirty(chest, 0).unwrap();
    assert!(net.server.set_dirty(chest, 3).is_err());
    net.step();
    assert_eq!(net.told(connection), ["state 1"]);
    net.step();
    assert!(net.told(connection).is_empty());
}

#[test]
fn component_interval_delays_only_its_component() {
    let component = Component::new().sync_interval(Duration::from_millis(40));
    let prefab = MirrorPrefab::new("slow", AssetId(5)).component(1, component);
    let prefabs = MirrorPrefabs::new().register::<(Chest, Chest)>(prefab);
    let config = MirrorServerConfig {
        spawn_policy: SpawnPolicy::WhenReady,
        ..MirrorServerConfig::default()
    };
    let mut server = MirrorServer::with_config(prefabs, config);
    let id = server.spawn((Chest::default(), Chest::default()));
    let connection = server.handle_connect(Limits::TELEPATHY);
    let ready = batch(FRAME, &[&[0xbc, 0xaa]]);
    server
        .handle_packet(connection, syncvar::Channel::Reliable, &ready)
        .unwrap();
    let mut lengths = Vec::new();
    for frame in 0..8_u64 {
        if frame == 1 {
            server.get_mut_at::<Chest>(id, 0).unwrap().gold.set(1);
            server.get_mut_at::<Chest>(id, 1).unwrap().gold.set(1);
        }
        server.update(Duration::from_millis(10 * frame));
        let mut length = 0;
        while let Some(transmit) = server.poll_transmit() {
            if transmit.channel == syncvar::Channel::Reliable {
                length += transmit.len();
            }
        }
        lengths.push(length);
    }
    // The spawn at 0 ms; the first component at 10 ms, the second one 40 ms after the spawn.
    let one = 8 + 1 + 16;
    assert_eq!(lengths[1..], [one, 0, 0, one, 0, 0, 0]);
}

#[test]
fn hide_despawns_for_one_client_and_show_sends_current_state() {
    let mut net = Net::new();
    let chest = net.server.spawn(whole(1));
    let (first, _) = net.join();
    let (second, _) = net.join();
    net.step();
    net.told(first);
    net.told(second);
    net.server.hide(chest, first).unwrap();
    net.chest(chest).items.push(5);
    net.step();
    assert_eq!(net.told(first), ["hide 1"]);
    assert_eq!(net.told(second), ["state 1"]);
    net.server.show(chest, first).unwrap();
    net.chest(chest).items.push(6);
    net.step();
    assert_eq!(net.told(first), ["spawn 1 0", "state 1"]);
    assert_eq!(net.clients[&first].objects[&chest].items, [5, 6]);
    assert!(net.server.hide(NetId(99), first).is_err());
}

#[test]
fn owner_overrides_visibility_which_overrides_interest() {
    let grid = SpatialGrid::xz(10.0, 15.0);
    let config = MirrorServerConfig::default();
    let mut net = Net::of(MirrorServer::with_interest(prefabs(), config, grid));
    let at = |x: f32| MirrorSpawnOptions {
        position: Vector3::new(x, 0.0, 0.0),
        ..MirrorSpawnOptions::default()
    };
    let near = net.server.try_spawn(whole(1), at(5.0)).unwrap();
    let far = net.server.try_spawn(whole(2), at(500.0)).unwrap();
    let connection = net.connect();
    let grid: &mut SpatialGrid = net.server.interest_mut().unwrap();
    grid.watch(connection, Vector3::new(1.0, 0.0, 1.0)).unwrap();
    let player = net
        .server
        .add_player_with(connection, whole(3), at(900.0))
        .unwrap();
    net.step();
    let told = ["started", "spawn 1 0", "finished", "spawn 3 3"];
    assert_eq!(net.told(connection), told);

    net.server
        .set_visibility(far, Visibility::ForceShown)
        .unwrap();
    net.server
        .set_visibility(near, Visibility::ForceHidden)
        .unwrap();
    net.server
        .set_visibility(player, Visibility::ForceHidden)
        .unwrap();
    net.step();
    assert_eq!(net.told(connection), ["spawn 2 0", "hide 1"]);
    net.server
        .set_visibility(far, Visibility::ByDefault)
        .unwrap();
    net.server.set_owner(near, Some(connection)).unwrap();
    net.step();
    assert_eq!(net.told(connection), ["hide 2", "spawn 1 1"]);
    net.server.set_owner(near, None).unwrap();
    net.step();
    assert_eq!(net.told(connection), ["owner 1 0", "hide 1"]);
    assert!(
        net.server
            .interest::<syncvar::interest::GroupTags>()
            .is_err()
    );
}

#[test]
fn objects_that_move_come_into_sight_and_go_out_of_it() {
    let grid = SpatialGrid::xz(10.0, 15.0);
    let config = MirrorServerConfig {
        spawn_policy: SpawnPolicy::WhenReady,
        ..MirrorServerConfig::default()
    };
    let mut net = Net::of(MirrorServer::with_interest(prefabs(), config, grid));
    let chest = net.server.spawn(whole(1));
    let connection = net.connect();
    let grid: &mut SpatialGrid = net.server.interest_mut().unwrap();
    grid.watch(connection, Vector3::new(1.0, 0.0, 1.0)).unwrap();
    net.ready(connection);
    net.step();
    assert_eq!(net.told(connection), ["started", "spawn 1 0", "finished"]);
    for (x, told) in [(300.0, "hide 1"), (4.0, "spawn 1 0")] {
        let position = Vector3::new(x, 0.0, 0.0);
        net.server
            .set_transform(chest, position, Quaternion::IDENTITY)
            .unwrap();
        net.chest(chest).gold += 1;
        net.step();
        assert_eq!(net.told(connection), [told]);
    }
    assert_eq!(net.clients[&connection].objects[&chest].gold, 3);
}

#[test]
fn despawn_reaches_all_observers() {
    let mut net = Net::new();
    let chest = net.server.spawn(whole(1));
    let (connection, _) = net.join();
    net.step();
    net.told(connection);
    net.chest(chest).gold.set(4);
    net.server.despawn(chest).unwrap();
    assert!(net.server.despawn(chest).is_err());
    net.step();
    assert_eq!(net.told(connection), ["destroy 1"]);
    assert!(net.server.get::<Chest>(chest).is_none());
}

#[test]
fn callbacks_run_before_the_send_and_their_errors_are_events() {
    let mut net = Net::new();
    let (connection, _) = net.join();
    let mut broken = whole(-1);
    broken.0.is_broken = true;
    let id = net.server.spawn(broken);
    assert_eq!(net.server.get::<Chest>(id).unwrap().life, ["spawn"]);
    let failed = |event: &MirrorServerEvent| {
        matches!(event, MirrorServerEvent::CallbackFailed { callback, message, .. }
            if *callback == LifecycleCallback::Spawn && message == "the lid is stuck")
    };
    assert!(net.events().iter().any(failed));
    net.step();
    net.told(connection);

    net.server.set_owner(id, Some(connection)).unwrap();
    net.server.set_owner(id, None).unwrap();
    assert_eq!(
        net.server.get::<Chest>(id).unwrap().life,
        ["spawn", "lost", "gained"]
    );
    // What spawns another one when it goes.
    net.server.despawn(id).unwrap();
    net.step();
    let told = ["owner 2 1", "owner 2 0", "spawn 3 0", "destroy 2"];
    assert_eq!(net.told(connection), told);
}

#[test]
fn objects_that_cannot_be_spawned_are_errors() {
    let mut net = Net::new();
    let options = MirrorSpawnOptions::default;
    let spawned = net.server.try_spawn(Aim::default(), options());
    assert!(matches!(
        spawned,
        Err(MirrorSpawnError::Prefab(PrefabError::NotRegistered(_)))
    ));
    let spawned = net.server.try_spawn(Chest::default(), options());
    assert_eq!(spawned, Err(MirrorSpawnError::NoSceneId("chest".into())));
    let named = |name: &str| MirrorSpawnOptions {
        prefab: Some(name.into()),
        ..options()
    };
    let spawned = net.server.try_spawn(whole(1), named("nobody"));
    assert_eq!(
        spawned,
        Err(PrefabError::UnknownName("nobody".into()).into())
    );
    let spawned = net.server.try_spawn(whole(1), named("chest"));
    assert!(matches!(
        spawned,
        Err(MirrorSpawnError::Prefab(
            PrefabError::OtherBehaviours { .. }
        ))
    ));
    let nobody = syncvar::ConnectionId(9);
    let player = net.server.add_player(nobody, whole(1));
    assert_eq!(player, Err(MirrorSpawnError::UnknownOwner(nobody)));
    let scene = |id| (SceneId(id), Chest::default(), options());
    let spawn =
        |net: &mut Net, (id, chest, options)| net.server.spawn_scene_object(id, chest, options);
    assert!(spawn(&mut net, scene(0x1234_0000_0001)).is_ok());
    for id in [0x1234_0000_0001, 0] {
        let taken = Err(MirrorSpawnError::SceneIdTaken(SceneId(id)));
        assert_eq!(spawn(&mut net, scene(id)), taken);
    }
    assert_eq!(net.server.object_count(), 1);
}
