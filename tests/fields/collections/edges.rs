//! What is easily forgotten: members that do not travel, panics half-way, nobody who looks, values
//! without a form on the wire.

use std::panic::{AssertUnwindSafe, catch_unwind};

use syncvar::prelude::*;
use syncvar::{Framing, stats::MessageType, wire::Encoding};

use crate::collections::model::full;
use crate::collections::pair::Pair;
use crate::collections::{Bag, apply, delta, read, world};

/// Something with a member that does not travel.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
struct Lamp {
    lit: bool,
    #[sync_value(skip)]
    dusty: bool,
}

const DUSTY: Lamp = Lamp {
    lit: false,
    dusty: true,
};

/// CHECKLIST T22: with a hook as without, elements that stay in their place keep what does not travel.
#[test]
fn members_that_do_not_travel_survive_a_change_and_the_whole() {
    for dialect in [Encoding::Unet, Encoding::Compact] {
        let mut server = SyncList::from([Lamp::default(), Lamp::default()]);
        server.set_dirty();
        let whole = delta(&server, dialect);
        server.clear_dirty();
        server.get_mut(0).unwrap().lit = true;
        let change = delta(&server, dialect);
        for bytes in [&whole, &change] {
            let mut plain = SyncList::from([DUSTY, DUSTY]);
            apply(&mut plain, bytes, dialect);
            let mut hooked = SyncList::from([DUSTY, DUSTY]);
            read(bytes, dialect, |reader| {
                hooked.read_delta_with_previous(reader)
            })
            .unwrap();
            for list in [plain, hooked] {
                let dusty: Vec<_> = list.iter().map(|lamp| lamp.dusty).collect();
                assert_eq!(dusty, [true, true]);
            }
        }

        let mut server = SyncDictionary::from([(1_u32, Lamp::default())]);
        server.set_dirty();
        let whole = delta(&server, dialect);
        let mut hooked = SyncDictionary::from([(1_u32, DUSTY)]);
        read(&whole, dialect, |reader| {
            hooked.read_delta_with_previous(reader)
        })
        .unwrap();
        assert!(hooked[&1].dusty);
    }
}

#[test]
fn elements_differing_in_skipped_members_are_no_change() {
    let mut list = SyncList::from([Lamp::default(), DUSTY]);
    list.clear_dirty();
    list.swap(0, 1);
    assert_eq!(list, [DUSTY, Lamp::default()]);
    assert!(!list.is_dirty());
}

/// Whatever a function of the game leaves half done, clients get it as it is.
#[test]
fn panic_during_a_write_leaves_a_consistent_collection() {
    for dialect in [Encoding::Unet, Encoding::Compact] {
        let numbers = || 0..20_u32;
        let is_odd = |number: u32| {
            assert!(number != 13, "half-way");
            number % 2 == 1
        };

        let mut list: SyncList<_> = numbers().collect();
        let mut map: SyncDictionary<_, _> = numbers().map(|number| (number, number)).collect();
        let mut hash: SyncHashSet<_> = numbers().collect();
        let mut sorted: SyncSortedSet<_> = numbers().collect();
        let (mut list_before, mut map_before) = (list.clone(), map.clone());
        let (mut hash_before, mut sorted_before) = (hash.clone(), sorted.clone());
        list.clear_dirty();
        map.clear_dirty();
        hash.clear_dirty();
        sorted.clear_dirty();

        let half = |action: &mut dyn FnMut()| {
            catch_unwind(AssertUnwindSafe(action)).expect_err("it panics");
        };
        half(&mut || list.retain(|number| is_odd(*number)));
        half(&mut || list.for_each_mut(|number| *number += u32::from(is_odd(*number))));
        half(&mut || {
            list.update(|items| {
                items.push(77);
                is_odd(13)
            });
        });
        half(&mut || map.retain(|number, _| is_odd(*number)));
        half(&mut || map.for_each_mut(|number, value| *value += u32::from(is_odd(*number))));
        half(&mut || hash.retain(|number| is_odd(*number)));
        half(&mut || sorted.retain(|number| is_odd(*number)));

        for number in numbers() {
            assert_eq!(
                map.contains_key(&number),
                map.keys().any(|key| *key == number)
            );
            assert_eq!(map.get(&number).is_some(), map.contains_key(&number));
            assert_eq!(
                hash.contains(&number),
                hash.iter().any(|one| *one == number)
            );
        }
        map.insert(50, 1);
        hash.insert(50);
        sorted.insert(50);

        apply(&mut list_before, &delta(&list, dialect), dialect);
        apply(&mut map_before, &delta(&map, dialect), dialect);
        apply(&mut hash_before, &delta(&hash, dialect), dialect);
        apply(&mut sorted_before, &delta(&sorted, dialect), dialect);
        assert_eq!(list_before, list);
        assert_eq!(map_before, map);
        assert_eq!(hash_before, hash);
        assert_eq!(sorted_before, sorted);
    }
}

