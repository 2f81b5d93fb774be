//! `EntityPages`: entities by the ids of their objects.

use bevy_ecs::entity::Entity;
use bevy_platform::collections::HashMap;
use syncvar::NetId;

/// Ids of a page.
const PAGE: u32 = 64;

/// Entities by the ids of their objects, in pages: the ids of a server ascend, so a page costs less memory than its entries in
/// a hash table, and look-ups of neighbours meet in the cache. An empty page is freed.
#[derive(Debug, Default)]
pub(super) struct EntityPages(HashMap<u32, Box<EntityPage>>);

#[derive(Debug)]
struct EntityPage {
    entities: [Option<Entity>; PAGE as usize],
    used: usize,
}

/// Returns the page of an id, and its place there.
fn position(id: NetId) -> (u32, usize) {
    (id.0 / PAGE, (id.0 % PAGE) as usize)
}

impl EntityPages {
    #[inline]
    pub(super) fn get(&self, id: NetId) -> Option<Entity> {
        let (page, place) = position(id);
        self.0.get(&page)?.entities[place]
    }

    pub(super) fn insert(&mut self, id: NetId, entity: Entity) {
        let (page, place) = position(id);
        let page = self.0.entry(page).or_insert_with(|| {
            Box::new(EntityPage {
                entities: [None; PAGE as usize],
                used: 0,
            })
        });
        page.used += usize::from(page.entities[place].replace(entity).is_none());
    }

    pub(super) fn remove(&mut self, id: NetId) -> Option<Entity> {
        let (number, place) = position(id);
        let page = self.0.get_mut(&number)?;
        let entity = page.entities[place].take()?;
        page.used -= 1;
        if page.used == 0 {
            self.0.remove(&number);
        }
        Some(entity)
    }

    /// Returns all ids with their entities, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (NetId, Entity)> {
        self.0.iter().flat_map(|(number, page)| {
            let first = number * PAGE;
            let entries = (0..PAGE).zip(&page.entities);
            entries.filter_map(move |(place, entity)| Some((NetId(first + place), (*entity)?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_what_is_inserted_and_are_freed() {
        let mut pages = EntityPages::default();
        let ids = [1, 63, 64, u32::MAX].map(NetId);
        let entities: Vec<Entity> = (7..11).filter_map(Entity::from_raw_u32).collect();
        for (id, entity) in ids.into_iter().zip(&entities) {
            pages.insert(id, *entity);
        }
        pages.insert(ids[0], entities[3]);
        assert_eq!(pages.get(ids[0]), Some(entities[3]));
        assert_eq!(pages.get(NetId(2)), None);
        assert_eq!(pages.iter().count(), 4);
        assert_eq!(pages.remove(ids[3]), Some(entities[3]));
        assert_eq!(pages.remove(ids[3]), None);
        for id in &ids[..3] {
            pages.remove(*id);
        }
        assert!(pages.0.is_empty());
    }
}
