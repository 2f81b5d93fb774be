//! `Edited`: the elements of a list during the operations of a delta.

use std::collections::VecDeque;
use std::ops::Range;

use crate::wire::budget::{STEP, is_wasteful};
use crate::{NetworkReader, ReadError, ReadErrorKind};

/// Size of a list, in bytes, from which several operations share one pass.
const LARGE: usize = 4096;

/// Elements of a list during the operations of a delta.
///
/// An insertion into a `Vec` moves all elements behind it. A large list with several operations becomes a
/// [`Ring`], in which operations at neighbouring positions move no further elements. The drop restores the `Vec`.
/// Each operation charges the reader with the elements that it moves.
pub(crate) struct Edited<'a, T> {
    items: &'a mut Vec<T>,
    ring: Option<Ring<T>>,
    /// Set if further operations may follow.
    several: bool,
}

impl<'a, T> Edited<'a, T> {
    /// Takes the elements for a number of operations.
    #[inline]
    pub(crate) fn new(items: &'a mut Vec<T>, operations: usize) -> Self {
        Self {
            items,
            ring: None,
            several: operations > 1,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match &self.ring {
            None => self.items.len(),
            Some(ring) => ring.items.len(),
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        match &mut self.ring {
            None => self.items.get_mut(index),
            Some(ring) => ring.get_mut(index),
        }
    }

    /// Adds an element at the end.
    #[inline]
    pub(crate) fn push(
        &mut self,
        value: T,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let Some(ring) = &mut self.ring else {
            self.items.push(value);
            return Ok(());
        };
        let end = ring.items.len();
        ring.reach(end, reader)?;
        ring.items.push_front(value);
        Ok(())
    }

    /// Inserts an element at a position, which may be the end.
    pub(crate) fn insert(
        &mut self,
        index: usize,
        value: T,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        if index == self.len() {
            return self.push(value, reader);
        }
        match self.reach(index, reader)? {
            None => self.items.insert(index, value),
            Some(ring) => ring.items.push_front(value),
        }
        Ok(())
    }

    /// Removes the element at a position.
    pub(crate) fn remove(
        &mut self,
        index: usize,
        reader: &mut NetworkReader<'_>,
    ) -> Result<T, ReadError> {
        let length = self.len();
        if index >= length {
            return Err(out_of_range(reader, index, length));
        }
        let removed = match self.reach(index, reader)? {
            None => Some(self.items.remove(index)),
            Some(ring) => ring.items.pop_front(),
        };
        removed.ok_or_else(|| out_of_range(reader, index, length))
    }

    /// Removes all elements.
    pub(crate) fn clear(&mut self) -> Vec<T> {
        match self.ring.take() {
            None => std::mem::take(self.items),
            Some(ring) => ring.into_vec(),
        }
    }

    /// Replaces a range by new elements. Returns the replaced elements.
    pub(crate) fn splice(
        &mut self,
        range: Range<usize>,
        values: impl DoubleEndedIterator<Item = T>,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Vec<T>, ReadError> {
        Ok(match self.reach(range.start, reader)? {
            None => self.items.splice(range, values).collect(),
            Some(ring) => {
                let removed = ring.items.drain(..range.len()).collect();
                for value in values.rev() {
                    ring.items.push_front(value);
                }
                removed
            }
        })
    }

    /// Removes a run of elements behind `stay` kept elements, counted from a position. Calls a function with
    /// each.
    pub(crate) fn remove_run(
        &mut self,
        index: usize,
        count: usize,
        reader: &mut NetworkReader<'_>,
        gone: impl FnMut(T),
    ) -> Result<(), ReadError> {
        reader.take_work(count.saturating_mul(STEP))?;
        match self.reach(index, reader)? {
            None => self.items.drain(index..index + count).for_each(gone),
            Some(ring) => ring.items.drain(..count).for_each(gone),
        }
        Ok(())
    }

    /// Makes every further operation share one pass.
    pub(crate) fn share_pass(&mut self) {
        self.several = true;
    }

    /// Charges the moves of an operation at a position. Returns the ring, with its gap there, if the list
    /// has one.
    fn reach(
        &mut self,
        index: usize,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<&mut Ring<T>>, ReadError> {
        if self.ring.is_none() {
            let all = self.items.len().saturating_mul(size_of::<T>());
            if !self.several || all <= LARGE {
                let behind = self.items.len().saturating_sub(index);
                reader.charge_moves::<T>(behind)?;
                return Ok(None);
            }
            // The way back into the `Vec`: a rotation and a move.
            reader.take_work(all.saturating_mul(2))?;
            let items = VecDeque::from(std::mem::take(self.items));
            self.ring = Some(Ring { items, gap: 0 });
        }
        if let Some(ring) = &mut self.ring {
            ring.reach(index, reader)?;
        }
        Ok(self.ring.as_mut())
    }
}

impl<T> Drop for Edited<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(ring) = self.ring.take() {
            *self.items = ring.into_vec();
        }
        if is_wasteful::<T>(self.items.capacity(), self.items.len()) {
            self.items.shrink_to_fit();
        }
    }
}

/// A list with a gap: elements before the gap are at the end of the queue, the elements behind the gap at its front.
struct Ring<T> {
    items: VecDeque<T>,
    gap: usize,
}

impl<T> Ring<T> {
    fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let place = match index.checked_sub(self.gap) {
            Some(behind) => behind,
            None => self.items.len() - self.gap + index,
        };
        // A position beyond the end would be one before the gap.
        if index >= self.items.len() {
            return None;
        }
        self.items.get_mut(place)
    }

    /// Moves the gap to a position. The end and the beginning are one place.
    fn reach(&mut self, index: usize, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        let way = index.abs_diff(self.gap);
        reader.charge_moves::<T>(way.min(self.items.len() - way))?;
        self.move_gap(index);
        Ok(())
    }

    fn move_gap(&mut self, index: usize) {
        if index > self.gap {
            self.items.rotate_left(index - self.gap);
        } else {
            self.items.rotate_right(self.gap - index);
        }
        self.gap = index;
    }

    fn into_vec(mut self) -> Vec<T> {
        self.move_gap(0);
        self.items.into()
    }
}

#[cold]
pub(crate) fn out_of_range(reader: &NetworkReader<'_>, index: usize, length: usize) -> ReadError {
    reader.error(ReadErrorKind::IndexOutOfRange { index, length })
}
