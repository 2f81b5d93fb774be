//! Spawning: ids, prefabs, places, and what is wrong with them.

use syncvar::error::SpawnError;
use syncvar::prelude::*;
use syncvar_testing::{Door, network};

#[test]
fn invalid_spawn_returns_its_reason_and_spawns_no_object() {
    let mut net = network(1);
    let error = |options| net.server.try_spawn(Door::default(), options).unwrap_err();
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
        .try_spawn(unregistered, SpawnOptions::default())
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
        net.server.try_spawn(Door::default(), options.clone()),
        Ok(NetId(300))
    );
    assert_eq!(
        net.server.try_spawn(Door::default(), options),
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
fn distant_id_is_skipped_by_later_ids() {
    const NEAR: u32 = 1 << 24;
    let mut net = network(1);
    let mut spawn = |number| net.server.try_spawn(Door::default(), with_id(number));
    let far = NEAR + 3;
    for number in [u32::MAX, far] {
        assert_eq!(spawn(number), Ok(NetId(number)));
    }
    assert_eq!(net.server.spawn(Door::default()), NetId(1));
    let mut spawn = |number| net.server.try_spawn(Door::default(), with_id(number));
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
    let spawn = |net: &mut MemoryNetwork, options| net.server.try_spawn(Door::default(), options);
    let mut net = network(0);
    let hops = (1..256).map(|hop| hop << 24).chain([u32::MAX - 2]);
    for number in hops {
        let spawned = spawn(&mut net, with_id(number));
        assert_eq!(spawned, Ok(NetId(number)));
    }
    for number in [u32::MAX - 1, u32::MAX] {
        assert_eq!(net.server.spawn(Door::default()), NetId(number));
        net.server.despawn(NetId(number)).unwrap();
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

/// One behaviour can stand on several prefabs.
#[test]
fn spawn_carries_prefab_name_position_and_rotation() {
    let prefabs = || {
        Prefabs::new()
            .register::<Door>("gate")
            .register::<Door>("hatch")
    };
    let mut net = MemoryNetwork::new(prefabs);
    let client = net.connect();
    let options = SpawnOptions {
        prefab: Some("hatch".into()),
        position: Vector3::new(1.0, 2.0, 3.0),
        rotation: Some(Quaternion::new(0.0, 1.0, 0.0, 0.0)),
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Door::default(), options).unwrap();
    net.settle();
    let identity = net.client(client).identity(id).unwrap();
    assert_eq!(
        net.client(client).prefabs().name(identity.asset_id()),
        Some("hatch")
    );
    assert_eq!(identity.position, Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(identity.rotation, Quaternion::new(0.0, 1.0, 0.0, 0.0));
}

#[test]
fn late_joiner_receives_the_current_position() {
    let mut net = network(1);
    let id = net.server.spawn(Door::default());
    net.settle();
    let position = Vector3::new(4.0, 5.0, 6.0);
    let rotation = Quaternion::new(0.0, 1.0, 0.0, 0.0);
    net.server.set_transform(id, position, rotation).unwrap();
    assert!(
        net.server
            .set_transform(NetId(77), position, rotation)
            .is_err()
    );
    net.settle();
    let late = net.connect();
    net.settle();
    let place = |client| {
        let identity = net.client(client).identity(id).unwrap();
        (identity.position, identity.rotation)
    };
    assert_eq!(place(late), (position, rotation));
    assert_ne!(place(0).0, position, "those who have it are not told");
}

#[test]
fn a_server_without_channels_has_a_reliable_one() {
    let mut config = ServerConfig::default();
    config.channels.clear();
    let link = syncvar::testing::Conditions::default();
    let mut net = MemoryNetwork::with_config(syncvar_testing::prefabs, config, link);
    let client = net.connect();
    net.settle();
    let id = net.server.spawn(Door::default());
    net.settle();
    net.server.get_mut::<Door>(id).unwrap().open.set(true);
    net.settle();
    assert!(*net.client(client).get::<Door>(id).unwrap().open);
}
