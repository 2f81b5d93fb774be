//! Ticks of a client: those of its input clock, and those behind a corrected state once more.

use std::mem;
use std::ops::RangeInclusive;

use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryState;
use syncvar::SyncValue;

use super::input::{HeldInput, TickInput, set};
use super::step::{TickState, run_fixed};
use crate::prediction::{RollbackType, RollbackTypes, spawns};
use crate::registry::ClientParts;
use crate::time::{NetClock, Tick};
use crate::{Client, Owned, Predicted};

/// Most ticks that a frame makes up for, without those of the prediction.
const MAX_TICKS: u64 = 32;

/// Runs the ticks that have begun on the input clock.
///
/// ```text
/// before          r            newest     restored r: the server's state of this tick differs
///   │  new ticks  │  new ticks │          r behind `before`: a replay up to it, then new ticks
///   └────────────▶└───────────▶┘          r ahead of it, after a long frame: the ticks up to r serve the local data only
/// ```
pub(super) fn run_ticks<M: SyncValue + Default>(
    world: &mut World,
    own: &mut QueryState<Entity, Own>,
    former: &mut QueryState<Entity, Former<M>>,
) {
    let mut inputs = Inputs::<M> { own, former };
    let mut types = mem::take(&mut *world.resource_mut::<RollbackTypes>());
    hold::<M>(world);
    let due = ClientParts::lend(world, |parts| begin(parts, &mut types)).flatten();
    if let Some(Due {
        before,
        restored,
        ticks,
    }) = due
    {
        each_type(world, &mut types, |known, parts| match restored {
            Some(tick) if tick <= before => known.restore(parts, tick),
            _ => known.resume(parts),
        });
        if let Some(restored) = restored.filter(|tick| *tick > before) {
            let first = (before + 1).max((restored + 1).saturating_sub(MAX_TICKS));
            for tick in first..=restored {
                run(world, &mut types, &mut inputs, tick..=before, false);
            }
            each_type(world, &mut types, |known, parts| {
                known.restore(parts, restored);
            });
        }
        for tick in ticks {
            run(world, &mut types, &mut inputs, tick..=before, true);
        }
        spawns::end_replay(world);
    }
    let newest = world.resource::<Client>().input_tick();
    world.resource_mut::<TickState>().newest = newest;
    *world.resource_mut::<RollbackTypes>() = types;
}

/// Ticks that run now.
struct Due {
    /// Newest tick that has run before.
    before: u64,
    /// Tick behind which the steps begin again.
    restored: Option<u64>,
    ticks: RangeInclusive<u64>,
}

/// Begins the ticks up to now, and new predictions.
fn begin(parts: &mut ClientParts<'_>, types: &mut RollbackTypes) -> Option<Due> {
    let now = NetClock::now(parts.world);
    parts.client.update(now);
    for known in types.iter_mut() {
        known.begin(parts);
    }
    let newest = parts.client.input_tick()?;
    let before = parts.world.resource::<TickState>().newest;
    // A new session may have earlier ticks.
    let before = before.filter(|before| *before <= newest);
    let before = before.unwrap_or(newest - 1);
    Some(match parts.client.take_ticks() {
        Some(run) => Due {
            before,
            restored: run.restored,
            ticks: run.ticks,
        },
        // No entity is predicted.
        None => Due {
            before,
            restored: None,
            ticks: (before + 1).max((newest + 1).saturating_sub(MAX_TICKS))..=newest,
        },
    })
}

fn each_type(
    world: &mut World,
    types: &mut RollbackTypes,
    mut work: impl FnMut(&mut dyn RollbackType, &mut ClientParts<'_>),
) {
    ClientParts::lend(world, |parts| {
        types.iter_mut().for_each(|known| work(known, parts));
    });
}

/// Runs the first tick, which is a replay if it is in the range, and records its results.
fn run<M: SyncValue + Default>(
    world: &mut World,
    types: &mut RollbackTypes,
    inputs: &mut Inputs<'_, M>,
    ticks: RangeInclusive<u64>,
    is_ahead: bool,
) {
    let (number, is_replay) = (*ticks.start(), !ticks.is_empty());
    inputs.set(world, number);
    run_fixed(world, Tick { number, is_replay });
    spawns::adopt(world, types);
    each_type(world, types, |known, parts| {
        known.record(parts, number, is_ahead);
    });
}

/// Hands the held input to the client.
fn hold<M: SyncValue>(world: &mut World) {
    let held = world.resource::<HeldInput<M>>().0.clone();
    let result = world.resource_mut::<Client>().set_input(&held);
    let mut state = world.resource_mut::<TickState>();
    if let Err(error) = &result
        && !state.is_reported
    {
        tracing::error!(%error, "the inputs of this client are not sent");
    }
    state.is_reported = result.is_err();
}

/// Filter of the entities with an input.
type Own = (With<Owned>, With<Predicted>);

/// Filter of the entities whose input is out of date.
type Former<M> = (With<TickInput<M>>, Or<(Without<Owned>, Without<Predicted>)>);

/// The entities that have the inputs of the player, or had them.
struct Inputs<'a, M: SyncValue> {
    own: &'a mut QueryState<Entity, Own>,
    former: &'a mut QueryState<Entity, Former<M>>,
}

impl<M: SyncValue + Default> Inputs<'_, M> {
    /// Gives the own entities the input of a tick.
    fn set(&mut self, world: &mut World, tick: u64) {
        let input = world.resource::<Client>().input_at::<M>(tick);
        let input = input.unwrap_or_default();
        for entity in self.own.iter(world).collect::<Vec<_>>() {
            set(world, entity, TickInput(input.clone()));
        }
        for entity in self.former.iter(world).collect::<Vec<_>>() {
            world.entity_mut(entity).remove::<TickInput<M>>();
        }
    }
}
