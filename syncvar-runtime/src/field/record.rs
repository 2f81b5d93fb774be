//! `Record`: unsent changes of a collection.

mod mode;

use super::operation::Operation;
use super::{FieldPlace, OperationLog};
use mode::Mode;

/// Changes of a collection since the last send: coalesced in an `L`, or as a sequence of `O` in the order of calls.
#[derive(Debug)]
pub(super) struct Record<L, O> {
    mode: Mode,
    /// Place of the last send.
    place: FieldPlace,
    /// Set if the content was taken over by the collection at `place`.
    is_source: bool,
    /// Set while the source of this collection has the same content, apart from its log.
    shared: bool,
    /// Set if the log has the last received delta, which is relayed.
    received: bool,
    log: L,
    full_log: Option<Box<FullLog<O>>>,
}

/// State of the full log, which only Mirror's encoding needs.
#[derive(Debug)]
struct FullLog<O> {
    /// Operations since the last send.
    operations: Vec<O>,
    /// Number of coming operations that the snapshot already contained.
    ahead: u32,
}

/// Place to record a change.
pub(super) enum Note<'a, L, O> {
    /// No record is needed.
    Nothing,
    /// Coalesced with the changes before it.
    Change(&'a mut L),
    /// Behind the operations before it.
    Operation(&'a mut Vec<O>),
}

/// Appends an operation. Only Mirror's encoding has operations: a separate function keeps the callers short.
#[inline(never)]
pub(super) fn keep<O>(operations: &mut Vec<O>, operation: impl FnOnce() -> O) {
    operations.push(operation());
}

/// Number of operations whose memory is kept for the next update.
pub(super) const KEPT: usize = 256;

/// Coalesced changes in the form of a kind of collection.
pub(super) trait Log {
    fn is_empty(&self) -> bool;
    fn clear(&mut self);
}

impl<O> Default for FullLog<O> {
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
            place: FieldPlace::NEW,
            is_source: false,
            shared: false,
            received: false,
            log: L::default(),
            full_log: None,
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
            Mode::Whole | Mode::Unfinished | Mode::Open | Mode::OpenFull => true,
            Mode::Full => !self.operations().is_empty(),
        }
    }

    /// Makes the collection due as a snapshot.
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
        self.place.note_sent();
    }

    #[inline(never)]
    fn begin_again(&mut self) {
        self.mode = match self.mode {
            Mode::Unrecorded => Mode::Unrecorded,
            Mode::Full | Mode::Unfinished | Mode::OpenFull => Mode::Full,
            Mode::New | Mode::Unobserved | Mode::Recording | Mode::Whole | Mode::Open => {
                Mode::Recording
            }
        };
        self.forget_operations();
    }

    fn forget_operations(&mut self) {
        if let Some(full_log) = &mut self.full_log {
            full_log.operations.clear();
            full_log.operations.shrink_to(KEPT);
        }
    }

    /// Returns the place. A source that stands on an object itself was moved there.
    #[inline]
    pub(super) fn place_mut(&mut self) -> &mut FieldPlace {
        if self.is_source {
            self.is_source = false;
            self.place = FieldPlace::ELSEWHERE;
        }
        &mut self.place
    }

    /// Makes the collection due as a snapshot, since observers have the content of the replaced collection.
    #[cold]
    pub(super) fn mark_replaced(&mut self) {
        if !self.place.is_new() {
            // The recorded changes belong to the content of the previous place.
            self.mode = Mode::New;
            self.log.clear();
            self.full_log = None;
        }
        if self.mode == Mode::New {
            self.mode = Mode::Whole;
        }
    }

    pub(super) fn set_observed(&mut self, observed: bool) {
        match (observed, self.mode) {
            (false, Mode::Recording) if self.log.is_empty() => self.mode = Mode::Unobserved,
            // The current snapshot contains every change.
            (true, Mode::Unobserved) => self.mode = Mode::Recording,
            // The snapshot contains the changes of the log: a later delta would apply them twice.
            (true, Mode::Open) => self.set_dirty(),
            (true, Mode::Recording) if !self.log.is_empty() => self.set_dirty(),
            (true, Mode::Unrecorded) => self.mode = Mode::Full,
            (false, Mode::Full | Mode::Unfinished | Mode::OpenFull) => {
                self.mode = Mode::Unrecorded;
                self.log.clear();
                self.forget_operations();
            }
            _ => {}
        }
    }

    /// Switches to the full log, as soon as the collection is
    /// observed. A collection that is dirty already is observed, and due as a snapshot behind the operations
    /// that receivers may skip.
    pub(super) fn set_log(&mut self, log: OperationLog)
    where
        O: Operation,
    {
        let full = matches!(log, OperationLog::Full { .. });
        if full == self.is_full() {
            return;
        }
        let dirty = self.is_dirty();
        self.mode = match (log, self.mode) {
            (
                OperationLog::Full { pending },
                Mode::New | Mode::Unobserved | Mode::Recording | Mode::Whole | Mode::Open,
            ) if dirty => {
                let passed_over = std::iter::repeat_with(|| O::CLEAR).take(pending);
                self.kept().extend(passed_over);
                Mode::Unfinished
            }
            (
                OperationLog::Full { .. },
                Mode::New | Mode::Unobserved | Mode::Recording | Mode::Whole,
            ) => Mode::Unrecorded,
            (OperationLog::Coalesced, Mode::Full | Mode::Unfinished | Mode::OpenFull) if dirty => {
                Mode::Whole
            }
            (OperationLog::Coalesced, Mode::Full) => Mode::Recording,
            (OperationLog::Coalesced, Mode::Unrecorded) => Mode::Unobserved,
            (_, same) => same,
        };
        if full {
            self.log.clear();
            self.full_log.get_or_insert_default();
        } else if let Some(full_log) = &mut self.full_log {
            full_log.operations = Vec::new();
        }
    }

    /// Returns whether the log is full, or paused without observers.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        matches!(
            self.mode,
            Mode::Unrecorded | Mode::Full | Mode::Unfinished | Mode::OpenFull
        )
    }

    /// Returns the place to record the change that follows. The caller has [settled](Self::settle) an interrupted
    /// change before.
    #[inline]
    pub(super) fn note(&mut self) -> Note<'_, L, O> {
        self.shared = false;
        match self.mode {
            Mode::Recording => Note::Change(&mut self.log),
            _ => self.note_otherwise(),
        }
    }

    #[inline(never)]
    fn note_otherwise(&mut self) -> Note<'_, L, O> {
        match self.mode {
            Mode::Recording => return Note::Change(&mut self.log),
            Mode::Full => return Note::Operation(self.kept()),
            Mode::New | Mode::Unobserved => self.mode = Mode::Whole,
            Mode::Open | Mode::OpenFull => self.mode = self.mode.whole(),
            Mode::Whole | Mode::Unrecorded | Mode::Unfinished => {}
        }
        Note::Nothing
    }

    /// Notes received content.
    #[inline]
    pub(super) fn note_received(&mut self) {
        self.shared = false;
        self.received = false;
    }

    /// Returns the log for a received delta that is relayed. `None` unless all
    /// observers have the content before it.
    pub(super) fn received_log(&mut self) -> Option<&mut L> {
        self.received = self.mode == Mode::Recording;
        self.received.then_some(&mut self.log)
    }

    /// Makes the collection due as a snapshot, unless its log has the last received delta.
    pub(super) fn relay(&mut self) {
        if !std::mem::take(&mut self.received) {
            self.set_dirty();
        }
    }

    /// Returns whether the content of a source differs by its log only.
    pub(super) fn follows(&self, source: &Self) -> bool {
        let is_its_source = source.is_source && source.place == self.place;
        self.shared && is_its_source && source.mode == Mode::Recording
    }

    /// Notes that the content of a source has been taken over. The source then records its changes.
    pub(super) fn share(&mut self, source: &mut Self) {
        source.clear_dirty();
        self.shared = !self.is_source && self.place.is_on_object();
        source.is_source = self.shared;
        source.place = if self.shared {
            self.place
        } else {
            FieldPlace::UNPLACED
        };
    }

    /// Returns the log for received operations that are relayed.
    pub(super) fn relayed(&mut self) -> Option<&mut Vec<O>> {
        match (self.mode, &mut self.full_log) {
            (Mode::Full, Some(full_log)) => Some(&mut full_log.operations),
            _ => None,
        }
    }

    /// Returns whether the emptying and refilling, or the value of an opened element, must be recorded before
    /// the collection changes further.
    #[inline]
    pub(super) fn is_unfinished(&self) -> bool {
        matches!(self.mode, Mode::Unfinished | Mode::Open | Mode::OpenFull)
    }

    /// Begins the writes to an element. The caller has recorded its previous value. Until the
    /// [close](Self::close), the collection is due as a snapshot.
    pub(super) fn open(&mut self) {
        self.mode = match self.mode {
            Mode::Recording => Mode::Open,
            Mode::Full => Mode::OpenFull,
            other => other,
        };
    }

    /// Returns whether an element is [open](Self::open).
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        matches!(self.mode, Mode::Open | Mode::OpenFull)
    }

    /// Ends the writes to an element. The last recorded operation has its previous value.
    pub(super) fn close(&mut self) -> Note<'_, L, O> {
        self.mode = match self.mode {
            Mode::Open => Mode::Recording,
            Mode::OpenFull => Mode::Full,
            other => other,
        };
        self.note()
    }

    /// Returns the log for the emptying and refilling, if it is due.
    pub(super) fn settle(&mut self) -> Option<&mut Vec<O>> {
        if self.mode != Mode::Unfinished {
            return None;
        }
        self.mode = Mode::Full;
        Some(self.kept())
    }

    fn kept(&mut self) -> &mut Vec<O> {
        &mut self.full_log.get_or_insert_default().operations
    }

    /// Returns the changes to send instead of a snapshot.
    pub(super) fn changes(&self) -> Option<&L> {
        (self.mode == Mode::Recording && !self.log.is_empty()).then_some(&self.log)
    }

    /// Returns the operations of the full log.
    pub(super) fn operations(&self) -> &[O] {
        match &self.full_log {
            Some(full_log) => &full_log.operations,
            None => &[],
        }
    }

    /// Returns whether the next delta, after the operations of the log, empties and refills the collection
    /// for lack of a shorter form.
    pub(super) fn is_refilled(&self) -> bool {
        self.is_dirty() && self.mode != Mode::Full
    }

    /// Sets the number of coming operations that a snapshot already contained.
    pub(super) fn set_ahead(&mut self, ahead: u32) {
        if ahead > 0 || self.full_log.is_some() {
            self.full_log.get_or_insert_default().ahead = ahead;
        }
        if self.is_full() {
            // The operations belong to the previous content.
            self.clear_dirty();
        }
    }

    /// Returns whether the next operation was part of the snapshot, and counts it.
    pub(super) fn passes_over(&mut self) -> bool {
        let Some(full_log) = &mut self.full_log else {
            return false;
        };
        let ahead = full_log.ahead > 0;
        full_log.ahead = full_log.ahead.saturating_sub(1);
        ahead
    }

    /// Begins a change that a panic or a leaked guard may interrupt: until the [end](Self::end) of the change, the
    /// collection is due as a snapshot.
    pub(super) fn begin(&mut self) -> Begun {
        let whole = self.mode.whole();
        Begun(std::mem::replace(&mut self.mode, whole))
    }

    /// Ends a change; the caller records it now.
    pub(super) fn end(&mut self, begun: Begun) {
        self.mode = begun.0;
    }
}

/// State before [`Record::begin`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun(Mode);

#[cfg(test)]
mod tests;
