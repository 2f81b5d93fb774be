//! Counterparts of Mirror's `SyncDictionaryTest` and `SyncDictionaryActionTest`. A name begins with that of
//! Mirror's test.

use syncvar::prelude::*;

use crate::collections::pair::Pair;

type Words = SyncDictionary<i32, String>;
type Change = DictionaryChange<i32, String>;

fn words() -> Words {
    let words = [(0, "Hello"), (1, "World"), (2, "!")];
    words.map(|(key, word)| (key, word.to_string())).into()
}

fn add(key: i32, value: &str) -> Change {
    let value = value.into();
    Change::Add { key, value }
}

fn set(key: i32, previous: &str, value: &str) -> Change {
    let (previous, value) = (previous.into(), value.into());
    Change::Set {
        key,
        previous,
        value,
    }
}

fn remove(key: i32, previous: &str) -> Change {
    let previous = previous.into();
    Change::Remove { key, previous }
}

#[test]
fn test_init_the_full_state_arrives() {
    Pair::each(words, |pair| {
        assert_eq!(pair.client, words());
        assert_eq!(pair.client[&2], "!");
    });
}

#[test]
fn curly_braces_constructor_a_dictionary_is_made_of_its_items() {
    let dictionary = words();
    assert_eq!(dictionary.len(), 3);
    assert_eq!(dictionary, words().into_iter().collect());
    assert!(!dictionary.is_dirty());
}

#[test]
fn dictionary_add_runs_the_hook_with_key_and_value() {
    Pair::each(words, |pair| {
        assert_eq!(pair.server.insert(4, "yay".into()), None);
        assert_eq!(pair.sync(), [add(4, "yay")]);
        assert_eq!(pair.client.get(&4).map(String::as_str), Some("yay"));
    });
}

#[test]
fn dictionary_clear_removes_all_pairs() {
    Pair::each(words, |pair| {
        pair.server.clear();
        let told = pair.sync();
        let [Change::Clear { previous }] = &told[..] else {
            panic!("{told:?}")
        };
        assert_eq!(previous.len(), 3);
        assert!(pair.client.is_empty());
        pair.server.clear();
        assert!(!pair.server.is_dirty(), "there is nothing to clear");
    });
}

#[test]
fn dictionary_set_runs_the_hook_with_both_values() {
    Pair::each(words, |pair| {
        assert_eq!(
            pair.server.insert(0, "yay".into()).as_deref(),
            Some("Hello")
        );
        assert_eq!(pair.sync(), [set(0, "Hello", "yay")]);
        assert_eq!(pair.client[&0], "yay");
    });
}

/// Mirror's indexer; here `entry` and `insert` do it.
#[test]
fn test_bare_set_a_new_key_is_added() {
    Pair::each(words, |pair| {
        pair.server.entry(4).or_default().push_str("yay");
        assert_eq!(pair.sync(), [add(4, "yay")]);
        assert_eq!(pair.client[&4], "yay");
    });
}

#[test]
fn test_bare_set_null_and_test_null_set_a_value_may_be_none() {
    let optional = || SyncDictionary::from([(0_i32, Some("Hello".to_string()))]);
    Pair::each(optional, |pair| {
        pair.server.insert(0, None);
        pair.server.insert(4, None);
        assert_eq!(pair.sync().len(), 2);
        assert_eq!((&pair.client[&0], &pair.client[&4]), (&None, &None));
        pair.server.insert(4, Some("yay".into()));
        pair.sync();
        assert_eq!(pair.client[&4].as_deref(), Some("yay"));
    });
}

/// Of a key that is set several times between two updates a client is told once.
#[test]
fn test_consecutive_set_several_sets_in_one_change() {
    Pair::each(words, |pair| {
        pair.server.insert(1, "yay".into());
        pair.server.insert(1, "world".into());
        assert_eq!(pair.sync(), [set(1, "World", "world")]);
        assert_eq!(pair.client[&1], "world");
    });
}

#[test]
fn dictionary_contains_checks_key_and_value() {
    Pair::each(words, |pair| {
        let contains = |key, word: &str| pair.client.get(&key).is_some_and(|here| here == word);
        assert!(contains(2, "!"));
        assert!(!contains(2, "Hello") && !contains(9, "!"));
        assert!(pair.client.contains_key(&1) && !pair.client.contains_key(&9));
    });
}

#[test]
fn dictionary_remove_runs_the_hook_with_the_old_value() {
    Pair::each(words, |pair| {
        assert_eq!(pair.server.remove(&1).as_deref(), Some("World"));
        assert_eq!(pair.sync(), [remove(1, "World")]);
        assert!(!pair.client.contains_key(&1));
        assert_eq!(pair.server.remove(&1), None);
        assert!(!pair.server.is_dirty(), "it is not there");
    });
}

