//! What is measured: numbers of objects and clients, and how much of the objects changes.

use serde::{Deserialize, Serialize};

use crate::support::workload::Fields;

/// How much of the grid is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grid {
    /// Without 100 000 objects for 100 clients, where a tick of some libraries takes seconds.
    Usual,
    /// Everything.
    Full,
}

/// How many objects there are, and how many clients see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Size {
    pub(crate) objects: u32,
    pub(crate) clients: usize,
}

/// How many of the objects change in a tick, and whether all of their fields do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Load {
    pub(crate) percent: u32,
    pub(crate) all_fields: bool,
}

impl Grid {
    pub(crate) fn sizes(self) -> Vec<Size> {
        let sizes = [1_000, 10_000, 100_000]
            .into_iter()
            .flat_map(|objects| [1, 10, 100].map(|clients| Size { objects, clients }));
        sizes
            .filter(|size| self == Self::Full || size.objects < 100_000 || size.clients < 100)
            .collect()
    }
}

impl Load {
    pub(crate) const ALL: [Self; 7] = [
        Self::new(0, false),
        Self::new(1, false),
        Self::new(1, true),
        Self::new(10, false),
        Self::new(10, true),
        Self::new(100, false),
        Self::new(100, true),
    ];

    pub(crate) const fn new(percent: u32, all_fields: bool) -> Self {
        Self {
            percent,
            all_fields,
        }
    }

    pub(crate) fn label(self) -> String {
        match self.percent {
            0 => "nothing".into(),
            percent => format!("{percent} %, {}", self.fields().label()),
        }
    }

    pub(crate) fn fields(self) -> Fields {
        if self.all_fields {
            Fields::All
        } else {
            Fields::One
        }
    }
}
