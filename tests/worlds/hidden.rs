//! Who is hidden from gets nothing of what is written afterwards: not an event, and not a byte.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{
    Budget, ClientConfig, Framing, ServerConfig,
    interest::SpatialGrid,
    values::{Quaternion, Vector3},
};

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

/// A server and clients, and every byte that each of them has been sent since it was last forgotten.
struct World {
    server: NetworkServer,
    clients: BTreeMap<ConnectionId, NetworkClient>,
    bytes: BTreeMap<ConnectionId, Vec<u8>>,
    now: Duration,
}

impl World {
    /// A server and three clients, who speak these by turns.
    fn new(dialects: &[Framing]) -> (Self, [ConnectionId; 3]) {
        let server = NetworkServer::with_interest(
            prefabs(),
            ServerConfig::default(),
            SpatialGrid::xz(10.0, 10.0),
        );
        let mut world = Self {
            server,
            clients: BTreeMap::new(),
            bytes: BTreeMap::new(),
            now: Duration::ZERO,
        };
        let connections = [0, 1, 2].map(|place| {
            let config = ClientConfig {
                framing: dialects[place % dialects.len()],
                ..ClientConfig::default()
            };
            let mut client = NetworkClient::with_config(prefabs(), config);
            client.handle_connect();
            let connection = world.server.handle_connect();
            world.clients.insert(connection, client);
            world.watch(connection, 0.0);
            connection
        });
        for _ in 0..4 {
            world.step();
        }
        world.forget();
        (world, connections)
    }

    fn step(&mut self) {
        self.now += Duration::from_millis(50);
        for (connection, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let _ = self
                    .server
                    .handle_packet(*connection, packet.channel, &packet.bytes);
            }
        }
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let packet = transmit.to_bytes();
            let bytes = self.bytes.entry(transmit.connection).or_default();
            bytes.extend(&packet);
            let client = self.clients.get_mut(&transmit.connection).unwrap();
            client.handle_packet(transmit.channel, &packet).unwrap();
        }
    }

    fn forget(&mut self) {
        self.bytes.clear();
        for client in self.clients.values_mut() {
            while client.poll_event().is_some() {}
        }
    }

    fn watch(&mut self, connection: ConnectionId, x: f32) {
        let grid: &mut SpatialGrid = self.server.interest_mut().unwrap();
        grid.watch(connection, Vector3::new(x, 0.0, 0.0)).ok();
    }

    fn move_to(&mut self, id: NetId, x: f32) {
        let place = Vector3::new(x, 0.0, 0.0);
        self.server
            .set_transform(id, place, Quaternion::IDENTITY)
            .unwrap();
    }

    /// A unit at the origin that all have been told of.
    fn unit(&mut self) -> NetId {
        let id = self.server.spawn(Unit::default());
        self.step();
        self.forget();
        id
    }

    /// An agent of this owner that all have been told of.
    fn agent(&mut self, owner: ConnectionId) -> NetId {
        let options = SpawnOptions {
            owner: Some(owner),
            ..SpawnOptions::default()
        };
        let id = self.server.try_spawn(Agent::default(), options).unwrap();
        self.step();
        self.forget();
        id
    }

    fn write(&mut self, id: NetId, text: &str) {
        let mut unit = self.server.get_mut::<Unit>(id).unwrap();
        unit.name.set(text.into());
        unit.orders.push(text.into());
    }

    fn was_sent(&self, connection: ConnectionId, text: &str) -> bool {
        let bytes = self.bytes.get(&connection);
        bytes.is_some_and(|bytes| {
            let mut parts = bytes.windows(text.len());
            parts.any(|part| part == text.as_bytes())
        })
    }

    fn events(&mut self, connection: ConnectionId) -> Vec<ClientEvent> {
        let client = self.clients.get_mut(&connection).unwrap();
        syncvar_testing::events(client).collect()
    }

    /// What a client has of a unit.
    fn state(&self, connection: ConnectionId, id: NetId) -> Option<(String, usize)> {
        let unit = self.clients[&connection].get::<Unit>(id)?;
        Some((unit.name.to_string(), unit.orders.len()))
    }

    /// A connection was told to forget an object, was told nothing else, and has not had the secret.
    #[track_caller]
    fn assert_only_hidden(&mut self, connection: ConnectionId, object: NetId) {
        let hidden = true;
        let expected = [ClientEvent::Despawned { object, hidden }];
        assert_eq!(self.events(connection), expected);
        assert!(!self.was_sent(connection, SECRET));
        let stats = self.clients[&connection].stats();
        assert_eq!(stats.unknown_objects, 0);
    }
}

