//! Structs, calls and prefabs from the C# of a Unity project, as a Rust module.
//!
//! ```text
//! cargo run -p mirror-import -- PROJECT_DIR > src/game.rs
//! ```

mod convert;
mod csharp;
mod emit;
mod files;
mod model;
mod names;
mod program;
mod project;
mod report;
mod unity;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run(std::env::args_os().skip(1))
}
