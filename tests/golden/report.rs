//! What came of every vector of one file, and whether DIFFERENCES.md says the same.

use std::collections::{BTreeMap, BTreeSet};

use super::check::{Check, Verdict};
use super::rule::{Rule, Standing};

pub(crate) struct Report {
    file: &'static str,
    vectors: Vec<(String, Check)>,
}

/// Vectors by the name of the rule that covers them.
type Covered = BTreeMap<&'static str, BTreeSet<String>>;

const DIFFERENCES: &str = include_str!("DIFFERENCES.md");

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

    /// Prints the counts and every mismatch.
    ///
    /// Panics when there is a mismatch, when nothing or not every vector was tested, and, for the
    /// vectors that came with this repository, when DIFFERENCES.md lists others under a rule.
    pub(crate) fn finish(self, vector_count: usize, listed: bool) {
        self.print();
        let mismatched = self.count(Verdict::Mismatched);
        assert_eq!(mismatched, 0, "{}: mismatches, printed above", self.file);
        assert_ne!(self.vectors.len(), 0, "{}: no vector was run", self.file);
        assert_eq!(
            self.vectors.len(),
            vector_count,
            "{}: vectors unaccounted for",
            self.file
        );
        let names: BTreeSet<_> = self.vectors.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), vector_count, "{}: names are unique", self.file);
        if listed {
            self.compare_with_list();
        }
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.vectors
            .iter()
            .filter(|(_, check)| check.verdict() == verdict)
            .count()
    }

    fn print(&self) {
        for (name, check) in &self.vectors {
            for fault in check.faults() {
                println!("MISMATCH {} {name}: {fault}", self.file);
            }
        }
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

    fn compare_with_list(&self) {
        let mut covered = Covered::new();
        for (name, check) in &self.vectors {
            for rule in check.rules() {
                covered.entry(rule.name()).or_default().insert(name.clone());
            }
        }
        let listed = listed(self.file);
        if covered == listed {
            return;
        }
        for rule in Rule::ALL {
            let (covered, listed) = (covered.get(rule.name()), listed.get(rule.name()));
            let none = BTreeSet::new();
            let (covered, listed) = (covered.unwrap_or(&none), listed.unwrap_or(&none));
            for name in covered.difference(listed) {
                println!("not listed under {rule}:\n- `{}` {name}", self.file);
            }
            for name in listed.difference(covered) {
                println!(
                    "listed under {rule} but not covered:\n- `{}` {name}",
                    self.file
                );
            }
        }
        panic!("{}: DIFFERENCES.md is out of date, see above", self.file);
    }
}

/// The vectors of a file that DIFFERENCES.md lists: lines ``- `file` name`` below `### rule`.
fn listed(file: &str) -> Covered {
    let mut covered = Covered::new();
    let mut rule = None;
    for line in DIFFERENCES.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            rule = Rule::ALL.iter().find(|rule| rule.name() == name);
            assert!(
                rule.is_some(),
                "DIFFERENCES.md explains `{name}`, which is no rule"
            );
        } else if let Some((listed_file, name)) = listed_vector(line)
            && listed_file == file
        {
            let rule = rule.expect("a rule above the first vector");
            covered.entry(rule.name()).or_default().insert(name.into());
        }
    }
    covered
}

fn listed_vector(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("- `")?.split_once("` ")
}

/// Every rule has a place in DIFFERENCES.md, under the heading of its standing, with a reason.
#[test]
fn every_rule_is_explained() {
    let sections = DIFFERENCES.split("\n## ").skip(1);
    let headings = [
        (Standing::Different, "Deliberately different"),
        (Standing::NotApplicable, "Not applicable"),
        (Standing::Later, "Later"),
    ];
    let mut explained = Vec::new();
    for (section, (standing, heading)) in sections.zip(headings) {
        assert!(section.starts_with(heading), "`{heading}` is a section");
        for entry in section.split("\n### ").skip(1) {
            let (name, text) = entry.split_once('\n').expect("text below the name");
            let rule = Rule::ALL
                .iter()
                .find(|rule| rule.name() == name)
                .expect("a rule's name");
            assert_eq!(rule.standing(), standing, "{name} is in the right section");
            assert!(!text.trim_start().starts_with('-'), "{name} has a reason");
            explained.push(*rule);
        }
    }
    assert_eq!(explained, Rule::ALL, "all rules, in order");
}
