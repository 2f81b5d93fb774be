//! Who is hidden from gets nothing of what is written afterwards: not an event, and not a byte.

use syncvar::prelude::*;
use syncvar::{
    Budget, Framing, ServerConfig,
    interest::SpatialGrid,
    values::{Quaternion, Vector3},
};
use syncvar_testing::{Crowd, client};

const SECRET: &str = "a secret";

/// A unit with a name to be found in the bytes, a list, and a call.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var]
    name: SyncVar<String>,
    #[sync_var]
    orders: SyncList<String>,
}

#[network_calls]
impl Unit {
    #[client_rpc]
    fn shout(&mut self, _words: String) {}
}

/// A unit some of whose fields only its owner may read.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Agent {
    #[sync_var]
    name: SyncVar<String>,
    #[sync_var(read = owner)]
    orders: SyncVar<String>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Unit>("unit")
        .register::<Agent>("agent")
}

/// Returns a server with a grid, and three clients at the origin that ask for these framings by turns.
fn world(framings: &[Framing]) -> (Crowd, [ConnectionId; 3]) {
    let grid = SpatialGrid::xz(10.0, 10.0);
    let server = NetworkServer::with_interest(prefabs(), ServerConfig::default(), grid);
    let mut world = Crowd::of(server, || NetworkClient::new(prefabs()));
    let connections = [0, 1, 2].map(|place| {
        let connection = world.add(client(prefabs(), framings[place % framings.len()]));
        watch(&mut world, connection, 0.0);
        connection
    });
    world.steps(4);
    world.forget();
    (world, connections)
}

fn watch(world: &mut Crowd, connection: ConnectionId, x: f32) {
    let grid: &mut SpatialGrid = world.server.interest_mut().unwrap();
    grid.watch(connection, Vector3::new(x, 0.0, 0.0)).ok();
}

fn move_to(world: &mut Crowd, id: NetId, x: f32) {
    let place = Vector3::new(x, 0.0, 0.0);
    let moved = world.server.set_transform(id, place, Quaternion::IDENTITY);
    moved.unwrap();
}

/// Spawns a unit at the origin, which all clients know.
fn unit(world: &mut Crowd) -> NetId {
    let id = world.server.spawn(Unit::default());
    world.step();
    world.forget();
    id
}

/// Spawns an agent of an owner, which all clients know.
fn agent(world: &mut Crowd, owner: ConnectionId) -> NetId {
    let id = world.owned(Agent::default(), owner);
    world.step();
    world.forget();
    id
}

fn write(world: &mut Crowd, id: NetId, text: &str) {
    let mut unit = world.server.get_mut::<Unit>(id).unwrap();
    unit.name.set(text.into());
    unit.orders.push(text.into());
}

/// Returns the state of a unit on a client.
fn state(world: &Crowd, connection: ConnectionId, id: NetId) -> Option<(String, usize)> {
    let unit = world.clients[&connection].get::<Unit>(id)?;
    Some((unit.name.to_string(), unit.orders.len()))
}

/// Asserts that a client heard of the hide of an object and of nothing else, and did not receive the secret.
#[track_caller]
fn assert_only_hidden(world: &mut Crowd, connection: ConnectionId, object: NetId) {
    let hidden = true;
    let expected = [ClientEvent::Despawned { object, hidden }];
    assert_eq!(world.events(connection), expected);
    assert!(!world.was_sent(connection, SECRET));
    let stats = world.clients[&connection].stats();
    assert_eq!(stats.unknown_objects, 0);
}

/// Runs a test in each framing alone and in both.
fn in_every_framing(test: impl Fn(Crowd, [ConnectionId; 3])) {
    let (unet, compact) = (Framing::Unet, Framing::Compact);
    for framings in [&[unet][..], &[compact], &[unet, compact]] {
        let (world, connections) = world(framings);
        test(world, connections);
    }
}

fn changed(events: &[ClientEvent], object: NetId) -> bool {
    let of_object = |event: &ClientEvent| match event {
        ClientEvent::Changed {
            object: changed, ..
        } => *changed == object,
        _ => false,
    };
    events.iter().filter(|event| of_object(event)).count() == 1
}

// checklist: T36
#[test]
fn hidden_client_misses_changes_of_the_same_update() {
    in_every_framing(|mut world, [gone, stays, other]| {
        let id = unit(&mut world);
        world.server.hide(id, gone).ok();
        write(&mut world, id, SECRET);
        world.step();
        assert_only_hidden(&mut world, gone, id);
        for connection in [stays, other] {
            assert!(changed(&world.events(connection), id));
            assert_eq!(state(&world, connection, id), Some((SECRET.into(), 1)));
        }
        // It may come back, and misses nothing.
        world.server.show(id, gone).ok();
        world.step();
        assert_eq!(state(&world, gone, id), Some((SECRET.into(), 1)));
        assert_eq!(world.events(gone), [ClientEvent::Spawned { object: id }]);
        write(&mut world, id, "more");
        world.step();
        for connection in [gone, stays, other] {
            assert_eq!(state(&world, connection, id), Some(("more".into(), 2)));
        }
    });
}

