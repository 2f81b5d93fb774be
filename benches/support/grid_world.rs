//! A square world with walking objects and viewers; each viewer observes the objects nearby.

use std::iter;

use syncvar::prelude::*;
use syncvar::{
    interest::SpatialGrid,
    values::{Quaternion, Vector3},
};

use super::floor::Sight;
use super::outbox::{Outbox, receive};
use super::random::Random;
use super::replication::UnitServer;
use super::workload::{Change, Server, Unit};

/// Size of a cell in metres; the results do not depend on it.
const CELL_SIZE: f32 = 10.0;

/// Number of cells in the world for each observed cell.
const CELLS_PER_SEEN_CELL: usize = 20;

/// Resolution of the grid: cells per view distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fineness {
    /// One cell per view distance.
    Coarse,
    /// Two cells per view distance, the recommendation of `SpatialGrid`.
    Fine,
}

impl Fineness {
    pub(crate) const ALL: [Self; 2] = [Self::Coarse, Self::Fine];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Coarse => "cells of the view distance",
            Self::Fine => "cells of half the view distance",
        }
    }

    fn view_distance(self) -> f32 {
        match self {
            Self::Coarse => CELL_SIZE,
            Self::Fine => 2.0 * CELL_SIZE,
        }
    }

    /// Returns the distance from the border, in cells, at which a viewer's range stays inside the world.
    fn border(self) -> u32 {
        match self {
            Self::Coarse => 2,
            Self::Fine => 3,
        }
    }
}

/// Position of an object or a viewer: the cell, and the point within it.
#[derive(Clone, Copy, Debug)]
struct Place {
    cell: [u32; 2],
    inside: [f32; 2],
}

/// A range of cells along both axes, exclusive at the end.
#[derive(Clone, Copy, Debug)]
struct Square {
    first: u32,
    end: u32,
}

impl Square {
    fn anywhere(self, random: &mut Random) -> Place {
        let cell = [(); 2].map(|()| self.first + random.below(self.end - self.first));
        let inside = [0.5; 2];
        Place { cell, inside }
    }

    /// Moves into a neighbouring cell in one of four directions, inside the square.
    fn step(self, place: &mut Place, random: &mut Random) {
        let coordinate = &mut place.cell[random.below(2) as usize];
        let up = match *coordinate {
            lowest if lowest == self.first => true,
            highest if highest + 1 == self.end => false,
            _ => random.below(2) == 0,
        };
        *coordinate = if up { *coordinate + 1 } else { *coordinate - 1 };
    }
}

impl Place {
    /// Moves within the cell, close enough to its centre that a step always leaves the cell.
    fn fidget(&mut self, random: &mut Random) {
        self.inside = [(); 2].map(|()| 0.2 + random.fraction_of(0.6));
    }

    #[expect(clippy::cast_precision_loss, reason = "there are not so many cells")]
    fn position(self) -> Vector3 {
        let along = |axis: usize| (self.cell[axis] as f32 + self.inside[axis]) * CELL_SIZE;
        Vector3::new(along(0), 0.0, along(1))
    }
}

/// Numbers of cell changes in a tick; all others move within their cells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Walk {
    pub(crate) percent_of_objects: u32,
    pub(crate) percent_of_viewers: u32,
}

/// New positions after a tick.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    objects: Vec<Vector3>,
    viewers: Vec<Vector3>,
}

/// A server with a grid. Its first client is real; the others are bare connections.
#[derive(Debug)]
pub(crate) struct GridWorld {
    pub(crate) units: UnitServer,
    pub(crate) viewers: Vec<ConnectionId>,
    pub(crate) client: NetworkClient,
    /// Packets of the last tick for the first client.
    pub(crate) outbox: Outbox,
    world: Square,
    /// Area of the viewers.
    park: Square,
    object_places: Vec<Place>,
    viewer_places: Vec<Place>,
    random: Random,
}

