//! What came of every vector of one file, and whether DIFFERENCES.md says the same.

use std::collections::BTreeSet;

use super::check::{Check, Verdict};
use super::differences;
use super::rule::Standing;

pub(crate) struct Report {
    file: &'static str,
    vectors: Vec<(String, Check)>,
}

impl Report {
    pub(crate) fn new(file: &'static str) -> Self {
        Self {
            file,
            vectors: Vec::new(),
        }
    }

    /// Tests one vector, under a name that is unique in its file.
    pub(crate) fn vector(&mut self, name: String, test: impl FnOnce(&mut Check)) {
        let mut check = Check::default();
        test(&mut check);
        self.vectors.push((name, check));
    }

    /// Prints how many vectors there are of each verdict.
    pub(crate) fn print_counts(&self) {
        println!(
            "{}: {} matched, {} deliberately different, {} not applicable, {} later, {} mismatched",
            self.file,
            self.count(Verdict::Matched),
            self.count(Verdict::Explained(Standing::Different)),
            self.count(Verdict::Explained(Standing::NotApplicable)),
            self.count(Verdict::Explained(Standing::Later)),
            self.count(Verdict::Mismatched),
        );
    }

    /// Prints every mismatch.
    ///
    /// Panics when there is one, when nothing or not every vector was tested, and, for the vectors
    /// that came with this repository, when DIFFERENCES.md lists others under a rule.
    pub(crate) fn verify(&self, vector_count: usize, is_ours: bool) {
        for (name, check) in &self.vectors {
            for fault in check.faults() {
                println!("MISMATCH {} {name}: {fault}", self.file);
            }
        }
        assert_eq!(
            self.count(Verdict::Mismatched),
            0,
            "{}: mismatches, see above",
            self.file
        );
        assert_ne!(vector_count, 0, "{}: nothing was run", self.file);
        let names: BTreeSet<_> = self.vectors.iter().map(|(name, _)| name).collect();
        let counts = (self.vectors.len(), names.len());
        assert_eq!(
            counts,
            (vector_count, vector_count),
            "{}: vectors unaccounted for",
            self.file
        );
        if is_ours {
            self.compare_with_list();
        }
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.vectors
            .iter()
            .filter(|(_, check)| check.verdict() == verdict)
            .count()
    }

    fn compare_with_list(&self) {
        let vectors = self.vectors.iter();
        let covered: Vec<_> = vectors
            .map(|(name, check)| (name.as_str(), check.rules()))
            .collect();
        let disagreements = differences::disagreements(self.file, &covered);
        for disagreement in &disagreements {
            println!("DIFFERENCES.md: {disagreement}");
        }
        assert!(
            disagreements.is_empty(),
            "DIFFERENCES.md is out of date, see above"
        );
    }
}
