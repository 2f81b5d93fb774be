//! Whatever is done to scene objects and parents, every ready client that sees an object knows the
//! same of it as the server.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{Framing, NetworkIdentity, NetworkSceneId, testing::Conditions};

use syncvar_testing::{Door, Player, ViewChange, client, object_of, prefabs};

/// Something that happens. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Action {
    Spawn {
        hidden: bool,
    },
    SpawnInScene {
        scene_id: u32,
        hidden: bool,
    },
    Despawn(usize),
    SetParent(usize, Option<usize>),
    SetHealth(usize, i32),
    View(ViewChange),
    /// A client adds a scene object, or takes it back.
    Load(usize, u32),
    Unload(usize, u32),
    Join,
    Reconnect(usize),
    SceneLoaded,
    Step,
}

/// The scene ids that there are.
const SCENE_IDS: std::ops::RangeInclusive<u32> = 1..=6;

fn action() -> impl Strategy<Value = Action> {
    use {Action as A, ViewChange as V};
    let one = any::<usize>;
    prop_oneof![
        3 => any::<bool>().prop_map(|hidden| A::Spawn { hidden }),
        4 => (SCENE_IDS, any::<bool>()).prop_map(|(scene_id, hidden)| A::SpawnInScene { scene_id, hidden }),
        3 => one().prop_map(A::Despawn),
        9 => (one(), prop::option::weighted(0.8, one())).prop_map(|(c, p)| A::SetParent(c, p)),
        2 => (one(), any::<i32>()).prop_map(|(o, v)| A::SetHealth(o, v)),
        3 => (one(), one()).prop_map(|(o, c)| A::View(V::Show(o, c))),
        3 => (one(), one()).prop_map(|(o, c)| A::View(V::Hide(o, c))),
        1 => one().prop_map(|number| A::View(V::HideFromAll(number))),
        1 => one().prop_map(|number| A::View(V::ShowToAll(number))),
        1 => (one(), prop::option::of(0..80_usize)).prop_map(|(c, b)| A::View(V::SetBudget(c, b))),
        3 => (one(), SCENE_IDS).prop_map(|(c, s)| A::Load(c, s)),
        2 => (one(), SCENE_IDS).prop_map(|(c, s)| A::Unload(c, s)),
        1 => Just(A::Join),
        1 => one().prop_map(|number| A::View(V::Leave(number))),
        1 => one().prop_map(A::Reconnect),
        1 => one().prop_map(|number| A::View(V::NotReady(number))),
        1 => one().prop_map(|number| A::View(V::Ready(number))),
        1 => Just(A::SceneLoaded),
        6 => Just(A::Step),
    ]
}

struct World {
    net: MemoryNetwork,
    objects: Vec<NetId>,
    /// What each client was told is there, and the parents that it was told of one after another.
    told: BTreeMap<usize, BTreeMap<NetId, Vec<Option<NetId>>>>,
}

impl World {
    fn new(link: Conditions) -> Self {
        let config = ServerConfig {
            packet_size: 60,
            ..ServerConfig::default()
        };
        let mut world = Self {
            net: MemoryNetwork::with_config(prefabs, config, link),
            objects: Vec::new(),
            told: BTreeMap::new(),
        };
        world.join();
        world
    }

    /// One more client, each in another dialect than the one before. It has most of the scene.
    fn join(&mut self) {
        let count = self.net.client_count();
        let dialect = [Framing::Compact, Framing::Unet][count % 2];
        let mut client = client(prefabs(), dialect);
        for scene_id in SCENE_IDS.skip(count % 2) {
            let added = client.add_scene_object(NetworkSceneId(scene_id), Player::default());
            added.expect("it is new");
        }
        self.net.connect_client(client);
    }

    fn object(&self, choice: usize) -> NetId {
        object_of(&self.objects, choice)
    }

