//! `Mode`: the treatment of a change.

/// Treatment of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// Created and not sent since. Clients lack it, so a change makes
    /// it due as a snapshot.
    #[default]
    New,
    /// Without observers. Like `New`, but no collection was replaced.
    Unobserved,
    /// All observers have the content, except for the changes in the log.
    Recording,
    /// Due as a snapshot.
    Whole,
    /// Full log, paused without observers.
    Unrecorded,
    /// Full log.
    Full,
    /// Like `Full`, but after the operations in the log the next delta empties the collection and
    /// fills it again with its content.
    Unfinished,
    /// Like `Recording`, but the last operation of the log has the previous value of an element that was
    /// [opened](super::Record::open) for writing.
    Open,
    /// Like `Full`, with such an operation.
    OpenFull,
}

impl Mode {
    /// Returns the mode of a collection that is due as a snapshot.
    pub(super) fn whole(self) -> Self {
        match self {
            Self::Unrecorded => Self::Unrecorded,
            Self::Full | Self::Unfinished | Self::OpenFull => Self::Unfinished,
            Self::New | Self::Unobserved | Self::Recording | Self::Whole | Self::Open => {
                Self::Whole
            }
        }
    }
}
