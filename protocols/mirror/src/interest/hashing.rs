//! Visibility by the cells of a grid.

use std::collections::{BTreeMap, BTreeSet};

use syncvar_runtime::{ConnectionId, NetId, Vector3};

use super::{objects, viewers};
use crate::{MirrorInterest, MirrorServer};

/// Axes of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashedAxes {
    /// The ground, for 3D games. Mirror, `XZ_FOR_3D`.
    #[default]
    Xz,
    /// The plane of 2D games. Mirror, `XY_FOR_2D`.
    Xy,
    /// Space. Mirror, `SpatialHashing3DInterestManagement`.
    Xyz,
}

/// Cell of a grid; the third number is 0 in a plane.
pub type GridCell = [i32; 3];

/// Shows an object to the connections whose player is in the same cell of a grid or in one next to it.
/// Mirror, `SpatialHashingInterestManagement` and `SpatialHashing3DInterestManagement`.
///
/// A cell is half the range wide, in whole units. Objects nearer than that on each axis are always in
/// view, and those farther than the range on one axis never, as of the last rebuild.
///
/// ```
/// use syncvar::mirror::interest::{HashedAxes, SpatialHashingInterestManagement};
/// use syncvar::values::Vector3;
///
/// let ground = SpatialHashingInterestManagement::new(HashedAxes::Xz, 30);
/// assert_eq!(ground.cell(Vector3::new(-20.0, 90.0, 50.0)), [-1, 3, 0]);
/// let space = SpatialHashingInterestManagement::new(HashedAxes::Xyz, 30);
/// assert_eq!(space.cell(Vector3::new(-20.0, 90.0, 50.0)), [-1, 6, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct SpatialHashingInterestManagement {
    /// Twice the width of a cell, in units; 30 by default. At least 2. Mirror, `visRange`.
    pub range: i32,
    /// Axes of the grid; x and z by default.
    pub axes: HashedAxes,
    /// Seconds between two rebuilds; 1 by default.
    pub rebuild_interval: f32,
    /// Time of the last rebuild, in seconds.
    last_rebuild: f64,
    /// Players by cell, at the last rebuild.
    players: BTreeMap<GridCell, Vec<ConnectionId>>,
}

impl Default for SpatialHashingInterestManagement {
    fn default() -> Self {
        Self::new(HashedAxes::default(), 30)
    }
}

/// Largest distance of cells whose objects are in view as a connection becomes ready, squared.
const NEAR: i32 = 2;

impl SpatialHashingInterestManagement {
    /// Returns a grid with a range, in units: at least 2.
    pub fn new(axes: HashedAxes, range: i32) -> Self {
        Self {
            range,
            axes,
            rebuild_interval: 1.0,
            last_rebuild: 0.0,
            players: BTreeMap::new(),
        }
    }

    /// Returns the cell of a position.
    #[expect(
        clippy::cast_precision_loss,
        reason = "Mirror divides by the width as a float"
    )]
    pub fn cell(&self, position: Vector3) -> GridCell {
        let width = (self.range / 2) as f32;
        let Vector3 { x, y, z } = position;
        match self.axes {
            HashedAxes::Xz => [number(x / width), number(z / width), 0],
            HashedAxes::Xy => [number(x / width), number(y / width), 0],
            HashedAxes::Xyz => [number(x / width), number(y / width), number(z / width)],
        }
    }

    /// Returns whether a player in a cell sees the objects in a second cell as it becomes ready. The square
    /// of the distance has 32 bits and wraps as in Mirror: of two cells more than 46 340 apart it may be
    /// small.
    pub fn sees(player: GridCell, object: GridCell) -> bool {
        let squares = player.into_iter().zip(object).map(|(player, object)| {
            let distance = object.wrapping_sub(player);
            distance.wrapping_mul(distance)
        });
        squares.fold(0, i32::wrapping_add) <= NEAR
    }

    fn neighbours(&self, [x, y, z]: GridCell) -> impl Iterator<Item = GridCell> {
        let depths = match self.axes {
            HashedAxes::Xz | HashedAxes::Xy => 0..=0,
            HashedAxes::Xyz => -1..=1,
        };
        depths.flat_map(move |dz| {
            let rows = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
            rows.map(move |(dx, dy)| [x.wrapping_add(dx), y.wrapping_add(dy), z.wrapping_add(dz)])
        })
    }
}

/// Returns the number of a cell on one axis. Numbers beyond 32 bits become the smallest, as in Mirror.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(super) fn number(quotient: f32) -> i32 {
    let number = f64::from(quotient).round_ties_even();
    if (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number) {
        number as i32
    } else {
        i32::MIN
    }
}

impl MirrorInterest for SpatialHashingInterestManagement {
    fn check(&self, server: &MirrorServer, object: NetId, connection: ConnectionId) -> bool {
        let player = server.player_of(connection);
        player.is_some_and(|player| {
            let player = self.cell(server.position(player));
            Self::sees(player, self.cell(server.position(object)))
        })
    }

    fn observers(&self, server: &MirrorServer, object: NetId, observers: &mut Vec<ConnectionId>) {
        for cell in self.neighbours(self.cell(server.position(object))) {
            observers.extend(self.players.get(&cell).into_iter().flatten());
        }
    }

    fn frame(&mut self, server: &MirrorServer, rebuilds: &mut BTreeSet<NetId>) {
        let now = server.now().as_secs_f64();
        if now < self.last_rebuild + f64::from(self.rebuild_interval) {
            return;
        }
        self.last_rebuild = now;
        self.players.clear();
        for connection in viewers(server) {
            if let Some(player) = server.player_of(connection) {
                let cell = self.cell(server.position(player));
                self.players.entry(cell).or_default().push(connection);
            }
        }
        rebuilds.extend(objects(server));
    }
}
