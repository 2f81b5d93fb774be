//! Runs of the program.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Folder of the schema and the types that the client in TypeScript checks.
const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../clients/typescript/tests/types"
);

/// Returns a file beside the page of the client in TypeScript.
pub(crate) fn page_file(name: &str) -> PathBuf {
    PathBuf::from(PAGE).join(name)
}

/// Returns the path of a new file with this name and text.
pub(crate) fn file(name: &str, text: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// Runs the program. Returns its exit code, its output, and its errors without the name of the program.
pub(crate) fn run(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncvar"));
    let output = command.args(arguments).output().expect("the program runs");
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    let code = status.code().expect("an exit code");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let errors = text(stderr);
    let errors = errors.strip_prefix("syncvar: ").unwrap_or(&errors);
    (code, text(stdout), errors.trim_end().to_owned())
}
