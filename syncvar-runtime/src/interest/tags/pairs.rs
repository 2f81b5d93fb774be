//! Areas of objects with the same tag and inner area.

use rustc_hash::FxHashMap;

use super::super::Area;
use super::Tag;
use crate::ordered::Sets;

/// Tag and inner area of an area's objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct TagPair {
    pub(super) tag: Option<Tag>,
    pub(super) inner: Option<Area>,
}

/// All areas with objects. Equal pairs share one area.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    by_area: FxHashMap<Area, Used>,
    by_pair: FxHashMap<TagPair, Area>,
    by_tag: Sets<Tag, Area>,
    by_inner: Sets<Area, Area>,
    /// Areas created since the last update.
    made: Vec<Area>,
    /// Areas that lost their last object since the last update.
    unused: Vec<Area>,
    /// Number of areas ever created. Numbers are not reused.
    count: u64,
}

#[derive(Debug)]
struct Used {
    pair: TagPair,
    /// Number of objects in the area.
    users: usize,
}

impl Pairs {
    /// Returns the pair of an area with objects.
    pub(super) fn get(&self, area: Area) -> Option<TagPair> {
        let used = self.by_area.get(&area)?;
        (used.users > 0).then_some(used.pair)
    }

    /// Returns the areas with a tag.
    pub(super) fn with_tag(&self, tag: Tag) -> impl Iterator<Item = Area> {
        self.by_tag.of(tag)
    }

    /// Returns the areas in an inner area.
    pub(super) fn with_inner(&self, inner: Area) -> impl Iterator<Item = Area> {
        self.by_inner.of(inner)
    }

    /// Adds an object to the area of a pair. Without tag and inner area it needs none: all
    /// connections observe it.
    pub(super) fn acquire(&mut self, pair: TagPair) -> Option<Area> {
        if pair == TagPair::default() {
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

    /// Removes an object from an area.
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

    /// Returns the areas created since the last update.
    pub(super) fn made(&self) -> &[Area] {
        &self.made
    }

    /// Returns the areas that lost their last object since the last update. Some may have objects
    /// again.
    pub(super) fn unused(&self) -> &[Area] {
        &self.unused
    }

    /// Clears these lists, and removes areas without objects.
    pub(super) fn clear_changes(&mut self) {
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
