//! Operations on a list since its last send.

use rustc_hash::FxHashMap;

use crate::field::record;

/// One operation. A position is the position at its time.
#[derive(Clone, Debug)]
pub(super) enum Operation<T> {
    Add(T),
    Clear,
    Insert(usize, T),
    RemoveAt(usize),
    Set(usize, T),
    /// Replacement of a number of elements.
    Splice(usize, usize, Vec<T>),
    /// Removal of runs of elements: pairs of a kept and a removed number.
    Remove(Vec<(usize, usize)>),
}

/// Operations in order.
#[derive(Debug)]
pub(super) struct Log<T> {
    pub(super) operations: Vec<Operation<T>>,
    /// Number of elements in the operations.
    values: usize,
    /// Operation that set each position, since positions last moved.
    set: FxHashMap<usize, usize>,
}

/// Limit of the elements in a log, unless the list has more.
const FEW: usize = 64;

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self {
            operations: Vec::new(),
            values: 0,
            set: FxHashMap::default(),
        }
    }
}

impl<T> record::Log for Log<T> {
    fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    fn clear(&mut self) {
        self.operations.clear();
        self.operations.shrink_to(record::KEPT);
        self.values = 0;
        self.set.clear();
        self.set.shrink_to(record::KEPT);
    }
}

impl<T> Log<T> {
    /// Returns whether the log holds more than a list of a number of elements.
    pub(super) fn is_longer_than(&self, elements: usize) -> bool {
        self.values > elements.max(FEW)
    }

    pub(super) fn add(&mut self, value: T) {
        self.values += 1;
        self.operations.push(Operation::Add(value));
    }

    /// A clear makes the operations before it irrelevant.
    pub(super) fn clear_list(&mut self) {
        record::Log::clear(self);
        self.operations.push(Operation::Clear);
    }

    pub(super) fn insert(&mut self, index: usize, value: T) {
        self.values += 1;
        self.moving(Operation::Insert(index, value));
    }

    pub(super) fn remove_at(&mut self, index: usize) {
        self.moving(Operation::RemoveAt(index));
    }

    pub(super) fn splice(&mut self, index: usize, removed: usize, values: Vec<T>) {
        self.values += values.len();
        self.moving(Operation::Splice(index, removed, values));
    }

    pub(super) fn remove(&mut self, runs: Vec<(usize, usize)>) {
        self.moving(Operation::Remove(runs));
    }

    /// Merges two sets of a position without a move in between.
    pub(super) fn set(&mut self, index: usize, value: T) {
        let next = self.operations.len();
        let place = *self.set.entry(index).or_insert(next);
        match self.operations.get_mut(place) {
            Some(operation) => *operation = Operation::Set(index, value),
            None => {
                self.values += 1;
                self.operations.push(Operation::Set(index, value));
            }
        }
    }

    /// Appends a received operation.
    pub(super) fn append(&mut self, operation: Operation<T>) {
        match operation {
            Operation::Add(value) => self.add(value),
            Operation::Clear => self.clear_list(),
            Operation::Insert(index, value) => self.insert(index, value),
            Operation::RemoveAt(index) => self.remove_at(index),
            Operation::Set(index, value) => self.set(index, value),
            Operation::Splice(index, removed, values) => self.splice(index, removed, values),
            Operation::Remove(runs) => self.remove(runs),
        }
    }

    /// Appends an operation that moves positions.
    fn moving(&mut self, operation: Operation<T>) {
        self.set.clear();
        self.operations.push(operation);
    }
}
