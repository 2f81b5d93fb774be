//! A grid over space: a connection sees the cells around its viewer.

mod place;
mod space;
#[cfg(test)]
mod tests;

use super::{InterestChanges, InterestManagement};
use crate::ordered::Sets;
use crate::table::Table;
use crate::{ConnectionId, NetId, ObjectError, Vector3};
use place::{GridObject, Viewer};
use space::{Axes, Cell, Offset, Space};

/// A grid over space: objects are in cells, and a connection sees the cells around its viewer.
///
/// A viewer has a fixed position ([`watch`](Self::watch)) or follows an object
/// ([`follow`](Self::follow)). A connection without a viewer sees no cell. Objects without a place
/// can be [shown everywhere](Self::show_everywhere).
///
/// # Visible distance
///
/// A connection sees all objects within the view distance. It sees cells as wholes, so the range
/// extends further: up to the view distance and √n × (2 cell sizes + 4 margins), with n axes.
///
/// Objects and viewers stay in a cell until they are more than a margin outside of it. A walk along
/// a boundary therefore causes no spawns and hides. The margin is a tenth of the cell size by
/// default: see [`with_margin`](Self::with_margin).
///
/// The grid has 2²¹ cells along each axis, with the origin in the middle. Positions further out, up
/// to infinity, belong to the outermost cells. A NaN coordinate keeps its previous value, at first 0.
///
/// # Costs
///
/// A move costs a comparison. A viewer in a new cell costs time in proportion to the cells in view,
/// independent of their objects. Only different cells are reported, nearest first. Small cells
/// follow the view distance closely. Large cells change less often and share bytes among more
/// connections. Start with half the view distance.
///
/// ```
/// use syncvar::{ConnectionId, NetId, interest::{InterestChange, InterestChanges, InterestManagement, SpatialGrid}, values::Vector3};
///
/// // A game on the ground, where y is up: cells of 25 metres, and a view distance of 50 metres.
/// let mut grid = SpatialGrid::xz(25.0, 50.0);
/// let mut changes = InterestChanges::default();
/// let (player, avatar) = (ConnectionId(1), NetId(1));
///
/// grid.handle_connect(player);
/// grid.handle_spawn(avatar, Vector3::new(10.0, 0.0, 10.0));
/// grid.follow(player, avatar).unwrap();
/// grid.update(&mut changes);
/// let revealed = changes.drain().filter(|c| matches!(c, InterestChange::Revealed { .. }));
/// assert_eq!(revealed.count(), grid.cells_in_view());
///
/// // A step within the cell changes nothing.
/// grid.handle_move(avatar, Vector3::new(20.0, 3.0, 10.0));
/// grid.update(&mut changes);
/// assert!(changes.is_empty());
///
/// // In the next cell, one column of cells enters the view and another one leaves it.
/// grid.handle_move(avatar, Vector3::new(30.0, 3.0, 10.0));
/// grid.update(&mut changes);
/// assert!(changes.drain().count() < grid.cells_in_view());
/// ```
#[derive(Debug)]
pub struct SpatialGrid {
    space: Space,
    axes: Axes,
    cell_size: f32,
    view_distance: f32,
    /// Offsets to all cells in view, nearest first.
    offsets: Vec<Offset>,
    objects: Table<GridObject>,
    viewers: Table<Viewer>,
    /// Viewers that follow an object, spawned or not.
    followers: Sets<NetId, ConnectionId>,
    /// Objects whose cell may differ from the report, each once unless despawned.
    moved: Vec<NetId>,
    /// Viewers whose cell may differ from the report, each once unless disconnected.
    turned: Vec<ConnectionId>,
}

impl SpatialGrid {
    /// Maximum number of cells in view.
    pub const MAX_CELLS_IN_VIEW: u16 = 4096;

    /// Returns a grid of squares over x and y, for games in two dimensions.
    ///
    /// # Panics
    ///
    /// When the cell size is not positive, the view distance is negative, either is not finite, or more
    /// than [`MAX_CELLS_IN_VIEW`](Self::MAX_CELLS_IN_VIEW) cells are in view.
    ///
    /// ```
    /// # use syncvar::interest::SpatialGrid;
    /// assert_eq!(SpatialGrid::xy(10.0, 10.0).cells_in_view(), 21);
    /// ```
    pub fn xy(cell_size: f32, view_distance: f32) -> Self {
        Self::new(Axes::Xy, cell_size, view_distance, cell_size / 10.0)
    }

    /// Returns a grid of squares over x and z, for games on the ground.
    ///
    /// # Panics
    ///
    /// Like [`xy`](Self::xy).
    pub fn xz(cell_size: f32, view_distance: f32) -> Self {
        Self::new(Axes::Xz, cell_size, view_distance, cell_size / 10.0)
    }

