//! Changes per tick: the cells of the criterion benches.

use std::fmt;

use super::workload::Fields;

/// Share of the objects that changes in a tick, and their changed fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) percent: u32,
    pub(crate) fields: Fields,
}

impl Cell {
    pub(crate) const ALL: [Self; 7] = [
        Self::new(0, Fields::One),
        Self::new(1, Fields::One),
        Self::new(1, Fields::All),
        Self::new(10, Fields::One),
        Self::new(10, Fields::All),
        Self::new(100, Fields::One),
        Self::new(100, Fields::All),
    ];

    pub(crate) const fn new(percent: u32, fields: Fields) -> Self {
        Self { percent, fields }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.percent {
            0 => write!(f, "nothing"),
            percent => write!(f, "{percent} %, {}", self.fields.label()),
        }
    }
}