#[test]
fn test_remove_pair_only_if_the_value_is_that_one() {
    Pair::each(words, |pair| {
        let pairs = [(0, "Hello"), (1, "Hello")];
        for (key, word) in pairs {
            pair.server
                .retain(|here, value| *here != key || value != word);
        }
        assert_eq!(pair.sync(), [remove(0, "Hello")]);
        assert_eq!((pair.client.len(), &*pair.client[&1]), (2, "World"));
    });
}

#[test]
fn test_mult_sync_two_rounds_of_changes() {
    Pair::each(words, |pair| {
        pair.server.insert(10, "1".into());
        assert_eq!(pair.sync(), [add(10, "1")]);
        pair.server.remove(&10);
        pair.server.insert(11, "2".into());
        let mut told = pair.sync();
        told.sort_by_key(|change| change.key().copied());
        assert_eq!(told, [remove(10, "1"), add(11, "2")]);
        assert_eq!(pair.client, pair.server);
    });
}

#[test]
fn count_test_a_replica_has_as_many() {
    Pair::each(words, |pair| {
        assert_eq!((pair.client.len(), pair.client.is_empty()), (3, false));
        assert_eq!(pair.client.keys().count(), pair.client.values().count());
    });
}

#[test]
fn copy_to_test_keys_and_values_are_collected_by_iterators() {
    Pair::each(words, |pair| {
        let mut items = Vec::from_iter(&pair.client);
        items.sort();
        let expected = ["Hello", "World", "!"];
        assert!(items.iter().map(|(_, word)| *word).eq(expected));
    });
}

#[test]
fn dictionary_change_sets_dirty_and_a_received_one_does_not() {
    Pair::each(words, |pair| {
        assert!(!pair.server.is_dirty());
        pair.server.insert(0, "yay".into());
        assert!(pair.server.is_dirty());
        pair.sync();
        assert!(!pair.server.is_dirty() && !pair.client.is_dirty());
        // Mirror records an equal value, and here it is no change.
        pair.server.insert(0, "yay".into());
        assert!(!pair.server.is_dirty());
    });
}

#[test]
fn dictionary_reset_clears_changes_and_items() {
    Pair::each(words, |pair| {
        pair.server.insert(4, "yay".into());
        assert_eq!(std::mem::take(&mut pair.server).len(), 4);
        assert!(pair.server.is_empty() && !pair.server.is_dirty());
        pair.server.insert(5, "new".into());
        pair.sync();
        assert_eq!(pair.client, Words::from([(5, "new".into())]));
        pair.server.insert(6, "6".into());
        assert_eq!(pair.sync(), [add(6, "6")]);
    });
}

/// Two collections on one object, one of which refers to other objects.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Team {
    #[sync_var(hook = on_member)]
    members: SyncDictionary<u32, NetId>,
    #[sync_var(hook = on_item)]
    items: SyncList<u32>,
    told: usize,
}

impl Team {
    fn on_member(&mut self, _: &DictionaryChange<u32, NetId>) {
        self.told += 1;
    }
    fn on_item(&mut self, _: &ListChange<u32>) {
        self.told += 1;
    }
}

/// Two teams that refer to each other, and a client that joins.
fn teams() -> (MemoryNetwork, [NetId; 2]) {
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Team>("team"));
    let ids = [Team::default(), Team::default()].map(|team| net.server.spawn(team));
    for (number, id) in ids.into_iter().enumerate() {
        let mut team = net.server.get_mut::<Team>(id).unwrap();
        team.members.insert(7, ids[1 - number]);
        team.items.extend([1, 2]);
    }
    net.connect();
    (net, ids)
}

/// A client is told of an object when its collections are there, all of them, and no hook has run.
#[test]
fn dictionary_hooks_are_deferred_until_all_spawns_are_read() {
    let (mut net, ids) = teams();
    let mut spawned = 0;
    while spawned < 2 {
        net.step();
        while let Some(event) = net.client_mut(0).poll_event() {
            if let ClientEvent::Spawned { object } = event {
                let team = net.client(0).get::<Team>(object).unwrap();
                assert_eq!((team.members.len(), team.items.len()), (1, 2));
                assert_eq!(team.told, 0);
                spawned += 1;
            }
        }
    }
    let mut team = net.server.get_mut::<Team>(ids[0]).unwrap();
    team.items.push(3);
    team.members.remove(&7);
    drop(team);
    net.settle();
    assert_eq!(net.client(0).get::<Team>(ids[0]).unwrap().told, 2);
}

#[test]
fn dictionary_hook_of_a_spawn_resolves_other_objects() {
    let (mut net, _) = teams();
    let mut spawned = 0;
    while spawned < 2 {
        net.step();
        while let Some(event) = net.client_mut(0).poll_event() {
            if let ClientEvent::Spawned { object } = event {
                let other = net.client(0).get::<Team>(object).unwrap().members[&7];
                let other = net.client(0).get::<Team>(other).expect("it is there too");
                assert_eq!(other.members[&7], object);
                spawned += 1;
            }
        }
    }
}
