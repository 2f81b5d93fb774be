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
pub(crate) mod check;
pub(crate) mod class;
pub(crate) mod classes;
pub(crate) mod codec;
pub(crate) mod command;
pub(crate) mod differences;
pub(crate) mod dynamic;
pub(crate) mod explain;
pub(crate) mod field;
pub(crate) mod frame;
pub(crate) mod host;
pub(crate) mod json;
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
pub(crate) mod report;
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

use std::path::{Path, PathBuf};
use std::{env, fs};

use json::Json;
use report::Report;

/// Every file that a folder of recordings can have.
const FILES: [&str; 9] = [
    "writer.json",
    "writer_random.json",
    "reader_errors.json",
    "behaviours.json",
    "behaviours_random.json",
    "synclists.json",
    "messages.json",
    "session.json",
    "host.json",
];

/// The folder of the recordings, and whether it is the one that came with this repository.
fn folder() -> (PathBuf, bool) {
    match env::var_os("SYNCVAR_GOLDEN_DIR") {
        Some(folder) => (folder.into(), false),
        None => (
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/unet"),
            true,
        ),
    }
}

/// Runs one file. A folder of the user's own need not have all of them; ours has all but the random
/// behaviours.
fn run(file: &'static str, run: fn(&Json, &mut Report) -> usize) {
    let (folder, is_ours) = folder();
    let some = FILES.iter().any(|file| folder.join(file).exists());
    assert!(some, "no recordings in {}", folder.display());
    let path = folder.join(file);
    let may_miss = !is_ours || file == "behaviours_random.json";
    if may_miss && !path.exists() {
        println!("{file}: skipped, it is not in {}", folder.display());
        return;
    }
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut report = Report::new(file, is_ours);
    let vector_count = report.run(|report| run(&Json::parse(&text), report));
    report.print_counts();
    report.verify(vector_count.unwrap_or_default());
}

#[test]
fn writer_vectors() {
    run("writer.json", writer::run);
}

#[test]
fn random_writer_vectors() {
    run("writer_random.json", writer::run);
}

#[test]
fn reader_error_vectors() {
    run("reader_errors.json", reader_errors::run);
}

#[test]
fn behaviour_vectors() {
    run("behaviours.json", behaviours::run);
}

#[test]
fn random_behaviour_vectors() {
    run("behaviours_random.json", behaviours::run);
}

#[test]
fn list_vectors() {
    run("synclists.json", sync_lists::run);
}

#[test]
fn message_vectors() {
    run("messages.json", messages::run);
}

#[test]
fn session_vectors() {
    run("session.json", session::run);
}

#[test]
fn host_vectors() {
    run("host.json", host::run);
}
