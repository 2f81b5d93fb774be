//! Entities that a fixed step spawns on both ends: a client has them at once, and they become the server's.
//!
//! ```text
//! client   tick t: spawned, local, predicted ───── the object arrives: the same entity, corrected by the server
//! server             tick t: spawned ─────────────▲
//! ```
//!
//! A rollback behind the spawn disables the entity. A repeated step that spawns an entity with the same key gives the new
//! components with `predict` and `rollback_component` to the disabled entity, which goes on, so references of the game to it hold;
//! without such a step the entity is despawned. An entity whose object does not come is despawned: the server has refused it.

use std::mem;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryState;
use bevy_ecs::world::DeferredWorld;
use syncvar::{NetId, NetworkClient};

use super::{RollbackType, RollbackTypes};
use crate::registry::ClientParts;
use crate::time::Tick;
use crate::{Client, Net, NetEntities, Owner, Predicted, Replicate, Replicated, Server};

/// Ticks between the spawns of both ends: the input of a client may be late.
const MAX_DISTANCE: u64 = 8;

/// Ticks after which the object of a local entity will not come.
const PATIENCE: u64 = 96;

/// Component of an entity that the same system spawns in `FixedUpdate` of both ends, such as a projectile:
/// it is `Replicated` on the server, with the owner of the spawning entity, and `Predicted` on the client.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// #[derive(Component, Replicate)]
/// struct Shell {
///     #[sync_var(interpolate = linear)]
///     x: f32,
/// }
///
/// fn fire(guns: Query<(Entity, &TickInput<bool>)>, mut commands: Commands) {
///     for (gun, fires) in &guns {
///         if **fires {
///             commands.spawn((Shell { x: 0.0 }, StepSpawn::by(gun)));
///         }
///     }
/// }
///
/// fn shared(app: &mut App) {
///     app.add_plugins(TickPlugin::<bool>::default())
///         .predict::<Shell>()
///         .add_systems(FixedUpdate, fire);
/// }
/// # let mut app = App::new();
/// # app.add_plugins(ServerPlugin::alone());
/// # shared(&mut app);
/// # app.update();
/// ```
#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq, Eq)]
#[component(on_add, clone_behavior = Ignore)]
pub struct StepSpawn {
    by: Entity,
    /// 0 until the entity has been spawned.
    tick: u64,
    number: u32,
}

impl StepSpawn {
    /// Makes the key of an entity that this entity spawns in the present tick.
    pub fn by(entity: Entity) -> Self {
        Self {
            by: entity,
            tick: 0,
            number: 0,
        }
    }

    /// Distinguishes the entities that one entity spawns in one tick.
    #[must_use]
    pub fn with_number(self, number: u32) -> Self {
        Self { number, ..self }
    }

    /// Returns the tick of the spawn; 0 before.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    fn on_add(mut world: DeferredWorld<'_>, context: HookContext) {
        let entity = context.entity;
        let tick = world.get_resource::<Tick>().map_or(0, |tick| tick.number);
        // A received one has its tick.
        if let Some(mut spawn) = world.get_mut::<Self>(entity)
            && spawn.tick == 0
        {
            spawn.tick = tick;
        }
        if world.contains_resource::<Server>() {
            let spawn = world.get::<Self>(entity).copied();
            let owner = spawn.and_then(|spawn| world.get::<Owner>(spawn.by).copied());
            let mut commands = world.commands();
            let mut entity = commands.entity(entity);
            entity.insert(Replicated);
            if let Some(owner) = owner {
                entity.insert(owner);
            }
        } else if world.contains_resource::<Client>() && world.get::<Net>(entity).is_none() {
            world.commands().entity(entity).insert(Predicted);
        }
    }

    /// Returns the distance of the ticks of two spawns of one entity; `None` for spawns that differ.
    fn distance(&self, other: &Self) -> Option<u64> {
        let distance = self.tick.abs_diff(other.tick);
        let is_alike = (self.by, self.number) == (other.by, other.number);
        (is_alike && distance <= MAX_DISTANCE).then_some(distance)
    }
}

