//! What came of every vector of one file.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::differences::{self, Rule};

/// What a vector has come to, unless it is a failure.
pub(crate) enum Verdict {
    Matched,
    /// Ours is otherwise, or has no such thing, by a rule of DIFFERENCES.md.
    Ruled(Rule),
}

/// The vectors of one file.
pub(crate) struct Report {
    file: String,
    matched: usize,
    /// How many vectors each rule covers, by their group: a class, a kind of value, a scenario.
    ruled: BTreeMap<(Rule, String), usize>,
    failures: Vec<String>,
    /// What is worth a line of its own.
    notes: Vec<String>,
}

impl Report {
    pub(crate) fn new(file: &str) -> Self {
        Self {
            file: file.into(),
            matched: 0,
            ruled: BTreeMap::new(),
            failures: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Runs one vector. An error or a panic is a failure of it.
    pub(crate) fn vector(
        &mut self,
        group: &str,
        name: &str,
        test: impl FnOnce() -> Result<Verdict, String>,
    ) {
        match catch(test) {
            Ok(Verdict::Matched) => self.matched += 1,
            Ok(Verdict::Ruled(rule)) => {
                *self.ruled.entry((rule, group.into())).or_default() += 1;
            }
            Err(fault) => self.failures.push(format!("{group} / {name}: {fault}")),
        }
    }

    /// As [`vector`](Self::vector), for those that either match or do not.
    pub(crate) fn check(
        &mut self,
        group: &str,
        name: &str,
        test: impl FnOnce() -> Result<(), String>,
    ) {
        self.vector(group, name, || test().map(|()| Verdict::Matched));
    }

    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Does what concerns the whole file: a panic is a failure of it.
    pub(crate) fn run(&mut self, action: impl FnOnce(&mut Self)) {
        let fault = catch(|| {
            action(self);
            Ok(())
        });
        if let Err(fault) = fault {
            self.failures.push(fault);
        }
    }

    /// One line of the table.
    pub(crate) fn print(&self) {
        let of = |standing| -> usize {
            let ruled = self.ruled.iter();
            let of_it = ruled.filter(|((rule, _), _)| differences::standing(*rule) == standing);
            of_it.map(|(_, count)| count).sum()
        };
        println!(
            "{:<32} {:>6} matched {:>4} different {:>4} not applicable {:>4} failed",
            self.file,
            self.matched,
            of(differences::Standing::Different),
            of(differences::Standing::NotApplicable),
            self.failures.len(),
        );
        for note in &self.notes {
            println!("{:<32} {note}", "");
        }
    }

    /// Panics when a vector has failed, when nothing was compared, or, for the recordings that came
    /// with this repository, when DIFFERENCES.md counts otherwise.
    pub(crate) fn verify(&self, is_ours: bool) {
        for failure in &self.failures {
            println!("FAILED {} {failure}", self.file);
        }
        assert!(
            self.failures.is_empty(),
            "{}: {} vectors failed, see above",
            self.file,
            self.failures.len()
        );
        assert_ne!(
            self.matched + self.ruled.len(),
            0,
            "{}: nothing was compared",
            self.file
        );
        if is_ours {
            differences::verify(&self.file, &self.ruled);
        }
    }
}

/// Does what may panic on a recording that is not understood; the panic as text.
fn catch<T>(action: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| Err(text_of(panic.as_ref())))
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("no text"))
}

/// What was recorded, and what it has to be equal to.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    ours: &T,
    recorded: &T,
) -> Result<(), String> {
    if ours == recorded {
        return Ok(());
    }
    Err(format!(
        "{what}\n    ours     {ours:?}\n    recorded {recorded:?}"
    ))
}

/// The same of bytes.
pub(crate) fn same_bytes(what: &str, ours: &[u8], recorded: &[u8]) -> Result<(), String> {
    same(what, &hex::encode(ours), &hex::encode(recorded))
}
