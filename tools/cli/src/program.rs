//! Commands, output and exit codes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::arguments::{self, Command, Options, USAGE};
use crate::{check, log, relay, replay, types};

/// Exit code of builds that do not play together.
const INCOMPATIBLE: u8 = 1;

/// Exit code of a mistake: no output.
const FAILED: u8 = 2;

/// Runs the program with its arguments.
pub(crate) fn run(parser: lexopt::Parser) -> ExitCode {
    let (command, options) = match arguments::read(parser) {
        Ok(read) => read,
        Err(error) => return failed(&format!("{error}; --help lists the arguments")),
    };
    match execute(&command, &options) {
        Ok(code) => code,
        Err(message) => failed(&message),
    }
}

fn failed(message: &str) -> ExitCode {
    eprintln!("syncvar: {message}");
    ExitCode::from(FAILED)
}

fn execute(command: &Command, options: &Options) -> Result<ExitCode, String> {
    let output = match command {
        Command::Help => USAGE.to_owned(),
        Command::Schema(source) => source.read(&options.access)?.to_string(),
        Command::Check { old, new, roles } => {
            let (old, new) = (old.read(&options.access)?, new.read(&options.access)?);
            let check = check::check(&old, &new, roles);
            write(&check.text, options)?;
            return Ok(if check.is_compatible {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(INCOMPATIBLE)
            });
        }
        Command::TypeScript(source) => types::typescript(&source.read(&options.access)?),
        Command::Info { file, is_json } => log::info(file, *is_json)?,
        Command::Replay { file, place } => replay::replay(file, place)?,
        Command::Relay(arguments) => relay::relay(arguments, &options.access)?,
        Command::Export { file, form } => {
            let mut output: Box<dyn Write> = match &options.out {
                Some(out) => {
                    let out = File::create(out).map_err(|error| at(out, &error))?;
                    Box::new(BufWriter::new(out))
                }
                None => Box::new(BufWriter::new(std::io::stdout().lock())),
            };
            log::export(file, *form, &mut output)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    write(&output, options)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the message of an error at a file.
fn at(file: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", file.display())
}

fn write(output: &str, options: &Options) -> Result<(), String> {
    match &options.out {
        Some(file) => std::fs::write(file, output).map_err(|error| at(file, &error)),
        None => std::io::stdout()
            .write_all(output.as_bytes())
            .map_err(|error| format!("the standard output: {error}")),
    }
}
