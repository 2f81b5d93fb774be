//! `Record`: what a collection remembers of its changes until they are sent.

/// The changes of a collection since it was sent last.
#[derive(Debug, Default)]
pub(super) struct Record<L> {
    mode: Mode,
    log: L,
}

/// What becomes of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// The collection was made, and has not been sent since: nobody has any of it, so a change makes
    /// it one that is to be sent whole.
    #[default]
    New,
    /// Nobody observes it: as `New`, but it has not taken the place of another one.
    Unobserved,
    /// All who observe it have it, but for what the log says.
    Recording,
    /// It is to be sent whole.
    Whole,
}

/// Memory for so many operations is kept for the next update.
pub(super) const KEPT: usize = 256;

/// Operations, in whatever form a collection keeps them.
pub(super) trait Log {
    fn is_empty(&self) -> bool;
    fn clear(&mut self);
}

impl<L: Log> Record<L> {
    pub(super) fn is_dirty(&self) -> bool {
        match self.mode {
            Mode::New | Mode::Unobserved => false,
            Mode::Recording => !self.log.is_empty(),
            Mode::Whole => true,
        }
    }

    /// The collection is to be sent whole.
    pub(super) fn set_dirty(&mut self) {
        self.mode = Mode::Whole;
        self.log.clear();
    }

    pub(super) fn clear_dirty(&mut self) {
        self.mode = Mode::Recording;
        self.log.clear();
    }

    pub(super) fn notice_replacement(&mut self) {
        if self.mode == Mode::New {
            self.mode = Mode::Whole;
        }
    }

    pub(super) fn set_observed(&mut self, observed: bool) {
        match (observed, self.mode) {
            (false, Mode::Recording) if self.log.is_empty() => self.mode = Mode::Unobserved,
            // The full state that is being written is all that anybody has to know.
            (true, Mode::Unobserved) => self.mode = Mode::Recording,
            // It has what the log says in it already: done to it, that would be done twice.
            (true, Mode::Recording) if !self.log.is_empty() => self.set_dirty(),
            _ => {}
        }
    }

    /// Something is about to change: where to note it, if it has to be noted at all.
    pub(super) fn log(&mut self) -> Option<&mut L> {
        match self.mode {
            Mode::New | Mode::Unobserved => self.mode = Mode::Whole,
            Mode::Whole => {}
            Mode::Recording => return Some(&mut self.log),
        }
        None
    }

    /// What is to be sent instead of the whole, if there is any such thing.
    pub(super) fn changes(&self) -> Option<&L> {
        (self.mode == Mode::Recording && !self.log.is_empty()).then_some(&self.log)
    }

    /// Begins something that may be left half-way, by a panic or a guard that is never dropped: until
    /// it has come to its [end](Self::end), the collection is one that is to be sent whole.
    pub(super) fn begin(&mut self) -> Begun {
        Begun(std::mem::replace(&mut self.mode, Mode::Whole))
    }

    /// It has come to its end: what it has changed is noted now.
    pub(super) fn end(&mut self, begun: Begun) {
        self.mode = begun.0;
    }
}

/// What [`Record::begin`] has put aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun(Mode);

#[cfg(test)]
mod tests {
    use super::{Log, Record};

    impl Log for Vec<u8> {
        fn is_empty(&self) -> bool {
            self.is_empty()
        }

        fn clear(&mut self) {
            self.clear();
        }
    }

    #[test]
    fn nothing_is_logged_until_somebody_has_the_state_nor_after_the_last_observer_has_left() {
        let mut record = Record::<Vec<u8>>::default();
        assert!(record.log().is_none() && record.is_dirty());
        record.clear_dirty();
        record.log().unwrap().push(1);
        assert!(record.is_dirty() && record.changes().is_some());
        record.clear_dirty();
        record.set_observed(false);
        assert!(record.log().is_none() && record.is_dirty() && record.changes().is_none());
        record.clear_dirty();
        record.set_observed(false);
        record.notice_replacement();
        assert!(!record.is_dirty(), "nothing has been replaced");
        record.set_observed(true);
        assert!(!record.is_dirty() && record.log().is_some());
    }

    #[test]
    fn what_is_in_a_full_state_before_it_was_sent_is_sent_whole() {
        let mut record = Record::<Vec<u8>>::default();
        record.clear_dirty();
        record.set_observed(true);
        assert!(!record.is_dirty());
        record.log().unwrap().push(1);
        record.set_observed(true);
        assert!(record.is_dirty() && record.changes().is_none());
    }

    #[test]
    fn what_never_comes_to_its_end_is_sent_whole() {
        let mut record = Record::<Vec<u8>>::default();
        record.clear_dirty();
        let begun = record.begin();
        assert!(record.is_dirty() && record.changes().is_none());
        record.end(begun);
        assert!(!record.is_dirty());
    }
}
