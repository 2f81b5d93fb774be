//! `Arena`: a server and players in one process and in virtual time, over a link with conditions, with the measures of the views that
//! the players see.

use std::time::{Duration, Instant};

use avian2d::prelude::Position;
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::stats::PredictionStats;
use bevy_syncvar::syncvar::testing::Conditions;
use bevy_time::TimeUpdateStrategy;

use super::{Steer, client, server};

/// One frame and one tick.
const FRAME: Duration = Duration::from_nanos(16_666_667);

/// A server and players.
pub struct Arena {
    /// The server.
    pub server: App,
    /// The players.
    pub clients: Vec<App>,
    frames: u32,
    /// Corrections before the game, by player: the contacts of a client begin without impulses.
    settled: Vec<u64>,
    /// Views of the players.
    pub seen: Vec<Seen>,
}

/// Views of a player.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    last: Option<Position>,
    /// Longest step of the own character in a frame, in metres.
    pub longest_step: f32,
    /// Frames with repeated ticks: their number of ticks, and the duration of the frame.
    pub replays: Vec<(u64, Duration)>,
}

impl Arena {
    /// Makes an arena, and waits until its players have joined.
    pub fn new(conditions: Conditions, players: usize, crates: u16) -> Self {
        let listener = MemoryListener::new(conditions);
        let links: Vec<_> = (0..players).map(|_| listener.link()).collect();
        let mut arena = Self {
            server: server(ServerPlugin::new(listener), crates),
            clients: Vec::new(),
            frames: 0,
            settled: Vec::new(),
            seen: vec![Seen::default(); players],
        };
        for link in links {
            arena.clients.push(client(ClientPlugin::new(link)));
        }
        let apps = arena.clients.iter_mut().chain([&mut arena.server]);
        for app in apps {
            app.insert_resource(TimeUpdateStrategy::ManualDuration(FRAME));
        }
        arena.frames(240, |_, _| Steer::default());
        arena.seen = vec![Seen::default(); players];
        let settled = arena.clients.iter().map(|app| stats(app).corrections);
        arena.settled = settled.collect();
        arena
    }

    /// Runs frames, with the inputs of the players.
    pub fn frames(&mut self, count: u32, steer: impl Fn(usize, u32) -> Steer) {
        for _ in 0..count {
            self.frames += 1;
            self.server.update();
            for (player, app) in self.clients.iter_mut().enumerate() {
                app.world_mut().resource_mut::<HeldInput<Steer>>().0 = steer(player, self.frames);
                let repeated = stats(app).replayed;
                let started = Instant::now();
                app.update();
                let duration = started.elapsed();
                let seen = &mut self.seen[player];
                let repeated = stats(app).replayed - repeated;
                if repeated > 0 {
                    seen.replays.push((repeated, duration));
                }
                let mut own = app.world_mut().query_filtered::<&Position, With<Owned>>();
                let shown = own.single(app.world()).ok().copied();
                if let (Some(last), Some(shown)) = (seen.last, shown) {
                    seen.longest_step = seen.longest_step.max(shown.distance(last.0));
                }
                seen.last = shown;
            }
        }
    }

    /// Returns the corrections of a player's predictions since the begin of the game.
    pub fn corrections(&self, player: usize) -> u64 {
        stats(&self.clients[player]).corrections - self.settled[player]
    }

    /// Returns the largest distance between a body of a player and its body on the server.
    pub fn distance(&mut self, player: usize) -> f32 {
        let app = &mut self.clients[player];
        let mut bodies = app.world_mut().query::<(&Net, &Position)>();
        let here = self.server.world();
        let distances = bodies.iter(app.world()).filter_map(|(net, shown)| {
            let entity = here.resource::<NetEntities>().entity(net.id())?;
            Some(here.get::<Position>(entity)?.distance(shown.0))
        });
        distances.fold(0.0, f32::max)
    }
}

fn stats(app: &App) -> PredictionStats {
    let client = app.world().get_resource::<Client>();
    client
        .map(|client| client.prediction_stats())
        .unwrap_or_default()
}

/// The run of a player who changes the direction and jumps, at different times for each player.
pub fn wander(player: usize, frame: u32) -> Steer {
    let phase = frame + 37 * u32::try_from(player).unwrap_or_default();
    Steer {
        run: [1.0, 1.0, -1.0, 0.0, -1.0][(phase / 45 % 5) as usize],
        jump: phase.is_multiple_of(70),
    }
}

/// Returns the conditions of a link in the open.
pub fn open(seed: u64) -> Conditions {
    Conditions {
        delay: Duration::from_millis(80),
        jitter: Duration::from_millis(20),
        loss: 0.05,
        seed,
        ..Conditions::default()
    }
}
