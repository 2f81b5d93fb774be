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
    pub(crate) mod batches;
    pub(crate) mod batching;
    pub(crate) mod behaviours;
    pub(crate) mod changes;
    pub(crate) mod classes;
    pub(crate) mod client_session;
    pub(crate) mod component;
    pub(crate) mod differences;
    pub(crate) mod hooks;
    pub(crate) mod identity;
    pub(crate) mod json;
    pub(crate) mod log;
    pub(crate) mod member;
    pub(crate) mod messages;
    pub(crate) mod report;
    pub(crate) mod server_session;
    pub(crate) mod subject;
    pub(crate) mod syncobjects;
    pub(crate) mod value;
    pub(crate) mod world;
    pub(crate) mod writer;
}

use std::path::{Path, PathBuf};
use std::{env, fs};

use golden::report::Report;
use golden::{
    batching, behaviours, client_session, hooks, identity, messages, server_session, syncobjects,
    writer,
};
use serde_json::Value;

/// The folder of the recordings, and whether it is the one that came with this repository.
fn folder() -> (PathBuf, bool) {
    match env::var_os("SYNCVAR_GOLDEN_DIR") {
        Some(folder) => (folder.into(), false),
        None => (
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data"),
            true,
        ),
    }
}

/// Runs one file, and its sample if there is one.
fn run(name: &str, run: fn(&Value, &mut Report)) {
    let (folder, is_ours) = folder();
    for file in [format!("{name}.json"), format!("{name}_sample.json")] {
        let Ok(text) = fs::read_to_string(folder.join(&file)) else {
            continue;
        };
        let mut report = Report::new(&file);
        report.run(|report| {
            let json = serde_json::from_str(&text).expect("JSON");
            run(&json, report);
        });
        report.print();
        report.verify(is_ours);
    }
}

#[test]
fn behaviours() {
    run("behaviours", behaviours::run);
}

#[test]
fn random_behaviours() {
    run("behaviours_random", behaviours::run_random);
}

#[test]
fn collections() {
    run("syncobjects", syncobjects::run);
}

#[test]
fn random_collections() {
    run("syncobjects_random", syncobjects::run_random);
}

#[test]
fn values() {
    run("writer", writer::run);
}

#[test]
fn random_values() {
    run("writer_random", writer::run);
}

#[test]
fn messages() {
    run("messages", messages::run);
}

#[test]
fn batches() {
    run("batching", batching::run);
}

#[test]
fn a_server_on_a_virtual_clock() {
    run("session_deterministic", server_session::run_deterministic);
}

#[test]
fn random_sessions_of_a_server() {
    run("session_random", server_session::run_random);
}

#[test]
fn sessions_of_clients() {
    for name in session_names() {
        run(&name, client_session::run);
    }
}

/// The sessions of a server and its clients, over a network.
fn session_names() -> Vec<String> {
    let folder = fs::read_dir(folder().0).expect("a folder of recordings");
    let files = folder.map(|entry| entry.expect("a file").file_name());
    let names = files.filter_map(|file| file.to_str()?.strip_suffix(".json").map(String::from));
    let on_virtual_clocks = ["session_deterministic", "session_random"];
    let mut names: Vec<_> = names
        .map(|name| name.trim_end_matches("_sample").to_string())
        .filter(|name| name.starts_with("session_"))
        .filter(|name| !on_virtual_clocks.contains(&name.as_str()))
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn whole_objects() {
    run("identity", identity::run);
}

#[test]
fn hooks() {
    run("hooks", hooks::run);
}
