//! Areas of objects that have the same tag and are in the same inner area.

use rustc_hash::FxHashMap;

use super::super::Area;
use super::super::relation::Sets;
use super::Tag;

/// What the objects of an area have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub(super) tag: Option<Tag>,
    pub(super) inner: Option<Area>,
}

/// All areas that have objects. Each is made once and found again by its pair.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    by_area: FxHashMap<Area, Used>,
    by_pair: FxHashMap<Pair, Area>,
    by_tag: Sets<Tag, Area>,
    by_inner: Sets<Area, Area>,
    /// The areas made since these were last taken.
    made: Vec<Area>,
    /// The areas that have lost their last object since these were last taken.
    unused: Vec<Area>,
    /// How many areas were ever made. A number is not given twice.
    count: u64,
}

#[derive(Debug)]
struct Used {
    pair: Pair,
    /// How many objects are in it.
    users: usize,
}

impl Pairs {
    /// What the objects of an area have in common, if there are any.
    pub(super) fn get(&self, area: Area) -> Option<Pair> {
        let used = self.by_area.get(&area)?;
        (used.users > 0).then_some(used.pair)
    }

    /// The areas of objects with this tag.
    pub(super) fn with_tag(&self, tag: Tag) -> impl Iterator<Item = Area> {
        self.by_tag.of(tag)
    }

    /// The areas of objects in this inner area.
    pub(super) fn with_inner(&self, inner: Area) -> impl Iterator<Item = Area> {
        self.by_inner.of(inner)
    }

    /// One more object is in the area of this pair. That of neither a tag nor an inner area needs
    /// none: everyone sees it.
    pub(super) fn acquire(&mut self, pair: Pair) -> Option<Area> {
        if pair == Pair::default() {
            return None;
        }
        let area = *self.by_pair.entry(pair).or_insert_with(|| {
            let area = Area(self.count);
            self.count += 1;
            self.made.push(area);
            self.by_area.insert(area, Used { pair, users: 0 });
            if let Some(tag) = pair.tag {
                self.by_tag.insert(tag, area);
            }
            if let Some(inner) = pair.inner {
                self.by_inner.insert(inner, area);
            }
            area
        });
        if let Some(used) = self.by_area.get_mut(&area) {
            used.users += 1;
        }
        Some(area)
    }

    /// One object less is in an area.
    pub(super) fn release(&mut self, area: Option<Area>) {
        let Some(area) = area else {
            return;
        };
        if let Some(used) = self.by_area.get_mut(&area) {
            used.users -= 1;
            if used.users == 0 {
                self.unused.push(area);
            }
        }
    }

    /// The areas made since they were last taken.
    pub(super) fn made(&self) -> &[Area] {
        &self.made
    }

    /// The areas that have lost their last object since they were last taken. Some may have got
    /// another one.
    pub(super) fn unused(&self) -> &[Area] {
        &self.unused
    }

    /// Begins these lists anew, and forgets areas without objects.
    pub(super) fn settle(&mut self) {
        self.made.clear();
        for area in self.unused.drain(..) {
            let Some(Used { pair, users: 0 }) = self.by_area.get(&area) else {
                continue;
            };
            self.by_pair.remove(pair);
            if let Some(tag) = pair.tag {
                self.by_tag.remove(tag, area);
            }
            if let Some(inner) = pair.inner {
                self.by_inner.remove(inner, area);
            }
            self.by_area.remove(&area);
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        assert_eq!(self.by_area.len(), self.by_pair.len());
        self.by_area.len()
    }
}
