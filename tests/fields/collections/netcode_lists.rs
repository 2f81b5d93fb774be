//! Counterparts of the tests of `NetworkList` and of collections in Netcode for GameObjects: CHECKLIST
//! T11 to T14, T32, T36 to T38, T46.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, Framing};

use crate::collections::pair::Pair;
use crate::collections::{Bag, world};

/// A world with three clients of both dialects, all of which see the object.
fn crowd(bag: Bag) -> (MemoryNetwork, NetId) {
    let (mut net, id) = world(Framing::Compact, bag);
    for dialect in [Framing::Unet, Framing::Compact] {
        let config = ClientConfig {
            framing: dialect,
            // The bytes of its packets are counted.
            ping_interval: Duration::ZERO,
            ..ClientConfig::default()
        };
        let prefabs = Prefabs::new().register::<Bag>("bag");
        net.connect_client(NetworkClient::with_config(prefabs, config));
    }
    net.settle();
    (net, id)
}

fn with_items(items: impl IntoIterator<Item = u32>) -> Bag {
    Bag {
        items: items.into_iter().collect(),
        ..Bag::default()
    }
}

fn edit(net: &mut MemoryNetwork, id: NetId, change: impl FnOnce(&mut Bag)) {
    change(&mut net.server.get_mut::<Bag>(id).expect("the bag"));
}

/// The items on a client, if it sees the object.
fn items(net: &MemoryNetwork, client: usize, id: NetId) -> Option<Vec<u32>> {
    let bag = net.client(client).get::<Bag>(id)?;
    Some(bag.items.to_vec())
}

fn assert_items(net: &MemoryNetwork, id: NetId, expected: &[u32]) {
    for client in 0..net.client_count() {
        assert_eq!(
            items(net, client, id).as_deref(),
            Some(expected),
            "{client}"
        );
    }
}

// checklist: T11
#[test]
fn network_list_add_clear_insert_contains_and_index_of() {
    let (mut net, id) = crowd(Bag::default());
    edit(&mut net, id, |bag| {
        bag.items.push(7);
        bag.items.push(8);
    });
    net.settle();
    assert_items(&net, id, &[7, 8]);
    edit(&mut net, id, |bag| bag.items.insert(1, 9));
    net.settle();
    assert_items(&net, id, &[7, 9, 8]);
    for replica in net.replicas::<Bag>(id).flatten() {
        assert!(replica.items.contains(&9) && !replica.items.contains(&1));
        let place = replica.items.iter().position(|item| *item == 8);
        assert_eq!(place, Some(2));
    }
    edit(&mut net, id, |bag| bag.items.clear());
    net.settle();
    assert_items(&net, id, &[]);
}

// checklist: T12
#[test]
fn when_list_contains_many_large_values_all_of_them_arrive() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Texts {
        #[sync_var]
        texts: SyncList<String>,
    }
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Texts>("texts"));
    let id = net.server.spawn(Texts::default());
    net.settle();
    let text = |number: usize| format!("{number:0128}");
    let mut texts = net.server.get_mut::<Texts>(id).unwrap();
    texts.texts.extend((0..20).map(text));
    drop(texts);
    net.settle();
    let late = net.connect();
    net.settle();
    for client in [0, late] {
        let client = net.client(client).get::<Texts>(id).unwrap();
        assert!(client.texts.iter().cloned().eq((0..20).map(text)));
    }
}

// checklist: T13
#[test]
fn list_hook_gets_the_new_and_the_previous_value() {
    let (mut net, id) = crowd(with_items([1]));
    edit(&mut net, id, |bag| *bag.items.get_mut(0).unwrap() = 2);
    net.settle();
    for replica in net.replicas::<Bag>(id).flatten() {
        let told = ["Set { index: 0, previous: 1, value: 2 } of [2]", "1 items"];
        assert_eq!(replica.told, told);
    }
}

