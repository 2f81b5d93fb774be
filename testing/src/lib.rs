//! Worlds, behaviours and property-test settings shared by the tests of the workspace.

mod cases;

pub use cases::cases;