// checklist: T36
#[test]
fn unsent_change_before_a_hide_is_not_sent() {
    in_every_framing(|mut world, [gone, stays, other]| {
        let id = unit(&mut world);
        write(&mut world, id, SECRET);
        world.server.hide_from_all(id).unwrap();
        world.server.show(id, stays).ok();
        world.step();
        assert_only_hidden(&mut world, gone, id);
        assert_only_hidden(&mut world, other, id);
        assert_eq!(state(&world, stays, id), Some((SECRET.into(), 1)));
    });
}

// checklist: T41
#[test]
fn object_is_shown_to_one_and_hidden_from_another_in_one_update() {
    in_every_framing(|mut world, [gone, stays, comes]| {
        let id = unit(&mut world);
        world.server.hide(id, comes).ok();
        world.step();
        world.forget();
        world.server.show(id, comes).ok();
        world.server.hide(id, gone).ok();
        write(&mut world, id, SECRET);
        world.step();
        assert_only_hidden(&mut world, gone, id);
        assert!(changed(&world.events(stays), id));
        assert_eq!(world.events(comes), [ClientEvent::Spawned { object: id }]);
        for connection in [stays, comes] {
            assert_eq!(state(&world, connection, id), Some((SECRET.into(), 1)));
        }
    });
}

// checklist: T42 T46
#[test]
fn hide_then_show_keeps_changes_and_show_then_hide_ends_hidden() {
    in_every_framing(|mut world, [first, second, other]| {
        let id = unit(&mut world);
        world.server.hide(id, first).ok();
        world.server.hide(id, second).ok();
        write(&mut world, id, "between");
        world.server.show(id, first).ok();
        world.server.show(id, second).ok();
        world.server.hide(id, second).ok();
        world.step();
        for connection in [first, other] {
            assert_eq!(state(&world, connection, id), Some(("between".into(), 1)));
            assert!(changed(&world.events(connection), id));
        }
        let hidden = true;
        let expected = [ClientEvent::Despawned { object: id, hidden }];
        assert_eq!(world.events(second), expected);
        assert!(!world.was_sent(second, "between"));
    });
}

// checklist: T36
#[test]
fn leaving_view_drops_pending_changes() {
    in_every_framing(|mut world, [gone, stays, left_behind]| {
        let (id, still) = (unit(&mut world), unit(&mut world));
        // The object goes away and one who watches goes with it; another goes elsewhere.
        move_to(&mut world, id, 1000.0);
        watch(&mut world, stays, 1000.0);
        watch(&mut world, gone, -1000.0);
        write(&mut world, id, SECRET);
        write(&mut world, still, "another secret");
        world.step();
        let hidden = true;
        let lost = |object| ClientEvent::Despawned { object, hidden };
        let events = world.events(gone);
        assert_eq!(events, [lost(id), lost(still)]);
        assert_eq!(world.events(left_behind).first(), Some(&lost(id)));
        assert_eq!(
            state(&world, left_behind, still),
            Some(("another secret".into(), 1))
        );
        assert!(!world.was_sent(left_behind, SECRET));
        assert!(!world.was_sent(gone, "secret"));
        // Who sees it before and after is told of the change.
        let events = world.events(stays);
        assert!(changed(&events, id) && events.contains(&lost(still)));
        assert_eq!(events.len(), 2);
        assert_eq!(state(&world, stays, id), Some((SECRET.into(), 1)));
        assert!(!world.was_sent(stays, "another secret"));
    });
}

// checklist: T50
#[test]
fn former_owner_out_of_view_receives_no_changes() {
    in_every_framing(|mut world, [owner, near, _]| {
        let id = agent(&mut world, owner);
        watch(&mut world, owner, 1000.0);
        world.step();
        assert_eq!(world.events(owner), []);
        world.server.set_owner(id, None).ok();
        world
            .server
            .get_mut::<Agent>(id)
            .unwrap()
            .name
            .set(SECRET.into());
        world.step();
        let hidden = true;
        let (owned, object) = (false, id);
        let expected = [
            ClientEvent::OwnerChanged { object, owned },
            ClientEvent::Despawned { object, hidden },
        ];
        assert_eq!(world.events(owner), expected);
        assert!(!world.was_sent(owner, SECRET) && world.was_sent(near, SECRET));
    });
}

