//! Geometry of a grid: cells of positions, and cells in view of a cell.

use super::super::Area;
use crate::Vector3;

/// Lowest coordinate of a cell. Three coordinates of 21 bits fit into an area.
const LOWEST: i32 = -(1 << 20);

/// Highest coordinate of a cell.
const HIGHEST: i32 = (1 << 20) - 1;

/// Extension of the view in cells, so that no rounding error hides an object.
const TOLERANCE: f64 = 1e-6;

/// Axes divided into cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    Xy,
    Xz,
    Xyz,
}

/// A cell. The coordinate of an undivided axis is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell([i32; 3]);

/// Vector from a cell to a second cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset([i32; 3]);

/// Division of space. Lengths except the cell size are in cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    axes: Axes,
    cell_size: f64,
    margin: f64,
    view: f64,
}

impl Cell {
    pub(super) fn area(self) -> Area {
        let bits = |coordinate: i32| u64::from((coordinate - LOWEST).unsigned_abs());
        let [x, y, z] = self.0.map(bits);
        Area(x << 42 | y << 21 | z)
    }

    /// Returns the cell at an offset, unless it is outside of the grid.
    pub(super) fn at(self, offset: Offset) -> Option<Self> {
        let cell = Self(std::array::from_fn(|axis| self.0[axis] + offset.0[axis]));
        let inside = cell.0.iter().all(|c| (LOWEST..=HIGHEST).contains(c));
        inside.then_some(cell)
    }

    pub(super) fn offset_to(self, other: Self) -> Offset {
        Offset(std::array::from_fn(|axis| other.0[axis] - self.0[axis]))
    }
}

impl Space {
    pub(super) fn new(axes: Axes, cell_size: f32, view_distance: f32, margin: f32) -> Self {
        let cell_size = f64::from(cell_size);
        Self {
            axes,
            cell_size,
            margin: f64::from(margin) / cell_size,
            view: f64::from(view_distance) / cell_size,
        }
    }

    /// Returns the cell of a position, with the previous cell for the margin.
    pub(super) fn cell(&self, former: Option<Cell>, position: Vector3) -> Cell {
        let Vector3 { x, y, z } = position;
        let position = match self.axes {
            Axes::Xy => [x, y, 0.0],
            Axes::Xz => [x, 0.0, z],
            Axes::Xyz => [x, y, z],
        };
        Cell(std::array::from_fn(|axis| {
            let former = former.map(|cell| cell.0[axis]);
            self.coordinate(former, position[axis])
        }))
    }

    /// Returns the previous coordinate if the position is within its margin.
    fn coordinate(&self, former: Option<i32>, position: f32) -> i32 {
        let position = f64::from(position) / self.cell_size;
        if position.is_nan() {
            return former.unwrap_or(0);
        }
        let position = position.clamp(f64::from(LOWEST), f64::from(HIGHEST) + 0.5);
        if let Some(former) = former {
            let inside = position - f64::from(former);
            if (-self.margin..=1.0 + self.margin).contains(&inside) {
                return former;
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "it was clamped")]
        let coordinate = position.floor() as i32;
        coordinate
    }

    /// Returns whether a viewer in one cell may be within the view distance of an object in the
    /// other. Both may be a margin outside of their cells.
    pub(super) fn sees(&self, offset: Offset) -> bool {
        let gap = |way: i32| (f64::from(way.abs()) - 1.0 - 2.0 * self.margin).max(0.0);
        let squares: f64 = offset.0.iter().map(|way| gap(*way).powi(2)).sum();
        squares.sqrt() <= self.view + TOLERANCE
    }

    /// Returns the offsets to all cells in view, nearest first. None if they exceed the limit.
    pub(super) fn offsets(&self, limit: u16) -> Option<Vec<Offset>> {
        let (dimensions, has_y, has_z) = match self.axes {
            Axes::Xy => (2, true, false),
            Axes::Xz => (2, false, true),
            Axes::Xyz => (3, true, true),
        };
        let reach = (self.view + TOLERANCE + 1.0 + 2.0 * self.margin).floor();
        // A cube half as wide as the view is in view, and it alone exceeds the limit.
        if reach.powi(dimensions) > f64::from(limit) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is below the limit")]
        let reach = reach as i32;
        let ways = |used: bool| if used { -reach..=reach } else { 0..=0 };
        let mut offsets = Vec::new();
        for x in ways(true) {
            for y in ways(has_y) {
                let row = ways(has_z).map(|z| Offset([x, y, z]));
                offsets.extend(row.filter(|offset| self.sees(*offset)));
            }
        }
        if offsets.len() > usize::from(limit) {
            return None;
        }
        offsets.sort_by_key(|Offset(way)| way.iter().map(|w| w * w).sum::<i32>());
        Some(offsets)
    }
}
