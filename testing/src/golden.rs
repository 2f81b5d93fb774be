//! Recorded vectors of a real implementation against ours: one reader, one loop and one report for all protocols.
//!
//! ```text
//! Folder -> file -> JSON -> interpreter of a protocol -> Check per vector -> Report -> DIFFERENCES.md
//! ```
//!
//! A [`Folder`] holds the files of a recorder. A protocol interprets the JSON of a file and makes a [`Check`] of each vector. A
//! vector that differs has a [`Rule`], or it is a fault. The [`Report`] fails on faults, on files without a
//! comparison, and on each disagreement between the rules of the vectors and the page that explains the rules, so that
//! nothing can differ unnoticed.

mod check;
mod folder;
mod json;
mod page;
mod report;
mod rule;

pub use check::{Check, Verdict};
pub use folder::Folder;
pub use json::{Json, Node};
pub use report::{Outcome, Report, catch, same, same_bytes};
pub use rule::{Rule, Standing};