impl GridWorld {
    /// Creates a world in which each viewer observes about 5 %; all snapshots have been sent.
    ///
    /// The values of the objects equal the floor's, from the same random numbers.
    pub(crate) fn new(
        objects: u32,
        viewers: usize,
        fineness: Fineness,
        random: &mut Random,
    ) -> Self {
        let grid = SpatialGrid::xz(CELL_SIZE, fineness.view_distance());
        let area = grid.cells_in_view() * CELLS_PER_SEEN_CELL;
        let width = u32::try_from(area.isqrt()).expect("the world is small");
        let border = fineness.border();
        let world = Square {
            first: 0,
            end: width,
        };
        let park = Square {
            first: border,
            end: width - border,
        };
        let mut units = UnitServer::with_grid(grid, objects, random);
        let (first, client) = units.connect();
        let others = (1..viewers).map(|_| units.join());
        let mut random = Random::new(3);
        let mut this = Self {
            viewers: iter::once(first).chain(others).collect(),
            object_places: (0..objects).map(|_| world.anywhere(&mut random)).collect(),
            viewer_places: (0..viewers).map(|_| park.anywhere(&mut random)).collect(),
            units,
            client,
            outbox: Outbox::default(),
            world,
            park,
            random,
        };
        let moves = this.walk(Walk::default());
        this.go(&moves);
        this.tick();
        this.deliver();
        this.verify();
        this
    }

    /// Computes the positions of the next tick.
    pub(crate) fn walk(&mut self, walk: Walk) -> Moves {
        let random = &mut self.random;
        let mut positions = |places: &mut [Place], square: Square, percent| {
            let positions = places.iter_mut().map(|place| {
                if random.below(100) < percent {
                    square.step(place, random);
                }
                place.fidget(random);
                place.position()
            });
            positions.collect()
        };
        Moves {
            objects: positions(&mut self.object_places, self.world, walk.percent_of_objects),
            viewers: positions(&mut self.viewer_places, self.park, walk.percent_of_viewers),
        }
    }

    /// Sets the positions on the server.
    pub(crate) fn go(&mut self, moves: &Moves) {
        let server = &mut self.units.server;
        for (id, position) in self.units.objects.iter().zip(&moves.objects) {
            server
                .set_transform(*id, *position, Quaternion::IDENTITY)
                .unwrap();
        }
        let grid = server.interest_mut::<SpatialGrid>();
        let grid = grid.expect("the server was made with a grid");
        for (connection, position) in self.viewers.iter().zip(&moves.viewers) {
            grid.watch(*connection, *position).unwrap();
        }
    }

    /// Returns the objects observed by each viewer, by the server's account.
    pub(crate) fn sights(&self) -> Vec<Sight> {
        let sight = |connection: &ConnectionId| {
            let objects = self.units.objects.iter();
            let sees = objects.map(|id| self.units.server.is_visible(*id, *connection));
            sees.collect()
        };
        self.viewers.iter().map(sight).collect()
    }

    /// Delivers the packets of the last tick to the first client.
    pub(crate) fn deliver(&mut self) {
        receive(&mut self.client, &self.outbox.take_packets());
    }

    /// Compares the replicas of the first client with the observed objects on the server.
    ///
    /// # Panics
    ///
    /// When they differ.
    pub(crate) fn verify(&self) {
        for id in &self.units.objects {
            let seen = self.units.server.is_visible(*id, self.viewers[0]);
            let original = self.units.server.get::<Unit>(*id).map(Unit::values);
            let replica = self.client.get::<Unit>(*id).map(Unit::values);
            assert_eq!(replica, original.filter(|_| seen), "object {id}");
        }
    }
}

impl Server for GridWorld {
    fn change(&mut self, object: u32, change: Change) {
        self.units.change(object, change);
    }

    fn tick(&mut self) {
        self.units.tick_for(self.viewers[0], &mut self.outbox);
    }
}
