//! `Table`: values by number in pages. A lookup takes three steps, iteration is ordered.

use prefetch_index::prefetch_index;

use crate::ordered::IdMap;

/// Bytes that stay in the caches of a core between two packets.
pub(crate) const CACHED: usize = 256 * 1024;

/// Length of a page.
const PAGE: usize = PAGE_NUMBERS as usize;

/// Numbers per page.
const PAGE_NUMBERS: u32 = 64;

/// Length of a directory.
const DIRECTORY: usize = DIRECTORY_PAGES as usize;

/// Pages per directory.
const DIRECTORY_PAGES: u32 = 64;

/// Most directories, for 2^24 numbers. The list of directories for all numbers would cost 2 MB for a
/// single distant object.
const DIRECTORIES: usize = (1 << 24) / PAGE / DIRECTORY;

/// Values by number. An empty page and an empty directory are freed, so the memory follows the number of
/// values: numbers used before cost at most 32 KB.
#[derive(Debug)]
pub struct Table<T> {
    directories: Vec<Option<Box<PageDirectory<T>>>>,
    /// Entries beyond the directories.
    far: IdMap<u32, T>,
    len: usize,
}

#[derive(Debug)]
struct PageDirectory<T> {
    pages: [Option<Box<Page<T>>>; DIRECTORY],
    /// Number of pages.
    used: usize,
}

/// Aligned, so that an entry of 16 or 32 bytes is in one line of the cache.
#[derive(Debug)]
#[repr(align(64))]
struct Page<T> {
    entries: [Option<T>; PAGE],
    /// Number of values.
    used: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            directories: Vec::new(),
            far: IdMap::default(),
            len: 0,
        }
    }
}

impl<T> Default for PageDirectory<T> {
    fn default() -> Self {
        Self {
            pages: std::array::from_fn(|_| None),
            used: 0,
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
        let (directory, page, entry) = position(number);
        match self.directories.get(directory) {
            Some(directory) => {
                let page = directory.as_deref()?.pages[page].as_deref()?;
                page.entries[entry].as_ref()
            }
            None => self.far.get(number),
        }
    }

    /// Returns the value with a number for writing.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let (directory, page, entry) = position(number);
        match self.directories.get_mut(directory) {
            Some(directory) => {
                let page = directory.as_deref_mut()?.pages[page].as_deref_mut()?;
                page.entries[entry].as_mut()
            }
            None => self.far.get_mut(number),
        }
    }

    /// Loads the values of some numbers into the cache, unless it holds all values: these loads are
    /// independent, unlike those of sequential work.
    #[inline]
    pub fn load(&self, numbers: impl Iterator<Item = u32>) {
        if self.len * size_of::<Option<T>>() <= CACHED {
            return;
        }
        for number in numbers {
            let (directory, page, entry) = position(number);
            if let Some(Some(directory)) = self.directories.get(directory)
                && let Some(page) = &directory.pages[page]
            {
                prefetch_index(&page.entries, entry);
            }
        }
    }

    /// Inserts a value and returns the previous one.
    pub fn insert(&mut self, number: u32, value: T) -> Option<T> {
        let (directory, page, entry) = position(number);
        let former = if directory >= DIRECTORIES {
            self.far.insert(number, value)
        } else {
            if self.directories.len() <= directory {
                self.directories.resize_with(directory + 1, || None);
            }
            let directory = self.directories[directory].get_or_insert_default();
            let page = directory.pages[page].get_or_insert_with(|| {
                directory.used += 1;
                Box::default()
            });
            let former = page.entries[entry].replace(value);
            page.used += usize::from(former.is_none());
            former
        };
        self.len += usize::from(former.is_none());
        former
    }

