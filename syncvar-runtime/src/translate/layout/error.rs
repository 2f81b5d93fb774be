//! Errors of layouts and of values that do not fit a layout.

use std::error::Error;
use std::fmt;

/// A type without a layout: a type of the program that neither states its layout nor can be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownType {
    /// Text of the type.
    pub name: String,
}

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the layout of the type `{}` is unknown", self.name)
    }
}

impl Error for UnknownType {}

/// A value that does not fit its type.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueError {
    place: String,
    kind: ValueErrorKind,
}

/// Reason why a value does not fit its type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ValueErrorKind {
    /// The value is of a different kind.
    WrongType {
        /// Kind of the type.
        expected: &'static str,
        /// Kind of the value.
        found: &'static str,
    },
    /// A number is outside of its type, or of the range of its codec.
    OutOfRange(String),
    /// A text is longer than its type.
    TextTooLong {
        /// Length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A sequence of a fixed length has a different one.
    WrongLength {
        /// Length of the value.
        length: usize,
        /// Length of the type.
        expected: usize,
    },
    /// A struct lacks a member.
    MissingMember(String),
    /// A struct has a member that its type lacks.
    UnknownMember(String),
    /// An enum lacks the variant.
    UnknownVariant(String),
    /// A key of a map, or an element of a set, occurs twice.
    RepeatedKey(String),
    /// The layout of the type is unknown.
    UnknownType(String),
}

impl ValueError {
    #[cold]
    pub(crate) fn new(kind: ValueErrorKind) -> Self {
        Self {
            place: String::new(),
            kind,
        }
    }

    /// Returns the error for a value of a wrong kind.
    #[cold]
    pub(crate) fn wrong_type(expected: &'static str, found: &'static str) -> Self {
        Self::new(ValueErrorKind::WrongType { expected, found })
    }

    /// Returns the error for a type without a layout.
    #[cold]
    pub(crate) fn unknown_type(name: String) -> Self {
        Self::new(ValueErrorKind::UnknownType(name))
    }

    /// Checks the length of a sequence with a fixed length.
    ///
    /// # Errors
    ///
    /// When the length differs.
    pub(crate) fn check_length(length: usize, expected: usize) -> Result<(), Self> {
        if length == expected {
            return Ok(());
        }
        Err(Self::new(ValueErrorKind::WrongLength { length, expected }))
    }

    /// Puts a member in front of the place.
    #[cold]
    pub(crate) fn in_member(self, name: &str) -> Self {
        self.in_front(name)
    }

    /// Puts an element in front of the place.
    #[cold]
    pub(crate) fn in_element(self, index: usize) -> Self {
        self.in_front(&format!("[{index}]"))
    }

    fn in_front(mut self, part: &str) -> Self {
        let is_member = !self.place.is_empty() && !self.place.starts_with('[');
        let separator = if is_member { "." } else { "" };
        self.place = format!("{part}{separator}{}", self.place);
        self
    }

    /// Returns the place of the value that does not fit, such as `items[3].name`; empty for the whole value.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the reason.
    pub const fn kind(&self) -> &ValueErrorKind {
        &self.kind
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        self.kind.fmt(f)
    }
}

impl fmt::Display for ValueErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongType { expected, found } => write!(f, "{expected} expected, not {found}"),
            Self::OutOfRange(value) => write!(f, "{value} is out of range"),
            Self::TextTooLong { length, limit } => {
                write!(f, "a text of {length} bytes, at most {limit} fit")
            }
            Self::WrongLength { length, expected } => {
                write!(f, "{length} elements, {expected} expected")
            }
            Self::MissingMember(name) => write!(f, "the member `{name}` is missing"),
            Self::UnknownMember(name) => write!(f, "no member `{name}`"),
            Self::UnknownVariant(name) => write!(f, "no variant `{name}`"),
            Self::RepeatedKey(key) => write!(f, "the key {key} occurs twice"),
            Self::UnknownType(name) => write!(f, "the layout of the type `{name}` is unknown"),
        }
    }
}

impl Error for ValueError {}
