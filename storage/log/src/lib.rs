//! Files of tick records for `syncvar`: recordings in the container MCAP.
//!
//! Use it through the crate `syncvar` with the feature `log`, which re-exports it as `syncvar::log`. WIRE.md, section 10,
//! has the format.
#![warn(clippy::print_stdout)]

mod entry;
mod error;
mod header;
mod journal;
mod journal_error;
mod json;
mod marker;
mod player;
mod reader;
mod recorder;
mod rotation;
mod writer;

pub use entry::LogEntry;
pub use error::LogError;
pub use header::{LogHeader, LogKind};
pub use journal::{Journal, JournalOptions, JournalSync};
pub use journal_error::JournalError;
pub use json::to_json;
pub use marker::Marker;
pub use player::Player;
pub use reader::LogReader;
pub use recorder::{Recorder, RecorderEvent, RecorderOptions};
pub use rotation::{first_file, rotated_path};
pub use writer::LogWriter;