type Local = QueryState<(Entity, &'static StepSpawn), (With<Predicted>, Without<Net>)>;

/// Local entities without an object.
#[derive(Default)]
pub(super) struct LocalSpawns {
    local: Option<Local>,
}

impl LocalSpawns {
    fn find(&mut self, world: &mut World, is_over: impl Fn(&StepSpawn) -> bool) -> Vec<Entity> {
        let local = self.local.get_or_insert_with(|| QueryState::new(world));
        let over = local.iter(world).filter(|(_, spawn)| is_over(spawn));
        over.map(|(entity, _)| entity).collect()
    }
}

impl RollbackType for LocalSpawns {
    fn restore(&mut self, parts: &mut ClientParts<'_>, tick: u64) {
        for entity in self.find(parts.world, |spawn| spawn.tick > tick) {
            let mut entity = parts.world.entity_mut(entity);
            entity.remove::<Predicted>().insert(Disabled);
            let entity = entity.id();
            let mut waiting = parts.world.get_resource_or_init::<Waiting>();
            waiting.0.push(entity);
        }
    }

    fn record(&mut self, parts: &mut ClientParts<'_>, tick: u64, _: bool) {
        for entity in self.find(parts.world, |spawn| spawn.tick + PATIENCE < tick) {
            parts.world.despawn(entity);
        }
    }
}

/// Disabled entities whose spawn is to be repeated.
#[derive(Resource, Default)]
struct Waiting(Vec<Entity>);

/// Gives the components of entities that a repeated step has spawned to the entities of the first run.
pub(crate) fn adopt(world: &mut World, types: &mut RollbackTypes) {
    let waiting = world.get_resource_mut::<Waiting>();
    let Some(mut waiting) = waiting.filter(|waiting| !waiting.0.is_empty()) else {
        return;
    };
    let mut former = mem::take(&mut waiting.0);
    former.retain(|entity| world.get_entity(*entity).is_ok());
    let mut new = world.query_filtered::<(Entity, &StepSpawn), (With<Predicted>, Without<Net>)>();
    for (entity, spawn) in new
        .iter(world)
        .map(|(it, spawn)| (it, *spawn))
        .collect::<Vec<_>>()
    {
        let distances = former.iter().enumerate().filter_map(|(place, former)| {
            let former = world.get::<StepSpawn>(*former)?;
            Some((former.distance(&spawn)?, place))
        });
        let Some((_, place)) = distances.min() else {
            continue;
        };
        let to = former.swap_remove(place);
        for known in types.iter_mut() {
            known.adopt(world, entity, to);
        }
        world.despawn(entity);
        world
            .entity_mut(to)
            .remove::<Disabled>()
            .insert((spawn, Predicted));
    }
    world.resource_mut::<Waiting>().0 = former;
}

/// Despawns the entities that no repeated step has spawned.
pub(crate) fn end_replay(world: &mut World) {
    let Some(mut waiting) = world.get_resource_mut::<Waiting>() else {
        return;
    };
    for entity in mem::take(&mut waiting.0) {
        if let Ok(entity) = world.get_entity_mut(entity) {
            entity.despawn();
        }
    }
}

/// Returns the local entity that an object of the server stands for.
pub(crate) fn entity_of(world: &mut World, id: NetId) -> Option<Entity> {
    let client: &NetworkClient = world.resource::<Client>();
    let spawn = client.get::<StepSpawnShadow>(id)?;
    let (by, tick, number) = (spawn.by.id(), *spawn.tick, *spawn.number);
    let by = world.resource::<NetEntities>().entity(by)?;
    let own = StepSpawn { by, tick, number };
    let mut local = world.query_filtered::<(Entity, &StepSpawn), (With<Predicted>, Without<Net>)>();
    let alike = local
        .iter(world)
        .filter_map(|(entity, spawn)| Some((spawn.distance(&own)?, entity)));
    let nearest = alike.min_by_key(|(distance, _)| *distance);
    nearest.map(|(_, entity)| entity)
}