// checklist: T36
#[test]
fn restricted_fields_are_hidden_despite_an_owner_change() {
    in_every_framing(|mut world, [owner, gone, heir]| {
        let id = agent(&mut world, owner);
        for hidden_from in [owner, gone] {
            world.server.hide(id, hidden_from).ok();
        }
        let mut agent = world.server.get_mut::<Agent>(id).unwrap();
        agent.name.set(SECRET.into());
        agent.orders.set(SECRET.into());
        drop(agent);
        // That sends at once what has changed.
        world.server.set_owner(id, Some(heir)).ok();
        world.server.set_owner(id, Some(gone)).ok();
        world.server.set_owner(id, Some(heir)).ok();
        world.step();
        assert_only_hidden(&mut world, owner, id);
        assert_only_hidden(&mut world, gone, id);
        let agent = world.clients[&heir].get::<Agent>(id).unwrap();
        assert_eq!((&**agent.name, &**agent.orders), (SECRET, SECRET));
    });
}

// checklist: T36
#[test]
fn limited_connection_receives_no_backlog_of_hidden_objects() {
    in_every_framing(|mut world, [gone, stays, _]| {
        let ids: Vec<_> = (0..20).map(|_| unit(&mut world)).collect();
        world.server.set_budget(gone, Some(Budget::new(60))).ok();
        world.server.set_budget(stays, Some(Budget::new(60))).ok();
        for id in &ids {
            write(&mut world, *id, "known");
        }
        world.step();
        // Most of them wait for their turn now.
        let missed: Vec<_> = ids
            .iter()
            .copied()
            .filter(|id| state(&world, gone, *id) == Some((String::new(), 0)))
            .collect();
        assert!(missed.len() > 10);
        world.forget();
        for id in &missed {
            world.server.hide(*id, gone).ok();
            write(&mut world, *id, SECRET);
        }
        for _ in 0..200 {
            world.step();
        }
        let hidden = true;
        let expected = missed.iter().map(|id| ClientEvent::Despawned {
            object: *id,
            hidden,
        });
        assert_eq!(world.events(gone), expected.collect::<Vec<_>>());
        assert!(!world.was_sent(gone, SECRET) && !world.was_sent(gone, "known"));
        for id in missed {
            assert_eq!(state(&world, stays, id), Some((SECRET.into(), 2)));
        }
    });
}

// checklist: T36
#[test]
fn calls_after_a_hide_skip_the_client_and_earlier_ones_arrive() {
    in_every_framing(|mut world, [gone, stays, _]| {
        let id = unit(&mut world);
        world
            .server
            .calls::<Unit>(id)
            .shout("before".into())
            .unwrap();
        world.server.hide(id, gone).ok();
        world.server.calls::<Unit>(id).shout(SECRET.into()).unwrap();
        write(&mut world, id, "also a secret");
        world.step();
        assert_only_hidden(&mut world, gone, id);
        assert!(world.was_sent(gone, "before"));
        assert!(world.was_sent(stays, SECRET));
        assert_eq!(state(&world, stays, id), Some(("also a secret".into(), 1)));
    });
}

// checklist: T43
#[test]
fn hidden_then_despawned_object_is_hidden_and_gone() {
    in_every_framing(|mut world, [gone, stays, _]| {
        let id = unit(&mut world);
        world
            .server
            .calls::<Unit>(id)
            .shout("before".into())
            .unwrap();
        world.server.hide(id, gone).ok();
        write(&mut world, id, SECRET);
        world.server.despawn(id).ok();
        world.step();
        assert_only_hidden(&mut world, gone, id);
        let (object, hidden) = (id, false);
        let expected = [ClientEvent::Despawned { object, hidden }];
        assert_eq!(world.events(stays), expected);
    });
}

// checklist: T36
#[test]
fn host_receives_no_events_of_objects_out_of_view() {
    let (mut world, _) = world(&[Framing::Compact]);
    let local = world.server.connect_local();
    watch(&mut world, local, 0.0);
    let (by_name, by_area, seen) = (unit(&mut world), unit(&mut world), unit(&mut world));
    while world.server.poll_local_event().is_some() {}
    world.server.hide(by_name, local).ok();
    move_to(&mut world, by_area, 1000.0);
    for id in [by_name, by_area, seen] {
        write(&mut world, id, SECRET);
    }
    world.step();
    let events: Vec<_> = std::iter::from_fn(|| world.server.poll_local_event()).collect();
    assert!(changed(&events, seen));
    let hidden = true;
    for object in [by_name, by_area] {
        assert!(!changed(&events, object));
        assert!(events.contains(&ClientEvent::Despawned { object, hidden }));
    }
    assert_eq!(events.len(), 3);
    // It goes away from what stays where it is.
    watch(&mut world, local, -1000.0);
    write(&mut world, seen, "more");
    world.step();
    let events: Vec<_> = std::iter::from_fn(|| world.server.poll_local_event()).collect();
    let object = seen;
    assert_eq!(events, [ClientEvent::Despawned { object, hidden }]);
}
