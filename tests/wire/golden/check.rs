//! One vector under test: the rules that explain what differs, and what nothing explains.

use std::collections::BTreeSet;
use std::fmt::Display;

use super::rule::{Rule, Standing};

#[derive(Default)]
pub(crate) struct Check {
    rules: BTreeSet<Rule>,
    faults: Vec<String>,
}

/// What came of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Matched,
    Explained(Standing),
    Mismatched,
}

impl Check {
    /// The vector is covered by a rule.
    pub(crate) fn under(&mut self, rule: Rule) {
        self.rules.insert(rule);
    }

    pub(crate) fn equal<T: PartialEq + Display>(&mut self, what: &str, expected: T, got: T) {
        if expected != got {
            self.fault(what, expected, got);
        }
    }

    pub(crate) fn equal_bytes(&mut self, what: &str, expected: &[u8], got: &[u8]) {
        self.equal(what, hex::encode(expected), hex::encode(got));
    }

    /// Something differs from the recording: by a rule, if there is one.
    pub(crate) fn differs(
        &mut self,
        rule: Option<Rule>,
        what: &str,
        expected: impl Display,
        got: impl Display,
    ) {
        match rule {
            Some(rule) => self.under(rule),
            None => self.fault(what, expected, got),
        }
    }

    pub(crate) fn fault(&mut self, what: &str, expected: impl Display, got: impl Display) {
        let (expected, got) = (shorten(expected.to_string()), shorten(got.to_string()));
        self.faults
            .push(format!("{what}: expected {expected}, got {got}"));
    }

    pub(crate) fn rules(&self) -> Vec<Rule> {
        self.rules.iter().copied().collect()
    }

    pub(crate) fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Of several rules the one that leaves most open counts.
    pub(crate) fn verdict(&self) -> Verdict {
        if !self.faults.is_empty() {
            return Verdict::Mismatched;
        }
        let standing = self.rules.iter().map(|rule| rule.standing()).max();
        standing.map_or(Verdict::Matched, Verdict::Explained)
    }
}

fn shorten(text: String) -> String {
    match text.char_indices().nth(600) {
        Some((end, _)) => format!("{}... ({} in all)", &text[..end], text.len()),
        None => text,
    }
}
