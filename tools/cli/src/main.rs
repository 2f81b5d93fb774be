//! The tool `syncvar`: schemas of files and servers, their compatibility, types for TypeScript, log files, the page that plays them, and relays.
//!
//! ```text
//! syncvar schema quic://127.0.0.1:7777 > game.syncvar
//! syncvar check released.syncvar game.syncvar
//! syncvar types game.syncvar --typescript > game.ts
//! syncvar info match.mcap
//! syncvar export match.mcap --csv > match.csv
//! syncvar replay match.mcap
//! syncvar relay tcp://10.0.0.1:7700 --listen tcp://0.0.0.0:7777
//! ```

mod arguments;
mod check;
mod http;
mod log;
mod program;
mod relay;
mod replay;
mod source;
mod types;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run(lexopt::Parser::from_env())
}
