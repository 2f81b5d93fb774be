//! `syncvar export`: the values of a file, as lines of JSON, as CSV, or as channels of JSON in MCAP.

use std::io::{self, Write};
use std::path::Path;

use super::channels::Channels;
use super::row::Row;
use super::{Log, at};

/// Form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A line of JSON for each changed behaviour.
    Json,
    /// A row for each changed number.
    Csv,
    /// A file in MCAP with a channel of JSON for each object and behaviour.
    Mcap,
}

/// Writes the values of a file.
pub(crate) fn export(path: &Path, form: Form, output: &mut dyn Write) -> Result<(), String> {
    let mut log = Log::open(path)?;
    let mut channels = match form {
        Form::Mcap => Some(Channels::new().map_err(|error| at(path, &error))?),
        Form::Json => None,
        Form::Csv => {
            writeln!(output, "time,tick,object,prefab,behaviour,field,value")
                .map_err(|error| output_error(&error))?;
            None
        }
    };
    while let Some(played) = log.next().map_err(|error| at(path, &error))? {
        for change in &played.changes {
            let Some(row) = Row::new(&log, &played, change, form == Form::Mcap) else {
                continue;
            };
            let written = match (form, &mut channels) {
                (_, Some(channels)) => {
                    channels.write(&row).map_err(|error| at(path, &error))?;
                    output.write_all(&channels.take_bytes())
                }
                (Form::Csv, _) => row.write_csv(output),
                _ => row.write_json(output),
            };
            written.map_err(|error| output_error(&error))?;
        }
    }
    if let Some(channels) = channels {
        let rest = channels.finish().map_err(|error| at(path, &error))?;
        output
            .write_all(&rest)
            .map_err(|error| output_error(&error))?;
    }
    output.flush().map_err(|error| output_error(&error))
}

fn output_error(error: &io::Error) -> String {
    format!("the output: {error}")
}