/// Runs a test in each dialect alone and in both.
fn in_every_dialect(test: impl Fn(World, [ConnectionId; 3])) {
    let (unet, compact) = (Framing::Unet, Framing::Compact);
    for dialects in [&[unet][..], &[compact], &[unet, compact]] {
        let (world, connections) = World::new(dialects);
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
    in_every_dialect(|mut world, [gone, stays, other]| {
        let id = world.unit();
        world.server.hide(id, gone).ok();
        world.write(id, SECRET);
        world.step();
        world.assert_only_hidden(gone, id);
        for connection in [stays, other] {
            assert!(changed(&world.events(connection), id));
            assert_eq!(world.state(connection, id), Some((SECRET.into(), 1)));
        }
        // It may come back, and misses nothing.
        world.server.show(id, gone).ok();
        world.step();
        assert_eq!(world.state(gone, id), Some((SECRET.into(), 1)));
        assert_eq!(world.events(gone), [ClientEvent::Spawned { object: id }]);
        world.write(id, "more");
        world.step();
        for connection in [gone, stays, other] {
            assert_eq!(world.state(connection, id), Some(("more".into(), 2)));
        }
    });
}

// checklist: T36
#[test]
fn unsent_change_before_a_hide_is_not_sent() {
    in_every_dialect(|mut world, [gone, stays, other]| {
        let id = world.unit();
        world.write(id, SECRET);
        world.server.hide_from_all(id).unwrap();
        world.server.show(id, stays).ok();
        world.step();
        world.assert_only_hidden(gone, id);
        world.assert_only_hidden(other, id);
        assert_eq!(world.state(stays, id), Some((SECRET.into(), 1)));
    });
}

// checklist: T41
#[test]
fn object_is_shown_to_one_and_hidden_from_another_in_one_update() {
    in_every_dialect(|mut world, [gone, stays, comes]| {
        let id = world.unit();
        world.server.hide(id, comes).ok();
        world.step();
        world.forget();
        world.server.show(id, comes).ok();
        world.server.hide(id, gone).ok();
        world.write(id, SECRET);
        world.step();
        world.assert_only_hidden(gone, id);
        assert!(changed(&world.events(stays), id));
        assert_eq!(world.events(comes), [ClientEvent::Spawned { object: id }]);
        for connection in [stays, comes] {
            assert_eq!(world.state(connection, id), Some((SECRET.into(), 1)));
        }
    });
}

// checklist: T42 T46
#[test]
fn hide_then_show_keeps_changes_and_show_then_hide_ends_hidden() {
    in_every_dialect(|mut world, [first, second, other]| {
        let id = world.unit();
        world.server.hide(id, first).ok();
        world.server.hide(id, second).ok();
        world.write(id, "between");
        world.server.show(id, first).ok();
        world.server.show(id, second).ok();
        world.server.hide(id, second).ok();
        world.step();
        for connection in [first, other] {
            assert_eq!(world.state(connection, id), Some(("between".into(), 1)));
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
    in_every_dialect(|mut world, [gone, stays, left_behind]| {
        let (id, still) = (world.unit(), world.unit());
        // The object goes away and one who watches goes with it; another goes elsewhere.
        world.move_to(id, 1000.0);
        world.watch(stays, 1000.0);
        world.watch(gone, -1000.0);
        world.write(id, SECRET);
        world.write(still, "another secret");
        world.step();
        let hidden = true;
        let lost = |object| ClientEvent::Despawned { object, hidden };
        let events = world.events(gone);
        assert_eq!(events, [lost(id), lost(still)]);
        assert_eq!(world.events(left_behind).first(), Some(&lost(id)));
        assert_eq!(
            world.state(left_behind, still),
            Some(("another secret".into(), 1))
        );
        assert!(!world.was_sent(left_behind, SECRET));
        assert!(!world.was_sent(gone, "secret"));
        // Who sees it before and after is told of the change.
        let events = world.events(stays);
        assert!(changed(&events, id) && events.contains(&lost(still)));
        assert_eq!(events.len(), 2);
        assert_eq!(world.state(stays, id), Some((SECRET.into(), 1)));
        assert!(!world.was_sent(stays, "another secret"));
    });
}

// checklist: T50
#[test]
fn former_owner_out_of_view_receives_no_changes() {
    in_every_dialect(|mut world, [owner, near, _]| {
        let id = world.agent(owner);
        world.watch(owner, 1000.0);
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
    in_every_dialect(|mut world, [owner, gone, heir]| {
        let id = world.agent(owner);
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
        world.assert_only_hidden(owner, id);
        world.assert_only_hidden(gone, id);
        let agent = world.clients[&heir].get::<Agent>(id).unwrap();
        assert_eq!((&**agent.name, &**agent.orders), (SECRET, SECRET));
    });
}

// checklist: T36
#[test]
fn limited_connection_receives_no_backlog_of_hidden_objects() {
    in_every_dialect(|mut world, [gone, stays, _]| {
        let ids: Vec<_> = (0..20).map(|_| world.unit()).collect();
        world.server.set_budget(gone, Some(Budget::new(60))).ok();
        world.server.set_budget(stays, Some(Budget::new(60))).ok();
        for id in &ids {
            world.write(*id, "known");
        }
        world.step();
        // Most of them wait for their turn now.
        let missed: Vec<_> = ids
            .iter()
            .copied()
            .filter(|id| world.state(gone, *id) == Some((String::new(), 0)))
            .collect();
        assert!(missed.len() > 10);
        world.forget();
        for id in &missed {
            world.server.hide(*id, gone).ok();
            world.write(*id, SECRET);
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
            assert_eq!(world.state(stays, id), Some((SECRET.into(), 2)));
        }
    });
}

// checklist: T36
#[test]
fn calls_after_a_hide_skip_the_client_and_earlier_ones_arrive() {
    in_every_dialect(|mut world, [gone, stays, _]| {
        let id = world.unit();
        world
            .server
            .calls::<Unit>(id)
            .shout("before".into())
            .unwrap();
        world.server.hide(id, gone).ok();
        world.server.calls::<Unit>(id).shout(SECRET.into()).unwrap();
        world.write(id, "also a secret");
        world.step();
        world.assert_only_hidden(gone, id);
        assert!(world.was_sent(gone, "before"));
        assert!(world.was_sent(stays, SECRET));
        assert_eq!(world.state(stays, id), Some(("also a secret".into(), 1)));
    });
}

// checklist: T43
#[test]
fn hidden_then_despawned_object_is_hidden_and_gone() {
    in_every_dialect(|mut world, [gone, stays, _]| {
        let id = world.unit();
        world
            .server
            .calls::<Unit>(id)
            .shout("before".into())
            .unwrap();
        world.server.hide(id, gone).ok();
        world.write(id, SECRET);
        world.server.despawn(id).ok();
        world.step();
        world.assert_only_hidden(gone, id);
        let (object, hidden) = (id, false);
        let expected = [ClientEvent::Despawned { object, hidden }];
        assert_eq!(world.events(stays), expected);
    });
}

// checklist: T36
#[test]
fn host_receives_no_events_of_objects_out_of_view() {
    let (mut world, _) = World::new(&[Framing::Compact]);
    let local = world.server.connect_local();
    world.watch(local, 0.0);
    let (by_name, by_area, seen) = (world.unit(), world.unit(), world.unit());
    while world.server.poll_local_event().is_some() {}
    world.server.hide(by_name, local).ok();
    world.move_to(by_area, 1000.0);
    for id in [by_name, by_area, seen] {
        world.write(id, SECRET);
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
    world.watch(local, -1000.0);
    world.write(seen, "more");
    world.step();
    let events: Vec<_> = std::iter::from_fn(|| world.server.poll_local_event()).collect();
    let object = seen;
    assert_eq!(events, [ClientEvent::Despawned { object, hidden }]);
}
