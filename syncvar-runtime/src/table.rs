//! `Table`: values by number in dense pages. A lookup takes two steps, iteration is ordered.

use crate::ordered::IdMap;

/// Length of a page.
const PAGE: usize = PAGE_NUMBERS as usize;

/// Numbers per page.
const PAGE_NUMBERS: u32 = 64;

/// Number of pages in the dense list. A list up to the highest number would cost 512 MB for a single
/// distant object.
const DENSE_PAGES: usize = (1 << 24) / PAGE;

/// Values by number. An empty page is freed; its pointer in the list stays.
#[derive(Debug)]
pub struct Table<T> {
    pages: Vec<Option<Box<Page<T>>>>,
    /// Entries beyond the dense pages.
    far: IdMap<u32, T>,
    len: usize,
}

#[derive(Debug)]
struct Page<T> {
    entries: [Option<T>; PAGE],
    used: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            far: IdMap::default(),
            len: 0,
        }
    }
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self {
            entries: std::array::from_fn(|_| None),
            used: 0,
        }
    }
}

impl<T> Table<T> {
    /// Returns the number of values.
    #[expect(clippy::len_without_is_empty, reason = "no caller needs it")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the value with a number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        let (page, entry) = position(number);
        match self.pages.get(page) {
            Some(page) => page.as_deref()?.entries.get(entry)?.as_ref(),
            None => self.far.get(number),
        }
    }

    /// Returns the value with a number for writing.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let (page, entry) = position(number);
        match self.pages.get_mut(page) {
            Some(page) => page.as_deref_mut()?.entries.get_mut(entry)?.as_mut(),
            None => self.far.get_mut(number),
        }
    }

    /// Inserts a value and returns the previous one.
    pub fn insert(&mut self, number: u32, value: T) -> Option<T> {
        let (page, entry) = position(number);
        if page >= DENSE_PAGES {
            let former = self.far.insert(number, value);
            self.len += usize::from(former.is_none());
            return former;
        }
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_default();
        let former = page.entries[entry].replace(value);
        if former.is_none() {
            page.used += 1;
            self.len += 1;
        }
        former
    }

    /// Removes and returns a value.
    pub fn remove(&mut self, number: u32) -> Option<T> {
        let (page, entry) = position(number);
        let value = match self.pages.get_mut(page) {
            Some(page) => {
                let filled = page.as_mut()?;
                let value = filled.entries[entry].take()?;
                filled.used -= 1;
                if filled.used == 0 {
                    *page = None;
                }
                value
            }
            None => self.far.remove(number)?,
        };
        self.len -= 1;
        Some(value)
    }

    /// Returns numbers and values by ascending number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let mut far = self.far.iter();
        let mut pages = (0..).zip(&self.pages);
        let mut entries = (0..).zip([].iter());
        std::iter::from_fn(move || {
            loop {
                for (number, entry) in entries.by_ref() {
                    if let Some(value) = entry {
                        return Some((number, value));
                    }
                }
                let Some((number, page)) = pages.next() else {
                    return far.next();
                };
                if let Some(page) = page {
                    entries = (number * PAGE_NUMBERS..).zip(page.entries.iter());
                }
            }
        })
    }

    /// Returns numbers and mutable values by ascending number.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        let mut far = self.far.iter_mut();
        let mut pages = (0..).zip(&mut self.pages);
        let mut entries = (0..).zip([].iter_mut());
        std::iter::from_fn(move || {
            loop {
                for (number, entry) in entries.by_ref() {
                    if let Some(value) = entry {
                        return Some((number, value));
                    }
                }
                let Some((number, page)) = pages.next() else {
                    return far.next();
                };
                if let Some(page) = page {
                    entries = (number * PAGE_NUMBERS..).zip(page.entries.iter_mut());
                }
            }
        })
    }

    /// Returns the values by ascending number.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.iter().map(|(_, value)| value)
    }

    /// Returns the mutable values by ascending number.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.iter_mut().map(|(_, value)| value)
    }
}

fn position(number: u32) -> (usize, usize) {
    (number as usize / PAGE, number as usize % PAGE)
}

#[cfg(test)]
mod tests {
    use super::{DENSE_PAGES, PAGE, Table};

    #[test]
    fn iteration_is_ordered_and_empty_pages_are_freed() {
        let mut table = Table::default();
        for number in [300, 1, 70_000, 2] {
            assert_eq!(table.insert(number, number), None);
        }
        assert_eq!(
            table.values().copied().collect::<Vec<_>>(),
            [1, 2, 300, 70_000]
        );
        assert_eq!(table.len(), 4);
        assert_eq!(table.remove(300), Some(300));
        assert_eq!(table.remove(300), None);
        assert!(table.pages[300 / PAGE].is_none());
        assert_eq!(table.get(70_000), Some(&70_000));
        assert_eq!(table.get(5), None);
        assert_eq!(table.len(), 3);
    }

    #[test]
    fn distant_numbers_cost_no_list_of_pages() {
        let border = u32::try_from(DENSE_PAGES * PAGE).unwrap();
        let numbers = [7, border - 1, border, border + 1, 1 << 31, u32::MAX];
        let mut table = Table::default();
        for number in numbers.into_iter().rev() {
            assert_eq!(table.insert(number, number), None);
        }
        assert_eq!(table.insert(u32::MAX, u32::MAX), Some(u32::MAX));
        assert_eq!(table.pages.len(), DENSE_PAGES);
        assert_eq!(table.values().copied().collect::<Vec<_>>(), numbers);
        assert_eq!(table.values_mut().map(|n| *n).collect::<Vec<_>>(), numbers);
        for number in numbers {
            assert_eq!(table.get(number), Some(&number));
            assert_eq!(table.get_mut(number).copied(), Some(number));
        }
        assert_eq!(table.get(border + 2), None);
        assert_eq!(table.remove(border + 2), None);
        for number in numbers {
            assert_eq!(table.remove(number), Some(number));
        }
        assert_eq!(table.len(), 0);
        assert!(table.far.is_empty());
    }
}
