//! Order of despawns at the end of a connection.

use std::collections::HashMap;

use syncvar_runtime::NetId;

/// Objects in the order of a .NET `Dictionary`: insertion order, but an insertion first fills the
/// slot of the last removal. Mirror iterates its objects in this order.
#[derive(Debug, Default)]
pub(crate) struct SpawnOrder {
    places: Vec<Option<NetId>>,
    free: Vec<usize>,
    /// The server chooses the ids, so the table has a random key.
    at: HashMap<NetId, usize>,
    /// Number of insertions so far.
    inserted: u64,
}

impl SpawnOrder {
    /// Inserts an object. Returns its serial number, which is never reused.
    pub(crate) fn insert(&mut self, id: NetId) -> u64 {
        self.inserted = self.inserted.wrapping_add(1);
        if self.at.contains_key(&id) {
            return self.inserted;
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
        self.inserted
    }

    pub(crate) fn remove(&mut self, id: NetId) {
        let Some(place) = self.at.remove(&id) else {
            return;
        };
        if let Some(slot) = self.places.get_mut(place) {
            *slot = None;
        }
        self.free.push(place);
        if self.at.is_empty() {
            // .NET keeps the free slots; without objects they do not affect the order.
            self.places.clear();
            self.free.clear();
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = NetId> {
        self.places.iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertion_fills_the_slot_of_the_last_removal() {
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