/// The server knows what it takes out from what it is given back.
// checklist: T14
#[test]
fn network_list_remove_and_remove_at_both_sides_know() {
    let (mut net, id) = crowd(with_items([5, 6, 7]));
    edit(&mut net, id, |bag| {
        assert_eq!(bag.items.remove(1), 6);
        let place = bag.items.iter().position(|item| *item == 7).unwrap();
        assert_eq!(bag.items.remove(place), 7);
    });
    net.settle();
    assert_items(&net, id, &[5]);
    for replica in net.replicas::<Bag>(id).flatten() {
        let told = [
            "RemoveAt { index: 1, previous: 6 } of [5]",
            "RemoveAt { index: 1, previous: 7 } of [5]",
            "2 items",
        ];
        assert_eq!(replica.told, told);
    }
}

/// Add, remove, replace, a range, the whole and clear: what a client is told is what the server has
/// done since the last update.
// checklist: T32
#[test]
fn dictionary_reports_added_removed_and_changed_keys() {
    /// Something that a server does to a dictionary.
    type Step = &'static dyn Fn(&mut SyncDictionary<String, i32>);

    Pair::each(SyncDictionary::<String, i32>::new, |pair| {
        let steps: [Step; 6] = [
            &|map| map.extend([("a".into(), 1)]),
            &|map| map.extend((0..30).map(|number| (number.to_string(), number))),
            &|map| {
                map.remove("7");
                map.insert("a".into(), 2);
                map.insert("b".into(), 3);
            },
            &|map| map.for_each_mut(|_, value| *value += *value % 2),
            &|map| *map = [("z".to_string(), 26), ("a".into(), 2)].into(),
            &|map| map.clear(),
        ];
        for step in steps {
            let content = |map: &SyncDictionary<String, i32>| -> BTreeMap<_, _> {
                map.iter()
                    .map(|(key, value)| (key.clone(), *value))
                    .collect()
            };
            let before = content(&pair.client);
            step(&mut pair.server);
            syncvar::fields::FieldPlace::end_write(&mut pair.server);
            let mut told = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            for change in pair.sync::<DictionaryChange<String, i32>>() {
                match change {
                    DictionaryChange::Add { key, .. } => told.0.insert(key),
                    DictionaryChange::Remove { key, .. } => told.1.insert(key),
                    DictionaryChange::Set { key, .. } => told.2.insert(key),
                    DictionaryChange::Clear { previous } => {
                        told.1.extend(previous.into_iter().map(|(key, _)| key));
                        true
                    }
                };
            }
            assert_eq!(content(&pair.client), content(&pair.server));
            assert_eq!(told, deltas(&before, &content(&pair.server)));
        }
    });

    /// What was added, taken out and changed, as sets.
    fn deltas(
        before: &BTreeMap<String, i32>,
        after: &BTreeMap<String, i32>,
    ) -> (BTreeSet<String>, BTreeSet<String>, BTreeSet<String>) {
        let added = after.keys().filter(|key| !before.contains_key(*key));
        let removed = before.keys().filter(|key| !after.contains_key(*key));
        let changed = after
            .iter()
            .filter(|(key, value)| before.get(*key).is_some_and(|before| before != *value));
        (
            added.cloned().collect(),
            removed.cloned().collect(),
            changed.map(|(key, _)| key.clone()).collect(),
        )
    }
}

