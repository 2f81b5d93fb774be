//! Recorded bytes and behaviour of the real Mirror against ours, through the facade.
//!
//! The recordings stand in `tests/golden/data`; `SYNCVAR_GOLDEN_DIR` names another folder with files of
//! the same formats. Where ours differs, a rule says why: `tests/golden/DIFFERENCES.md`. To see the
//! counts:
//!
//! ```text
//! cargo test -p syncvar-mirror --test golden -- --nocapture
//! ```
#![allow(clippy::print_stdout, reason = "the report")]

mod golden {
    pub(crate) mod changes;
    pub(crate) mod classes;
    pub(crate) mod differences;
    pub(crate) mod json;
    pub(crate) mod log;
    pub(crate) mod member;
    pub(crate) mod report;
    pub(crate) mod subject;
    pub(crate) mod value;
}
