//! What came of every vector of one file, and whether DIFFERENCES.md says the same.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::check::{Check, Verdict};
use super::differences;
use super::rule::Standing;

pub(crate) struct Report {
    file: &'static str,
    /// Whether the file came with this repository.
    is_ours: bool,
    vectors: Vec<(String, Check)>,
    /// How often a class or scenario has had this name.
    groups: BTreeMap<String, usize>,
    /// How many vectors ran by the stand-in for classes that are not known by name.
    stand_ins: usize,
    /// What is wrong with the file, apart from its vectors.
    faults: Vec<String>,
}

impl Report {
    pub(crate) fn new(file: &'static str, is_ours: bool) -> Self {
        Self {
            file,
            is_ours,
            vectors: Vec::new(),
            groups: BTreeMap::new(),
            stand_ins: 0,
            faults: Vec::new(),
        }
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// A name for the vectors of a class or scenario; a file may have several that are called so.
    pub(crate) fn group(&mut self, name: &str) -> String {
        let count = self.groups.entry(name.into()).or_default();
        *count += 1;
        match count {
            1 => name.into(),
            _ => format!("{name} ({count})"),
        }
    }

    /// Tests one vector, under a name that is unique in its file. A panic is a fault of the vector.
    pub(crate) fn vector(&mut self, name: String, test: impl FnOnce(&mut Check)) {
        let mut check = Check::default();
        if let Err(panic) = catch(|| test(&mut check)) {
            check.fault("vector", "one that can be run", panic);
        }
        self.vectors.push((name, check));
    }

    /// Does what concerns the whole file. A panic is a fault of the file.
    pub(crate) fn run<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let result = catch(|| action(self));
        result.map_err(|panic| self.fault(panic)).ok()
    }

    pub(crate) fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    pub(crate) fn count_stand_ins(&mut self, vector_count: usize) {
        self.stand_ins += vector_count;
    }

    /// Prints how many vectors there are of each verdict.
    pub(crate) fn print_counts(&self) {
        println!(
            "{}: {} matched, {} deliberately different, {} not applicable, {} mismatched",
            self.file,
            self.count(Verdict::Matched),
            self.count(Verdict::Explained(Standing::Different)),
            self.count(Verdict::Explained(Standing::NotApplicable)),
            self.count(Verdict::Mismatched),
        );
        if self.stand_ins > 0 {
            println!("{}: {} by the stand-in", self.file, self.stand_ins);
        }
    }

    /// Prints every mismatch, and for the vectors that came with this repository what
    /// DIFFERENCES.md says otherwise.
    ///
    /// Panics when there is anything to print, or when nothing or not every vector was compared.
    pub(crate) fn verify(&self, vector_count: usize) {
        for (name, check) in &self.vectors {
            for fault in check.faults() {
                println!("MISMATCH {} {name}: {fault}", self.file);
            }
        }
        for fault in &self.faults {
            println!("FAULT {}: {fault}", self.file);
        }
        let disagreements = self.disagreements();
        for disagreement in &disagreements {
            println!("DIFFERENCES.md: {disagreement}");
        }
        let file = self.file;
        let mismatched = self.count(Verdict::Mismatched);
        assert_eq!(mismatched, 0, "{file}: mismatches, see above");
        assert!(self.faults.is_empty(), "{file}: faults, see above");
        let different = self.count(Verdict::Explained(Standing::Different));
        let compared = self.count(Verdict::Matched) + different;
        assert_ne!(compared, 0, "{file}: nothing was compared");
        let names: BTreeSet<_> = self.vectors.iter().map(|(name, _)| name).collect();
        assert_eq!(
            (self.vectors.len(), names.len()),
            (vector_count, vector_count),
            "{file}: vectors unaccounted for",
        );
        assert!(
            disagreements.is_empty(),
            "DIFFERENCES.md is out of date, see above"
        );
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.vectors
            .iter()
            .filter(|(_, check)| check.verdict() == verdict)
            .count()
    }

    fn disagreements(&self) -> Vec<String> {
        if !self.is_ours {
            return Vec::new();
        }
        let vectors = self.vectors.iter();
        let covered: Vec<_> = vectors
            .map(|(name, check)| (name.as_str(), check.rules()))
            .collect();
        differences::disagreements(self.file, &covered)
    }
}

/// Does what may panic on a recording that is malformed; the panic as text.
pub(crate) fn catch<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(action)).map_err(|panic| text_of(panic.as_ref()))
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without text").into()
}

/// What is wrong with a vector or a file is a fault, under its name.
#[test]
fn panics_are_faults() {
    let mut report = Report::new("none.json", false);
    report.vector("one".into(), |_| panic!("no `{}`", "hex"));
    report.vector("other".into(), |_| ());
    let nothing = report.run(|_| -> u8 { panic!("a list") });
    assert_eq!(nothing, None);
    let fault = "vector: expected one that can be run, got no `hex`";
    assert_eq!(report.vectors[0].1.faults(), [fault]);
    assert_eq!(report.count(Verdict::Matched), 1);
    assert_eq!(report.faults, ["a list"]);
}
