//! Servers and clients over real sockets, and the recorded bytes of Mirror's transports.

#[path = "transports/game.rs"]
mod game;
#[path = "golden/raw.rs"]
mod raw;

use std::path::{Path, PathBuf};

#[test]
fn the_recorded_streams_and_datagrams_hold_the_recorded_messages() {
    let folder = std::env::var_os("SYNCVAR_GOLDEN_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data"),
        PathBuf::from,
    );
    let mut sessions = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("session_") && name.ends_with(".json") {
            let session = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            if raw::check(&session) > 0 {
                sessions.push(name);
            }
        }
    }
    assert!(!sessions.is_empty());
}
