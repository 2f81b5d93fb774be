//! The tool `syncvar`: schemas of files and servers, their compatibility, and types for TypeScript.
//!
//! ```text
//! syncvar schema quic://127.0.0.1:7777 > game.syncvar
//! syncvar check released.syncvar game.syncvar
//! syncvar types game.syncvar --typescript > game.ts
//! ```

mod arguments;
mod check;
mod program;
mod source;
mod types;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run(lexopt::Parser::from_env())
}
