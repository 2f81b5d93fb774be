//! Servers and clients over real sockets, and the recorded bytes of Mirror's transports.

mod game;
#[path = "../golden/raw.rs"]
mod raw;

use std::path::{Path, PathBuf};

#[test]
fn the_recorded_streams_and_datagrams_hold_the_recorded_messages() {
    let given = std::env::var_os("SYNCVAR_GOLDEN_DIR");
    let folder = given.as_ref().map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data"),
        PathBuf::from,
    );
    let mut sessions = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy();
        if name.starts_with("session_") && path.extension().is_some_and(|ext| ext == "json") {
            let session = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            if raw::check(&session) > 0 {
                sessions += 1;
            }
        }
    }
    // One by KCP and six by Telepathy have their raw bytes beside them.
    assert!(sessions == 7 || given.is_some(), "{sessions}");
}
