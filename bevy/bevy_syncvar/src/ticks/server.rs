//! Ticks of a server.

use std::mem;

use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryState;
use syncvar::SyncValue;

use super::input::{HeldInput, TickInput, set};
use super::step::run_fixed;
use crate::connections::{Connections, Owns};
use crate::prediction::RollbackTypes;
use crate::time::{NetClock, Tick};
use crate::{NetEntities, Owner, Server};

/// Filter of the entities whose input is out of date.
type Former<M> = (With<TickInput<M>>, Without<Owner>);

/// Runs the ticks that the update of this frame brings.
pub(super) fn run_ticks<M: SyncValue + Default>(
    world: &mut World,
    former: &mut QueryState<Entity, Former<M>>,
) {
    let now = NetClock::now(world);
    let held = world.resource::<HeldInput<M>>().0.clone();
    let mut server = world.resource_mut::<Server>();
    let ticks = server.ticks_until(now);
    // A server without a local player has none.
    let _ = server.local_set_input(&held);
    let mut types = mem::take(&mut *world.resource_mut::<RollbackTypes>());
    for number in ticks {
        set_inputs(world, former, number);
        run_fixed(
            world,
            Tick {
                number,
                is_replay: false,
            },
        );
        world.resource_scope(|world, entities: Mut<NetEntities>| {
            for known in types.iter_mut() {
                known.round(world, &entities);
            }
        });
    }
    *world.resource_mut::<RollbackTypes>() = types;
}

/// Gives the entities of the connections their inputs.
fn set_inputs<M: SyncValue + Default>(
    world: &mut World,
    former: &mut QueryState<Entity, Former<M>>,
    tick: u64,
) {
    let connections = world.resource::<Connections>();
    let ids = connections.ids().into_iter();
    let connections: Vec<_> = ids
        .filter_map(|id| Some((id, connections.entity(id)?)))
        .collect();
    for (id, connection) in connections {
        let input = world.resource_mut::<Server>().input::<M>(id, tick).get();
        let input = input.unwrap_or_default();
        let own = world.get::<Owns>(connection);
        let own: Vec<Entity> = own.into_iter().flat_map(Owns::iter).collect();
        for entity in own {
            set(world, entity, TickInput(input.clone()));
        }
    }
    for entity in former.iter(world).collect::<Vec<_>>() {
        world.entity_mut(entity).remove::<TickInput<M>>();
    }
}
