//! A grid: 10 000 objects in a square world, 100 viewers, each of which observes about 5 % of the objects.
//!
//! * `grid/changes`: no boundary is crossed, a tenth of the objects changes. Measures `update` and all
//!   packets, beside a floor that knows the observers of each object and copies its bytes to
//!   them.
//! * `grid/movement`: every object moves within its cell, without other changes: `set_transform`
//!   of all, and an `update`.
//! * `grid/walk`: the same movement, while some of the objects and of the viewers enter another cell; with
//!   the resulting spawns and despawns, and all packets. After each walk the first
//!   client is compared with the server.
//!
//! ```text
//! cargo bench --bench grid
//! ```

mod support;

use std::fmt;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};

use support::cell::Cell;
use support::floor::{Sight, SightFloor};
use support::grid_world::{Fineness, GridWorld, Walk};
use support::random::Random;
use support::workload::{Changes, Fields, Server};

const OBJECTS: u32 = 10_000;
const VIEWERS: usize = 100;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for fineness in Fineness::ALL {
        measure_changes(&mut criterion, fineness);
    }
    measure_movement(&mut criterion);
    for fineness in Fineness::ALL {
        measure_walk(&mut criterion, fineness);
    }
    criterion.final_summary();
}

fn new_world(fineness: Fineness) -> GridWorld {
    GridWorld::new(OBJECTS, VIEWERS, fineness, &mut Random::new(1))
}

fn measure_changes(criterion: &mut Criterion, fineness: Fineness) {
    let mut world = new_world(fineness);
    let sights = world.sights();
    let seen: usize = sights.iter().map(Sight::count).sum();
    let percent = 100 * seen / VIEWERS / OBJECTS as usize;
    assert!((4..=6).contains(&percent), "viewers see {percent} %");
    let mut floor = SightFloor::new(OBJECTS, sights, &mut Random::new(1));
    let mut group = criterion.benchmark_group(format!("grid/changes, {}", fineness.label()));
    for fields in [Fields::One, Fields::All] {
        let cell = Cell::new(10, fields);
        measure_cell(&mut group, "floor", &mut floor, cell);
        measure_cell(&mut group, "syncvar", &mut world, cell);
        world.verify();
    }
    group.finish();
}

fn measure_cell(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    server: &mut impl Delivers,
    cell: Cell,
) {
    let mut changes = Changes::new(OBJECTS);
    group.bench_function(BenchmarkId::new(name, cell), |bencher| {
        bencher.iter_custom(|ticks| {
            let tick = |_| {
                changes.make(server, cell.percent, cell.fields);
                let start = Instant::now();
                server.tick();
                let elapsed = start.elapsed();
                server.deliver();
                elapsed
            };
            (0..ticks).map(tick).sum()
        });
    });
}

/// A server with packet delivery to its first client after each tick.
trait Delivers: Server {
    fn deliver(&mut self) {}
}

impl Delivers for SightFloor {}

impl Delivers for GridWorld {
    fn deliver(&mut self) {
        GridWorld::deliver(self);
    }
}

fn measure_movement(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("grid/movement");
    group.throughput(Throughput::Elements(OBJECTS.into()));
    let mut world = new_world(Fineness::Fine);
    let moves = [(); 2].map(|()| world.walk(Walk::default()));
    let mut turns = moves.iter().cycle();
    group.bench_function("all objects, within their cells", |bencher| {
        bencher.iter(|| {
            turns.by_ref().take(1).for_each(|moves| world.go(moves));
            world.tick();
        });
    });
    group.finish();
}

/// Work of a tick, beside movement within cells.
#[derive(Clone, Copy, Debug)]
struct Stir {
    walk: Walk,
    changes: Option<Cell>,
}

impl Stir {
    const fn new(percent_of_objects: u32, percent_of_viewers: u32) -> Self {
        let walk = Walk {
            percent_of_objects,
            percent_of_viewers,
        };
        Self {
            walk,
            changes: None,
        }
    }

    const fn with(self, cell: Cell) -> Self {
        Self {
            changes: Some(cell),
            ..self
        }
    }
}

impl fmt::Display for Stir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Walk {
            percent_of_objects,
            percent_of_viewers,
        } = self.walk;
        write!(f, "{percent_of_objects} % of objects")?;
        write!(f, ", {percent_of_viewers} % of viewers")?;
        self.changes
            .map_or(Ok(()), |cell| write!(f, "; change {cell}"))
    }
}

const STIRS: [Stir; 5] = [
    Stir::new(1, 0),
    Stir::new(10, 0),
    Stir::new(0, 10),
    Stir::new(1, 1),
    Stir::new(1, 1).with(Cell::new(10, Fields::One)),
];

fn measure_walk(criterion: &mut Criterion, fineness: Fineness) {
    let mut group = criterion.benchmark_group(format!("grid/walk, {}", fineness.label()));
    let mut world = new_world(fineness);
    let mut changes = Changes::new(OBJECTS);
    for stir in STIRS {
        group.bench_function(stir.to_string(), |bencher| {
            bencher.iter_custom(|ticks| {
                let tick = |_| {
                    if let Some(cell) = stir.changes {
                        changes.make(&mut world, cell.percent, cell.fields);
                    }
                    let moves = world.walk(stir.walk);
                    let start = Instant::now();
                    world.go(&moves);
                    world.tick();
                    let elapsed = start.elapsed();
                    world.deliver();
                    elapsed
                };
                (0..ticks).map(tick).sum()
            });
        });
        world.verify();
    }
    group.finish();
}
