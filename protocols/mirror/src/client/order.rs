//! The order in which objects go when a connection ends.

use std::collections::HashMap;

use syncvar_runtime::NetId;

/// Objects in the order of a .NET `Dictionary`: as they came, but one that comes after another has gone takes
/// the place of the one that went last. Mirror goes through its objects in this order.
#[derive(Debug, Default)]
pub(super) struct SpawnOrder {
    places: Vec<Option<NetId>>,
    free: Vec<usize>,
    at: HashMap<NetId, usize, rustc_hash::FxBuildHasher>,
}

impl SpawnOrder {
    pub(super) fn insert(&mut self, id: NetId) {
        if self.at.contains_key(&id) {
            return;
        }
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.places.push(None);
                self.places.len().saturating_sub(1)
            }
        };
        if let Some(slot) = self.places.get_mut(place) {
            *slot = Some(id);
            self.at.insert(id, place);
        }
    }

    pub(super) fn remove(&mut self, id: NetId) {
        let Some(place) = self.at.remove(&id) else {
            return;
        };
        if let Some(slot) = self.places.get_mut(place) {
            *slot = None;
        }
        self.free.push(place);
        if self.at.is_empty() {
            // .NET keeps the free places; nothing is left to be put in order.
            self.places.clear();
            self.free.clear();
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = NetId> {
        self.places.iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_takes_the_place_of_what_went_last() {
        let mut order = SpawnOrder::default();
        for id in 1..=4 {
            order.insert(NetId(id));
        }
        order.remove(NetId(2));
        order.remove(NetId(3));
        for id in [5, 6, 7] {
            order.insert(NetId(id));
        }
        let ids: Vec<_> = order.iter().map(|id| id.0).collect();
        assert_eq!(ids, [1, 6, 5, 4, 7]);
    }
}
