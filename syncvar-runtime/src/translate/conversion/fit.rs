//! `Fit`: whether the values of a conversion fit their types.

/// Result of the conversions so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fit {
    /// Set if a value does not fit, and its caller has to drop it.
    pub unfit: bool,
    /// Set if a value in a collection does not fit, and became 0.
    pub replaced: bool,
    within: Within,
}

/// Part that a value belongs to: it decides about values that do not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    /// A field, a call or a message: the whole is dropped.
    #[default]
    Whole,
    /// A collection: 0 takes the place.
    Collection,
    /// A key: its entry is dropped, and two values must not become one.
    Key,
}

impl Fit {
    /// Returns whether the value is an element of a collection.
    pub(super) fn is_in_collection(self) -> bool {
        self.within == Within::Collection
    }

    /// Returns whether the value is a key or a part of a key.
    pub(super) fn is_of_key(self) -> bool {
        self.within == Within::Key
    }

    /// Notes a value that does not fit.
    pub(super) fn miss(&mut self) {
        if self.is_in_collection() {
            self.replaced = true;
        } else {
            self.unfit = true;
        }
    }

    /// Runs the conversion of an element of a collection.
    pub(crate) fn in_collection<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.within, Within::Collection);
        let result = run(self);
        self.within = outer;
        result
    }

    /// Runs the conversion of a key. Returns whether it fits: in a collection, entries with other keys are dropped.
    pub(super) fn of_key<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> (R, bool) {
        let mut key = Self {
            within: Within::Key,
            ..Self::default()
        };
        let result = run(&mut key);
        self.replaced |= key.unfit | key.replaced;
        (result, !key.unfit)
    }
}