// checklist: T32
#[test]
fn nested_collections_travel_element_by_element() {
    Pair::each(SyncList::<Vec<i32>>::new, |pair| {
        pair.server.extend([vec![1, 2], vec![], vec![3]]);
        assert_eq!(pair.sync::<ListChange<Vec<i32>>>().len(), 3);
        pair.server.get_mut(2).unwrap().push(4);
        let told = [ListChange::Set {
            index: 2,
            previous: vec![3],
            value: vec![3, 4],
        }];
        assert_eq!(pair.sync(), told);
        pair.server.splice(0..2, [vec![9]]);
        pair.sync();
        assert_eq!(pair.client, [vec![9], vec![3, 4]]);
    });
    Pair::each(SyncDictionary::<u32, Vec<(String, i32)>>::new, |pair| {
        pair.server.insert(1, vec![("a".into(), 1)]);
        pair.sync();
        pair.server.get_mut(&1).unwrap().push(("b".into(), 2));
        pair.server.entry(2).or_default().push(("c".into(), 3));
        assert_eq!(pair.sync().len(), 2);
        assert_eq!(pair.client, pair.server);
        assert_eq!(pair.client[&1].len(), 2);
    });
    Pair::each(SyncHashSet::<Vec<u8>>::new, |pair| {
        pair.server.extend([vec![1], vec![2, 3]]);
        pair.sync();
        pair.server.remove(&vec![1]);
        assert_eq!(pair.sync(), [SetChange::Remove { value: vec![1] }]);
        assert_eq!(pair.client, pair.server);
    });
}

/// And Mirror's `ClientServer_ActionsRespectAOI` of lists, dictionaries and sets, on a pure client.
// checklist: T36
#[test]
fn client_receives_a_hidden_list_once_shown() {
    let (mut net, id) = crowd(with_items([1]));
    let hidden = net.connection(1);
    net.server.hide(id, hidden).unwrap();
    net.settle();
    let received = net.client(1).stats().received.bytes;
    for number in 2..5 {
        edit(&mut net, id, |bag| {
            bag.items.push(number);
            bag.ammo.insert(number.to_string(), 1);
            bag.tags.insert(number.to_string());
            bag.scores.insert(7);
        });
        net.settle();
    }
    assert_eq!(
        net.client(1).stats().received.bytes,
        received,
        "not one byte"
    );
    assert_eq!(items(&net, 1, id), None);
    assert_eq!(items(&net, 0, id), Some(vec![1, 2, 3, 4]));
    assert!(!net.client(0).get::<Bag>(id).unwrap().told.is_empty());

    net.server.show(id, hidden).unwrap();
    net.settle();
    assert_items(&net, id, &[1, 2, 3, 4]);
    let bag = net.client(1).get::<Bag>(id).unwrap();
    assert!(bag.told.is_empty(), "the full state is no change");
    edit(&mut net, id, |bag| bag.items.push(5));
    net.settle();
    assert_items(&net, id, &[1, 2, 3, 4, 5]);
    assert_eq!(net.client(1).get::<Bag>(id).unwrap().told.len(), 2);

    net.server.hide(id, hidden).unwrap();
    edit(&mut net, id, |bag| bag.items.push(6));
    net.server.despawn(id).unwrap();
    net.settle();
    assert!((0..3).all(|client| items(&net, client, id).is_none()));
}

/// On the server whoever changes an element is given what was there before.
// checklist: T37
#[test]
fn list_changed_test_the_server_has_the_right_previous_value() {
    let (mut net, id) = crowd(with_items([10]));
    edit(&mut net, id, |bag| {
        assert_eq!(bag.items.replace(0, 11), Some(10));
        assert_eq!(bag.items.replace(0, 12), Some(11));
        assert_eq!(bag.items.replace(0, 12), None, "the same");
    });
    net.settle();
    assert_items(&net, id, &[12]);
    let told = &net.client(0).get::<Bag>(id).unwrap().told;
    assert_eq!(told[0], "Set { index: 0, previous: 10, value: 12 } of [12]");
}

