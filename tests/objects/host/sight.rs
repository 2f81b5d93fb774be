//! What the local client sees: by name, by area, by ownership.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{
    ServerConfig,
    interest::{Everyone, GroupTags, InterestManagement, SpatialGrid, Tag},
    values::Vector3,
};

use super::{despawned, hosted, local, owner_changed, spawned, told};
use syncvar_testing::{Compass, Door, Player};

fn player() -> Player {
    Player::new(1, "a")
}

#[test]
fn objects_are_spawned_hidden_shown_and_despawned_for_it() {
    let (mut net, connection) = hosted(1);
    let id = net.server.spawn(player());
    assert!(net.server.is_visible(id, connection));
    net.settle();
    assert_eq!(told(&mut net), [spawned(id)]);
    net.server.hide(id, connection).unwrap();
    assert!(!net.server.is_visible(id, connection));
    assert!(local(&net).get::<Player>(id).is_some(), "until the update");
    net.settle();
    assert_eq!(told(&mut net), [despawned(id, true)]);
    assert!(local(&net).get::<Player>(id).is_none() && local(&net).object_count() == 0);
    assert!(net.server.get::<Player>(id).is_some());
    net.server.show(id, connection).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [spawned(id)]);
    net.server.despawn(id).unwrap();
    assert!(
        local(&net).identity(id).is_none(),
        "the object is the server's own"
    );
    net.settle();
    assert_eq!(told(&mut net), [despawned(id, false)]);
    assert!(net.server.show(id, connection).is_err() && net.server.hide(id, connection).is_err());
    assert!(net.server.restore(id, connection).is_err() && !net.server.is_visible(id, connection));
}

#[test]
fn change_undone_before_the_update_is_not_reported() {
    let (mut net, connection) = hosted(1);
    let id = net.server.spawn(player());
    net.settle();
    told(&mut net);
    net.server.hide(id, connection).unwrap();
    net.server.restore(id, connection).unwrap();
    net.server.set_owner(id, Some(connection)).unwrap();
    net.server.set_owner(id, None).unwrap();
    let other = net.server.spawn(player());
    net.server.despawn(other).unwrap();
    net.settle();
    assert!(told(&mut net).is_empty());
}

#[test]
fn operations_for_all_clients_include_the_local_one() {
    let (mut net, connection) = hosted(1);
    let options = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(player(), options).unwrap();
    net.settle();
    assert!(told(&mut net).is_empty() && !net.server.is_visible(id, connection));
    net.server.show_to_all(id).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [spawned(id)]);
    net.server.show(id, connection).unwrap();
    net.server.hide_from_all(id).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [despawned(id, true)], "all includes it");
    net.server.show(id, connection).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [spawned(id)]);
    net.server.restore(id, connection).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [despawned(id, true)]);
    net.server.show_by_interest(id).unwrap();
    net.settle();
    assert_eq!(
        told(&mut net),
        [spawned(id)],
        "there is no interest management"
    );
}

#[test]
fn local_client_can_own_objects() {
    let (mut net, connection) = hosted(1);
    let options = SpawnOptions {
        owner: Some(connection),
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(player(), options).unwrap();
    assert_eq!(net.server.owner(id), Some(connection));
    assert!(!local(&net).is_owner(id), "not before it sees it");
    net.settle();
    assert_eq!(told(&mut net), [spawned(id), owner_changed(id, true)]);
    assert!(local(&net).is_owner(id));
    let other = net.connection(0);
    net.server.set_owner(id, Some(other)).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [owner_changed(id, false)]);
    assert!(!local(&net).is_owner(id) && net.client(0).is_owner(id));
    net.server.set_owner(id, Some(connection)).unwrap();
    net.server.hide(id, connection).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [despawned(id, true)]);
    assert!(!local(&net).is_owner(id) && !net.client(0).is_owner(id));
    net.server.show(id, connection).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [spawned(id), owner_changed(id, true)]);
}

fn interested(management: impl InterestManagement) -> (MemoryNetwork, ConnectionId) {
    let mut net = MemoryNetwork::new(syncvar_testing::prefabs);
    let (prefabs, config) = (syncvar_testing::prefabs(), ServerConfig::default());
    net.server = NetworkServer::with_interest(prefabs, config, management);
    net.connect();
    let local = net.server.connect_local();
    net.settle();
    told(&mut net);
    (net, local)
}

fn spawn_at(net: &mut MemoryNetwork, x: f32) -> NetId {
    let position = Vector3::new(x, 0.0, 0.0);
    let options = SpawnOptions {
        position,
        ..SpawnOptions::default()
    };
    net.server.try_spawn(player(), options).unwrap()
}

fn watch(net: &mut MemoryNetwork, connection: ConnectionId, x: f32) {
    let grid: &mut SpatialGrid = net.server.interest_mut().unwrap();
    grid.watch(connection, Vector3::new(x, 0.0, 0.0)).unwrap();
}

