//! Two servers that are told the same, one of which has a local client: what they send is the same.

use std::time::Duration;

use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{
    Budget, Framing, NetworkIdentity, ServerConfig, behaviour::BehaviourSet, interest::SpatialGrid,
    values::Vector3,
};

use syncvar_testing::{Compass, Door, Player, Score, Twins, client};

/// Place of the server with a local client.
const HOST: usize = 1;

/// A server without a local client, and one with it.
struct World {
    twins: Twins,
    local: ConnectionId,
    objects: Vec<NetId>,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    SpawnPlayer(bool),
    SpawnVane,
    SpawnScoreboard,
    Despawn(usize),
    Health(usize, i32),
    Heading(usize, u8),
    Points(usize, u32),
    Shown(usize, usize, Option<bool>),
    ShownToAll(usize, Option<bool>),
    Owner(usize, Option<usize>),
    Watch(usize, u8),
    Move(usize, u8),
    Budget(usize, Option<u8>),
    /// What is said about the local client alone.
    LocalShown(usize, Option<bool>),
    LocalWatch(u8),
    LocalOwner(usize),
    LocalAgain,
    Update(u8),
}

fn action() -> impl Strategy<Value = Action> {
    let (object, client) = (0..6_usize, 0..3_usize);
    let (view, place) = (any::<Option<bool>>(), 0..8_u8);
    prop_oneof![
        2 => any::<bool>().prop_map(Action::SpawnPlayer),
        2 => Just(Action::SpawnVane),
        1 => Just(Action::SpawnScoreboard),
        1 => object.clone().prop_map(Action::Despawn),
        4 => (object.clone(), 0..5).prop_map(|(object, health)| Action::Health(object, health)),
        3 => (object.clone(), any::<u8>()).prop_map(|(object, to)| Action::Heading(object, to)),
        2 => (object.clone(), 0..3_u32).prop_map(|(object, add)| Action::Points(object, add)),
        2 => (object.clone(), client.clone(), view.clone())
            .prop_map(|(object, client, view)| Action::Shown(object, client, view)),
        1 => (object.clone(), view.clone()).prop_map(|(object, view)| Action::ShownToAll(object, view)),
        1 => (object.clone(), proptest::option::of(client.clone()))
            .prop_map(|(object, owner)| Action::Owner(object, owner)),
        2 => (client.clone(), place.clone()).prop_map(|(client, place)| Action::Watch(client, place)),
        2 => (object.clone(), place.clone()).prop_map(|(object, place)| Action::Move(object, place)),
        1 => (client, proptest::option::of(20..90_u8))
            .prop_map(|(client, budget)| Action::Budget(client, budget)),
        3 => (object.clone(), view).prop_map(|(object, view)| Action::LocalShown(object, view)),
        3 => place.prop_map(Action::LocalWatch),
        2 => object.prop_map(Action::LocalOwner),
        1 => Just(Action::LocalAgain),
        6 => (1..60_u8).prop_map(Action::Update),
    ]
}

fn position(place: u8) -> Vector3 {
    Vector3::new(f32::from(place) * 15.0, 0.0, 0.0)
}

impl World {
    fn new() -> Self {
        let server = || {
            let config = ServerConfig {
                packet_size: 200,
                ..ServerConfig::default()
            };
            let grid = SpatialGrid::xz(10.0, 30.0);
            let prefabs = syncvar_testing::prefabs_with_scoreboard();
            NetworkServer::with_interest(prefabs, config, grid)
        };
        let mut twins = Twins::new([server(), server()]);
        for framing in [Framing::Compact, Framing::Unet, Framing::Compact] {
            let prefabs = syncvar_testing::prefabs_with_scoreboard();
            twins.connect(client(prefabs, framing));
        }
        let mut world = Self {
            local: twins.servers[HOST].connect_local(),
            twins,
            objects: Vec::new(),
        };
        world.update(1);
        world.update(1);
        world
    }

    fn object(&self, choice: usize) -> NetId {
        let count = self.objects.len().max(1);
        let object = self.objects.get(choice % count);
        object.copied().unwrap_or(NetId(9999))
    }

    fn host(&mut self) -> &mut NetworkServer {
        &mut self.twins.servers[HOST]
    }

    fn connection(&self, client: usize) -> ConnectionId {
        self.twins.clients[client].0
    }

    fn both<R>(&mut self, command: impl Fn(&mut NetworkServer) -> R) {
        self.twins.both(|server| drop(command(server)));
    }

    fn spawn<S: BehaviourSet>(&mut self, make: impl Fn() -> S, hidden: bool) {
        let id = self.twins.both(|server| {
            let options = SpawnOptions {
                hidden,
                ..SpawnOptions::default()
            };
            server.try_spawn(make(), options)
        });
        self.objects.push(id.unwrap());
    }

