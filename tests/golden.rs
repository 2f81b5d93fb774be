//! Recorded bytes of the real UNet against ours, through the facade.
//!
//! The recordings stand in `tests/golden/unet`; `SYNCVAR_GOLDEN_DIR` names another folder with files
//! of the same formats. Where ours differs, a rule says why; `tests/golden/DIFFERENCES.md` explains
//! the rules and lists the vectors that each one covers. To see the counts:
//!
//! ```text
//! cargo test --test golden -- --nocapture
//! ```
#![allow(clippy::print_stdout, reason = "the report")]

mod golden {
    pub(crate) mod apply;
    pub(crate) mod behaviours;
    pub(crate) mod bytes;
    pub(crate) mod cell;
    pub(crate) mod check;
    pub(crate) mod class;
    pub(crate) mod classes;
    pub(crate) mod codec;
    pub(crate) mod dynamic;
    pub(crate) mod explain;
    pub(crate) mod json;
    pub(crate) mod reader_errors;
    pub(crate) mod recorded;
    pub(crate) mod recordings;
    pub(crate) mod report;
    pub(crate) mod rule;
    pub(crate) mod subject;
    pub(crate) mod trial;
    pub(crate) mod writer;
}

use std::env;
use std::path::{Path, PathBuf};

use golden::json::Json;
use golden::report::Report;
use golden::{behaviours, reader_errors, writer};

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

/// Runs one file; a folder of the user's own need not have it.
fn run(file: &'static str, run: fn(&Json, &mut Report) -> usize) {
    let (folder, own) = folder();
    let text = match std::fs::read_to_string(folder.join(file)) {
        Ok(text) => text,
        Err(error) if own => panic!("{file}: {error}"),
        Err(error) => {
            println!("{file}: skipped, {error}");
            return;
        }
    };
    let mut report = Report::new(file);
    let vector_count = run(&Json::parse(&text), &mut report);
    report.finish(vector_count, own);
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
