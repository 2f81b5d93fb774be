//! `Record`: what a collection remembers of its changes until they are sent.

use super::OperationLog;
use super::mirror::Operation;

/// The changes of a collection since it was sent last: what they come to, as an `L`, or one `O` after
/// another as they were made, if that is what is to be sent.
#[derive(Debug)]
pub(super) struct Record<L, O> {
    mode: Mode,
    log: L,
    verbatim: Option<Box<Verbatim<O>>>,
}

/// What only those remember that speak Mirror's encoding.
#[derive(Debug)]
struct Verbatim<O> {
    /// What was made of the collection since it was sent last.
    operations: Vec<O>,
    /// So many of the operations that come next have been made already: they were in the full state.
    ahead: u32,
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
    /// Every operation would be kept, but that nobody is to be told of any.
    Unrecorded,
    /// Every operation is kept.
    Verbatim,
    /// As `Verbatim`, and when all that is kept has been made, the collection is to be emptied and
    /// filled again with what is in it.
    Unfinished,
}

/// Where to note a change.
pub(super) enum Note<'a, L, O> {
    /// It need not be noted.
    Nothing,
    /// With those that came before it.
    Change(&'a mut L),
    /// Behind those that came before it.
    Operation(&'a mut Vec<O>),
}

/// Keeps an operation behind those that came before it. Only Mirror's encoding has any: a function of its own
/// leaves the others short.
#[inline(never)]
pub(super) fn keep<O>(operations: &mut Vec<O>, operation: impl FnOnce() -> O) {
    operations.push(operation());
}

/// Memory for so many operations is kept for the next update.
pub(super) const KEPT: usize = 256;

/// Operations, in whatever form a collection keeps them.
pub(super) trait Log {
    fn is_empty(&self) -> bool;
    fn clear(&mut self);
}

impl<O> Default for Verbatim<O> {
    fn default() -> Self {
        Self {
            operations: Vec::new(),
            ahead: 0,
        }
    }
}

impl<L: Default, O> Default for Record<L, O> {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            log: L::default(),
            verbatim: None,
        }
    }
}

impl<L: Log, O> Record<L, O> {
    #[inline]
    pub(super) fn is_dirty(&self) -> bool {
        match self.mode {
            Mode::Recording => !self.log.is_empty(),
            _ => self.is_dirty_otherwise(),
        }
    }

    #[inline(never)]
    fn is_dirty_otherwise(&self) -> bool {
        match self.mode {
            Mode::New | Mode::Unobserved | Mode::Unrecorded => false,
            Mode::Recording => !self.log.is_empty(),
            Mode::Whole | Mode::Unfinished => true,
            Mode::Verbatim => !self.operations().is_empty(),
        }
    }

    /// The collection is to be sent whole.
    pub(super) fn set_dirty(&mut self) {
        self.mode = self.mode.whole();
        self.log.clear();
    }

    #[inline]
    pub(super) fn clear_dirty(&mut self) {
        if self.mode != Mode::Recording {
            self.begin_again();
        }
        self.log.clear();
    }

    #[inline(never)]
    fn begin_again(&mut self) {
        self.mode = match self.mode {
            Mode::Unrecorded => Mode::Unrecorded,
            Mode::Verbatim | Mode::Unfinished => Mode::Verbatim,
            Mode::New | Mode::Unobserved | Mode::Recording | Mode::Whole => Mode::Recording,
        };
        self.forget_operations();
    }