/// LESSONS 13: what nobody looks at keeps no log; it is sent whole if somebody does in the same moment.
#[test]
fn unobserved_changes_leave_no_state() {
    let long = || Bag {
        items: (0..100).collect(),
        ..Bag::default()
    };
    let (mut net, seen) = world(Framing::Compact, long());
    let hidden = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    let unseen = net.server.try_spawn(long(), hidden).unwrap();
    net.settle();
    for round in 0..3 {
        for id in [seen, unseen] {
            net.server.get_mut::<Bag>(id).unwrap().items.push(1);
        }
        let length = |id| delta(&net.server.get::<Bag>(id).unwrap().items, Encoding::Compact).len();
        assert_eq!(length(seen), 3, "one operation");
        // The first change after the last observer has left may still be noted.
        let whole = full(
            &net.server.get::<Bag>(unseen).unwrap().items,
            Encoding::Compact,
        )
        .len()
            + 1;
        assert!(round == 0 || length(unseen) == whole);
        net.settle();
        assert!(!net.server.get::<Bag>(unseen).unwrap().items.is_dirty());
    }
    // Seen, and a change after that: one operation again.
    net.server.show_to_all(unseen).unwrap();
    net.settle();
    net.server.get_mut::<Bag>(unseen).unwrap().items.push(5);
    let bag = net.server.get::<Bag>(unseen).unwrap();
    assert_eq!(delta(&bag.items, Encoding::Compact).len(), 3);
    net.settle();
    let bag = net.client(0).get::<Bag>(unseen).unwrap();
    assert_eq!(bag.items.len(), 104);
    assert_eq!(
        bag.told.len(),
        2,
        "one change, and one batch: {:?}",
        bag.told
    );
}

/// An object that was there before any client, and is looked at through a guard, has no news.
#[test]
fn reading_a_new_object_through_a_guard_sends_no_change() {
    let bag = Bag {
        items: [1].into(),
        ammo: [("bow".to_string(), 1)].into(),
        ..Bag::default()
    };
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Bag>("bag"));
    let id = net.server.spawn(bag);
    net.step();
    net.connect();
    net.settle();
    let mut bag = net.server.get_mut::<Bag>(id).unwrap();
    assert!(!bag.items.set(0, 1));
    drop(bag);
    net.settle();
    let updates = net.server.stats().encoded(MessageType::UpdateBatch);
    assert_eq!(updates.messages, 0);
}

/// LESSONS 24: an element that has no form on the wire is an error on the server; what has happened
/// before and after it is not lost.
#[test]
fn unwritable_element_blocks_its_object_without_loss() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Shelf {
        #[sync_var]
        texts: SyncList<String>,
        #[sync_var]
        by_name: SyncDictionary<String, String>,
        #[sync_var]
        names: SyncHashSet<String>,
    }
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Shelf>("shelf"));
    let id = net.server.spawn(Shelf {
        texts: ["a".to_string(), "b".into()].into(),
        ..Shelf::default()
    });
    net.settle();
    let long = || "x".repeat(40_000);
    let mut failures = 0;
    for way in 0..4 {
        let mut shelf = net.server.get_mut::<Shelf>(id).unwrap();
        shelf.texts.push("before".into());
        shelf.texts.insert(0, long());
        shelf.by_name.insert("long".into(), long());
        shelf.names.insert(long());
        drop(shelf);
        net.settle();
        while let Some(event) = net.server.poll_event() {
            failures += usize::from(matches!(event, ServerEvent::SerializeFailed { .. }));
        }
        let mut shelf = net.server.get_mut::<Shelf>(id).unwrap();
        shelf.texts.push("after".into());
        match way {
            0 => drop(shelf.texts.remove(0)),
            1 => drop(shelf.texts.set(0, "short".into())),
            2 => shelf.texts.retain(|text| text.len() < 100),
            _ => shelf.texts.clear(),
        }
        shelf.by_name.retain(|_, text| text.len() < 100);
        shelf.names.clear();
        shelf.names.insert("new".into());
        drop(shelf);
        net.settle();
        let server = net.server.get::<Shelf>(id).unwrap();
        let client = net.client(0).get::<Shelf>(id).unwrap();
        assert_eq!(client.texts, server.texts);
        assert_eq!(client.by_name, server.by_name);
        assert_eq!(client.names, server.names);
    }
    assert!(failures >= 4, "{failures}");
}

/// Taken out, and another one that counts as equal put in.
#[test]
fn an_element_that_is_equal_and_yet_another_one_reaches_clients() {
    /// An element that counts as equal by a part of it.
    #[derive(SyncValue, Clone, Debug, Default)]
    struct Card {
        id: u32,
        label: String,
    }

    impl PartialEq for Card {
        fn eq(&self, other: &Self) -> bool {
            self.id == other.id
        }
    }

    impl Eq for Card {}

    impl std::hash::Hash for Card {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            self.id.hash(state);
        }
    }

    impl PartialOrd for Card {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for Card {
        fn cmp(&self, other: &Self) -> std::cmp::Ordering {
            self.id.cmp(&other.id)
        }
    }

    let card = |label: &str| Card {
        id: 1,
        label: label.into(),
    };
    let label = |card: Option<&Card>| card.map(|card| card.label.clone());
    Pair::each(
        || SyncHashSet::from([card("old")]),
        |pair| {
            pair.server.remove(&card(""));
            pair.server.insert(card("new"));
            pair.sync::<SetChange<Card>>();
            assert_eq!(label(pair.client.iter().next()).unwrap(), "new");
        },
    );
    Pair::each(
        || SyncSortedSet::from([card("old")]),
        |pair| {
            pair.server.take(&card(""));
            pair.server.insert(card("new"));
            pair.sync::<SetChange<Card>>();
            assert_eq!(label(pair.client.first()).unwrap(), "new");
        },
    );
    Pair::each(
        || SyncDictionary::from([(card("old"), 1)]),
        |pair| {
            pair.server.remove(&card(""));
            pair.server.insert(card("new"), 2);
            pair.sync::<DictionaryChange<Card, i32>>();
            assert_eq!(label(pair.client.keys().next()).unwrap(), "new");
        },
    );
}