    /// Returns a grid of cubes.
    ///
    /// # Panics
    ///
    /// Like [`xy`](Self::xy).
    pub fn xyz(cell_size: f32, view_distance: f32) -> Self {
        Self::new(Axes::Xyz, cell_size, view_distance, cell_size / 10.0)
    }

    /// Returns a new grid with this margin: the distance outside of a cell that ends the
    /// membership in it.
    ///
    /// # Panics
    ///
    /// When the margin is negative or not finite, or too many cells are in view with it.
    ///
    /// ```
    /// # use syncvar::{prelude::*, interest::*, values::Vector3};
    /// let mut grid = SpatialGrid::xz(10.0, 20.0).with_margin(3.0);
    /// let mut changes = InterestChanges::default();
    /// grid.handle_spawn(NetId(1), Vector3::new(9.0, 0.0, 0.0));
    /// grid.update(&mut changes);
    /// assert_eq!(changes.drain().count(), 1);
    /// grid.handle_move(NetId(1), Vector3::new(12.9, 0.0, -2.9));
    /// grid.update(&mut changes);
    /// assert!(changes.is_empty());
    /// grid.handle_move(NetId(1), Vector3::new(13.1, 0.0, -2.9));
    /// grid.update(&mut changes);
    /// assert_eq!(changes.drain().count(), 1);
    /// ```
    #[must_use]
    pub fn with_margin(self, margin: f32) -> Self {
        Self::new(self.axes, self.cell_size, self.view_distance, margin)
    }

    fn new(axes: Axes, cell_size: f32, view_distance: f32, margin: f32) -> Self {
        assert!(
            cell_size.is_finite() && cell_size > 0.0,
            "the cell size of a grid must be positive and finite, not {cell_size}"
        );
        assert!(
            view_distance.is_finite() && view_distance >= 0.0,
            "the view distance of a grid must be finite and not negative, not {view_distance}"
        );
        assert!(
            margin.is_finite() && margin >= 0.0,
            "the margin of a grid must be finite and not negative, not {margin}"
        );
        let space = Space::new(axes, cell_size, view_distance, margin);
        let Some(offsets) = space.offsets(Self::MAX_CELLS_IN_VIEW) else {
            panic!(
                "with cells of {cell_size} and a margin of {margin}, a view distance of \
                 {view_distance} takes more than {} cells: make them larger",
                Self::MAX_CELLS_IN_VIEW
            );
        };
        Self {
            space,
            axes,
            cell_size,
            view_distance,
            offsets,
            objects: Table::default(),
            viewers: Table::default(),
            followers: Sets::default(),
            moved: Vec::new(),
            turned: Vec::new(),
        }
    }

    /// Returns the number of cells in view.
    pub fn cells_in_view(&self) -> usize {
        self.offsets.len()
    }

    /// Moves the viewer of a connection to a position. It follows no object any more. Cheap enough
    /// for every frame.
    ///
    /// ```
    /// # use syncvar::{prelude::*, interest::*, values::Vector3};
    /// let mut grid = SpatialGrid::xy(10.0, 20.0);
    /// let mut changes = InterestChanges::default();
    /// grid.handle_connect(ConnectionId(1));
    /// grid.watch(ConnectionId(1), Vector3::new(3.0, 4.0, 0.0)).unwrap();
    /// grid.update(&mut changes);
    /// assert_eq!(changes.drain().count(), grid.cells_in_view());
    /// ```
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn watch(
        &mut self,
        connection: ConnectionId,
        position: Vector3,
    ) -> Result<(), ObjectError> {
        let viewer = self.viewers.get_mut(connection.0);
        let viewer = viewer.ok_or(ObjectError::NotConnected(connection))?;
        if let Some(object) = viewer.following.take() {
            self.followers.remove(object, connection);
        }
        let cell = self.space.cell(viewer.cell, position);
        viewer.turn(connection, Some(cell), &mut self.turned);
        Ok(())
    }

