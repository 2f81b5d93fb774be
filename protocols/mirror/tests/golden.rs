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

#[allow(
    clippy::struct_field_names,
    reason = "the fields have the names that they have in C#"
)]
mod golden {
    pub(crate) mod batches;
    pub(crate) mod batching;
    pub(crate) mod behaviours;
    pub(crate) mod changes;
    pub(crate) mod classes;
    pub(crate) mod client_session;
    pub(crate) mod component;
    pub(crate) mod components;
    pub(crate) mod differences;
    pub(crate) mod followers;
    pub(crate) mod hooks;
    pub(crate) mod identity;
    pub(crate) mod json;
    pub(crate) mod log;
    pub(crate) mod member;
    pub(crate) mod messages;
    pub(crate) mod payloads;
    pub(crate) mod rpc;
    pub(crate) mod script;
    pub(crate) mod server_replay;
    pub(crate) mod server_session;
    pub(crate) mod subject;
    pub(crate) mod syncobjects;
    pub(crate) mod told;
    pub(crate) mod value;
    pub(crate) mod world;
    pub(crate) mod writer;
}

use std::path::Path;

use golden::differences::Rule;
use golden::json::Json;
use golden::{
    batching, behaviours, client_session, components, hooks, identity, messages, rpc,
    server_replay, server_session, syncobjects, writer,
};
use serde_json::Value;
use syncvar_testing::golden::Folder;

type Report = syncvar_testing::golden::Report<Rule>;
type Verdict = syncvar_testing::golden::Outcome<Rule>;

fn folder() -> Folder {
    Folder::or(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data"))
}

/// Runs one file, and its sample if there is one.
fn run(name: &str, run: fn(&Value, &mut Report)) {
    for file in [name.to_owned(), format!("{name}_sample")] {
        folder().run(&file, |json, report| {
            run(json, report);
            // The number of vectors is not recorded.
            None
        });
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
fn sessions() {
    for name in session_names() {
        run(&name, |json, report| {
            client_session::run(json, report);
            server_replay::run(json, report);
        });
    }
}

/// The sessions of a server and its clients, over a network.
fn session_names() -> Vec<String> {
    let on_virtual_clocks = ["session_deterministic", "session_random"];
    let names = folder().names().into_iter();
    let mut names: Vec<_> = names
        .map(|name| name.trim_end_matches("_sample").to_string())
        .filter(|name| name.starts_with("session_"))
        .filter(|name| !on_virtual_clocks.contains(&name.as_str()))
        .collect();
    names.dedup();
    names
}

#[test]
fn object_payloads() {
    run("identity", identity::run);
}

#[test]
fn hooks() {
    run("hooks", hooks::run);
}

#[test]
fn remote_calls() {
    run("rpc", rpc::run);
}

#[test]
fn compression_of_components() {
    run("components_compression", components::compression::run);
}

#[test]
fn snapshots_of_components() {
    run("components_snapshots", components::snapshots::run);
}

#[test]
fn transforms_of_components() {
    run(
        "components_transform_reliable",
        components::transforms::run_reliable,
    );
    run(
        "components_transform_unreliable",
        components::transforms::run_unreliable,
    );
    run(
        "components_transform_hybrid",
        components::transforms::run_hybrid,
    );
}

#[test]
fn sessions_of_transforms() {
    run("components_session_reliable", components::sessions::run);
    run("components_session_unreliable", components::sessions::run);
    run("components_session_hybrid", components::sessions::run);
}

#[test]
fn animators() {
    run("components_animator", components::animator::run);
    run(
        "components_animator_messages",
        components::animator::run_messages,
    );
}

#[test]
fn lag_compensation_of_components() {
    run("components_lag", components::lag::run);
}

#[test]
fn interest_managements() {
    run("components_interest", components::interest::run_cells);
    run("components_visibility", components::interest::run_servers);
}

#[test]
fn prediction_of_components() {
    run("components_prediction", components::prediction::run);
}

#[test]
fn predicted_bodies() {
    run(
        "components_predicted_rigidbody",
        components::predicted_rigidbody::run,
    );
}

#[test]
fn names_of_components() {
    run("components_names", components::names::run);
}

#[test]
fn timelines_of_components() {
    run("components_timeline", components::timeline::run);
}

#[test]
fn a_server_that_is_not_mirrors() {
    run("foreign_server", not_recorded);
}

/// What that server sent stands in no file, so that there is nothing to give to a client of ours.
fn not_recorded(json: &Value, report: &mut Report) {
    report.compares_nothing();
    for case in json.at("cases").list() {
        let name = case.at("variant").text();
        report.case("variants", name, || Ok(Verdict::Ruled(Rule::NotRecorded)));
    }
}

/// Names the files that no test here knows; those of components must be known.
#[test]
fn unknown_files() {
    let known = [
        "writer",
        "writer_random",
        "behaviours",
        "behaviours_random",
        "syncobjects",
        "syncobjects_random",
        "messages",
        "batching",
        "identity",
        "rpc",
        "hooks",
        "foreign_server",
        "session_deterministic",
        "session_random",
        "components_animator",
        "components_animator_messages",
        "components_compression",
        "components_snapshots",
        "components_interest",
        "components_lag",
        "components_names",
        "components_predicted_rigidbody",
        "components_prediction",
        "components_session_hybrid",
        "components_session_reliable",
        "components_session_unreliable",
        "components_timeline",
        "components_transform_hybrid",
        "components_transform_reliable",
        "components_transform_unreliable",
        "components_visibility",
    ];
    for file in folder().names() {
        let name = file.trim_end_matches("_sample");
        if !known.contains(&name) && !name.starts_with("session_") {
            assert!(!name.starts_with("components_"), "{file} is not read");
            println!("{file:<32} is not known here: nothing is done with it");
        }
    }
}
