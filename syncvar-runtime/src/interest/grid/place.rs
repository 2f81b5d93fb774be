//! Places of objects and viewers, present and last reported.

use super::space::Cell;
use crate::{ConnectionId, NetId};

#[derive(Debug)]
pub(super) struct GridObject {
    pub(super) cell: Cell,
    pub(super) everywhere: bool,
    /// Cell as last reported; at first none.
    pub(super) reported: Option<Cell>,
    /// Set if the list of moved objects contains it.
    pub(super) moved: bool,
}

#[derive(Debug, Default)]
pub(super) struct Viewer {
    /// Present cell. A viewer without one sees no cell.
    pub(super) cell: Option<Cell>,
    pub(super) following: Option<NetId>,
    /// Cell as last reported.
    pub(super) reported: Option<Cell>,
    /// Set if the list of moved viewers contains it.
    pub(super) turned: bool,
}

impl GridObject {
    pub(super) fn new(cell: Cell) -> Self {
        Self {
            cell,
            everywhere: false,
            reported: None,
            moved: false,
        }
    }

    /// Returns the cell of an object, unless it is shown everywhere.
    pub(super) fn place(&self) -> Option<Cell> {
        (!self.everywhere).then_some(self.cell)
    }

    /// Adds the object to the moved objects.
    pub(super) fn list(&mut self, id: NetId, moved: &mut Vec<NetId>) {
        if !self.moved {
            self.moved = true;
            moved.push(id);
        }
    }
}

impl Viewer {
    /// Moves the viewer to a cell or out of the grid, and adds it to the moved viewers.
    pub(super) fn turn(
        &mut self,
        connection: ConnectionId,
        cell: Option<Cell>,
        turned: &mut Vec<ConnectionId>,
    ) {
        if self.cell == cell {
            return;
        }
        self.cell = cell;
        if !self.turned {
            self.turned = true;
            turned.push(connection);
        }
    }
}