    /// Removes and returns a value.
    pub fn remove(&mut self, number: u32) -> Option<T> {
        let (directory, page, entry) = position(number);
        let value = match self.directories.get_mut(directory) {
            Some(slot) => {
                let directory = slot.as_deref_mut()?;
                let filled = directory.pages[page].as_deref_mut()?;
                let value = filled.entries[entry].take()?;
                filled.used -= 1;
                if filled.used == 0 {
                    directory.pages[page] = None;
                    directory.used -= 1;
                }
                if directory.used == 0 {
                    *slot = None;
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
        self.iter_behind(0)
    }

    /// Returns numbers and values by ascending number, from a number on.
    pub fn iter_from(&self, first: u32) -> impl Iterator<Item = (u32, &T)> {
        let (directory, ..) = position(first);
        let values = self.iter_behind(directory);
        values.skip_while(move |(number, _)| *number < first)
    }

    /// Returns numbers and values, behind a number of directories.
    fn iter_behind(&self, directories: usize) -> impl Iterator<Item = (u32, &T)> {
        let all = (0..).step_by(DIRECTORY).zip(&self.directories);
        let pages = all.skip(directories).flat_map(|(first, directory)| {
            let pages = directory.iter().flat_map(|directory| &directory.pages);
            (first..).zip(pages)
        });
        let entries = pages.flat_map(|(page, slot)| {
            let entries = slot.iter().flat_map(|page| &page.entries);
            (page * PAGE_NUMBERS..).zip(entries)
        });
        let near = entries.filter_map(|(number, entry)| Some((number, entry.as_ref()?)));
        near.chain(self.far.iter())
    }

    /// Returns numbers and mutable values by ascending number.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        let directories = (0..).step_by(DIRECTORY).zip(&mut self.directories);
        let pages = directories.flat_map(|(first, directory)| {
            let pages = directory.iter_mut();
            (first..).zip(pages.flat_map(|directory| &mut directory.pages))
        });
        let entries = pages.flat_map(|(page, slot)| {
            let entries = slot.iter_mut().flat_map(|page| &mut page.entries);
            (page * PAGE_NUMBERS..).zip(entries)
        });
        let near = entries.filter_map(|(number, entry)| Some((number, entry.as_mut()?)));
        near.chain(self.far.iter_mut())
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

/// Returns the directory of a number, the page in the directory and the entry in the page.
#[inline]
fn position(number: u32) -> (usize, usize, usize) {
    let page = number as usize / PAGE;
    (page / DIRECTORY, page % DIRECTORY, number as usize % PAGE)
}

#[cfg(test)]
mod tests {
    use super::{DIRECTORIES, DIRECTORY, PAGE, Table};

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
        let from = |first| table.iter_from(first).map(|(number, _)| number).collect();
        let lists: [Vec<_>; 3] = [2, 301, 70_001].map(from);
        assert_eq!(lists, [vec![2, 300, 70_000], vec![70_000], vec![]]);
        assert_eq!(table.remove(300), Some(300));
        assert_eq!(table.remove(300), None);
        let first = table.directories[0].as_ref().unwrap();
        assert!(first.pages[300 / PAGE].is_none());
        assert_eq!(table.remove(70_000), Some(70_000));
        assert!(table.directories[70_000 / PAGE / DIRECTORY].is_none());
        table.insert(70_000, 70_000);
        assert_eq!(table.get(70_000), Some(&70_000));
        assert_eq!(table.get(5), None);
        assert_eq!(table.len(), 3);
    }

    #[test]
    fn distant_numbers_cost_no_list_of_pages() {
        let border = u32::try_from(DIRECTORIES * DIRECTORY * PAGE).unwrap();
        let numbers = [7, border - 1, border, border + 1, 1 << 31, u32::MAX];
        let mut table = Table::default();
        for number in numbers.into_iter().rev() {
            assert_eq!(table.insert(number, number), None);
        }
        assert_eq!(table.insert(u32::MAX, u32::MAX), Some(u32::MAX));
        assert_eq!(table.directories.len(), DIRECTORIES);
        assert_eq!(table.values().copied().collect::<Vec<_>>(), numbers);
        assert_eq!(table.values_mut().map(|n| *n).collect::<Vec<_>>(), numbers);
        for (index, number) in numbers.into_iter().enumerate() {
            let values = table.iter_from(number).map(|(_, value)| *value);
            assert_eq!(values.collect::<Vec<_>>(), numbers[index..]);
        }
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
