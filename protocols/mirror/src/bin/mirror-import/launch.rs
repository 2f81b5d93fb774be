//! Launcher of the program with the feature `import`.

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// Exit code if the program cannot start.
const FAILED: u8 = 2;

/// Runs the same program with the feature, through the cargo that runs this one.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let (Some(cargo), Some(package)) = (env::var_os("CARGO"), env::var_os("CARGO_MANIFEST_DIR"))
    else {
        eprintln!(
            "mirror-import is built without the feature `import`: install it with `--features import`"
        );
        return ExitCode::from(FAILED);
    };
    let manifest = std::path::Path::new(&package).join("Cargo.toml");
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--manifest-path"])
        .arg(manifest)
        .args(["--features", "import", "--bin", "mirror-import", "--"])
        .args(arguments)
        .status();
    match status.map(|status| status.code()) {
        Ok(code) => ExitCode::from(code.and_then(|code| code.try_into().ok()).unwrap_or(FAILED)),
        Err(error) => {
            eprintln!("mirror-import: cargo does not start: {error}");
            ExitCode::from(FAILED)
        }
    }
}
