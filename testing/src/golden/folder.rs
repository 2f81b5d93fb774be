//! `Folder`: the files of a recorder.

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::{Node, Report, Rule};

/// Folder of recordings: of this repository, or named by `SYNCVAR_GOLDEN_DIR`.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    is_ours: bool,
}

impl Folder {
    /// Returns the folder that `SYNCVAR_GOLDEN_DIR` names; without the variable, this one.
    #[must_use]
    pub fn or(ours: &Path) -> Self {
        let other = env::var_os("SYNCVAR_GOLDEN_DIR");
        Self {
            is_ours: other.is_none(),
            path: other.map_or_else(|| ours.into(), PathBuf::from),
        }
    }

    /// Returns whether the recordings are those of this repository.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// Returns the names of the JSON files without `.json`, sorted.
    ///
    /// # Panics
    ///
    /// When the folder cannot be read or has no recordings.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).expect("a folder of recordings");
        let files = entries.map(|entry| entry.expect("a file").file_name());
        let names = files.filter_map(|file| file.to_str()?.strip_suffix(".json").map(String::from));
        let mut names: Vec<_> = names.collect();
        assert!(
            !names.is_empty(),
            "no recordings in {}",
            self.path.display()
        );
        names.sort();
        names
    }

    /// Interprets a file, prints the counts, and compares them with the page. Returns whether the file exists.
    ///
    /// The interpreter returns the number of vectors in the file, if it can count them independently.
    ///
    /// # Panics
    ///
    /// As [`Report::verify`].
    pub fn run<R: Rule, N: Node>(
        &self,
        name: &str,
        interpret: impl FnOnce(&N, &mut Report<R>) -> Option<usize>,
    ) -> bool {
        let file = format!("{name}.json");
        let Ok(text) = fs::read_to_string(self.path.join(&file)) else {
            return false;
        };
        let mut report = Report::new(&file, self.is_ours);
        let count = report.run(|report| interpret(&N::parse(&text), report));
        report.print();
        report.verify(count.flatten());
        true
    }
}
