//! Where objects and viewers are, and where they were when it was last reported.

use super::space::Cell;
use crate::{ConnectionId, NetId};

#[derive(Debug)]
pub(super) struct Object {
    pub(super) cell: Cell,
    pub(super) everywhere: bool,
    /// Where it was last reported; at first nowhere.
    pub(super) reported: Option<Cell>,
    /// Whether it is in the list of those that may be elsewhere.
    pub(super) moved: bool,
}

#[derive(Debug, Default)]
pub(super) struct Viewer {
    /// Without one it sees nothing.
    pub(super) cell: Option<Cell>,
    pub(super) following: Option<NetId>,
    /// The cell whose surroundings it was last reported to see.
    pub(super) reported: Option<Cell>,
    /// Whether it is in the list of those that may be elsewhere.
    pub(super) turned: bool,
}

impl Object {
    pub(super) fn new(cell: Cell) -> Self {
        Self {
            cell,
            everywhere: false,
            reported: None,
            moved: false,
        }
    }

    /// The cell that it belongs to, if it is bound to a place.
    pub(super) fn place(&self) -> Option<Cell> {
        (!self.everywhere).then_some(self.cell)
    }

    /// Lists it among those that may be elsewhere.
    pub(super) fn list(&mut self, id: NetId, moved: &mut Vec<NetId>) {
        if !self.moved {
            self.moved = true;
            moved.push(id);
        }
    }
}

impl Viewer {
    /// Puts it into a cell, or into none, and lists it if it was not there.
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
