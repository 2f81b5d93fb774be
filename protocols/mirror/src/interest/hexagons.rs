//! Visibility by the hexagons of a grid.

use std::collections::{BTreeMap, BTreeSet};

use syncvar_runtime::{ConnectionId, NetId, Vector3};

use super::hashing::number;
use super::{GridCell, HashedAxes, objects, viewers};
use crate::{MirrorInterest, MirrorServer};

/// Steps to a hexagon and to its six neighbours.
const NEIGHBOURS: [[i32; 2]; 7] = [[0, 0], [1, -1], [1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1]];

/// Shows an object to the connections whose player is in the same hexagon of a grid or in one next to it; in space
/// also in the layers above and below. Mirror, `HexSpatialHash2DInterestManagement` and
/// `HexSpatialHash3DInterestManagement`.
///
/// The corners of a hexagon are half the range from its centre. Each interval takes the places of all objects and
/// players anew. Mirror leaves out everything farther than 9000 units from the origin; here the grid is endless.
///
/// ```
/// use syncvar::mirror::interest::{HashedAxes, HexSpatialHashInterestManagement};
/// use syncvar::values::Vector3;
///
/// let ground = HexSpatialHashInterestManagement::new(HashedAxes::Xz, 20);
/// // The hexagons of a row are 17.3 units apart, the rows 15.
/// assert_eq!(ground.cell(Vector3::new(8.0, 90.0, 0.0)), [0, 0, 0]);
/// assert_eq!(ground.cell(Vector3::new(9.0, 90.0, 0.0)), [1, 0, 0]);
/// assert_eq!(ground.cell(Vector3::new(8.0, 90.0, 15.0)), [0, 1, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct HexSpatialHashInterestManagement {
    /// Twice the radius of a hexagon, in units; 1100 by default. At least 1. Mirror, `visRange`.
    pub range: u16,
    /// Axes of the grid; x and z by default. In space the hexagons lie in x and z, in layers along y.
    pub axes: HashedAxes,
    /// Height of a layer in space, in units; 500 by default. Mirror, `cellHeight`.
    pub layer_height: u16,
    /// Distance that counts as a move of a player, in units; 1 by default.
    pub min_move_distance: f32,
    /// Seconds between two rebuilds; 1 by default.
    pub rebuild_interval: f32,
    /// Time of the last rebuild, in seconds.
    last_rebuild: f64,
    /// Hexagons of the objects at the last rebuild, or at the spawn.
    objects: BTreeMap<NetId, GridCell>,
    /// Hexagons of the players at their last move, and their positions then.
    players: BTreeMap<ConnectionId, (GridCell, Vector3)>,
    /// Connections by the hexagon of their player.
    viewers: BTreeMap<GridCell, Vec<ConnectionId>>,
}

impl Default for HexSpatialHashInterestManagement {
    fn default() -> Self {
        Self::new(HashedAxes::default(), 1100)
    }
}

impl HexSpatialHashInterestManagement {
    /// Returns a grid with a range, in units: at least 1.
    pub fn new(axes: HashedAxes, range: u16) -> Self {
        Self {
            range,
            axes,
            layer_height: 500,
            min_move_distance: 1.0,
            rebuild_interval: 1.0,
            last_rebuild: 0.0,
            objects: BTreeMap::new(),
            players: BTreeMap::new(),
            viewers: BTreeMap::new(),
        }
    }

    /// Returns the hexagon of a position: its two axial coordinates, and its layer.
    pub fn cell(&self, position: Vector3) -> GridCell {
        let Vector3 { x, y, z } = position;
        let (down, layer) = match self.axes {
            HashedAxes::Xz => (z, 0),
            HashedAxes::Xy => (y, 0),
            HashedAxes::Xyz => {
                let height = f32::from(self.layer_height);
                (z, number(((y - height / 2.0) / height).floor()))
            }
        };
        let radius = f32::from(self.range) / 2.0;
        let column = (3.0_f32.sqrt() / 3.0 * x - 1.0 / 3.0 * down) / radius;
        let row = 2.0 / 3.0 * down / radius;
        let [column, row] = nearest(column, row);
        [column, row, layer]
    }

