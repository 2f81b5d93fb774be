use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar_mirror::{
    AssetId, MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig,
    MirrorSpawnOptions, SpawnPolicy,
};
use syncvar_testing::mirror::MirrorNetwork;

/// What the server writes.
#[derive(NetworkBehaviour, Default, Debug)]
struct Bag {
    #[sync_var]
    items: SyncList<i32>,
    #[sync_var]
    weight: SyncVar<i32>,
    #[sync_var]
    ammo: SyncDictionary<i32, i32>,
}

/// What the owner writes.
#[derive(NetworkBehaviour, Default, Debug)]
#[network_behaviour(sync_direction = client_to_server)]
struct Notes {
    #[sync_var]
    lines: SyncList<i32>,
    #[sync_var]
    tags: SyncHashSet<i32>,
}

#[derive(Clone, Debug)]
enum Step {
    Edit(u8, i32),
    /// The owner writes.
    Write(u8, i32),
    /// Other collections are put into the place of those of the server, or of the owner.
    Replace(bool, i32),
    Join,
    Leave,
    Update,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..6_u8, 0..5_i32).prop_map(|(what, value)| Step::Edit(what, value)),
        4 => (0..5_u8, 0..5_i32).prop_map(|(what, value)| Step::Write(what, value)),
        1 => (any::<bool>(), 0..5_i32).prop_map(|(owner, value)| Step::Replace(owner, value)),
        2 => Just(Step::Join),
        1 => Just(Step::Leave),
        3 => Just(Step::Update),
    ]
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new().register::<(Bag, Notes)>(MirrorPrefab::new("crate", AssetId(7)))
}

struct World {
    net: MirrorNetwork,
    object: NetId,
}

impl World {
    fn new() -> Self {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            ..MirrorServerConfig::default()
        };
        let mut world = Self {
            net: MirrorNetwork::new(MirrorServer::with_config(prefabs(), config), || {
                MirrorClient::new(prefabs())
            }),
            object: NetId::NONE,
        };
        let mut bag = Bag::default();
        bag.items.extend([1, 2, 3]);
        let options = MirrorSpawnOptions::default();
        let spawned = world.net.server.try_spawn((bag, Notes::default()), options);
        world.object = spawned.expect("it is registered");
        // Nobody sees this.
        world.edit(0, 4);
        world.join();
        let owner = *world.net.clients.keys().next().expect("one client");
        world.update();
        world
            .net
            .server
            .set_owner(world.object, Some(owner))
            .unwrap();
        world.update();
        world
    }

    fn join(&mut self) {
        let connection = self.net.connect();
        self.net.client(connection).ready();
        // The request to become ready arrives between changes and their send.
        self.net.send_all();
    }

    fn update(&mut self) {
        self.net.frame();
        assert!(self.net.closed.is_empty());
    }

    /// Returns the first client, the owner of the object.
    fn owner(&mut self) -> &mut MirrorClient {
        let first = self.net.clients.values_mut().next();
        first.expect("the owner never leaves")
    }

    fn edit(&mut self, what: u8, value: i32) {
        let mut bag = self
            .net
            .server
            .get_mut::<Bag>(self.object)
            .expect("it is there");
        match what {
            0 => bag.items.push(value),
            1 => bag.items.retain(|item| *item != value),
            2 => bag.items.for_each_mut(|item| *item += 1),
            3 => *bag.weight += value,
            4 => drop(bag.ammo.insert(value, value)),
            _ => drop(bag.ammo.remove(&value)),
        }
    }

    fn write(&mut self, what: u8, value: i32) {
        let (object, owner) = (self.object, self.owner());
        let mut notes = owner.get_mut::<Notes>(object).expect("it is there");
        match what {
            0 => notes.lines.push(value),
            1 => notes.lines.insert(0, value),
            2 => notes.lines.sort(),
            3 => drop(notes.tags.insert(value).then_some(value)),
            _ => drop(notes.tags.remove(&value).then_some(value)),
        }
    }

    fn replace(&mut self, owner: bool, value: i32) {
        // Who has joined since the last change was sent counts the operations of the former ones.
        self.update();
        if owner {
            let (object, owner) = (self.object, self.owner());
            let mut notes = owner.get_mut::<Notes>(object).expect("it is there");
            notes.lines = SyncList::from([value]);
            notes.tags = SyncHashSet::new();
        } else {
            let mut bag = self
                .net
                .server
                .get_mut::<Bag>(self.object)
                .expect("it is there");
            bag.items = SyncList::from([value]);
            bag.ammo = SyncDictionary::new();
        }
    }

    fn check(&self) {
        let bag = self
            .net
            .server
            .get::<Bag>(self.object)
            .expect("it is there");
        let notes = self
            .net
            .server
            .get::<Notes>(self.object)
            .expect("it is there");
        for client in self.net.clients.values() {
            let seen = client.get::<Bag>(self.object).expect("it sees it");
            assert_eq!((&seen.items, &seen.ammo), (&bag.items, &bag.ammo));
            assert_eq!(seen.weight, bag.weight);
            let seen = client.get::<Notes>(self.object).expect("it sees it");
            assert_eq!((&seen.lines, &seen.tags), (&notes.lines, &notes.tags));
        }
    }
}

proptest! {
    #[test]
    fn random_writers_and_joins_leave_all_clients_equal(steps in vec(step(), 1..40)) {
        let mut world = World::new();
        for step in steps {
            match step {
                Step::Edit(what, value) => world.edit(what, value),
                Step::Write(what, value) => world.write(what, value),
                Step::Replace(owner, value) => world.replace(owner, value),
                Step::Join => world.join(),
                Step::Leave if world.net.clients.len() > 1 => {
                    let second = world.net.clients.keys().nth(1);
                    let connection = *second.expect("two clients");
                    world.net.clients.remove(&connection);
                    world.net.server.handle_disconnect(connection);
                }
                Step::Leave => {}
                Step::Update => {
                    world.update();
                    world.check();
                }
            }
        }
        world.update();
        world.check();
    }
}
