//! `Check`: one vector under test.

use std::collections::BTreeSet;
use std::fmt::Display;

use super::{Rule, Standing};

/// One vector under test: the rules that explain its differences, and unexplained differences.
#[derive(Debug)]
pub struct Check<R> {
    rules: BTreeSet<R>,
    faults: Vec<String>,
}

/// Result of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Equal to the recording.
    Matched,
    /// Different by a rule.
    Explained(Standing),
    /// Different without a rule.
    Mismatched,
}

impl<R> Default for Check<R> {
    fn default() -> Self {
        Self {
            rules: BTreeSet::new(),
            faults: Vec::new(),
        }
    }
}

impl<R: Rule> Check<R> {
    /// Notes that a rule covers the vector.
    pub fn under(&mut self, rule: R) {
        self.rules.insert(rule);
    }

    /// Compares a value with the recorded one.
    pub fn equal<T: PartialEq + Display>(&mut self, what: &str, expected: T, got: T) {
        if expected != got {
            self.fault(what, expected, got);
        }
    }

    /// Compares bytes with the recorded ones.
    pub fn equal_bytes(&mut self, what: &str, expected: &[u8], got: &[u8]) {
        self.equal(what, hex::encode(expected), hex::encode(got));
    }

    /// Notes a difference: by a rule if there is one, else a fault.
    pub fn differs(
        &mut self,
        rule: Option<R>,
        what: &str,
        expected: impl Display,
        got: impl Display,
    ) {
        match rule {
            Some(rule) => self.under(rule),
            None => self.fault(what, expected, got),
        }
    }

    /// Notes a difference without a rule.
    pub fn fault(&mut self, what: &str, expected: impl Display, got: impl Display) {
        let (expected, got) = (shorten(expected.to_string()), shorten(got.to_string()));
        self.fail(format!("{what}: expected {expected}, got {got}"));
    }

    /// Notes a fault in words.
    pub fn fail(&mut self, fault: String) {
        self.faults.push(fault);
    }

    /// Returns the rules that cover the vector, in order.
    #[must_use]
    pub fn rules(&self) -> Vec<R> {
        self.rules.iter().copied().collect()
    }

    /// Returns the faults.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Returns the result. Of several rules the one that leaves most open counts.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
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
