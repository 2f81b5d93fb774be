//! `SchemaError`: text that is not a schema.

use std::error::Error;
use std::fmt;

/// Error in the text of a schema, with its place.
///
/// ```
/// use syncvar::schema::Schema;
///
/// let error = Schema::parse("prefab door 00\n").unwrap_err();
/// assert_eq!(error.to_string(), "line 1, column 13: expected 32 hexadecimal digits");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaError {
    /// Line, from 1; 0 for the whole text.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Description of the mistake.
    pub message: String,
}

impl SchemaError {
    pub(super) fn new(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            message: message.into(),
        }
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}, column {}: {}", self.column, self.message),
        }
    }
}

impl Error for SchemaError {}
