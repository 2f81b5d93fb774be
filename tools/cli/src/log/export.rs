//! `syncvar export`: the values of a file, as lines of JSON, as CSV, or as channels of JSON in MCAP.

use std::io::Write;
use std::path::Path;

use mcap::{McapError, McapResult};

use super::channels::ExportChannels;
use super::row::Row;
use super::{Log, at};

/// Form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportForm {
    /// A line of JSON for each changed behaviour.
    Json,
    /// A row for each changed number.
    Csv,
    /// A file in MCAP with a channel of JSON for each object and behaviour.
    Mcap,
}

/// Open export of a form.
enum Export<'a> {
    Lines(&'a mut dyn Write),
    Rows(&'a mut dyn Write),
    Channels(Box<ExportChannels<'a>>),
}

impl<'a> Export<'a> {
    fn begin(form: ExportForm, output: &'a mut dyn Write) -> McapResult<Self> {
        match form {
            ExportForm::Json => Ok(Self::Lines(output)),
            ExportForm::Csv => {
                writeln!(output, "time,tick,object,prefab,behaviour,field,value")?;
                Ok(Self::Rows(output))
            }
            ExportForm::Mcap => Ok(Self::Channels(Box::new(ExportChannels::new(output)?))),
        }
    }

    fn write(&mut self, row: &Row<'_>) -> McapResult<()> {
        match self {
            Self::Lines(output) => row.write_json(output)?,
            Self::Rows(output) => row.write_csv(output)?,
            Self::Channels(channels) => channels.write(row)?,
        }
        Ok(())
    }

    fn finish(self) -> McapResult<()> {
        match self {
            Self::Lines(_) | Self::Rows(_) => Ok(()),
            Self::Channels(channels) => channels.finish(),
        }
    }
}

/// Writes the values of a file.
pub(crate) fn export(path: &Path, form: ExportForm, output: &mut dyn Write) -> Result<(), String> {
    let mut log = Log::open(path)?;
    let failed = |error| match error {
        McapError::Io(error) => format!("the output: {error}"),
        error => at(path, &error),
    };
    let mut export = Export::begin(form, &mut *output).map_err(failed)?;
    while let Some(played) = log.next().map_err(|error| at(path, &error))? {
        for change in &played.changes {
            if let Some(row) = Row::new(&log, &played, change, form == ExportForm::Mcap) {
                export.write(&row).map_err(failed)?;
            }
        }
    }
    export.finish().map_err(failed)?;
    output.flush().map_err(McapError::Io).map_err(failed)
}
