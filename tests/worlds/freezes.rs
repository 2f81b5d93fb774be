//! Movers over a link of 40 ms that loses a tenth of its packets: how long they are wrong, and how long they
//! stand still.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::testing::Conditions;

/// Object that moves in each tick until it stops.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, redundancy = 1)]
struct Mover {
    #[sync_var]
    x: SyncVar<u32>,
}

const TICK: Duration = Duration::from_nanos(1_000_000_000 / 30);
const ROUND_TRIP: Duration = Duration::from_millis(80);
const MOVERS: usize = 100;

struct Race {
    net: MemoryNetwork,
    movers: Vec<NetId>,
}

impl Race {
    fn new(seed: u64) -> Self {
        let prefabs = || Prefabs::new().register::<Mover>("mover");
        let link = Conditions {
            delay: ROUND_TRIP / 2,
            loss: 0.1,
            seed,
            ..Conditions::default()
        };
        let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
        net.tick = TICK;
        net.connect();
        let movers = (0..MOVERS).map(|_| net.server.spawn(Mover::default()));
        let movers = movers.collect();
        net.settle();
        Self { net, movers }
    }

    /// Moves the movers from this one on by a step, and lets a tick pass.
    fn step(&mut self, first: usize) {
        for mover in &self.movers[first..] {
            self.net.server.get_mut::<Mover>(*mover).unwrap().x += 1;
        }
        self.net.step();
    }

    fn replica(&self, mover: usize) -> u32 {
        *self
            .net
            .client(0)
            .get::<Mover>(self.movers[mover])
            .unwrap()
            .x
    }

    /// Returns the number of wrong replicas.
    fn wrong(&self) -> usize {
        let original = |id: &NetId| *self.net.server.get::<Mover>(*id).unwrap().x;
        let originals = self.movers.iter().map(original);
        let replicas = (0..MOVERS).map(|mover| self.replica(mover));
        originals.zip(replicas).filter(|(a, b)| a != b).count()
    }
}

#[test]
fn no_stopped_mover_is_wrong_after_two_round_trips() {
    let mut wrong = Vec::new();
    for seed in 0..20 {
        let mut race = Race::new(seed);
        // One mover stops in each tick.
        (0..=MOVERS).for_each(|stopped| race.step(stopped));
        let rest = race.net.now() + 2 * ROUND_TRIP;
        while race.net.now() < rest {
            race.step(MOVERS);
        }
        wrong.push(race.wrong());
        race.net.settle();
        assert_eq!(race.wrong(), 0, "seed {seed}");
    }
    assert_eq!(wrong, [0; 20]);
}

#[test]
fn movers_stand_still_for_at_most_three_ticks() {
    /// Ticks of the movers before the first of them stops.
    const MOVING: usize = 300;

    let mut longest = Vec::new();
    for seed in 0..10 {
        let mut race = Race::new(seed);
        let (mut last, mut still, mut most) = (race.replica(0), 0, 0);
        for tick in 0..MOVING {
            race.step(0);
            let x = race.replica(0);
            still = if x == last { still + 1 } else { 0 };
            last = x;
            // The first values are on their way.
            if tick > 5 {
                most = most.max(still);
            }
        }
        longest.push(most);
    }
    assert!(longest.iter().all(|ticks| *ticks <= 3), "{longest:?}");
}