    /// Returns a hexagon and those next to it.
    fn neighbours(&self, [column, row, layer]: GridCell) -> impl Iterator<Item = GridCell> {
        let layers = match self.axes {
            HashedAxes::Xz | HashedAxes::Xy => 0..=0,
            HashedAxes::Xyz => -1..=1,
        };
        layers.flat_map(move |up| {
            NEIGHBOURS.map(|[columns, rows]| {
                [
                    column.wrapping_add(columns),
                    row.wrapping_add(rows),
                    layer.wrapping_add(up),
                ]
            })
        })
    }

    /// Returns a position on the axes of the grid.
    fn projected(&self, Vector3 { x, y, z }: Vector3) -> Vector3 {
        match self.axes {
            HashedAxes::Xz => Vector3::new(x, 0.0, z),
            HashedAxes::Xy => Vector3::new(x, y, 0.0),
            HashedAxes::Xyz => Vector3::new(x, y, z),
        }
    }

    /// Takes the hexagon of a player that has moved.
    fn place_player(&mut self, connection: ConnectionId, position: Vector3) {
        let position = self.projected(position);
        let limit = self.min_move_distance * self.min_move_distance;
        let known = self.players.get(&connection);
        if known.is_none_or(|(_, known)| {
            let (x, y, z) = (
                known.x - position.x,
                known.y - position.y,
                known.z - position.z,
            );
            x * x + y * y + z * z >= limit
        }) {
            let cell = self.cell(position);
            self.players.insert(connection, (cell, position));
        }
    }
}

/// Returns the hexagon around axial coordinates. All three coordinates are rounded; the coordinate that has moved the
/// farthest follows from the two.
fn nearest(column: f32, row: f32) -> [i32; 2] {
    let third = -column - row;
    let rounded = [column, row, third].map(number);
    let [a, b, c] = rounded;
    let moved = |exact: f32, rounded: i32| (f64::from(exact) - f64::from(rounded)).abs();
    let (by_column, by_row, by_third) = (moved(column, a), moved(row, b), moved(third, c));
    if by_column > by_row && by_column > by_third {
        [0_i32.wrapping_sub(b).wrapping_sub(c), b]
    } else if by_row > by_third {
        [a, 0_i32.wrapping_sub(a).wrapping_sub(c)]
    } else {
        [a, b]
    }
}

impl MirrorInterest for HexSpatialHashInterestManagement {
    fn handle_spawn(&mut self, server: &MirrorServer, object: NetId) {
        let cell = self.cell(server.position(object));
        self.objects.insert(object, cell);
    }

    fn handle_despawn(&mut self, object: NetId) {
        self.objects.remove(&object);
    }

    fn check(&self, _: &MirrorServer, object: NetId, connection: ConnectionId) -> bool {
        match (self.players.get(&connection), self.objects.get(&object)) {
            (Some((player, _)), Some(object)) => self.neighbours(*player).any(|it| it == *object),
            _ => false,
        }
    }

    fn observers(&self, _: &MirrorServer, object: NetId, observers: &mut Vec<ConnectionId>) {
        let cell = self.objects.get(&object);
        for cell in cell.into_iter().flat_map(|cell| self.neighbours(*cell)) {
            observers.extend(self.viewers.get(&cell).into_iter().flatten());
        }
    }

