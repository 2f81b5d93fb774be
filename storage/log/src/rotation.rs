//! Names of the files of a recording.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Returns the path of a file of a recording by its number: `race.mcap`, `race-1.mcap`, `race-2.mcap`.
///
/// ```
/// use std::path::Path;
/// use syncvar::log::rotated_path;
///
/// let path = Path::new("matches/race.mcap");
/// assert_eq!(rotated_path(path, 0), path);
/// assert_eq!(rotated_path(path, 2), Path::new("matches/race-2.mcap"));
/// ```
pub fn rotated_path(path: &Path, number: u32) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Returns the path of the first file of a recording, for the path of this file or of a folder with one recording.
///
/// # Errors
///
/// For a folder that cannot be read, without a log file, or with several recordings.
pub fn first_file(path: &Path) -> io::Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in path.read_dir()? {
        let file = entry?.path();
        if file.extension().is_some_and(|it| it == "mcap") {
            files.push(file);
        }
    }
    files.sort();
    let is_first = |file: &&PathBuf| preceding(file).is_none_or(|first| !files.contains(&first));
    let mut firsts = files.iter().filter(is_first);
    let invalid = |reason| Err(io::Error::new(ErrorKind::InvalidInput, reason));
    match (firsts.next(), firsts.next()) {
        (Some(first), None) => Ok(first.clone()),
        (None, _) => invalid("the folder has no file *.mcap".to_owned()),
        (Some(first), Some(second)) => invalid(format!(
            "the folder has several recordings: {} and {}",
            first.display(),
            second.display()
        )),
    }
}

/// Returns the path of the first file, for the name of a further file of a recording.
fn preceding(file: &Path) -> Option<PathBuf> {
    let stem = file.file_stem()?.to_str()?;
    let (base, number) = stem.rsplit_once('-')?;
    let number = number.parse().ok()?;
    let mut name = OsString::from(base);
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    let first = file.with_file_name(name);
    (number > 0 && rotated_path(&first, number) == file).then_some(first)
}