/// The server appends at every moment that there is between two updates; every client is told of each
/// number once, in order, whether it was there or joined meanwhile.
// checklist: T38
#[test]
fn owner_change_neither_repeats_nor_skips_list_updates() {
    let (mut net, id) = crowd(Bag::default());
    let mut number = 0;
    for update in 0..30 {
        for _ in 0..3 {
            edit(&mut net, id, |bag| bag.items.push(number));
            number += 1;
        }
        if update % 7 == 0 {
            net.connect();
            edit(&mut net, id, |bag| bag.items.push(number));
            number += 1;
        }
        net.step();
        while let Some(event) = net.server.poll_event() {
            if matches!(event, ServerEvent::Ready { .. }) {
                edit(&mut net, id, |bag| bag.items.push(number));
                number += 1;
            }
        }
    }
    net.settle();
    let expected: Vec<_> = (0..number).collect();
    assert_items(&net, id, &expected);
    for (client, replica) in net.replicas::<Bag>(id).flatten().enumerate() {
        let added = replica.told.iter().filter_map(|told| {
            let (_, value) = told.strip_prefix("Add { index: ")?.split_once("value: ")?;
            value.split_once(' ')?.0.parse::<u32>().ok()
        });
        let added: Vec<_> = added.collect();
        let from_the_start = client < 3;
        assert_eq!(added.len() == expected.len(), from_the_start, "{client}");
        assert!(!added.is_empty() && expected.ends_with(&added), "{added:?}");
    }
}

// checklist: T46
#[test]
fn network_show_hide_around_list_modify_hide_modify_show() {
    let (mut net, id) = crowd(with_items([1]));
    let connection = net.connection(1);
    net.server.hide(id, connection).unwrap();
    net.settle();
    edit(&mut net, id, |bag| bag.items.push(2));
    net.settle();
    net.server.show(id, connection).unwrap();
    net.settle();
    assert_items(&net, id, &[1, 2]);
}

// checklist: T46
#[test]
fn network_show_hide_around_list_modify_hide_show_modify() {
    for updates in [0, 1] {
        let (mut net, id) = crowd(with_items([1]));
        let connection = net.connection(1);
        let between = |net: &mut MemoryNetwork| (0..updates).for_each(|_| net.step());
        net.server.hide(id, connection).unwrap();
        between(&mut net);
        net.server.show(id, connection).unwrap();
        between(&mut net);
        edit(&mut net, id, |bag| bag.items.push(2));
        net.settle();
        assert_items(&net, id, &[1, 2]);
    }
}

// checklist: T46
#[test]
fn network_show_hide_around_list_modify_in_one_update() {
    let (mut net, id) = crowd(with_items([1]));
    let connection = net.connection(1);
    let (shown, hidden) = (NetworkServer::show, NetworkServer::hide);
    // Every order of the three, and the last two with a change between them.
    for round in 0..2 {
        hidden(&mut net.server, id, connection).unwrap();
        edit(&mut net, id, |bag| bag.items.push(10 + round));
        shown(&mut net.server, id, connection).unwrap();
        net.settle();
        hidden(&mut net.server, id, connection).unwrap();
        net.settle();
        shown(&mut net.server, id, connection).unwrap();
        edit(&mut net, id, |bag| bag.items.push(20 + round));
        net.settle();
        hidden(&mut net.server, id, connection).unwrap();
        net.settle();
        edit(&mut net, id, |bag| bag.items.push(30 + round));
        shown(&mut net.server, id, connection).unwrap();
        net.settle();
        // Shown, hidden with a change, and shown after another one.
        hidden(&mut net.server, id, connection).unwrap();
        shown(&mut net.server, id, connection).unwrap();
        net.step();
        hidden(&mut net.server, id, connection).unwrap();
        edit(&mut net, id, |bag| bag.items.truncate(1));
        net.step();
        shown(&mut net.server, id, connection).unwrap();
        edit(&mut net, id, |bag| bag.items.push(40 + round));
        net.settle();
        let server = net.server.get::<Bag>(id).unwrap().items.to_vec();
        assert_eq!(server, [1, 40 + round]);
        assert_items(&net, id, &server);
    }
    // Those who saw it all the time were not given it whole again.
    let mut spawned = |client| {
        let client = net.client_mut(client);
        let events = syncvar_testing::events(client);
        let spawned = events.filter(|event| matches!(event, ClientEvent::Spawned { .. }));
        spawned.count()
    };
    assert_eq!(spawned(0), 1);
    assert_eq!(spawned(1), 1 + 2 * 3);
}