#[test]
fn grid_shows_near_objects_to_the_local_client() {
    let (mut net, connection) = interested(SpatialGrid::xz(10.0, 20.0));
    let (near, far) = (spawn_at(&mut net, 0.0), spawn_at(&mut net, 500.0));
    net.settle();
    assert!(told(&mut net).is_empty() && !net.server.is_visible(near, connection));
    watch(&mut net, connection, 0.0);
    net.settle();
    assert_eq!(told(&mut net), [spawned(near)]);
    watch(&mut net, connection, 500.0);
    net.settle();
    assert_eq!(told(&mut net), [despawned(near, true), spawned(far)]);
    net.server
        .set_transform(far, Vector3::default(), Quaternion::IDENTITY)
        .unwrap();
    net.settle();
    assert_eq!(told(&mut net), [despawned(far, true)]);
    net.server.set_owner(far, Some(connection)).unwrap();
    net.settle();
    assert_eq!(
        told(&mut net),
        [spawned(far), owner_changed(far, true)],
        "an owner sees its objects wherever it looks"
    );
    net.server.set_owner(far, None).unwrap();
    net.server.show(near, connection).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [spawned(near), despawned(far, true)]);
    watch(&mut net, connection, 0.0);
    net.server.hide(near, connection).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [despawned(near, true), spawned(far)]);
    net.server.show_by_interest(near).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [spawned(near)]);
}

#[test]
fn entering_view_runs_no_hook() {
    let (mut net, connection) = interested(SpatialGrid::xz(10.0, 20.0));
    let id = spawn_at(&mut net, 0.0);
    let other = net.connection(0);
    watch(&mut net, other, 0.0);
    net.settle();
    syncvar_testing::change(&mut net, id, |player| player.health.set(7));
    watch(&mut net, connection, 0.0);
    net.settle();
    assert_eq!(super::hooks(&mut net, id), [""; 0]);
    syncvar_testing::change(&mut net, id, |player| player.health.set(8));
    net.settle();
    assert_eq!(super::hooks(&mut net, id), ["health 7 -> 8 (a, 0)"]);
}

// checklist: M3
#[test]
fn local_view_does_not_hasten_the_sends_to_others() {
    let (mut net, connection) = interested(SpatialGrid::xz(10.0, 20.0));
    net.tick = Duration::from_millis(50);
    let id = net.server.spawn((Door::default(), Compass::default()));
    let other = net.connection(0);
    watch(&mut net, other, 0.0);
    net.settle();
    let turn = |net: &mut MemoryNetwork, heading| {
        let mut compass = net.server.get_mut::<Compass>(id).unwrap();
        compass.heading.set(heading);
    };
    let heading = |net: &MemoryNetwork| *net.client(0).get::<Compass>(id).unwrap().heading;
    turn(&mut net, 1.0);
    net.settle();
    assert_eq!(heading(&net).to_bits(), 1.0_f32.to_bits());
    turn(&mut net, 2.0);
    watch(&mut net, connection, 0.0);
    net.step();
    assert_eq!(told(&mut net), [spawned(id)]);
    assert_eq!(heading(&net).to_bits(), 1.0_f32.to_bits(), "it waits");
    net.server.hide(id, connection).unwrap();
    net.step();
    net.server.show(id, connection).unwrap();
    net.server.set_owner(id, Some(connection)).unwrap();
    net.step();
    assert_eq!(heading(&net).to_bits(), 1.0_f32.to_bits(), "still");
    net.settle();
    assert_eq!(heading(&net).to_bits(), 2.0_f32.to_bits());
}

#[test]
fn tags_show_the_local_client_its_objects() {
    let (mut net, connection) = interested(GroupTags::new(Everyone));
    let id = net.server.spawn(player());
    net.settle();
    assert_eq!(told(&mut net), [spawned(id)]);
    net.server.show(id, connection).unwrap();
    let teams: &mut GroupTags = net.server.interest_mut().unwrap();
    teams.tag(id, Some(Tag(1))).unwrap();
    net.settle();
    assert!(told(&mut net).is_empty(), "it was shown, which matters now");
    net.server.restore(id, connection).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [despawned(id, true)]);
    let teams: &mut GroupTags = net.server.interest_mut().unwrap();
    teams.join(connection, Tag(1)).unwrap();
    net.settle();
    assert_eq!(told(&mut net), [spawned(id)]);
    net.server.disconnect(connection, "");
    let again = net.server.connect_local();
    net.settle();
    assert_eq!(told(&mut net), [ClientEvent::Connected, ClientEvent::Ready]);
    assert!(!net.server.is_visible(id, again), "it is another one");
}

#[test]
fn unwritable_object_appears_once_writable() {
    let mut server = NetworkServer::new(syncvar_testing::prefabs());
    server.connect_local();
    let id = server.spawn(player());
    server.update(Duration::from_millis(1));
    assert!(server.local_client().unwrap().get::<Player>(id).is_some());
}
