//! `Finding`: a place above a limit, and its comparison with the exceptions.

use std::collections::BTreeSet;
use std::fmt;

/// Limit that a place exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A cycle by imports among the modules of a folder.
    FolderCycle,
    /// A cycle by calls among the rooms of an end.
    CallCycle,
    /// A struct of more than [`MAX_FIELDS`](crate::MAX_FIELDS) fields.
    Fields,
    /// A struct of more than [`MAX_BOOLS`](crate::MAX_BOOLS) fields of the type `bool`.
    Bools,
    /// A function of more than [`MAX_LINES`](crate::MAX_LINES) lines.
    Lines,
}

/// A place above a limit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The limit.
    pub rule: Rule,
    /// The place, as an exception names it: `protocols/net/src/server: calls host`, `protocols/net Connection`.
    pub place: String,
    /// The figure, and the file.
    pub detail: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({:?}, {:?}): {}", self.rule, self.place, self.detail)
    }
}

/// Compares findings with exceptions. Returns a line for each finding without an exception, and for each exception without a
/// finding or without a reason.
pub fn compare(findings: &[Finding], exceptions: &[(Rule, &str, &str)]) -> Vec<String> {
    let allowed: BTreeSet<_> = exceptions
        .iter()
        .map(|&(rule, place, _)| (rule, place))
        .collect();
    let found: BTreeSet<_> = findings
        .iter()
        .map(|finding| (finding.rule, &*finding.place))
        .collect();
    let new = findings
        .iter()
        .filter(|finding| !allowed.contains(&(finding.rule, &*finding.place)))
        .map(|finding| format!("above a limit: {finding}"));
    let ended = allowed
        .difference(&found)
        .map(|exception| format!("exception that is no longer needed: {exception:?}"));
    let unexplained = exceptions
        .iter()
        .filter(|(_, _, reason)| reason.trim().is_empty())
        .map(|(rule, place, _)| format!("exception without a reason: ({rule:?}, {place:?})"));
    new.chain(ended).chain(unexplained).collect()
}
