//! The workload: objects of one behaviour, and their changes in a tick.

use syncvar::prelude::*;

use super::random::Random;

/// Plain values of one object: four integers, three coordinates, a name of 14 characters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Values {
    pub(crate) health: i32,
    pub(crate) score: i32,
    pub(crate) balance: i32,
    pub(crate) seed: i32,
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
    pub(crate) name: String,
}

impl Values {
    /// Returns a small, a middling, a signed and a large integer; coordinates with full mantissas.
    pub(crate) fn random(random: &mut Random) -> Self {
        Self {
            health: random_health(random),
            score: random.between(0, 1_000_000),
            balance: random.between(-1_000, 1_000),
            seed: random.bits().cast_signed(),
            x: random.fraction_of(512.0),
            y: random.fraction_of(512.0),
            z: random.fraction_of(64.0),
            name: format!("player-{:07}", random.below(10_000_000)),
        }
    }

    /// Returns a change of this object, equal for every measured library.
    pub(crate) fn change(fields: Fields, random: &mut Random) -> Change {
        match fields {
            Fields::One => Change::Health(random_health(random)),
            Fields::All => Change::All(Self::random(random)),
        }
    }

    pub(crate) fn apply(&mut self, change: Change) {
        match change {
            Change::Health(health) => self.health = health,
            Change::All(values) => *self = values,
        }
    }
}

fn random_health(random: &mut Random) -> i32 {
    random.between(0, 10_000)
}

/// Changed fields of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fields {
    /// One small integer ("A").
    One,
    /// All eight fields ("B").
    All,
}

impl Fields {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::One => "one field",
            Self::All => "all fields",
        }
    }
}

/// New values of an object.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Health(i32),
    All(Values),
}

/// The object as a behaviour of `syncvar`.
#[derive(NetworkBehaviour, Clone, Debug, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Unit {
    #[sync_var]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    pub(crate) score: SyncVar<i32>,
    #[sync_var]
    pub(crate) balance: SyncVar<i32>,
    #[sync_var]
    pub(crate) seed: SyncVar<i32>,
    #[sync_var]
    pub(crate) x: SyncVar<f32>,
    #[sync_var]
    pub(crate) y: SyncVar<f32>,
    #[sync_var]
    pub(crate) z: SyncVar<f32>,
    #[sync_var]
    pub(crate) name: SyncVar<String>,
}

impl Unit {
    pub(crate) fn apply(&mut self, change: Change) {
        match change {
            Change::Health(health) => {
                self.health.set(health);
            }
            Change::All(values) => {
                self.health.set(values.health);
                self.score.set(values.score);
                self.balance.set(values.balance);
                self.seed.set(values.seed);
                self.x.set(values.x);
                self.y.set(values.y);
                self.z.set(values.z);
                self.name.set(values.name);
            }
        }
    }

    pub(crate) fn values(&self) -> Values {
        Values {
            health: *self.health,
            score: *self.score,
            balance: *self.balance,
            seed: *self.seed,
            x: *self.x,
            y: *self.y,
            z: *self.z,
            name: self.name.to_string(),
        }
    }
}

impl From<Values> for Unit {
    fn from(values: Values) -> Self {
        Self {
            health: values.health.into(),
            score: values.score.into(),
            balance: values.balance.into(),
            seed: values.seed.into(),
            x: values.x.into(),
            y: values.y.into(),
            z: values.z.into(),
            name: values.name.into(),
        }
    }
}

/// A server under measurement.
pub(crate) trait Server {
    /// Changes an object, as a game does between two ticks.
    fn change(&mut self, object: u32, change: Change);

    /// Runs the measured part: from finished changes to the bytes of all clients.
    fn tick(&mut self);
}

/// Changes of successive ticks, equal for every measured server.
///
/// Each tick takes the next objects of a random order, so that a tick with few changes has the scattered
/// memory accesses of a game.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    order: Vec<u32>,
    next: usize,
    random: Random,
}

impl Changes {
    pub(crate) fn new(objects: u32) -> Self {
        let mut random = Random::new(2);
        Self {
            order: random.permutation(objects),
            next: 0,
            random,
        }
    }

    /// Makes the changes of one tick and returns the number of changed objects. At 100 % they change
    /// in ascending order.
    pub(crate) fn make(&mut self, server: &mut impl Server, percent: u32, fields: Fields) -> usize {
        let count = self.order.len() * percent as usize / 100;
        for (number, turn) in (0..).zip(0..count) {
            let object = if percent == 100 {
                number
            } else {
                self.order[(self.next + turn) % self.order.len()]
            };
            server.change(object, Values::change(fields, &mut self.random));
        }
        self.next = (self.next + count) % self.order.len();
        count
    }
}