    /// Attaches the viewer of a connection to an object. It sees no cell before the spawn of the
    /// object, and stays at the last position after the despawn.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn follow(&mut self, connection: ConnectionId, object: NetId) -> Result<(), ObjectError> {
        let cell = self.objects.get(object.0).map(|object| object.cell);
        self.direct(connection, cell, Some(object))
    }

    /// Removes the viewer of a connection: it sees only objects that are shown everywhere.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn stop_watching(&mut self, connection: ConnectionId) -> Result<(), ObjectError> {
        self.direct(connection, None, None)
    }

    fn direct(
        &mut self,
        connection: ConnectionId,
        cell: Option<Cell>,
        following: Option<NetId>,
    ) -> Result<(), ObjectError> {
        let viewer = self.viewers.get_mut(connection.0);
        let viewer = viewer.ok_or(ObjectError::NotConnected(connection))?;
        let former = std::mem::replace(&mut viewer.following, following);
        if former != following {
            if let Some(object) = former {
                self.followers.remove(object, connection);
            }
            if let Some(object) = following {
                self.followers.insert(object, connection);
            }
        }
        viewer.turn(connection, cell, &mut self.turned);
        Ok(())
    }

    /// Detaches an object from its place: all connections observe it. For scoreboards, the weather,
    /// leaders of teams.
    ///
    /// ```
    /// # use syncvar::{prelude::*, interest::*, values::Vector3};
    /// let mut grid = SpatialGrid::xz(10.0, 20.0);
    /// let mut changes = InterestChanges::default();
    /// grid.handle_spawn(NetId(1), Vector3::new(0.0, 0.0, 0.0));
    /// grid.show_everywhere(NetId(1)).unwrap();
    /// grid.update(&mut changes);
    /// assert!(changes.is_empty(), "it has no area");
    /// grid.place_in_grid(NetId(1)).unwrap();
    /// grid.update(&mut changes);
    /// assert_eq!(changes.drain().count(), 1);
    /// ```
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn show_everywhere(&mut self, object: NetId) -> Result<(), ObjectError> {
        self.bind(object, false)
    }

    /// Attaches an object to its place again, as all objects are at first.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn place_in_grid(&mut self, object: NetId) -> Result<(), ObjectError> {
        self.bind(object, true)
    }

    fn bind(&mut self, id: NetId, bound: bool) -> Result<(), ObjectError> {
        let object = self.objects.get_mut(id.0);
        let object = object.ok_or(ObjectError::NoSuchObject(id))?;
        object.everywhere = !bound;
        object.list(id, &mut self.moved);
        Ok(())
    }

    /// Moves the viewers that follow an object.
    fn take_followers(&mut self, object: NetId, cell: Cell) {
        for connection in self.followers.of(object) {
            if let Some(viewer) = self.viewers.get_mut(connection.0) {
                viewer.turn(connection, Some(cell), &mut self.turned);
            }
        }
    }
}

impl InterestManagement for SpatialGrid {
    fn handle_spawn(&mut self, id: NetId, position: Vector3) {
        let cell = self.space.cell(None, position);
        let mut object = GridObject::new(cell);
        object.list(id, &mut self.moved);
        self.objects.insert(id.0, object);
        self.take_followers(id, cell);
    }

    fn handle_move(&mut self, id: NetId, position: Vector3) {
        let Some(object) = self.objects.get_mut(id.0) else {
            return;
        };
        let cell = self.space.cell(Some(object.cell), position);
        if cell != object.cell {
            object.cell = cell;
            object.list(id, &mut self.moved);
            self.take_followers(id, cell);
        }
    }

    fn handle_despawn(&mut self, id: NetId) {
        self.objects.remove(id.0);
        for connection in self.followers.take(id).iter() {
            if let Some(viewer) = self.viewers.get_mut(connection.0) {
                viewer.following = None;
            }
        }
    }

    fn handle_connect(&mut self, connection: ConnectionId) {
        self.viewers.insert(connection.0, Viewer::default());
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        let viewer = self.viewers.remove(connection.0);
        if let Some(object) = viewer.and_then(|viewer| viewer.following) {
            self.followers.remove(object, connection);
        }
    }

    fn update(&mut self, changes: &mut InterestChanges) {
        for connection in &self.turned {
            if let Some(viewer) = self.viewers.get(connection.0) {
                let unseen = self.unseen(viewer.cell, viewer.reported);
                unseen.for_each(|cell| changes.reveal(*connection, cell.area()));
            }
        }
        for id in self.moved.drain(..) {
            let Some(object) = self.objects.get_mut(id.0) else {
                continue;
            };
            object.moved = false;
            let place = object.place();
            if place != object.reported {
                object.reported = place;
                changes.place(id, place.map(Cell::area));
            }
        }
        let mut turned = std::mem::take(&mut self.turned);
        for connection in turned.drain(..) {
            let Some(viewer) = self.viewers.get(connection.0) else {
                continue;
            };
            let cell = viewer.cell;
            let unseen = self.unseen(viewer.reported, cell);
            unseen.for_each(|cell| changes.conceal(connection, cell.area()));
            if let Some(viewer) = self.viewers.get_mut(connection.0) {
                viewer.reported = cell;
                viewer.turned = false;
            }
        }
        self.turned = turned;
    }
}

impl SpatialGrid {
    /// Returns the cells that are in view of the first cell alone.
    fn unseen(&self, from: Option<Cell>, other: Option<Cell>) -> impl Iterator<Item = Cell> {
        let cells = from.into_iter().flat_map(|from| {
            let offsets = self.offsets.iter();
            offsets.filter_map(move |offset| from.at(*offset))
        });
        cells.filter(move |cell| other.is_none_or(|other| !self.space.sees(other.offset_to(*cell))))
    }
}
