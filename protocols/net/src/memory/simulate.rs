//! `simulate`: random networks for property tests of a game.

use std::time::Duration;

use syncvar_runtime::Random;
use syncvar_runtime::conditions::Conditions;

use super::MemoryNetwork;
use crate::Framing;

/// Most clients that a simulation connects.
const MAX_CLIENTS: usize = 8;

/// Longest stall, in milliseconds.
const MAX_STALL: u32 = 500;

/// Names the failed step when a step panics.
struct Progress {
    seed: u64,
    step: usize,
    steps: usize,
}

impl Drop for Progress {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self { seed, step, steps } = self;
            eprintln!("simulate: seed {seed}, step {step} of {steps}");
        }
    }
}

impl MemoryNetwork {
    /// Runs a game on random links, and compares the replicas at the end.
    ///
    /// Each step changes the network at random: clients connect (up to 8), with or without
    /// [datagrams](Self::datagrams), are cut and connect again, links get another delay, jitter, loss and
    /// bandwidth, and ends and directions stall for up to half a second. Then `f` runs one step of the game, with
    /// random numbers of this step, and the network [advances](Self::step). At the end all links are
    /// instant and lossless, the network [settles](Self::settle), and
    /// [`assert_replicas_equal`](Self::assert_replicas_equal) runs. With a client of
    /// [`Framing::Unet`](crate::Framing::Unet), which repairs no loss, the behaviours on unreliable channels are
    /// sent once more before.
    ///
    /// A game that steps a world by [`ticks_until`](crate::NetworkServer::ticks_until) leaves the step out while
    /// [`is_server_stalled`](Self::is_server_stalled).
    ///
    /// Equal seeds give equal runs. The numbers of a step depend on the seed and its index only: a run
    /// with fewer steps is the beginning of a longer one, so a property test may shrink `steps`.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Score {
    ///     #[sync_var]
    ///     points: SyncVar<u32>,
    /// }
    ///
    /// for seed in 0..10 {
    ///     let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Score>("score"));
    ///     let id = net.server.spawn(Score::default());
    ///     net.simulate(seed, 50, |net, random| {
    ///         net.server.get_mut::<Score>(id).unwrap().points += random.below(3);
    ///     });
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When `f` panics, and when a replica differs at the end. The standard error names seed and step.
    #[track_caller]
    pub fn simulate(&mut self, seed: u64, steps: usize, mut f: impl FnMut(&mut Self, &mut Random)) {
        let mut progress = Progress {
            seed,
            step: 0,
            steps,
        };
        let datagrams = self.datagrams;
        for step in 0..steps {
            progress.step = step;
            let mut random = Random::of_step(seed, step);
            self.disturb(&mut random);
            f(self, &mut random);
            self.step();
        }
        progress.step = steps;
        self.datagrams = datagrams;
        for index in 0..self.clients.len() {
            self.set_link(index, Conditions::default());
        }
        self.settle();
        let mut connected = self.clients.iter().filter(|end| end.connected);
        if connected.any(|end| end.client.framing() == Framing::Unet) {
            {
                let server = &mut self.server;
                server.objects.repeat_lossy(&server.context.config);
            }
            self.settle();
        }
        self.assert_replicas_equal();
    }

    /// Stalls an end or a direction at random.
    fn stall(&mut self, index: usize, random: &mut Random) {
        let duration = Duration::from_millis(random.below(MAX_STALL).into());
        match random.below(4) {
            0 => self.stall_server(duration),
            1 => self.stall_client(index, duration),
            2 => self.stall_uplink(index, duration),
            _ => self.stall_downlink(index, duration),
        }
    }

    /// Changes the clients and their links at random.
    fn disturb(&mut self, random: &mut Random) {
        let count = self.clients.len();
        self.datagrams = random.chance(700);
        if count < MAX_CLIENTS && random.chance(40) {
            self.connect();
            return;
        }
        let indices: Vec<_> = (0..count).collect();
        let Some(index) = random.pick(&indices).copied() else {
            return;
        };
        if random.chance(30) {
            if self.clients[index].connected {
                self.cut(index);
            } else {
                self.reconnect(index);
            }
        } else if random.chance(60) {
            self.set_link(index, random_link(random));
        } else if random.chance(20) {
            self.stall(index, random);
        }
    }
}

fn random_link(random: &mut Random) -> Conditions {
    let mut millis = |limit| Duration::from_millis(random.below(limit).into());
    let (delay, jitter) = (millis(200), millis(80));
    let is_narrow = random.chance(200);
    Conditions {
        delay,
        jitter,
        loss: f64::from(random.below(150)) / 1000.0,
        bandwidth: is_narrow.then(|| 5_000 + random.below(50_000)),
        ..Conditions::default()
    }
}
