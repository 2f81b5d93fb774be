//! `Report`: the results of a file.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Check, Rule, Standing, Verdict, page};

/// Result of a vector without faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<R> {
    /// Equal to the recording.
    Matched,
    /// Different, or absent in ours, by a rule.
    Ruled(R),
}

/// Results of the vectors of one file.
#[derive(Debug)]
pub struct Report<R> {
    file: String,
    is_ours: bool,
    /// Vectors by name, and their group if the page lists groups with a count.
    vectors: Vec<(Option<String>, String, Check<R>)>,
    /// Uses of a name of a class or scenario.
    groups: BTreeMap<String, usize>,
    /// Faults of the file apart from its vectors.
    faults: Vec<String>,
    /// Further lines of the printed table.
    notes: Vec<String>,
    compares_nothing: bool,
}

impl<R: Rule> Report<R> {
    /// Returns an empty report. The page lists the vectors of our files only.
    #[must_use]
    pub fn new(file: &str, is_ours: bool) -> Self {
        Self {
            file: file.into(),
            is_ours,
            vectors: Vec::new(),
            groups: BTreeMap::new(),
            faults: Vec::new(),
            notes: Vec::new(),
            compares_nothing: false,
        }
    }

    /// Returns whether the file came with this repository.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// Returns a name for the vectors of a class or scenario; a file may repeat the name.
    pub fn group(&mut self, name: &str) -> String {
        let count = self.groups.entry(name.into()).or_default();
        *count += 1;
        match count {
            1 => name.into(),
            _ => format!("{name} ({count})"),
        }
    }

    /// Tests one vector, under a name that is unique in its file. A panic is a fault of the vector.
    pub fn vector(&mut self, name: String, test: impl FnOnce(&mut Check<R>)) {
        let mut check = Check::default();
        if let Err(panic) = catch(|| test(&mut check)) {
            check.fault("vector", "one that can be run", panic);
        }
        self.vectors.push((None, name, check));
    }

    /// Tests one vector of a group that the page lists with a count. An error or a panic is a fault of the vector.
    pub fn case(
        &mut self,
        group: &str,
        name: &str,
        test: impl FnOnce() -> Result<Outcome<R>, String>,
    ) {
        let mut check = Check::default();
        match catch(test).unwrap_or_else(Err) {
            Ok(Outcome::Matched) => {}
            Ok(Outcome::Ruled(rule)) => check.under(rule),
            Err(fault) => check.fail(fault),
        }
        self.vectors.push((Some(group.into()), name.into(), check));
    }

    /// Tests one vector of a group without a rule.
    pub fn check(&mut self, group: &str, name: &str, test: impl FnOnce() -> Result<(), String>) {
        self.case(group, name, || test().map(|()| Outcome::Matched));
    }

