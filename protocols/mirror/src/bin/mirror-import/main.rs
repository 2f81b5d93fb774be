//! Structs, calls and prefabs from the C# of a Unity project, as a Rust module.
//!
//! ```text
//! cargo run -p syncvar-mirror --bin mirror-import -- PROJECT_DIR > src/game.rs
//! ```
//!
//! The program needs the feature `import`, which brings the parser of C#. Without the feature it is a launcher that
//! asks cargo for a build with it, so that the command is the same and no other build has the parser.

#[cfg(feature = "import")]
mod convert;
#[cfg(feature = "import")]
mod csharp;
#[cfg(feature = "import")]
mod emit;
#[cfg(feature = "import")]
mod files;
#[cfg(not(feature = "import"))]
mod launch;
#[cfg(feature = "import")]
mod model;
#[cfg(feature = "import")]
mod names;
#[cfg(feature = "import")]
mod program;
#[cfg(feature = "import")]
mod project;
#[cfg(feature = "import")]
mod report;
#[cfg(feature = "import")]
mod unity;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "import")]
    return program::run(std::env::args_os().skip(1));
    #[cfg(not(feature = "import"))]
    return launch::run(std::env::args_os().skip(1));
}
