//! Components of the random worlds.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::prelude::{NetworkBehaviour, SyncList};

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) health: u32,
    pub(super) name: String,
    pub(super) target: Option<Entity>,
}

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
pub(super) struct Crew(pub(super) Vec<Entity>, pub(super) u32);

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
pub(super) enum Order {
    Wait,
    Follow(Entity),
    Carry { load: u32, to: Entity },
}

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
pub(super) struct Flag;

/// Only the owner reads it.
#[derive(Component, Replicate, Clone, Debug, PartialEq)]
pub(super) struct Purse(#[sync_var(read = owner)] pub(super) u32);

/// A component with a collection.
#[derive(Component, NetworkBehaviour, Default)]
#[network_behaviour(crate = bevy_syncvar::syncvar)]
pub(super) struct Deck {
    #[sync_var]
    pub(super) cards: SyncList<u32>,
    #[sync_var]
    pub(super) top: SyncVar<u32>,
}

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
#[component(immutable, storage = "SparseSet")]
pub(super) struct Rank(pub(super) u32);

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
#[relationship(relationship_target = Passengers)]
pub(super) struct Rides(pub(super) Entity);

#[derive(Component, Debug)]
#[relationship_target(relationship = Rides)]
pub(super) struct Passengers(Vec<Entity>);

/// Sources end with the target.
#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
#[relationship(relationship_target = Parts)]
pub(super) struct PartOf(pub(super) Entity);

#[derive(Component, Debug)]
#[relationship_target(relationship = PartOf, linked_spawn)]
pub(super) struct Parts(Vec<Entity>);

/// Sent by entities with `Open`.
#[derive(Component, Replicate, Clone, Debug, PartialEq)]
pub(super) struct Loot(pub(super) u32);

#[derive(Component, Clone)]
pub(super) struct Open;

/// Entities with it keep their parents to themselves, where parents are filtered.
#[derive(Component, Clone)]
pub(super) struct Loose;

/// An observer despawns the entities that receive it.
#[derive(Component)]
pub(super) struct Doomed;

#[derive(Resource, Replicate, Clone, Debug, PartialEq)]
pub(super) struct Weather {
    pub(super) wind: u32,
    pub(super) over: Option<Entity>,
}

/// Whether parents are filtered.
#[derive(Resource)]
pub(super) struct HasFilter;

/// A local part of a received entity.
#[derive(Component)]
struct Effect;

/// Registrations of a world.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub(super) with_bundles: bool,
    pub(super) filters_parents: bool,
}

pub(super) fn register(app: &mut App, options: Options) {
    app.replicate::<Purse>()
        .replicate::<Deck>()
        .replicate_immutable::<Rank>()
        .replicate_relationship::<Rides>()
        .replicate_relationship::<PartOf>()
        .replicate_filtered::<Loot, With<Open>>()
        .replicate_resource::<Weather>();
    if options.with_bundles {
        app.replicate_bundle::<(Unit, Crew)>()
            .replicate_bundle::<(Unit, Order, Flag)>();
    } else {
        app.replicate::<Unit>()
            .replicate::<Crew>()
            .replicate::<Order>()
            .replicate::<Flag>();
    }
    if options.filters_parents {
        app.filter_parents::<Without<Loose>>()
            .insert_resource(HasFilter);
    }
}

/// Observers of the game on the server.
pub(super) fn observe_server(app: &mut App) {
    app.add_observer(|added: On<Add<Doomed>>, mut commands: Commands| {
        commands.entity(added.entity).despawn();
    });
    app.add_observer(|added: On<Add<Flag>>, mut units: Query<&mut Unit>| {
        if let Ok(mut unit) = units.get_mut(added.entity) {
            unit.health += 1;
        }
    });
}

/// Observers of the game on a client: local entities below the received entities.
pub(super) fn observe_client(app: &mut App) {
    app.add_observer(|added: On<Add<Order>>, mut commands: Commands| {
        commands.entity(added.entity).with_child(Effect);
    });
    app.add_observer(|change: On<Received<Unit>>, mut commands: Commands| {
        commands.spawn((Effect, ChildOf(change.entity)));
    });
}
