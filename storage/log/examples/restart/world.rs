//! The game, in two builds.
//!
//! All values of an object follow from one number, so that an object of two moments is seen.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;

/// Units that change in each tick, and units in all, beside a pawn for each client.
pub(crate) const CHANGES: u32 = 10;
pub(crate) const UNITS: u32 = 100;

/// Clients that see the pawns of each other.
pub(crate) const GROUP: u32 = 20;

/// Name of the prefab of units and pawns, and of sparks.
pub(crate) const UNIT: &str = "unit";
pub(crate) const SPARK: &str = "spark";

/// First id of a spark, and ticks of its life.
pub(crate) const SPARKS: u32 = 1_000_000;
pub(crate) const LIFE: u32 = 20;

/// Hooks of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hooks {
    /// Last value of the count, and of the place.
    last: (u64, u64),
    pub(crate) runs: u64,
    /// Hooks for a value that is not newer than the last one.
    pub(crate) repeats: u64,
}

impl Hooks {
    fn count(&mut self, previous: u64, now: u64) {
        self.runs += 1;
        self.repeats += u64::from(now <= self.last.0 || now <= previous);
        self.last.0 = now;
    }

    fn place(&mut self, previous: u64, now: u64) {
        self.runs += 1;
        self.repeats += u64::from(now <= self.last.1 || now <= previous);
        self.last.1 = now;
    }

    /// Counts a hook of a field that never changes.
    fn constant(&mut self) {
        self.runs += 1;
        self.repeats += 1;
    }
}

/// Build of the game.
pub(crate) trait Build {
    type Unit: NetworkBehaviour + Default;
    type Place: NetworkBehaviour + Default;

    fn prefabs() -> Prefabs {
        Prefabs::new()
            .register::<(Self::Unit, Self::Place)>(UNIT)
            .register::<Self::Unit>(SPARK)
    }

    /// Gives a new unit its name.
    fn name(unit: &mut Self::Unit, name: &str);

    /// Advances a unit: its count, and what follows from it.
    fn advance(unit: &mut Self::Unit);

    /// Writes the place that follows from a count.
    fn set_place(place: &mut Self::Place, count: u64);

    /// Writes the field of the owner.
    fn aim(unit: &mut Self::Unit, aim: u32);

    /// Returns the count.
    fn count(unit: &Self::Unit) -> u64;

    /// Returns the fields that every observer has, and those of the owner.
    fn shown(unit: &Self::Unit) -> (String, String);

    /// Returns the place.
    fn place(place: &Self::Place) -> u64;

    /// Returns the hooks.
    fn hooks(unit: &Self::Unit) -> Hooks;

    /// Returns the hooks of a place.
    fn hooks_of_place(place: &Self::Place) -> Hooks;
}

/// The first build.
pub(crate) struct First;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Unit {
    #[sync_var(hook = on_count)]
    count: SyncVar<u32>,
    #[sync_var(hook = on_name)]
    name: SyncVar<String>,
    #[sync_var]
    last: SyncList<u32>,
    #[sync_var(read = owner)]
    purse: SyncVar<u32>,
    #[sync_var(write = owner)]
    aim: SyncVar<u32>,
    #[sync_var(read = server)]
    seed: SyncVar<u64>,
    hooks: Hooks,
}

impl Unit {
    fn on_count(&mut self, previous: u32) {
        self.hooks.count(previous.into(), (*self.count).into());
    }

    fn on_name(&mut self, _previous: String) {
        self.hooks.constant();
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(crate) struct Place {
    #[sync_var(hook = on_x)]
    x: SyncVar<u32>,
    hooks: Hooks,
}

impl Place {
    fn on_x(&mut self, previous: u32) {
        self.hooks.place(previous.into(), (*self.x).into());
    }
}

impl Build for First {
    type Unit = Unit;
    type Place = Place;

    fn name(unit: &mut Unit, name: &str) {
        unit.name.set(name.to_owned());
    }

    fn advance(unit: &mut Unit) {
        let count = *unit.count + 1;
        unit.count.set(count);
        unit.purse.set(count * 3);
        unit.seed.set(u64::from(count) * 5);
        unit.last.push(count);
        if unit.last.len() > 3 {
            unit.last.remove(0);
        }
    }

    fn set_place(place: &mut Place, count: u64) {
        place.x.set(u32::try_from(count).unwrap_or(u32::MAX));
    }

    fn aim(unit: &mut Unit, aim: u32) {
        unit.aim.set(aim);
    }

    fn count(unit: &Unit) -> u64 {
        (*unit.count).into()
    }

    fn shown(unit: &Unit) -> (String, String) {
        let (count, name, last, aim) = (&*unit.count, &*unit.name, unit.last.to_vec(), &*unit.aim);
        (
            format!("{count} {name} {last:?} {aim}"),
            unit.purse.to_string(),
        )
    }

    fn place(place: &Place) -> u64 {
        (*place.x).into()
    }

    fn hooks(unit: &Unit) -> Hooks {
        unit.hooks
    }

    fn hooks_of_place(place: &Place) -> Hooks {
        place.hooks
    }
}

/// The second build: other names, a different order, a wider count, a new field.
pub(crate) struct Second;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, was = "Unit")]
pub(crate) struct Hero {
    #[sync_var]
    mana: SyncVar<u16>,
    #[sync_var(read = server)]
    seed: SyncVar<u64>,
    #[sync_var(write = owner)]
    aim: SyncVar<u32>,
    #[sync_var(was = "last")]
    recent: SyncList<u32>,
    #[sync_var(was = "count", hook = on_total)]
    total: SyncVar<u64>,
    #[sync_var(hook = on_name)]
    name: SyncVar<String>,
    #[sync_var(read = owner)]
    purse: SyncVar<u32>,
    hooks: Hooks,
}

impl Hero {
    fn on_total(&mut self, previous: u64) {
        self.hooks.count(previous, *self.total);
    }

    fn on_name(&mut self, _previous: String) {
        self.hooks.constant();
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, was = "Place")]
pub(crate) struct Spot {
    #[sync_var(was = "x", hook = on_at)]
    at: SyncVar<u64>,
    hooks: Hooks,
}

impl Spot {
    fn on_at(&mut self, previous: u64) {
        self.hooks.place(previous, *self.at);
    }
}

impl Build for Second {
    type Unit = Hero;
    type Place = Spot;

    fn name(unit: &mut Hero, name: &str) {
        unit.name.set(name.to_owned());
    }

    fn advance(unit: &mut Hero) {
        let count = *unit.total + 1;
        let low = u32::try_from(count).unwrap_or(u32::MAX);
        unit.total.set(count);
        unit.purse.set(low * 3);
        unit.seed.set(count * 5);
        unit.recent.push(low);
        if unit.recent.len() > 3 {
            unit.recent.remove(0);
        }
        unit.mana.set(7);
    }

    fn set_place(place: &mut Spot, count: u64) {
        place.at.set(count);
    }

    fn aim(unit: &mut Hero, aim: u32) {
        unit.aim.set(aim);
    }

    fn count(unit: &Hero) -> u64 {
        *unit.total
    }

    fn shown(unit: &Hero) -> (String, String) {
        let (count, name, last, aim) =
            (&*unit.total, &*unit.name, unit.recent.to_vec(), &*unit.aim);
        (
            format!("{count} {name} {last:?} {aim}"),
            unit.purse.to_string(),
        )
    }

    fn place(place: &Spot) -> u64 {
        *place.at
    }

    fn hooks(unit: &Hero) -> Hooks {
        unit.hooks
    }

    fn hooks_of_place(place: &Spot) -> Hooks {
        place.hooks
    }
}
