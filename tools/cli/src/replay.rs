//! `syncvar replay`: the page that plays a recording, on a port or as static files.

mod broadcast;
mod range;
mod serve;

use std::path::{Path, PathBuf};
use std::time::Duration;

use syncvar::log::{LogKind, LogReader, first_file, rotated_path};

/// Name of the log file beside the page; the files that continue it have numbers.
const FILE: &str = "recording.mcap";

/// Returns the name of a file of the recording on the page.
fn page_file(number: u32) -> String {
    let path = rotated_path(Path::new(FILE), number);
    path.display().to_string()
}

/// Parts of the page by name, with their types: `clients/typescript/replay` has the sources.
const PARTS: [(&str, &str, &str); 3] = [
    (
        "index.html",
        "text/html; charset=utf-8",
        include_str!("../page/index.html"),
    ),
    (
        "replay.js",
        "text/javascript; charset=utf-8",
        include_str!("../page/replay.js"),
    ),
    (
        "style.css",
        "text/css; charset=utf-8",
        include_str!("../page/style.css"),
    ),
];

/// Place of the page.
#[derive(Debug)]
pub(crate) enum Place {
    /// A port of this machine, with the time before it shows a record.
    Port { address: String, delay: Duration },
    /// A folder of static files.
    Folder(PathBuf),
}

/// Publishes a recording with its page: a log file and the files that continue it, or those in a folder. On a port it ends with the
/// process.
pub(crate) fn replay(path: &Path, place: &Place) -> Result<String, String> {
    let file = &first_file(path).map_err(|error| at(path, &error))?;
    let reader = LogReader::open(file).map_err(|error| at(file, &error))?;
    let is_journal = reader.header().kind == LogKind::Journal;
    match place {
        Place::Port { address, delay } => serve::serve(file, address, *delay, is_journal),
        Place::Folder(_) if is_journal => Err(at(
            file,
            &"a journal contains the tokens of sessions: it is not published",
        )),
        Place::Folder(folder) => export(file, reader.file_count(), folder),
    }
}

fn export(file: &Path, count: u32, folder: &Path) -> Result<String, String> {
    std::fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
    for (name, _, content) in PARTS {
        let path = folder.join(name);
        std::fs::write(&path, content).map_err(|error| at(&path, &error))?;
    }
    for number in 0..count {
        let file = rotated_path(file, number);
        let copy = folder.join(page_file(number));
        let is_same = match (copy.canonicalize(), file.canonicalize()) {
            (Ok(copy), Ok(file)) => copy == file,
            _ => false,
        };
        // A copy onto itself would empty the file.
        if !is_same {
            std::fs::copy(&file, &copy).map_err(|error| at(&copy, &error))?;
        }
    }
    Ok(format!("{}\n", folder.join("index.html").display()))
}

fn at(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}
