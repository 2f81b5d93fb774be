//! `Rows`: the rows of a pool in pages, so that a new row leaves the rows in place.

use prefetch_index::prefetch_index;

/// Bytes of a page, unless a row alone is longer.
const PAGE_BYTES: usize = 16 * 1024;

/// Rows by number. The first page grows by and by; a further page has its whole memory at once.
pub(super) struct Rows<S> {
    pages: Vec<Vec<AlignedRow<S>>>,
}

/// Aligned, so that it is in as few lines of the cache as possible. The behaviours themselves are not: their boxes
/// outside of a pool would scatter the heap.
#[repr(align(64))]
struct AlignedRow<S>(Option<S>);

impl<S> Default for Rows<S> {
    fn default() -> Self {
        Self { pages: Vec::new() }
    }
}

impl<S> Rows<S> {
    /// Rows per page, a power of two.
    const PER_PAGE: usize = {
        let fitting = PAGE_BYTES / size_of::<AlignedRow<S>>();
        if fitting == 0 {
            1
        } else {
            1 << fitting.ilog2()
        }
    };

    /// Returns the page of a row, and its place there.
    #[inline]
    fn position(row: u32) -> (usize, usize) {
        let row = row as usize;
        (row / Self::PER_PAGE, row % Self::PER_PAGE)
    }

    /// Returns a row; `None` beyond the last one.
    #[inline]
    pub(super) fn get(&self, row: u32) -> Option<&Option<S>> {
        let (page, place) = Self::position(row);
        Some(&self.pages.get(page)?.get(place)?.0)
    }

    /// Returns a row for writing; `None` beyond the last one.
    #[inline]
    pub(super) fn get_mut(&mut self, row: u32) -> Option<&mut Option<S>> {
        let (page, place) = Self::position(row);
        Some(&mut self.pages.get_mut(page)?.get_mut(place)?.0)
    }

    /// Loads a row into the cache.
    #[inline]
    pub(super) fn prefetch(&self, row: u32) {
        let (page, place) = Self::position(row);
        if let Some(page) = self.pages.get(page) {
            prefetch_index(page, place);
        }
    }

    /// Appends a row.
    #[inline]
    pub(super) fn push(&mut self, slots: S) {
        match self.pages.last_mut() {
            Some(page) if page.len() < Self::PER_PAGE => page.push(AlignedRow(Some(slots))),
            _ => self.push_page(slots),
        }
    }

    fn push_page(&mut self, first: S) {
        let mut page = Vec::new();
        if !self.pages.is_empty() {
            page.reserve_exact(Self::PER_PAGE);
        }
        page.push(AlignedRow(Some(first)));
        self.pages.push(page);
    }

    /// Removes the last row.
    pub(super) fn pop(&mut self) {
        if let Some(page) = self.pages.last_mut() {
            page.pop();
            if page.is_empty() {
                self.pages.pop();
            }
        }
    }

    /// Returns all rows in order.
    #[cfg(feature = "parallel")]
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Option<S>> {
        self.pages.iter_mut().flatten().map(|row| &mut row.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE_BYTES, Rows};

    #[test]
    fn rows_keep_their_numbers_across_pages() {
        let mut rows = Rows::default();
        let count = u32::try_from(PAGE_BYTES / 8).unwrap();
        (0..count).for_each(|row| rows.push(row));
        assert!((0..count).all(|row| rows.get(row) == Some(&Some(row))));
        assert_eq!(rows.get(count), None);
        *rows.get_mut(7).unwrap() = None;
        assert_eq!(rows.get(7), Some(&None));
        (0..count).for_each(|_| rows.pop());
        rows.pop();
        assert!(rows.pages.is_empty());
    }

    #[test]
    fn long_rows_have_pages_of_their_own() {
        let mut rows = Rows::default();
        (0..3_u8).for_each(|row| rows.push([row; PAGE_BYTES / 2 + 1]));
        assert_eq!((rows.pages.len(), rows.get(2).is_some()), (3, true));
    }
}
