//! Texts of the reasons for failed reads and writes.

use std::error::Error;
use std::fmt;

use super::{ReadErrorKind, WriteErrorKind};

impl fmt::Display for ReadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnexpectedEnd { needed, left } => write!(f, "{needed} bytes needed, {left} left"),
            Self::TrailingBytes { left } => write!(f, "{left} bytes are left over"),
            Self::InvalidUtf8 => f.write_str("a string that is not UTF-8"),
            Self::InvalidBool(number) => {
                write!(f, "a boolean of {number}, which is neither 0 nor 1")
            }
            Self::InvalidChar(number) => write!(f, "{number:#x} is not a character"),
            Self::OutOfRange { value, target } => {
                write!(f, "the number {value} does not fit {target}")
            }
            Self::TooWide(prefix) => {
                write!(f, "prefix {prefix} announces a number of more than 32 bits")
            }
            Self::VarintTooLong => f.write_str("a number of more than 64 bits"),
            Self::WideVarintTooLong => f.write_str("a number of more than 128 bits"),
            Self::InvalidDecimal(flags) => write!(
                f,
                "decimal flags {flags:#010x} have a scale beyond 28 or use reserved bits"
            ),
            Self::UnknownVariant { name, value } => write!(f, "{name} has no variant {value}"),
            Self::UnknownDirtyBits { unknown } => {
                write!(f, "dirty bits {unknown:#x} belong to no field")
            }
            Self::RefusedFields { fields } => {
                write!(f, "fields {fields:#x} are not the sender's to write")
            }
            Self::IndexOutOfRange { index, length } => {
                write!(f, "position {index} in a list of {length} elements")
            }
            Self::UnorderedKey => f.write_str("a key that comes twice, or after a greater one"),
            Self::UnknownMessage(number) => write!(f, "message type {number} is unknown"),
            Self::InvalidValue { what, value } => write!(f, "{value} is not a valid {what}"),
            Self::Custom(text) => f.write_str(text),
            Self::StringTooLong { .. }
            | Self::TooManyElements { .. }
            | Self::TooMuchMemory { .. }
            | Self::TooMuchWork { .. }
            | Self::TooMuchOwnerMemory { .. }
            | Self::TooDeep
            | Self::MessageTooLong { .. } => self.fmt_limit(f),
        }
    }
}

impl ReadErrorKind {
    /// Writes the text of a value beyond a limit.
    fn fmt_limit(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StringTooLong { length, limit } => write!(
                f,
                "a string of {length} bytes, more than the limit of {limit}"
            ),
            Self::TooManyElements { count, limit } => write!(
                f,
                "{count} elements announced, more than the limit of {limit}"
            ),
            Self::TooMuchMemory { needed, left } => write!(
                f,
                "{needed} bytes of memory needed, {left} left of `max_memory`"
            ),
            Self::TooMuchWork { needed, left } => write!(
                f,
                "{needed} bytes of work needed, {left} left of `max_work`"
            ),
            Self::TooMuchOwnerMemory { limit } => write!(
                f,
                "more memory than the {limit} bytes of `max_owner_memory`"
            ),
            Self::MessageTooLong { length, limit } => write!(
                f,
                "a message of {length} bytes, more than the limit of {limit}"
            ),
            _ => f.write_str("values nested deeper than `max_depth`"),
        }
    }
}

impl Error for ReadErrorKind {}

impl fmt::Display for WriteErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StringTooLong { length, limit } => write!(
                f,
                "a string of {length} bytes is longer than the limit of {limit}"
            ),
            Self::BytesTooLong { length, limit } => write!(
                f,
                "an array of {length} bytes is longer than the limit of {limit}"
            ),
            Self::TooManyElements { count, limit } => write!(
                f,
                "a sequence of {count} elements is longer than the limit of {limit}"
            ),
            Self::MessageTooLarge { length, limit } => write!(
                f,
                "a payload of {length} bytes is larger than the limit of {limit}"
            ),
            Self::TooLargeForUnreliable { length, limit } => write!(
                f,
                "a message of {length} bytes does not fit a packet of {limit} on an unreliable \
                 channel"
            ),
            Self::TwoCodeUnits(character) => {
                write!(f, "the character {character:?} takes two UTF-16 code units")
            }
            Self::TooFewBits { bits } => {
                write!(f, "a number that does not fit the {bits} bits of its field")
            }
            Self::NotANumber => f.write_str("a float that is not a number"),
            Self::Custom(text) => f.write_str(text),
        }
    }
}

impl Error for WriteErrorKind {}