    fn forget_operations(&mut self) {
        if let Some(verbatim) = &mut self.verbatim {
            verbatim.operations.clear();
            verbatim.operations.shrink_to(KEPT);
        }
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
            (true, Mode::Unrecorded) => self.mode = Mode::Verbatim,
            (false, Mode::Verbatim | Mode::Unfinished) => {
                self.mode = Mode::Unrecorded;
                self.log.clear();
                self.forget_operations();
            }
            _ => {}
        }
    }

    /// Sets the log, from the moment on that the collection is observed. A dirty collection is observed
    /// already: it is sent whole, behind the pending operations that some clients pass over.
    pub(super) fn set_log(&mut self, log: OperationLog)
    where
        O: Operation,
    {
        let full = matches!(log, OperationLog::Full { .. });
        if full == self.is_verbatim() {
            return;
        }
        let dirty = self.is_dirty();
        self.mode = match (log, self.mode) {
            (
                OperationLog::Full { pending },
                Mode::New | Mode::Unobserved | Mode::Recording | Mode::Whole,
            ) if dirty => {
                let passed_over = std::iter::repeat_with(|| O::CLEAR).take(pending);
                self.kept().extend(passed_over);
                Mode::Unfinished
            }
            (
                OperationLog::Full { .. },
                Mode::New | Mode::Unobserved | Mode::Recording | Mode::Whole,
            ) => Mode::Unrecorded,
            (OperationLog::Coalesced, Mode::Verbatim | Mode::Unfinished) if dirty => Mode::Whole,
            (OperationLog::Coalesced, Mode::Verbatim) => Mode::Recording,
            (OperationLog::Coalesced, Mode::Unrecorded) => Mode::Unobserved,
            (_, same) => same,
        };
        if full {
            self.log.clear();
            self.verbatim.get_or_insert_default();
        } else if let Some(verbatim) = &mut self.verbatim {
            verbatim.operations = Vec::new();
        }
    }

    /// Whether every operation is kept as it was made, or would be if anybody were to be told of it.
    #[inline]
    pub(super) fn is_verbatim(&self) -> bool {
        matches!(
            self.mode,
            Mode::Unrecorded | Mode::Verbatim | Mode::Unfinished
        )
    }

    /// Something is about to change: where to note it, if it has to be noted at all. Whoever changes
    /// something has [settled](Self::settle) what was left half-way.
    #[inline]
    pub(super) fn note(&mut self) -> Note<'_, L, O> {
        match self.mode {
            Mode::Recording => Note::Change(&mut self.log),
            _ => self.note_otherwise(),
        }
    }

    #[inline(never)]
    fn note_otherwise(&mut self) -> Note<'_, L, O> {
        match self.mode {
            Mode::Recording => return Note::Change(&mut self.log),
            Mode::Verbatim => return Note::Operation(self.kept()),
            Mode::New | Mode::Unobserved => self.mode = Mode::Whole,
            Mode::Whole | Mode::Unrecorded | Mode::Unfinished => {}
        }
        Note::Nothing
    }

    /// Where to keep operations that were not made here, but are to go on to others.
    pub(super) fn relayed(&mut self) -> Option<&mut Vec<O>> {
        match (self.mode, &mut self.verbatim) {
            (Mode::Verbatim, Some(verbatim)) => Some(&mut verbatim.operations),
            _ => None,
        }
    }

    /// Whether it has to be noted that the collection is emptied and filled again, before it changes any
    /// further.
    #[inline]
    pub(super) fn is_unfinished(&self) -> bool {
        self.mode == Mode::Unfinished
    }

    /// Where to note that, if it has to be.
    pub(super) fn settle(&mut self) -> Option<&mut Vec<O>> {
        if !self.is_unfinished() {
            return None;
        }
        self.mode = Mode::Verbatim;
        Some(self.kept())
    }

    fn kept(&mut self) -> &mut Vec<O> {
        &mut self.verbatim.get_or_insert_default().operations
    }

    /// What is to be sent instead of the whole, if there is any such thing.
    pub(super) fn changes(&self) -> Option<&L> {
        (self.mode == Mode::Recording && !self.log.is_empty()).then_some(&self.log)
    }

    /// The operations that were kept as they were made.
    pub(super) fn operations(&self) -> &[O] {
        match &self.verbatim {
            Some(verbatim) => &verbatim.operations,
            None => &[],
        }
    }

    /// Whether the collection is to be emptied and filled again, behind those operations, where there is
    /// no other way to send it.
    pub(super) fn is_refilled(&self) -> bool {
        self.is_dirty() && self.mode != Mode::Verbatim
    }

    /// A full state had so many operations in it that are still to come.
    pub(super) fn set_ahead(&mut self, ahead: u32) {
        if ahead > 0 || self.verbatim.is_some() {
            self.verbatim.get_or_insert_default().ahead = ahead;
        }
        if self.is_verbatim() {
            // What was made of the former content cannot be made of this one.
            self.clear_dirty();
        }
    }

    /// Whether the operation that comes next has been made already; the one after it is next then.
    pub(super) fn passes_over(&mut self) -> bool {
        let Some(verbatim) = &mut self.verbatim else {
            return false;
        };
        let ahead = verbatim.ahead > 0;
        verbatim.ahead = verbatim.ahead.saturating_sub(1);
        ahead
    }

    /// Begins something that may be left half-way, by a panic or a guard that is never dropped: until
    /// it has come to its [end](Self::end), the collection is one that is to be sent whole.
    pub(super) fn begin(&mut self) -> Begun {
        let whole = self.mode.whole();
        Begun(std::mem::replace(&mut self.mode, whole))
    }

    /// It has come to its end: what it has changed is noted now.
    pub(super) fn end(&mut self, begun: Begun) {
        self.mode = begun.0;
    }
}

