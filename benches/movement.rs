//! A runner on a bad link, as four strategies show it: the newest value, interpolation, extrapolation to the present of the
//! arrivals, and a curve. The runner turns back sharply at 5 m/s, 30 ticks a second, over 30 to 50 ms with 5 % loss in each direction; the
//! screen draws 120 frames a second. Then the own runner of a client, by the newest value and predicted, without and with pushes that only
//! the server knows.
//!
//! ```text
//! cargo bench --bench movement    # prints a table and writes guide/src/movement-{path,error,own-path,own-error}.svg
//! ```

#[path = "support/chart.rs"]
mod chart;
#[path = "movement/own.rs"]
mod own;

use std::error::Error;
use std::fs;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{ClientConfig, FieldBit, NetworkBehaviour, ServerConfig};

use chart::{Chart, Series};

const TICK: Duration = Duration::from_nanos(1_000_000_000 / 30);

/// Frames in a tick.
const FRAMES: u32 = 4;

const SPEED: f64 = 5.0;

/// Distance between two turns in metres.
const WAY: f64 = 4.0;

/// Ticks of a run, those at its start that do not count, and those of the charts.
const TICKS: u32 = 1800;
const WARM_UP: u32 = 120;
const DRAWN: std::ops::Range<u32> = 240..390;

macro_rules! runner {
    ($name:ident, $($setting:tt)*) => {
        #[derive(NetworkBehaviour, Default)]
        #[network_behaviour(send_interval = 0, channel = unreliable)]
        struct $name {
            #[sync_var($($setting)*)]
            x: SyncVar<f32>,
        }

        impl Runs for $name {
            fn set(&mut self, x: f32) {
                self.x.set(x);
            }

            fn newest(&self) -> f32 {
                *self.x
            }

            const FIELD: FieldBit<Self, f32> = Self::X;
        }
    };
}

trait Runs: NetworkBehaviour + Default {
    const FIELD: FieldBit<Self, f32>;

    fn set(&mut self, x: f32);
    fn newest(&self) -> f32;
}

runner!(Straight, interpolate = linear, snap = 3.0);
runner!(Curved, interpolate = hermite, snap = 3.0);
runner!(Ahead, interpolate = linear, extrapolate = 0.25, snap = 3.0);

/// Shown positions of all frames: the time in seconds, the position, and the delay of the view.
type Frames = Vec<(f64, f64)>;

struct Strategy {
    name: &'static str,
    frames: Frames,
    /// Positions that a frame without delay and error shows.
    truth: Frames,
    delay: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let half = ClientConfig::default().max_view_delay;
    let strategies = [
        run::<Straight>("newest value", half, |runner, _| Some(runner.newest())),
        run::<Straight>("linear", half, |_, view| view),
        run::<Curved>("hermite", half, |_, view| view),
        run::<Ahead>("extrapolate", Duration::ZERO, |_, view| view),
    ];
    println!(
        "| strategy | view delay | distance from the present p50 | p99 | longest step of a frame |"
    );
    println!("| --- | --- | --- | --- | --- |");
    for strategy in &strategies {
        strategy.print();
    }
    let [own, predicted] = own::run(["own, newest value", "own, predicted"], false);
    own.print();
    predicted.print();
    let pushed = own::run(["newest, pushed", "predicted, pushed"], true);
    for strategy in &pushed {
        strategy.print();
    }
    // `cargo test --benches` runs the bench without this argument, to see that it runs.
    if std::env::args().any(|argument| argument == "--bench") {
        let titles = [
            "Path of a runner, true and seen",
            "Distance of the seen runner from the present one",
        ];
        draw(&strategies, "movement", titles)?;
        let titles = [
            "Path of the own runner, pushed by the server",
            "Distance of the own runner from that of the server in its tick",
        ];
        draw(&pushed, "movement-own", titles)?;
    }
    Ok(())
}

/// Returns the conditions of each direction.
fn link() -> Conditions {
    Conditions {
        delay: Duration::from_millis(30),
        jitter: Duration::from_millis(20),
        loss: 0.05,
        seed: 3,
        ..Conditions::default()
    }
}

