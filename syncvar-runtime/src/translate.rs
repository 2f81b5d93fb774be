//! Values whose types are known from a schema: layouts, and reads and writes by them.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

pub mod behaviour;
pub mod change;
pub mod conversion;
pub mod layout;
pub mod resolve;
