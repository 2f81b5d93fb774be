//! Replication of entities and components, one situation at a time.

mod changes;
mod despawns;
mod insertions;
mod relations;
mod removals;
mod spawns;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::OnlyFor;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::ClientEvent;
use bevy_syncvar::syncvar::prelude::EventReader;

use crate::support::Pair;

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Health(u32);

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Name(String);

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
#[component(storage = "SparseSet")]
struct Poison(u32);

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
#[component(immutable)]
struct Team {
    number: u32,
    #[sync_var(skip)]
    colour: String,
}

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Aim(Entity);

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Map(Vec<u8>);

#[derive(Resource, Replicate, Clone, Copy, Debug, PartialEq)]
struct Weather(u32);

/// Never registered.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Secret;

fn types(app: &mut App) {
    app.replicate::<Health>()
        .replicate::<Name>()
        .replicate::<Poison>()
        .replicate_immutable::<Team>()
        .replicate::<Aim>()
        .replicate::<Map>();
}

/// Types with a resource, which is one more entity of the client.
fn types_and_weather(app: &mut App) {
    types(app);
    app.replicate_resource::<Weather>();
}

fn name(text: &str) -> Name {
    Name(text.into())
}

fn team(number: u32) -> Team {
    Team {
        number,
        colour: String::new(),
    }
}

/// A pair, and what its client has been told.
struct Rig {
    pair: Pair,
    reader: EventReader,
}

/// Objects that a client has been told of.
#[derive(Debug, Default, PartialEq)]
struct News {
    spawned: usize,
    changed: usize,
    despawned: usize,
}

const NOTHING: News = News {
    spawned: 0,
    changed: 0,
    despawned: 0,
};

impl Rig {
    /// Makes a pair that has joined.
    fn new() -> Self {
        Self::with(types)
    }

    fn with(types: fn(&mut App)) -> Self {
        let mut pair = Pair::new(types);
        pair.settle();
        let mut client = pair.client.world_mut().resource_mut::<Client>();
        let reader = client.event_reader();
        Self { pair, reader }
    }

    fn here(&mut self) -> &mut World {
        self.pair.server.world_mut()
    }

    fn there(&mut self) -> &mut World {
        self.pair.client.world_mut()
    }

    /// Spawns an entity that the client has.
    fn spawn(&mut self, components: impl Bundle) -> [Entity; 2] {
        let here = self.here().spawn((Replicated, components)).id();
        self.pair.settle();
        let there = self.pair.there(here).unwrap();
        self.news();
        [here, there]
    }

    /// Returns what the client is told.
    fn news(&mut self) -> News {
        self.pair.settle();
        let client = self.pair.client.world().resource::<Client>();
        let mut news = News::default();
        for event in client.read_events(&mut self.reader) {
            match event {
                ClientEvent::Spawned { .. } => news.spawned += 1,
                ClientEvent::Changed { .. } => news.changed += 1,
                ClientEvent::Despawned { .. } => news.despawned += 1,
                _ => {}
            }
        }
        news
    }

    /// Returns the client's component of the server's entity.
    fn shown<C: Component + Clone>(&self, here: Entity) -> Option<C> {
        let there = self.pair.there(here)?;
        self.pair.client.world().get::<C>(there).cloned()
    }

    /// Returns the number of the client's received entities.
    fn count(&mut self) -> usize {
        let world = self.there();
        let mut remote = world.query_filtered::<(), With<Remote>>();
        remote.iter(world).count()
    }

    /// Hides an entity from the client, or shows it.
    fn set_hidden(&mut self, here: Entity, is_hidden: bool) {
        let mut entity = self.here().entity_mut(here);
        if is_hidden {
            entity.insert(OnlyFor(Vec::new()));
        } else {
            entity.remove::<OnlyFor>();
        }
        self.pair.settle();
    }
}
