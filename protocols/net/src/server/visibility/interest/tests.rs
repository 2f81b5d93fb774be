//! State of areas and views after objects and connections end.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar_runtime::{SpatialGrid, Vector3};

use syncvar_runtime::Prefabs;

use super::*;
use crate::SpawnOptions;
use crate::server::objects::replicated::State;
use crate::server::{NetworkServer, ServerConfig};

/// A behaviour without fields.
#[derive(NetworkBehaviour, Debug, Default)]
struct Rock;

/// A server with an interest management and two ready connections.
fn server(interest: impl InterestManagement) -> (NetworkServer, ConnectionId, ConnectionId) {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let prefabs = Prefabs::new().register::<Rock>("rock");
    let mut server = NetworkServer::with_interest(prefabs, config, interest);
    let [first, second] = [(); 2].map(|()| server.handle_connect());
    server.set_ready(first);
    server.set_ready(second);
    server.update(Duration::ZERO);
    (server, first, second)
}

fn watch(server: &mut NetworkServer, connection: ConnectionId, x: f32) {
    let grid: &mut SpatialGrid = server.interest_mut().unwrap();
    grid.watch(connection, Vector3::new(x, 0.0, 0.0)).unwrap();
}

fn spawn(server: &mut NetworkServer, owner: Option<ConnectionId>) -> NetId {
    let options = SpawnOptions {
        owner,
        ..SpawnOptions::default()
    };
    server.try_spawn(Rock, options).unwrap()
}

#[test]
fn ended_objects_and_connections_leave_no_state() {
    let (mut server, first, second) = server(SpatialGrid::xz(10.0, 10.0));
    let ids: Vec<_> = (0..4)
        .map(|number| spawn(&mut server, (number == 0).then_some(first)))
        .collect();
    server.show(ids[1], first).unwrap();
    server.show(ids[1], second).unwrap();
    server.show(ids[2], second).unwrap();
    watch(&mut server, first, 0.0);
    server.update(Duration::ZERO);
    server.show(ids[3], second).unwrap();
    let grid: &mut SpatialGrid = server.interest_mut().unwrap();
    grid.show_everywhere(ids[3]).unwrap();
    server.update(Duration::ZERO);
    assert!(!server.visibility.interest.shown.is_empty());
    server
        .visibility
        .request_snapshot(&mut server.objects, ids[0], &[first, second]);
    server
        .visibility
        .request_snapshot(&mut server.objects, ids[1], &[second]);

    watch(&mut server, first, 500.0);
    watch(&mut server, second, 0.0);
    server.handle_disconnect(second);
    assert_eq!(server.visibility.pending_snapshots.len(), 1);
    assert!(server.visibility.interest.shown.is_empty());
    server.update(Duration::ZERO);
    for id in &ids {
        server.despawn(*id).unwrap();
    }
    server.handle_disconnect(first);
    server.update(Duration::ZERO);
    assert_nothing_is_left(&server);

    fn assert_nothing_is_left(server: &NetworkServer) {
        let Interest {
            changes,
            areas,
            objects,
            shown,
            area_changes,
            pending_views,
            entered,
            management: _,
        } = &server.visibility.interest;
        assert!(changes.is_empty() && areas.is_empty() && objects.is_empty());
        assert!(
            shown.is_empty()
                && area_changes.is_empty()
                && pending_views.is_empty()
                && entered.is_empty()
        );
        let turnover = &server.visibility.viewer_changes;
        assert!(turnover.crossed.is_empty() && turnover.areas.is_empty());
        assert!(
            server.visibility.pending_snapshots.is_empty() && server.objects.schedule.is_empty()
        );
    }
}

#[test]
fn leaving_an_area_drops_pending_snapshots() {
    let (mut server, first, second) = server(SpatialGrid::xz(10.0, 10.0));
    let id = spawn(&mut server, None);
    watch(&mut server, first, 0.0);
    watch(&mut server, second, 0.0);
    server.update(Duration::ZERO);
    server
        .visibility
        .request_snapshot(&mut server.objects, id, &[first, second]);
    watch(&mut server, first, 500.0);
    server.update(Duration::ZERO);
    assert_eq!(
        server.visibility.pending_snapshots.get(id),
        Some(&vec![second])
    );
    server.set_not_ready(second);
    assert!(
        server.visibility.pending_snapshots.is_empty()
            && !server
                .objects
                .world
                .objects
                .get(id.0)
                .unwrap()
                .is(State::SnapshotPending)
    );
}

#[test]
fn a_server_without_areas_stores_no_shown_connections() {
    let (mut server, first, _) = server(Everyone);
    let id = spawn(&mut server, None);
    server.hide(id, first).unwrap();
    server.show(id, first).unwrap();
    assert!(server.visibility.interest.shown.is_empty());
}

#[test]
fn objects_of_a_closed_owner_rejoin_the_audience_of_their_area() {
    let (mut server, first, second) = server(SpatialGrid::xz(10.0, 10.0));
    let ids: Vec<_> = [None, Some(first), Some(second)]
        .map(|owner| spawn(&mut server, owner))
        .into();
    watch(&mut server, second, 0.0);
    server.update(Duration::ZERO);
    let audience = |server: &NetworkServer, id: NetId| {
        let replicated = server.objects.world.objects.get(id.0).unwrap();
        assert_eq!(replicated.audience, replicated.target_audience);
        replicated.audience
    };
    assert_ne!(audience(&server, ids[0]), audience(&server, ids[1]));
    // One object lost this owner just before, the other still has it.
    server.set_owner(ids[2], Some(first)).unwrap();
    server.update(Duration::ZERO);
    server.set_owner(ids[1], None).unwrap();
    server.handle_disconnect(first);
    server.update(Duration::ZERO);
    assert_eq!(audience(&server, ids[0]), audience(&server, ids[1]));
    assert_eq!(audience(&server, ids[0]), audience(&server, ids[2]));
}
