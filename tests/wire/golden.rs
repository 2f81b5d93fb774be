//! Recorded bytes of the real UNet against ours, through the facade.
//!
//! The recordings stand in `tests/golden/unet`; `SYNCVAR_GOLDEN_DIR` names another folder with files
//! of the same formats. Where ours differs, a rule says why; `tests/golden/DIFFERENCES.md` explains
//! the rules and lists the vectors that each one covers. To see the counts:
//!
//! ```text
//! cargo test --test wire golden:: -- --nocapture
//! ```
#![allow(clippy::print_stdout, reason = "the report")]

pub(crate) mod apply;
pub(crate) mod behaviours;
pub(crate) mod bytes;
pub(crate) mod calls;
pub(crate) mod cell;
pub(crate) mod class;
pub(crate) mod classes;
pub(crate) mod codec;
pub(crate) mod command;
pub(crate) mod dynamic;
pub(crate) mod explain;
pub(crate) mod field;
pub(crate) mod frame;
pub(crate) mod host;
pub(crate) mod judge;
pub(crate) mod list_cell;
pub(crate) mod list_step;
pub(crate) mod list_trial;
pub(crate) mod lists;
pub(crate) mod message_classes;
pub(crate) mod messages;
pub(crate) mod plane_and_ray;
pub(crate) mod reader_errors;
pub(crate) mod receiving;
pub(crate) mod recorded;
pub(crate) mod recordings;
pub(crate) mod replica;
pub(crate) mod rule;
pub(crate) mod scenario;
pub(crate) mod scripts;
pub(crate) mod session;
pub(crate) mod spawn;
pub(crate) mod stage;
pub(crate) mod subject;
pub(crate) mod sync_lists;
pub(crate) mod trial;
pub(crate) mod writer;

use std::path::Path;

use syncvar_testing::golden::{self, Folder, Json};

use rule::Rule;

type Check = golden::Check<Rule>;
type Report = golden::Report<Rule>;

/// Runs one file. A folder of the user's own need not have all files; ours has all but the random behaviours.
fn run(name: &str, run: fn(&Json, &mut Report) -> usize) {
    let folder = Folder::or(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/unet"));
    let is_there = folder.run(name, |json, report| Some(run(json, report)));
    if !is_there {
        let files = folder.names();
        let may_miss = !folder.is_ours() || name == "behaviours_random";
        assert!(may_miss, "{name} is not among {files:?}");
        println!("{name}: skipped");
    }
}

#[test]
fn writer_vectors() {
    run("writer", writer::run);
}

#[test]
fn random_writer_vectors() {
    run("writer_random", writer::run);
}

#[test]
fn reader_error_vectors() {
    run("reader_errors", reader_errors::run);
}

#[test]
fn behaviour_vectors() {
    run("behaviours", behaviours::run);
}

#[test]
fn random_behaviour_vectors() {
    run("behaviours_random", behaviours::run);
}

#[test]
fn list_vectors() {
    run("synclists", sync_lists::run);
}

#[test]
fn message_vectors() {
    run("messages", messages::run);
}

#[test]
fn session_vectors() {
    run("session", session::run);
}

#[test]
fn host_vectors() {
    run("host", host::run);
}
