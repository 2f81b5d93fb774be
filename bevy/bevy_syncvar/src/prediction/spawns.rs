//! Entities that a fixed step spawns on both ends: a client has them at once, and they become the server's.
//!
//! ```text
//! client   tick t: spawned, local, predicted ───── the object arrives: the same entity, corrected by the server
//! server             tick t: spawned ─────────────▲
//! ```
//!
//! A rollback behind the spawn despawns the entity; the repeated steps spawn it again, or do not. An entity whose object does not
//! come is despawned: the server has refused it.

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryState;
use bevy_ecs::world::DeferredWorld;
use syncvar::{NetId, NetworkClient};

use super::RollbackType;
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
/// use bevy_syncvar::StepSpawn;
/// use bevy_syncvar::prelude::*;
///
/// #[derive(Component, Replicate)]
/// struct Shell {
///     #[sync_var(interpolate = linear)]
///     x: f32,
/// }
///
/// fn fire(guns: Query<(Entity, &TickInput<bool>)>, tick: Res<Tick>, mut commands: Commands) {
///     for (gun, fires) in &guns {
///         if **fires {
///             commands.spawn((Shell { x: 0.0 }, StepSpawn::new(gun, *tick)));
///         }
///     }
/// }
///
/// fn shared(app: &mut App) {
///     app.add_plugins(TickPlugin::<bool>::default())
///         .predict::<Shell>()
///         .predict_spawns()
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
    tick: u64,
    number: u32,
}

impl StepSpawn {
    /// Makes the key of an entity that this entity spawns in a tick.
    pub fn new(by: Entity, tick: Tick) -> Self {
        Self {
            by,
            tick: tick.number,
            number: 0,
        }
    }

    /// Distinguishes the entities that one entity spawns in one tick.
    #[must_use]
    pub fn with_number(self, number: u32) -> Self {
        Self { number, ..self }
    }

    /// Returns the tick.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    fn on_add(mut world: DeferredWorld<'_>, context: HookContext) {
        let entity = context.entity;
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
}

type Local = QueryState<(Entity, &'static StepSpawn), (With<Predicted>, Without<Net>)>;

/// Local entities without an object.
#[derive(Default)]
pub(super) struct LocalSpawns {
    local: Option<Local>,
}

impl LocalSpawns {
    fn despawn(&mut self, world: &mut World, is_over: impl Fn(&StepSpawn) -> bool) {
        let local = self.local.get_or_insert_with(|| QueryState::new(world));
        let over = local.iter(world).filter(|(_, spawn)| is_over(spawn));
        let over: Vec<Entity> = over.map(|(entity, _)| entity).collect();
        for entity in over {
            world.despawn(entity);
        }
    }
}

impl RollbackType for LocalSpawns {
    fn restore(&mut self, parts: &mut ClientParts<'_>, tick: u64) {
        self.despawn(parts.world, |spawn| spawn.tick > tick);
    }

    fn record(&mut self, parts: &mut ClientParts<'_>, tick: u64, _: bool) {
        self.despawn(parts.world, |spawn| spawn.tick + PATIENCE < tick);
    }
}

/// Returns the local entity that an object of the server stands for.
pub(crate) fn entity_of(world: &mut World, id: NetId) -> Option<Entity> {
    let client: &NetworkClient = world.resource::<Client>();
    let spawn = client.get::<StepSpawnShadow>(id)?;
    let (by, tick, number) = (spawn.by.id(), *spawn.tick, *spawn.number);
    let by = world.resource::<NetEntities>().entity(by)?;
    let mut local = world.query_filtered::<(Entity, &StepSpawn), (With<Predicted>, Without<Net>)>();
    let alike = local.iter(world).filter(|(_, spawn)| {
        let is_near = spawn.tick.abs_diff(tick) <= MAX_DISTANCE;
        is_near && (spawn.by, spawn.number) == (by, number)
    });
    let nearest = alike.min_by_key(|(_, spawn)| spawn.tick.abs_diff(tick));
    nearest.map(|(entity, _)| entity)
}
