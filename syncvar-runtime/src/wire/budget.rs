//! Charges of a reader: elements, memory, work and depth.

use super::{NetworkReader, ReadError, ReadErrorKind};
use crate::limits::ReadBudget;

/// Work of an element or operation besides the bytes that it moves, about 2 ns.
pub(crate) const STEP: usize = 16;

/// Memory of an entry of a map or set besides its key and value: hash, position, free places.
pub(crate) const ENTRY: usize = 32;

/// Size of a value whose copy is worth a charge, in bytes.
pub(super) const LARGE: usize = 256;

/// Memory that a value may keep for later, whatever its present size, in bytes.
const SPARE: usize = 4096;

/// Returns whether a value keeps much more memory than it needs: a peer could make it grow and shrink
/// again.
#[inline]
pub(crate) const fn is_wasteful<T>(capacity: usize, length: usize) -> bool {
    capacity.wrapping_shr(2) > length && capacity.saturating_mul(size_of::<T>()) > SPARE
}

impl NetworkReader<'_> {
    /// Sets the memory and work that reads may take, with their limits of elements and depth. A reader
    /// without this call has the budget of [`Limits::default`](crate::Limits).
    #[must_use]
    #[inline]
    pub fn with_budget(mut self, budget: ReadBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the limit of elements in a sequence or collection; the default is 1 048 576.
    #[must_use]
    #[inline]
    pub fn with_max_elements(mut self, max_elements: usize) -> Self {
        self.budget.elements = max_elements;
        self
    }

    /// Returns the rest of the budget, for the next reader of the packet.
    #[inline]
    pub fn budget(&self) -> ReadBudget {
        self.budget
    }

    /// Takes memory and work for a number of elements, before they are read. Call it in a hand-written
    /// container; sequences, maps and collections do it.
    ///
    /// # Errors
    ///
    /// [`ReadErrorKind::TooMuchMemory`] and [`ReadErrorKind::TooMuchWork`].
    ///
    /// ```
    /// # use syncvar::wire::{NetworkReader, ReadErrorKind};
    /// let mut reader = NetworkReader::new(&[]);
    /// reader.charge::<[u64; 512]>(2000)?;
    /// let error = reader.charge::<[u64; 512]>(2000).unwrap_err();
    /// assert!(matches!(error.kind(), ReadErrorKind::TooMuchMemory { needed: 8_192_000, .. }));
    /// # Ok::<(), syncvar::wire::ReadError>(())
    /// ```
    #[inline]
    pub fn charge<T>(&mut self, count: usize) -> Result<(), ReadError> {
        self.charge_sized(count, size_of::<T>())
    }

    /// Like [`charge`](Self::charge), for elements of a size. New memory counts twice as work: it is
    /// filled, and moved at least once.
    #[inline]
    pub(crate) fn charge_sized(&mut self, count: usize, size: usize) -> Result<(), ReadError> {
        let memory = count.saturating_mul(size);
        self.take_memory(memory)?;
        let steps = count.saturating_mul(STEP);
        self.take_work(memory.saturating_mul(2).saturating_add(steps))
    }

    /// Takes the work for a value that is moved, if it is large. Small values are covered by the work that
    /// their bytes add.
    #[inline]
    pub(crate) fn charge_large<T>(&mut self) -> Result<(), ReadError> {
        if const { size_of::<T>() > LARGE } {
            self.take_work(size_of::<T>().saturating_mul(2))?;
        }
        Ok(())
    }

    /// Takes the work of a move of elements in one piece.
    #[inline]
    pub(crate) fn charge_moves<T>(&mut self, count: usize) -> Result<(), ReadError> {
        self.take_work(count.saturating_mul(size_of::<T>()))
    }

    /// Takes memory.
    #[inline]
    pub(crate) fn take_memory(&mut self, needed: usize) -> Result<(), ReadError> {
        match self.budget.memory.checked_sub(needed) {
            Some(left) => {
                self.budget.memory = left;
                Ok(())
            }
            None => Err(self.too_much_memory(needed)),
        }
    }

    /// Takes work, in bytes moved, copied and compared.
    ///
    /// # Errors
    ///
    /// [`ReadErrorKind::TooMuchWork`]; the budget stays.
    #[inline]
    pub fn take_work(&mut self, needed: usize) -> Result<(), ReadError> {
        match self.budget.work.checked_sub(needed) {
            Some(left) => {
                self.budget.work = left;
                Ok(())
            }
            None => Err(self.too_much_work(needed)),
        }
    }

    /// Reads one level deeper. Call it in a hand-written type that contains itself; sequences, boxes and
    /// maps do it.
    ///
    /// # Errors
    ///
    /// [`ReadErrorKind::TooDeep`].
    #[inline]
    pub fn nested<R>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<R, ReadError>,
    ) -> Result<R, ReadError> {
        let Some(deeper) = self.budget.depth.checked_sub(1) else {
            return Err(self.error(ReadErrorKind::TooDeep));
        };
        let outer = std::mem::replace(&mut self.budget.depth, deeper);
        let result = read(self);
        self.budget.depth = outer;
        result
    }

    /// Refuses a sequence or collection of more elements than this reader allows.
    #[inline]
    pub(crate) fn check_elements(&self, count: usize) -> Result<(), ReadError> {
        let limit = self.budget.elements;
        if count > limit {
            return Err(self.error(ReadErrorKind::TooManyElements { count, limit }));
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn too_much_memory(&self, needed: usize) -> ReadError {
        let left = self.budget.memory;
        self.error(ReadErrorKind::TooMuchMemory { needed, left })
    }

    #[cold]
    #[inline(never)]
    fn too_much_work(&self, needed: usize) -> ReadError {
        let left = self.budget.work;
        self.error(ReadErrorKind::TooMuchWork { needed, left })
    }
}