/// Runs a world with a behaviour, and returns the frames of its client.
fn run<R: Runs>(
    name: &'static str,
    max_view_delay: Duration,
    shown: impl Fn(&R, Option<f32>) -> Option<f32>,
) -> Strategy {
    let prefabs = || Prefabs::new().register::<R>("runner");
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link());
    (net.tick, net.datagrams) = (TICK, true);
    let config = ClientConfig {
        max_view_delay,
        ..ClientConfig::default()
    };
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    let id = net.server.spawn(R::default());
    let mut frames = Vec::new();
    for _ in 0..TICKS {
        let time = (net.now() + TICK).as_secs_f64();
        let mut runner = net.server.get_mut::<R>(id).expect("spawned");
        runner.set(path(time));
        drop(runner);
        net.step();
        let client = net.client(0);
        for frame in 0..FRAMES {
            let now = net.now() + TICK / FRAMES * frame;
            let view = client.view_at::<R>(id, now);
            let view = view.and_then(|view| view.get(R::FIELD));
            let seen = client.get::<R>(id).and_then(|runner| shown(runner, view));
            frames.push((now.as_secs_f64(), seen.unwrap_or_default().into()));
        }
    }
    let delay = net.client(0).view_delay().unwrap_or_default();
    let truth = frames.iter().map(|(time, _)| (*time, path(*time).into()));
    Strategy {
        name,
        truth: truth.collect(),
        frames,
        delay,
    }
}

/// Returns the position of the runner at a time in seconds.
fn path(time: f64) -> f32 {
    let along = (time * SPEED) % (2.0 * WAY);
    #[expect(clippy::cast_possible_truncation, reason = "a few metres")]
    let x = along.min(2.0 * WAY - along) as f32;
    x
}

impl Strategy {
    /// Returns the distances from the true position in centimetres, with their times.
    fn errors(&self) -> Frames {
        let frames = self.frames.iter().zip(&self.truth);
        let errors = frames.map(|((time, x), (_, truth))| (*time, (x - truth).abs() * 100.0));
        errors.collect()
    }

    fn print(&self) {
        let first = (WARM_UP * FRAMES) as usize;
        let mut errors: Vec<_> = self.errors()[first..].iter().map(|it| it.1).collect();
        errors.sort_by(f64::total_cmp);
        let quantile = |percent: usize| errors[(errors.len() - 1) * percent / 100];
        let steps = self.frames[first..].windows(2);
        let longest = steps.map(|pair| (pair[1].1 - pair[0].1).abs() * 100.0);
        println!(
            "| {} | {:.0} ms | {:.0} cm | {:.0} cm | {:.1} cm |",
            self.name,
            self.delay.as_secs_f64() * 1e3,
            quantile(50),
            quantile(99),
            longest.fold(0.0, f64::max),
        );
    }
}

/// Draws the paths and the errors of strategies with one true path.
fn draw(
    strategies: &[Strategy],
    file: &str,
    titles: [&'static str; 2],
) -> Result<(), Box<dyn Error>> {
    let drawn = (DRAWN.start * FRAMES) as usize..(DRAWN.end * FRAMES) as usize;
    let begin = strategies[0].frames[drawn.start].0;
    let since = |frames: &Frames| {
        let frames = frames[drawn.clone()].iter();
        frames
            .map(|(time, y)| (time - begin, *y))
            .collect::<Vec<_>>()
    };
    let mut paths = vec![Series {
        name: "server",
        points: since(&strategies[0].truth),
    }];
    let mut errors = Vec::new();
    for strategy in strategies {
        paths.push(Series {
            name: strategy.name,
            points: since(&strategy.frames),
        });
        errors.push(Series {
            name: strategy.name,
            points: since(&strategy.errors()),
        });
    }
    let chart = |title, y_label, series| Chart {
        title,
        x_label: "time, s",
        y_label,
        series,
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/guide/src");
    let path = chart(titles[0], "position, m", paths);
    fs::write(format!("{folder}/{file}-path.svg"), path.to_svg())?;
    let error = chart(titles[1], "distance, cm", errors);
    fs::write(format!("{folder}/{file}-error.svg"), error.to_svg())?;
    Ok(())
}
