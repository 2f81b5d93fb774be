//! List of the places that were not read.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// A line of a file, relative to the project's folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourcePlace {
    pub(crate) file: Rc<str>,
    /// Counted from 1.
    pub(crate) line: usize,
}

/// Places that were not read, each with its reason, in the order of files and lines.
#[derive(Debug, Default)]
pub(crate) struct Report {
    entries: BTreeSet<(SourcePlace, String)>,
}

impl SourcePlace {
    pub(crate) fn new(file: &Rc<str>, line: usize) -> Self {
        Self {
            file: Rc::clone(file),
            line,
        }
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Report {
    /// Adds an entry. A repetition counts once. Line breaks become spaces: an entry is a line of the module.
    pub(crate) fn add(&mut self, place: &SourcePlace, text: impl Into<String>) {
        let text: String = text.into();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.entries.insert((place.clone(), text));
    }

    /// Adds the entries of a second list.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.entries.append(&mut other.entries);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the entries as lines, `file:line: reason`.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.entries
            .iter()
            .map(|(place, text)| format!("{place}: {text}"))
    }
}
