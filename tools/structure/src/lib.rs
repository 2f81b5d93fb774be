//! Measures the structure of the workspace against the limits of CONTRIBUTING.md.
//!
//! ```text
//! *.rs ─ syn ─► Source ─┬─► imports ──► folders that import each other, at any depth
//!                       ├─► calls ────► cycles by calls among the rooms of an end
//!                       └─► shapes ───► wide structs, structs of many bools, long functions
//!                                                         │
//!                           exceptions, with reasons ─► compare ─► failures of the test
//! ```
//!
//! A folder is a module with the modules inside. An import leads from the folder that contains it to the folder of the item,
//! through re-exports, because a re-export in the parent would hide each cycle. Calls among the methods of an end
//! need no import, so they are searched by name: `self.method(..)` in a room, and the definition in a second room.
//!
//! Test code is free. A justified finding stands in [`exceptions`] with the reason; an exception without a
//! finding fails, too, so that the list only shrinks with the tree.

pub mod calls;
pub mod cycles;
pub mod exceptions;
pub mod findings;
pub mod imports;
pub mod shapes;
pub mod source;

#[cfg(test)]
mod documents;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use findings::Finding;
use source::Source;

/// Most fields of a struct. Settings and statistics are lists by nature, and free.
pub const MAX_FIELDS: usize = 12;

/// Most fields of the type `bool` in a struct.
pub const MAX_BOOLS: usize = 3;

/// Most lines of a function, from `fn` to the closing brace.
pub const MAX_LINES: usize = 60;

/// Ends with rooms: the type, and the folder of the rooms.
pub const ENDS: [(&str, &str); 4] = [
    ("NetworkServer", "protocols/net/src/server"),
    ("NetworkClient", "protocols/net/src/client"),
    ("MirrorServer", "protocols/mirror/src/server"),
    ("MirrorClient", "protocols/mirror/src/client"),
];

/// Returns all findings in some sources, in a fixed order.
pub fn measure(sources: &[Source]) -> Vec<Finding> {
    let mut findings = imports::folder_cycles(sources);
    for (end, folder) in ENDS {
        findings.extend(calls::room_cycles(sources, end, folder));
    }
    for source in sources {
        findings.extend(shapes::findings(source));
    }
    findings.sort();
    findings
}

/// Returns the folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
