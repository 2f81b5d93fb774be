//! The case in which each client sees a part of the objects: the grid of `syncvar`, the visibility of
//! `bevy_replicon`, and a floor with a bit per client and object. All of them on the same sights.

mod floor;
mod replicon;
mod syncvar;

use crate::grid::{Load, Size};
use crate::measure::measure;
use crate::peer::Pair;
use crate::rows::{Row, SightRow};
use crate::support::floor::Sight;
use crate::support::grid_world::{Fineness, GridWorld};
use crate::support::random::Random;
use crate::support::workload::{Changes, Values};
use floor::Floor;
use replicon::Replicon;
use syncvar::Syncvar;

const SIZE: Size = Size {
    objects: 10_000,
    clients: 100,
};

const LOADS: [Load; 2] = [Load::new(10, false), Load::new(10, true)];

/// A server whose clients see parts of its objects, and a real client.
trait Seeing: Pair {
    /// Each object as it is on the server, and on the real client.
    fn replicas(&mut self) -> Vec<(Values, Option<Values>)>;
}

/// Measures all who know who sees what.
pub(crate) fn run() {
    for fineness in Fineness::ALL {
        let world = GridWorld::new(SIZE.objects, SIZE.clients, fineness, &mut Random::new(1));
        let sights = world.sights();
        let mut syncvar = Syncvar::new(world);
        run_one("syncvar", fineness, &mut syncvar, &sights[0]);
        let mut floor = Floor::new(SIZE.objects, sights.clone());
        run_one("floor", fineness, &mut floor, &sights[0]);
        let mut replicon = Replicon::new(SIZE.objects, &sights);
        run_one("bevy_replicon", fineness, &mut replicon, &sights[0]);
    }
}

fn run_one(name: &str, fineness: Fineness, pair: &mut impl Seeing, sight: &Sight) {
    eprintln!("{name}: {SIZE:?}, {}", fineness.label());
    let mut changes = Changes::new(SIZE.objects);
    for load in LOADS {
        let tick = measure(pair, name, &mut changes, SIZE, load);
        verify(name, pair, sight);
        let row = SightRow {
            cells: fineness.label().into(),
            seen: sight.count(),
            tick,
        };
        Row::Sight(row).print();
    }
}

/// The real client has what it sees, and nothing else.
fn verify(name: &str, pair: &mut impl Seeing, sight: &Sight) {
    for (object, (original, replica)) in (0..).zip(pair.replicas()) {
        let expected = sight.sees(object).then_some(original);
        assert_eq!(replica, expected, "{name}: object {object}");
    }
}