    fn client(&self, choice: usize) -> usize {
        choice % self.net.client_count()
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Spawn { hidden } => self.spawn(None, hidden),
            Action::SpawnInScene { scene_id, hidden } => {
                self.spawn(Some(NetworkSceneId(scene_id)), hidden);
            }
            Action::Despawn(choice) => {
                let id = self.object(choice);
                self.net.server.despawn(id).ok();
                self.objects.retain(|object| *object != id);
            }
            Action::SetParent(child, parent) => {
                let parent = parent.map(|parent| self.object(parent));
                // Those that are not possible change nothing.
                let _ = self.net.server.set_parent(self.object(child), parent);
            }
            Action::SetHealth(object, health) => {
                if let Ok(mut player) = self.net.server.get_mut::<Player>(self.object(object)) {
                    player.health.set(health);
                }
            }
            Action::SceneLoaded => self.net.server.scene_loaded(),
            Action::Step => {
                self.net.step();
                self.take_events();
            }
            Action::View(change) => change.apply(&mut self.net, &self.objects),
            other => self.act_on_client(&other),
        }
    }

    fn spawn(&mut self, scene_id: Option<NetworkSceneId>, hidden: bool) {
        let options = SpawnOptions {
            hidden,
            scene_id,
            ..SpawnOptions::default()
        };
        let server = &mut self.net.server;
        let spawned = match scene_id {
            None => server.try_spawn(Door::default(), options),
            Some(_) => server.try_spawn(Player::new(1, "scene"), options),
        };
        self.objects.extend(spawned);
    }

    fn act_on_client(&mut self, action: &Action) {
        match *action {
            Action::Load(choice, scene_id) => {
                let client = self.client(choice);
                let client = self.net.client_mut(client);
                // It may be there.
                let _ = client.add_scene_object(NetworkSceneId(scene_id), Player::default());
            }
            Action::Unload(choice, scene_id) => {
                let client = self.client(choice);
                let client = self.net.client_mut(client);
                client.remove_scene_object(NetworkSceneId(scene_id));
            }
            Action::Join if self.net.client_count() < 5 => self.join(),
            Action::Reconnect(choice) if self.net.client_count() < 5 => {
                let client = self.client(choice);
                self.net.cut(client);
                self.take_events();
                let fresh = NetworkClient::new(prefabs());
                let client = std::mem::replace(self.net.client_mut(client), fresh);
                let index = self.net.connect_client(client);
                let told = self.net.client(index);
                assert_eq!(told.object_count(), 0, "all of it is forgotten");
                while self.net.client_mut(index).poll_event().is_some() {}
            }
            _ => {}
        }
    }

    /// Nobody is told of the parent of an object that it has not been told of.
    fn take_events(&mut self) {
        for client in 0..self.net.client_count() {
            let told = self.told.entry(client).or_default();
            while let Some(event) = self.net.client_mut(client).poll_event() {
                match event {
                    ClientEvent::Spawned { object } => {
                        let former = told.insert(object, Vec::new());
                        assert_eq!(former, None, "{object} came twice");
                    }
                    ClientEvent::Despawned { object, .. } => {
                        assert!(told.remove(&object).is_some(), "{object} went twice");
                    }
                    ClientEvent::ParentChanged { object, parent } => {
                        let known = told.get_mut(&object);
                        known.expect("an object that was told of").push(parent);
                    }
                    ClientEvent::Poisoned { .. } => panic!("client {client}: {event:?}"),
                    _ => {}
                }
            }
        }
    }

    fn check(&self) -> Result<(), TestCaseError> {
        for client in 0..self.net.client_count() {
            let connection = self.net.connection(client);
            if !self.net.is_connected(client) || !self.net.server.is_ready(connection) {
                continue;
            }
            let replica = self.net.client(client);
            let seen: BTreeMap<_, _> = replica.identities().map(describe).collect();
            let expected = self.expected(connection, replica);
            prop_assert_eq!(&seen, &expected, "client {}", client);
            self.check_events(client)?;
            for id in &self.objects {
                let children = self.net.server.children(*id);
                let children: Vec<_> = children.filter(|child| seen.contains_key(child)).collect();
                prop_assert_eq!(replica.children(*id).collect::<Vec<_>>(), children);
            }
            let spawned: BTreeSet<_> = replica.scene_objects().map(|(scene, _)| scene).collect();
            for scene_id in replica.dormant_scene_ids() {
                prop_assert!(!spawned.contains(&scene_id));
            }
        }
        Ok(())
    }

    /// What a connection should see: what is visible, but for scene objects that it does not have.
    fn expected(
        &self,
        connection: ConnectionId,
        replica: &NetworkClient,
    ) -> BTreeMap<NetId, String> {
        let server = &self.net.server;
        let objects = self.objects.iter().copied();
        let visible = objects.filter(|id| server.is_visible(*id, connection));
        let identities = visible.filter_map(|id| server.identity(id));
        let there = identities.filter(|identity| {
            let scene_id = identity.scene_id();
            let is_missing =
                |id| replica.dormant(id).is_none() && replica.scene_object(id).is_none();
            !scene_id.is_some_and(is_missing)
        });
        there.map(describe).collect()
    }

    fn check_events(&self, client: usize) -> Result<(), TestCaseError> {
        let replica = self.net.client(client);
        let told = self.told.get(&client).cloned().unwrap_or_default();
        let objects: Vec<_> = replica.identities().map(NetworkIdentity::net_id).collect();
        prop_assert_eq!(told.keys().copied().collect::<Vec<_>>(), objects);
        for (id, parents) in told {
            let known = replica.identity(id).map(NetworkIdentity::parent);
            if let Some(parent) = parents.last() {
                prop_assert_eq!(known, Some(*parent), "client {}, {}", client, id);
            }
            let is_new = |pair: &[Option<NetId>]| pair[0] != pair[1];
            prop_assert!(parents.windows(2).all(is_new), "{} of {}", client, id);
        }
        Ok(())
    }
}

/// Everything that is the same for all.
fn describe(identity: NetworkIdentity<'_>) -> (NetId, String) {
    let player = identity.behaviour().map(Player::state);
    let (scene_id, parent) = (identity.scene_id(), identity.parent());
    let text = format!("{player:?} {scene_id:?} {parent:?}");
    (identity.net_id(), text)
}

fn run(link: Conditions, actions: Vec<Action>) -> Result<(), TestCaseError> {
    let mut world = World::new(link);
    for action in actions {
        world.act(action);
    }
    world.net.settle();
    world.take_events();
    world.check()
}

proptest! {
    // checklist: T65
    #[test]
    fn ready_clients_agree_about_visible_parents(
        actions in prop::collection::vec(action(), 1..120),
    ) {
        run(Conditions::default(), actions)?;
    }

    // checklist: T65
    #[test]
    fn over_slow_links_too(
        actions in prop::collection::vec(action(), 1..80),
        seed in any::<u64>(),
    ) {
        let link = Conditions {
            delay: Duration::from_millis(70),
            jitter: Duration::from_millis(90),
            loss: 0.2,
            seed,
            ..Conditions::default()
        };
        run(link, actions)?;
    }
}
