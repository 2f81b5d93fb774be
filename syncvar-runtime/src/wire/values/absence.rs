//! `Absence`: the form of `None` in `Mirror`.

/// Form of an absent value in `Mirror`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// A byte before the value, 0 or 1.
    Flag,
    /// A byte before the value, 0 or 1; the value has its fixed form instead of its variable one.
    FlagOfFixed,
    /// A length of two bytes that is 0.
    Length,
    /// A count that is 0.
    Count,
}