    /// Interprets the file. A panic is a fault of the file.
    pub fn run<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let result = catch(|| action(self));
        result.map_err(|panic| self.fault(panic)).ok()
    }

    /// Notes a fault of the file.
    pub fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    /// Adds a line to the printed table.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Accepts a file none of whose vectors applies to ours.
    pub fn compares_nothing(&mut self) {
        self.compares_nothing = true;
    }

    /// Prints the counts.
    pub fn print(&self) {
        println!(
            "{:<32} {:>6} matched {:>4} different {:>4} not applicable {:>4} mismatched",
            self.file,
            self.count(Verdict::Matched),
            self.count(Verdict::Explained(Standing::Different)),
            self.count(Verdict::Explained(Standing::NotApplicable)),
            self.count(Verdict::Mismatched),
        );
        for note in &self.notes {
            println!("{:<32} {note}", "");
        }
    }

    /// Verifies the results; `vector_count` is the number of vectors in the file, if it is known.
    ///
    /// # Panics
    ///
    /// On a fault, when nothing or not every vector was compared, and when the page disagrees about a file of ours.
    pub fn verify(&self, vector_count: Option<usize>) {
        let file = &self.file;
        for (group, name, check) in &self.vectors {
            let group = group.as_deref().map(|group| format!("{group} / "));
            for fault in check.faults() {
                let group = group.as_deref().unwrap_or_default();
                println!("MISMATCH {file} {group}{name}: {fault}");
            }
        }
        for fault in &self.faults {
            println!("FAULT {file}: {fault}");
        }
        let disagreements = self.disagreements();
        for disagreement in &disagreements {
            println!("DIFFERENCES.md: {disagreement}");
        }
        let mismatched = self.count(Verdict::Mismatched);
        assert_eq!(mismatched, 0, "{file}: mismatches, see above");
        assert!(self.faults.is_empty(), "{file}: faults, see above");
        let different = self.count(Verdict::Explained(Standing::Different));
        let compared = self.count(Verdict::Matched) + different;
        assert_eq!(
            compared == 0,
            self.compares_nothing,
            "{file}: {compared} compared"
        );
        if let Some(vector_count) = vector_count {
            let names: BTreeSet<_> = self.vectors.iter().map(|(_, name, _)| name).collect();
            assert_eq!(
                (self.vectors.len(), names.len()),
                (vector_count, vector_count),
                "{file}: vectors unaccounted for",
            );
        }
        assert!(
            disagreements.is_empty(),
            "DIFFERENCES.md is out of date, see above"
        );
    }

    fn count(&self, verdict: Verdict) -> usize {
        let vectors = self.vectors.iter();
        vectors
            .filter(|(_, _, check)| check.verdict() == verdict)
            .count()
    }

    fn disagreements(&self) -> Vec<String> {
        if !self.is_ours {
            return Vec::new();
        }
        page::disagreements(&self.file, &self.covered())
    }

    /// Returns the lines of the page about the file, each with its rules: vectors, and groups with a count.
    fn covered(&self) -> Vec<(String, Vec<R>)> {
        let mut covered = Vec::new();
        let mut counts: BTreeMap<(R, &str), usize> = BTreeMap::new();
        for (group, name, check) in &self.vectors {
            match group {
                None => covered.push((name.clone(), check.rules())),
                Some(group) => {
                    for rule in check.rules() {
                        *counts.entry((rule, group)).or_default() += 1;
                    }
                }
            }
        }
        let mut lines: BTreeMap<String, Vec<R>> = BTreeMap::new();
        for ((rule, group), count) in counts {
            let line = format!("{group} ({count})");
            lines.entry(line).or_default().push(rule);
        }
        covered.extend(lines);
        covered
    }
}

/// Runs code that panics on a malformed recording; returns the panic as text.
///
/// # Errors
///
/// The text of a panic.
pub fn catch<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(action)).map_err(|panic| text_of(panic.as_ref()))
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without text").into()
}

/// Compares a value with the recorded one.
///
/// # Errors
///
/// A text with both values, if they differ.
pub fn same<T: PartialEq + Debug>(what: &str, ours: &T, recorded: &T) -> Result<(), String> {
    if ours == recorded {
        return Ok(());
    }
    Err(format!(
        "{what}\n    ours     {ours:?}\n    recorded {recorded:?}"
    ))
}

/// Compares bytes with the recorded ones.
///
/// # Errors
///
/// A text with both values, if they differ.
pub fn same_bytes(what: &str, ours: &[u8], recorded: &[u8]) -> Result<(), String> {
    same(what, &hex::encode(ours), &hex::encode(recorded))
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::golden_rules! {
        "## Deliberate\n\n- `none.json`: group (1)\n- `none.json` th*\n\n## Absent\n";
        Deliberate "Deliberate" Different,
        Absent "Absent" NotApplicable,
    }

    #[test]
    fn panics_are_faults_of_a_vector_or_the_file() {
        let mut report = Report::<Rule>::new("none.json", false);
        report.vector("one".into(), |_| panic!("no `{}`", "hex"));
        report.vector("other".into(), |_| ());
        let nothing = report.run(|_| -> u8 { panic!("a list") });
        assert_eq!(nothing, None);
        let fault = "vector: expected one that can be run, got no `hex`";
        assert_eq!(report.vectors[0].2.faults(), [fault]);
        assert_eq!(report.count(Verdict::Matched), 1);
        assert_eq!(report.faults, ["a list"]);
    }

    #[test]
    fn page_and_rules_of_the_vectors_must_agree() {
        let mut report = Report::<Rule>::new("none.json", true);
        report.case("group", "a", || Ok(Outcome::Ruled(Rule::Deliberate)));
        report.vector("third".into(), |check| check.under(Rule::Deliberate));
        assert_eq!(report.disagreements(), [""; 0]);
        report.case("group", "b", || Ok(Outcome::Ruled(Rule::Deliberate)));
        report.vector("thorn".into(), |check| check.under(Rule::Absent));
        let expected = [
            "not by Deliberate: - `none.json` thorn",
            "add to Absent: - `none.json` thorn",
            "add to Deliberate: - `none.json` group (2)",
            "no such vector below Deliberate: - `none.json` group (1)",
        ];
        assert_eq!(report.disagreements(), expected);
    }
}
