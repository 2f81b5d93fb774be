//! A table by number: dense pages, so that looking up costs two steps and walking it is in order.

/// How many entries a page has.
const PAGE: usize = 256;

/// Values by ascending numbers that are never given twice. A page goes when its last entry goes;
/// what stays of it is one pointer.
#[derive(Debug)]
pub(crate) struct Table<T> {
    pages: Vec<Option<Box<Page<T>>>>,
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
            len: 0,
        }
    }
}

impl<T> Table<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        let (page, entry) = place(number);
        self.pages.get(page)?.as_ref()?.entries.get(entry)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let (page, entry) = place(number);
        self.pages
            .get_mut(page)?
            .as_mut()?
            .entries
            .get_mut(entry)?
            .as_mut()
    }

    /// Puts a value in and returns the one that was there.
    pub(crate) fn insert(&mut self, number: u32, value: T) -> Option<T> {
        let (page, entry) = place(number);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| {
            Box::new(Page {
                entries: std::array::from_fn(|_| None),
                used: 0,
            })
        });
        let former = page.entries[entry].replace(value);
        if former.is_none() {
            page.used += 1;
            self.len += 1;
        }
        former
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let (page_number, entry) = place(number);
        let page = self.pages.get_mut(page_number)?.as_mut()?;
        let value = page.entries[entry].take()?;
        page.used -= 1;
        self.len -= 1;
        if page.used == 0 {
            self.pages[page_number] = None;
        }
        Some(value)
    }

    /// The values, by ascending number.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        let pages = self.pages.iter().flatten();
        pages.flat_map(|page| page.entries.iter().flatten())
    }

    /// The values for writing, by ascending number.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let pages = self.pages.iter_mut().flatten();
        pages.flat_map(|page| page.entries.iter_mut().flatten())
    }
}

fn place(number: u32) -> (usize, usize) {
    (number as usize / PAGE, number as usize % PAGE)
}

#[cfg(test)]
mod tests {
    use super::{PAGE, Table};

    #[test]
    fn a_table_walks_in_order_and_gives_empty_pages_back() {
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
}
