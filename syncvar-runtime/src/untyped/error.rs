//! `UntypedError`: a schema of which no objects can be made.

use std::error::Error;
use std::fmt;

use crate::translate::layout::UnknownType;

/// A schema of which a client without compiled types cannot make objects.
///
/// ```
/// use syncvar::{prelude::*, schema::Schema};
///
/// let text = "\
/// prefab lamp 9a3d1e3b757277b806e95d7fa0654b01
///   behaviour Lamp, channel 0
///     class Lamp
///       level: Percent
/// ";
/// let error = Prefabs::from_schema(&Schema::parse(text)?).unwrap_err();
/// let text = "prefab `lamp`, Lamp.level: the layout of the type `Percent` is unknown";
/// assert_eq!(error.to_string(), text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UntypedError {
    /// The layout of a type is unknown, so that the bytes behind its values cannot be read.
    UnknownType {
        /// Place of the type, such as `prefab `lamp`, Lamp.level`.
        place: String,
        /// The type.
        error: UnknownType,
    },
    /// A type has no first value, or the first values of a behaviour have more than 65 536 elements in arrays.
    NoFirstValue {
        /// Place of the type.
        place: String,
    },
    /// Two names, numbers or hashes are equal, an object has more than 64 behaviours, or an optional behaviour lacks its field
    /// `present`.
    Invalid {
        /// Place of the fault.
        place: String,
    },
    /// The descriptions of all learned schemas take more memory than the limit of the process, 64 MiB.
    TooMuchMemory,
}

impl UntypedError {
    /// Puts a part in front of the place.
    #[cold]
    pub(crate) fn in_part(mut self, part: &str) -> Self {
        match &mut self {
            Self::UnknownType { place, .. }
            | Self::NoFirstValue { place }
            | Self::Invalid { place } => {
                let separator = if place.is_empty() { "" } else { ", " };
                *place = format!("{part}{separator}{place}");
            }
            Self::TooMuchMemory => {}
        }
        self
    }

    /// Returns the error for an unknown type at a place.
    #[cold]
    pub(crate) fn unknown(place: &str, error: UnknownType) -> Self {
        let place = place.into();
        Self::UnknownType { place, error }
    }
}

impl fmt::Display for UntypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownType { place, error } if place.is_empty() => error.fmt(f),
            Self::UnknownType { place, error } => write!(f, "{place}: {error}"),
            Self::NoFirstValue { place } => {
                write!(
                    f,
                    "{place}: the type has no first value, or a too large one"
                )
            }
            Self::Invalid { place } => write!(
                f,
                "{place}: a name, number or hash occurs twice, or a part is missing"
            ),
            Self::TooMuchMemory => f.write_str("learned schemas take too much memory"),
        }
    }
}

impl Error for UntypedError {}
