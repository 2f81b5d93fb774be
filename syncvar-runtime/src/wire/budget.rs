//! Charges of a reader: elements, memory, work and depth.

use super::{NetworkReader, ReadError, ReadErrorKind};
use crate::limits::ReadBudget;

/// Work of one element or operation besides the bytes that it moves, about 2 ns.
pub(crate) const STEP: usize = 16;

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

    /// Like [`charge`](Self::charge), for elements of a size.
    #[inline]
    pub(crate) fn charge_sized(&mut self, count: usize, size: usize) -> Result<(), ReadError> {
        self.take_memory(count.saturating_mul(size))?;
        self.charge_work(count, size)
    }

    /// Takes the work for elements that are moved, copied or compared one by one.
    #[inline]
    pub(crate) fn charge_work(&mut self, count: usize, size: usize) -> Result<(), ReadError> {
        self.take_work(count.saturating_mul(size.saturating_add(STEP)))
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

    /// Takes work.
    #[inline]
    pub(crate) fn take_work(&mut self, needed: usize) -> Result<(), ReadError> {
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
