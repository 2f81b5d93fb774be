//! `SchemaReport`: why two builds do not play together.

use std::error::Error;
use std::fmt;

/// Limit of the reasons in a report; a last reason counts the rest.
const MAX_REASONS: usize = 1000;

/// Reasons why an end does not play with a peer of a different build.
///
/// ```
/// use syncvar::schema::SchemaReport;
///
/// let report = SchemaReport::of_changes(["field `a`: refused", "field `b`: refused"]);
/// assert_eq!(report.to_string(), "field `a`: refused; field `b`: refused");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaReport {
    /// Texts of the reasons.
    pub reasons: Vec<String>,
}

impl SchemaReport {
    /// Creates a report with one reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reasons: vec![reason.into()],
        }
    }

    /// Creates a report of differences, such as [`SchemaChange`](crate::SchemaChange)s.
    pub fn of_changes<T: fmt::Display>(changes: impl IntoIterator<Item = T>) -> Self {
        let mut changes = changes.into_iter();
        let reasons = changes.by_ref().take(MAX_REASONS);
        let mut reasons: Vec<_> = reasons.map(|change| change.to_string()).collect();
        let rest = changes.count();
        if rest > 0 {
            reasons.push(format!("{rest} further differences"));
        }
        Self { reasons }
    }
}

impl fmt::Display for SchemaReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("; "))
    }
}

impl Error for SchemaReport {}