    fn frame(&mut self, server: &MirrorServer, rebuilds: &mut BTreeSet<NetId>) {
        let now = server.now().as_secs_f64();
        if now < self.last_rebuild + f64::from(self.rebuild_interval) {
            return;
        }
        self.last_rebuild = now;
        let viewers: BTreeSet<_> = viewers(server).collect();
        self.players
            .retain(|connection, _| viewers.contains(connection));
        for connection in viewers {
            if let Some(player) = server.player_of(connection) {
                self.place_player(connection, server.position(player));
            }
        }
        for object in objects(server) {
            let cell = self.cell(server.position(object));
            self.objects.insert(object, cell);
        }
        self.viewers.clear();
        for (connection, (cell, _)) in &self.players {
            self.viewers.entry(*cell).or_default().push(*connection);
        }
        rebuilds.extend(objects(server));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use syncvar_runtime::Quaternion;

    use super::*;
    use crate::interest::NetworkMatch;
    use crate::{Limits, MirrorPrefab, MirrorPrefabs, MirrorServerConfig, MirrorSpawnOptions};

    /// Returns the centre of a hexagon of a ground.
    fn centre(radius: f64, column: i32, row: i32) -> Vector3 {
        let (column, row) = (f64::from(column), f64::from(row));
        let x = radius * 3.0_f64.sqrt() * (column + row / 2.0);
        #[expect(clippy::cast_possible_truncation, reason = "the nearest")]
        let of = |number: f64| number as f32;
        Vector3::new(of(x), 0.0, of(radius * 1.5 * row))
    }

    #[test]
    fn hexagon_contains_what_is_nearest_to_its_centre() {
        let grid = HexSpatialHashInterestManagement::new(HashedAxes::Xz, 20);
        for column in -5..=5 {
            for row in -5..=5 {
                let middle = centre(10.0, column, row);
                assert_eq!(grid.cell(middle), [column, row, 0]);
                // The inner circle has a radius of 8.66.
                for step in 0..12_u8 {
                    let angle = f32::from(step) / 12.0 * std::f32::consts::TAU;
                    let x = middle.x + 8.6 * angle.cos();
                    let z = middle.z + 8.6 * angle.sin();
                    let cell = grid.cell(Vector3::new(x, 0.0, z));
                    assert_eq!(cell, [column, row, 0], "{x} {z}");
                }
            }
        }
    }

    #[test]
    fn plane_and_space_have_their_own_axes() {
        let plane = HexSpatialHashInterestManagement::new(HashedAxes::Xy, 20);
        assert_eq!(plane.cell(Vector3::new(8.0, 15.0, 90.0)), [0, 1, 0]);
        let mut space = HexSpatialHashInterestManagement::new(HashedAxes::Xyz, 20);
        space.layer_height = 10;
        let layers = [-6.0, -4.0, 4.0, 6.0, 14.0, 16.0];
        let layers = layers.map(|y| space.cell(Vector3::new(0.0, y, 0.0))[2]);
        assert_eq!(layers, [-2, -1, -1, 0, 0, 1]);
        assert_eq!(space.neighbours([0, 0, 0]).count(), 21);
        assert_eq!(plane.neighbours([0, 0, 0]).count(), 7);
    }

    #[test]
    fn positions_without_a_number_have_a_cell() {
        let grid = HexSpatialHashInterestManagement::new(HashedAxes::Xz, 0);
        for x in [0.0, f32::NAN, f32::INFINITY, f32::MIN] {
            grid.cell(Vector3::new(x, x, -x));
        }
    }

    #[test]
    fn objects_next_to_the_player_are_in_view_after_an_interval() {
        let prefab = MirrorPrefab::new("Stone", 1001.into());
        let prefabs = MirrorPrefabs::new().register::<NetworkMatch>(prefab);
        let interest = HexSpatialHashInterestManagement::new(HashedAxes::Xz, 20);
        let config = MirrorServerConfig::default();
        let mut server = MirrorServer::with_mirror_interest(prefabs, config, interest);
        let connection = server.handle_connect(Limits::TELEPATHY);
        let player = server.add_player(connection, NetworkMatch::default());
        let player = player.unwrap();
        let [near, far] = [(1, 0), (2, 0)].map(|(column, row)| {
            let options = MirrorSpawnOptions {
                position: centre(10.0, column, row),
                ..MirrorSpawnOptions::default()
            };
            server.try_spawn(NetworkMatch::default(), options).unwrap()
        });
        let seen = |server: &MirrorServer| {
            [player, near, far].map(|object| server.is_observer(object, connection))
        };
        server.update(Duration::from_millis(500));
        assert_eq!(seen(&server), [true, false, false], "before the interval");
        server.update(Duration::from_secs(1));
        assert_eq!(seen(&server), [true, true, false]);
        let (position, rotation) = (centre(10.0, 1, 0), Quaternion::IDENTITY);
        server.set_transform(player, position, rotation).unwrap();
        server.update(Duration::from_millis(1500));
        assert_eq!(seen(&server), [true, true, false]);
        server.update(Duration::from_secs(2));
        assert_eq!(seen(&server), [true, true, true]);
    }
}