    fn view(server: &mut NetworkServer, id: NetId, of: ConnectionId, view: Option<bool>) {
        match view {
            Some(true) => server.show(id, of),
            Some(false) => server.hide(id, of),
            None => server.restore(id, of),
        }
        .ok();
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::SpawnPlayer(hidden) => self.spawn(|| Player::new(1, "new"), hidden),
            Action::SpawnVane => self.spawn(|| (Door::default(), Compass::default()), false),
            Action::SpawnScoreboard => {
                self.spawn(
                    || (Score::default(), syncvar_testing::Banner::default()),
                    false,
                );
            }
            Action::Despawn(choice) => {
                let id = self.object(choice);
                self.both(|server| server.despawn(id));
                self.objects.retain(|object| *object != id);
            }
            Action::Health(choice, health) => {
                let id = self.object(choice);
                self.both(|server| {
                    if let Ok(mut player) = server.get_mut::<Player>(id) {
                        player.health.set(health);
                    }
                });
            }
            Action::Heading(choice, to) => {
                let id = self.object(choice);
                self.both(|server| {
                    if let Ok(mut compass) = server.get_mut::<Compass>(id) {
                        compass.heading.set(to.into());
                    }
                });
            }
            Action::Points(choice, points) => {
                let id = self.object(choice);
                self.both(|server| {
                    if let Ok(mut score) = server.get_mut::<Score>(id) {
                        score.points.add(points);
                    }
                });
            }
            Action::Shown(choice, client, view) => {
                let (id, of) = (self.object(choice), self.connection(client));
                self.both(|server| Self::view(server, id, of, view));
            }
            Action::ShownToAll(choice, view) => {
                let id = self.object(choice);
                self.both(|server| {
                    match view {
                        Some(true) => server.show_to_all(id),
                        Some(false) => server.hide_from_all(id),
                        None => server.show_by_interest(id),
                    }
                    .ok();
                });
            }
            Action::Owner(choice, owner) => {
                let id = self.object(choice);
                let owner = owner.map(|client| self.connection(client));
                self.both(|server| server.set_owner(id, owner));
            }
            Action::Watch(client, place) => {
                let viewer = self.connection(client);
                self.both(|server| {
                    let grid: &mut SpatialGrid = server.interest_mut().unwrap();
                    grid.watch(viewer, position(place)).unwrap();
                });
            }
            Action::Move(choice, place) => {
                let (id, turned) = (self.object(choice), Quaternion::IDENTITY);
                self.both(|server| server.set_transform(id, position(place), turned));
            }
            Action::Budget(client, budget) => {
                let (of, budget) = (self.connection(client), budget.map(usize::from));
                self.both(|server| server.set_budget(of, budget.map(Budget::new)));
            }
            Action::Update(ticks) => self.update(ticks),
            local => self.act_locally(local),
        }
    }

    /// The other one is told what is left of it when there is no local client.
    fn act_locally(&mut self, action: Action) {
        match action {
            Action::LocalShown(choice, view) => {
                let id = self.object(choice);
                let local = self.local;
                Self::view(self.host(), id, local, view);
            }
            Action::LocalWatch(place) => {
                let local = self.local;
                let grid: &mut SpatialGrid = self.host().interest_mut().unwrap();
                grid.watch(local, position(place)).unwrap();
            }
            Action::LocalOwner(choice) => {
                let id = self.object(choice);
                let local = Some(self.local);
                self.host().set_owner(id, local).ok();
                self.twins.servers[0].set_owner(id, None).ok();
            }
            _ => {
                let local = self.local;
                self.host().disconnect(local, "again");
                self.local = self.host().connect_local();
            }
        }
    }

    fn update(&mut self, ticks: u8) {
        self.twins.now += Duration::from_millis(10 * u64::from(ticks));
        let now = self.twins.now;
        self.both(|server| server.update(now));
        self.twins.exchange();
    }

    /// The local client has been told of what it sees, and sees what it is said to.
    fn check_sight(&mut self) {
        self.update(1);
        let mut seen = std::collections::BTreeSet::new();
        let mut owned = std::collections::BTreeSet::new();
        while let Some(event) = self.host().poll_local_event() {
            match event {
                ClientEvent::Spawned { object } => assert!(seen.insert(object)),
                ClientEvent::Despawned { object, .. } => {
                    assert!(seen.remove(&object));
                    owned.remove(&object);
                }
                ClientEvent::OwnerChanged {
                    object,
                    owned: true,
                } => assert!(owned.insert(object)),
                ClientEvent::OwnerChanged { object, .. } => assert!(owned.remove(&object)),
                ClientEvent::Connected => {
                    seen.clear();
                    owned.clear();
                }
                _ => {}
            }
        }
        let host = &self.twins.servers[HOST];
        let local = host.local_client().unwrap();
        let known: Vec<_> = local.identities().map(NetworkIdentity::net_id).collect();
        assert_eq!(known, seen.iter().copied().collect::<Vec<_>>());
        for id in &self.objects {
            let visible = host.is_visible(*id, self.local);
            assert_eq!(visible, seen.contains(id), "{id}");
            let is_owner = visible && host.owner(*id) == Some(self.local);
            assert_eq!(is_owner, owned.contains(id), "{id}");
        }
    }
}

proptest! {
    /// M3: with budgets, interest management, and clients of both dialects.
    #[test]
    fn remote_bytes_are_equal_with_and_without_a_local_client(
        actions in prop::collection::vec(action(), 0..60),
    ) {
        let mut world = World::new();
        for action in actions {
            world.act(action);
        }
        world.check_sight();
    }

    /// Another client to which the same is said sees the same.
    #[test]
    fn local_and_remote_client_see_the_same(
        actions in prop::collection::vec(action(), 0..60),
    ) {
        let mut world = World::new();
        for action in actions {
            // Everything that is said about the first client is said about the local one.
            match action {
                Action::Shown(object, 0, view) => world.act(Action::LocalShown(object, view)),
                Action::Watch(0, place) => world.act(Action::LocalWatch(place)),
                Action::LocalShown(..)
                | Action::LocalWatch(_)
                | Action::LocalOwner(_)
                | Action::LocalAgain
                | Action::Owner(_, Some(0)) => continue,
                _ => {}
            }
            world.act(action);
        }
        world.check_sight();
        let (host, first) = (&world.twins.servers[HOST], world.connection(0));
        for id in &world.objects {
            let visible = |to| host.is_visible(*id, to);
            prop_assert_eq!(visible(world.local), visible(first), "{}", id);
        }
    }
}