impl Mode {
    /// That of a collection that is to be sent whole.
    fn whole(self) -> Self {
        match self {
            Self::Unrecorded => Self::Unrecorded,
            Self::Verbatim | Self::Unfinished => Self::Unfinished,
            Self::New | Self::Unobserved | Self::Recording | Self::Whole => Self::Whole,
        }
    }
}

/// What [`Record::begin`] has put aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun(Mode);

#[cfg(test)]
mod tests {
    use super::{Log, Note, Record};

    impl Log for Vec<u8> {
        fn is_empty(&self) -> bool {
            self.is_empty()
        }

        fn clear(&mut self) {
            self.clear();
        }
    }

    fn logged(record: &mut Record<Vec<u8>, u8>) -> Option<&mut Vec<u8>> {
        match record.note() {
            Note::Change(log) => Some(log),
            Note::Operation(_) | Note::Nothing => None,
        }
    }

    #[test]
    fn log_is_empty_before_the_first_and_after_the_last_observer() {
        let mut record = Record::<Vec<u8>, u8>::default();
        assert!(logged(&mut record).is_none() && record.is_dirty());
        record.clear_dirty();
        logged(&mut record).unwrap().push(1);
        assert!(record.is_dirty() && record.changes().is_some());
        record.clear_dirty();
        record.set_observed(false);
        assert!(logged(&mut record).is_none() && record.is_dirty() && record.changes().is_none());
        record.clear_dirty();
        record.set_observed(false);
        record.notice_replacement();
        assert!(!record.is_dirty(), "nothing has been replaced");
        record.set_observed(true);
        assert!(!record.is_dirty() && logged(&mut record).is_some());
    }

    #[test]
    fn snapshot_content_before_the_first_send_is_sent_whole() {
        let mut record = Record::<Vec<u8>, u8>::default();
        record.clear_dirty();
        record.set_observed(true);
        assert!(!record.is_dirty());
        logged(&mut record).unwrap().push(1);
        record.set_observed(true);
        assert!(record.is_dirty() && record.changes().is_none());
    }

    #[test]
    fn unfinished_operation_is_sent_whole() {
        let mut record = Record::<Vec<u8>, u8>::default();
        record.clear_dirty();
        let begun = record.begin();
        assert!(record.is_dirty() && record.changes().is_none());
        record.end(begun);
        assert!(!record.is_dirty());
    }
}
