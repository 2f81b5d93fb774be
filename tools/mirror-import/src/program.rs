//! Arguments, output and exit codes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::convert::{self, Input};
use crate::csharp::{self, Symbols};
use crate::emit;
use crate::files::{self, Files};
use crate::project::{Project, is_of_mirror};
use crate::report::Report;
use crate::unity::Guids;

const USAGE: &str = "\
usage: mirror-import [OPTIONS] PROJECT_DIR

Reads the C# sources, prefabs and scenes of a Unity project with Mirror and writes a Rust module to the standard output. Places
that are not read are listed in the module and on the standard error.

  --out FILE         writes the module to a file
  --check FILE       compares the module with a file, and writes nothing
  --strict           fails if a place is not read
  --define SYMBOL    defines a symbol of `#if`; repeatable
  --type NAME=PATH   uses a Rust type for a C# type, such as Game.Money=crate::Money; repeatable
  --help             prints this text

exit codes:
  0  the module is written, or equal to the file
  1  the module differs from the file of --check, or a place is not read with --strict
  2  nothing is written: wrong arguments, no such folder, no sources in it, no access to the output
";

/// Settings of a run.
#[derive(Debug, Default)]
struct Options {
    project: PathBuf,
    out: Option<PathBuf>,
    check: Option<PathBuf>,
    strict: bool,
    symbols: Symbols,
    types: BTreeMap<String, String>,
}

/// Runs the program with its arguments.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let options = match parse(arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            let _ = std::io::stdout().write_all(USAGE.as_bytes());
            return ExitCode::SUCCESS;
        }
        Err(message) => return failed(&format!("{message}; --help lists the arguments")),
    };
    let mut report = Report::default();
    let text = match import(&options, &mut report) {
        Ok(text) => text,
        Err(message) => return failed(&message),
    };
    for line in report.lines() {
        eprintln!("{line}");
    }
    if report.len() > 0 {
        eprintln!("mirror-import: places not read: {}", report.len());
    }
    match finish(&options, &text) {
        Ok(true) if options.strict && report.len() > 0 => ExitCode::from(1),
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => failed(&message),
    }
}

fn failed(message: &str) -> ExitCode {
    eprintln!("mirror-import: {message}");
    ExitCode::from(2)
}

/// Parses the arguments. `None` asks for the usage.
fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Option<Options>, String> {
    let mut options = Options::default();
    let mut project = None;
    while let Some(argument) = arguments.next() {
        let word = argument.to_string_lossy().into_owned();
        let mut value = || {
            arguments
                .next()
                .ok_or_else(|| format!("`{word}` needs a value"))
        };
        match &*word {
            "--help" | "-h" => return Ok(None),
            "--strict" => options.strict = true,
            "--out" => options.out = Some(value()?.into()),
            "--check" => options.check = Some(value()?.into()),
            "--define" => options.symbols.define(&value()?.to_string_lossy()),
            "--type" => {
                let value = value()?.to_string_lossy().into_owned();
                let (name, path) = value.split_once('=').ok_or("`--type` needs NAME=PATH")?;
                options
                    .types
                    .insert(name.replace('+', "/"), path.to_owned());
            }
            _ if word.starts_with("--") => return Err(format!("`{word}` is not known")),
            _ if project.is_some() => return Err(format!("`{word}` is a second folder")),
            _ => project = Some(PathBuf::from(argument)),
        }
    }
    options.project = project.ok_or("the folder of the project is missing")?;
    Ok(Some(options))
}

/// Returns the text of the module.
fn import(options: &Options, report: &mut Report) -> Result<String, String> {
    let folder = options.project.display();
    let files =
        Files::list(&options.project, report).map_err(|error| format!("{folder}: {error}"))?;
    if let Some(examples) = &files.examples {
        eprintln!(
            "mirror-import: {examples} is not read: examples of Mirror are no part of a game"
        );
    }
    if files.sources.is_empty() {
        return Err(format!(
            "{folder}: no C# sources; give the folder that contains `Assets`"
        ));
    }
    let mut project = Project::default();
    for (name, path) in &files.sources {
        let Some(source) = files::read(name, path, report) else {
            continue;
        };
        let source = csharp::compiled(&source, &options.symbols, name, report);
        let mut errors = Report::default();
        let declarations = csharp::read(name, &source, &mut errors);
        // Mirror's own sources do not belong to the game, nor do errors there.
        let is_game =
            !source.contains("namespace Mirror") || source.contains("namespace Mirror.Examples");
        if is_game || !declarations.iter().all(is_of_mirror) {
            report.append(errors);
        }
        for declaration in declarations
            .into_iter()
            .filter(|declaration| !is_of_mirror(declaration))
        {
            project.add(declaration, report);
        }
    }
    let guids = Guids::read(&files, report);
    let input = Input {
        project: &project,
        files: &files,
        guids: &guids,
        given: &options.types,
    };
    let module = convert::convert(&input, report);
    Ok(emit::text(&module, report))
}

/// Writes or compares the module. `false` if it differs.
fn finish(options: &Options, text: &str) -> Result<bool, String> {
    if let Some(file) = &options.check {
        let current =
            fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        // Git may have changed the ends of lines.
        if current.replace('\r', "") == text {
            return Ok(true);
        }
        eprintln!(
            "mirror-import: {} is not current: import the project again",
            file.display()
        );
        return Ok(false);
    }
    let written = match &options.out {
        Some(file) => fs::write(file, text).map_err(|error| format!("{}: {error}", file.display())),
        None => std::io::stdout()
            .write_all(text.as_bytes())
            .map_err(|error| error.to_string()),
    };
    written.map(|()| true)
}
