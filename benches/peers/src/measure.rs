//! The measuring loop, the same for every peer.

use std::time::{Duration, Instant};

use crate::grid::{Grid, Load, Size};
use crate::peer::{Pair, Peer, Sent};
use crate::rows::{JoinRow, Row, TickRow};
use crate::support::random::Random;
use crate::support::workload::Changes;

/// Maps and arenas grow in the first ticks of a cell; these are not measured.
const WARM_UP: Duration = Duration::from_millis(150);
const WARM_UP_TICKS: usize = 4;

/// A cell is measured for so long, and for so many ticks at least and at most.
const MEASURED: Duration = Duration::from_millis(1_200);
const FEWEST_TICKS: usize = 5;
const MOST_TICKS: usize = 200;

/// How many clients join at the end.
const JOINS: usize = 5;

/// One tick of the server, and of one client.
struct Tick {
    server: Duration,
    client: Duration,
    sent: Sent,
    allocations: u64,
}

/// Measures a peer at every point of the grid.
pub(crate) fn run<P: Peer>(grid: Grid) {
    for size in grid.sizes() {
        eprintln!("{}: {size:?}", P::NAME);
        let mut peer = P::new(size.objects, size.clients, &mut Random::new(1));
        verify(&mut peer);
        let mut changes = Changes::new(size.objects);
        for load in Load::ALL {
            let row = measure(&mut peer, P::NAME, &mut changes, size, load);
            verify(&mut peer);
            Row::Tick(row).print();
        }
        Row::Join(measure_joins(&mut peer, size)).print();
    }
}

/// Lets clients join and leave, one after another. The first one finds the server's memory cold.
fn measure_joins<P: Peer>(peer: &mut P, size: Size) -> JoinRow {
    let joins = [(); JOINS].map(|()| {
        let join = peer.join();
        verify(peer);
        peer.leave();
        join
    });
    let last = joins[JOINS - 1];
    JoinRow {
        peer: P::NAME.into(),
        size,
        send_nanoseconds: median(joins.iter().map(|join| join.send)),
        apply_nanoseconds: median(joins.iter().map(|join| join.apply)),
        bytes: last.sent.bytes,
        packets: last.sent.packets,
    }
}

/// Measures one cell.
pub(crate) fn measure(
    pair: &mut impl Pair,
    name: &str,
    changes: &mut Changes,
    size: Size,
    load: Load,
) -> TickRow {
    let start = Instant::now();
    for ticks in 0..MOST_TICKS {
        if ticks >= WARM_UP_TICKS && start.elapsed() > WARM_UP {
            break;
        }
        tick(pair, changes, load);
    }
    let start = Instant::now();
    let mut ticks = Vec::with_capacity(MOST_TICKS);
    while ticks.len() < FEWEST_TICKS || ticks.len() < MOST_TICKS && start.elapsed() < MEASURED {
        ticks.push(tick(pair, changes, load));
    }
    let mean = |total: f64| total / ticks.len() as f64;
    TickRow {
        peer: name.into(),
        size,
        load,
        send_nanoseconds: median(ticks.iter().map(|tick| tick.server)),
        apply_nanoseconds: median(ticks.iter().map(|tick| tick.client)),
        bytes: mean(ticks.iter().map(|tick| tick.sent.bytes as f64).sum()),
        packets: mean(ticks.iter().map(|tick| tick.sent.packets as f64).sum()),
        allocations: mean(ticks.iter().map(|tick| tick.allocations as f64).sum()),
        ticks: ticks.len(),
    }
}

fn tick(pair: &mut impl Pair, changes: &mut Changes, load: Load) -> Tick {
    changes.make(pair, load.percent, load.fields());
    let mut server = Duration::ZERO;
    let counted = allocation_counter::measure(|| {
        let start = Instant::now();
        pair.tick();
        server = start.elapsed();
    });
    let sent = pair.collect();
    let start = Instant::now();
    pair.apply();
    let client = start.elapsed();
    pair.acknowledge();
    Tick {
        server,
        client,
        sent,
        allocations: counted.count_total,
    }
}

/// A library that loses a change is not measured on.
fn verify<P: Peer>(peer: &mut P) {
    for (object, (original, replica)) in peer.replicas().into_iter().enumerate() {
        let replica = replica.as_ref();
        assert_eq!(replica, Some(&original), "{}: object {object}", P::NAME);
    }
}

fn median(times: impl Iterator<Item = Duration>) -> u64 {
    let mut times: Vec<u64> = times.map(nanoseconds).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("no tick takes 500 years")
}
