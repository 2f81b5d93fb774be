//! Counterparts of Mirror's tests of `SyncList`: `SyncListTest`, `SyncListClassTest`,
//! `SyncListStructTest`.
//! A name begins with that of Mirror's test.

use syncvar::prelude::*;

use crate::collections::pair::Pair;

fn words() -> SyncList<String> {
    ["Hello", "World", "!"].map(String::from).into()
}

fn add(index: usize, value: &str) -> ListChange<String> {
    let value = value.into();
    ListChange::Add { index, value }
}

fn remove(index: usize, previous: &str) -> ListChange<String> {
    let previous = previous.into();
    ListChange::RemoveAt { index, previous }
}

#[test]
fn test_init_the_full_state_arrives() {
    Pair::each(words, |pair| {
        assert_eq!(pair.client, ["Hello", "World", "!"]);
    });
}

#[test]
fn curly_braces_constructor_a_list_is_made_of_its_elements() {
    let list = SyncList::from([1, 2, 3]);
    assert_eq!(list, [1, 2, 3]);
    assert_eq!(list, (1..=3).collect::<SyncList<_>>());
    assert!(!list.is_dirty(), "its first elements travel with the spawn");
}

#[test]
fn list_add_runs_the_hook_with_item_and_index() {
    Pair::each(words, |pair| {
        pair.server.push("yay".into());
        assert_eq!(pair.sync(), [add(3, "yay")]);
        assert_eq!(pair.client, ["Hello", "World", "!", "yay"]);
    });
}

#[test]
fn test_add_range_each_element_is_added() {
    Pair::each(words, |pair| {
        pair.server
            .extend(["One", "Two", "Three"].map(String::from));
        let told = pair.sync();
        assert_eq!(told, [add(3, "One"), add(4, "Two"), add(5, "Three")]);
        assert_eq!(pair.client.len(), 6);
        assert_eq!(pair.client, pair.server);
    });
}

#[test]
fn list_clear_removes_all_items() {
    Pair::each(words, |pair| {
        let previous = pair.server.to_vec();
        pair.server.clear();
        assert_eq!(pair.sync(), [ListChange::Clear { previous }]);
        assert_eq!(pair.client, [""; 0]);
        pair.server.clear();
        assert!(!pair.server.is_dirty(), "there is nothing to clear");
    });
}

#[test]
fn test_insert_an_element_comes_before_others() {
    Pair::each(words, |pair| {
        pair.server.insert(0, "yay".into());
        let (index, value) = (0, "yay".to_string());
        assert_eq!(pair.sync(), [ListChange::Insert { index, value }]);
        assert_eq!(pair.client, ["yay", "Hello", "World", "!"]);
    });
}

#[test]
fn test_insert_range_several_elements_come_before_others() {
    Pair::each(words, |pair| {
        let range = ["One", "Two", "Three"].map(String::from);
        assert_eq!(pair.server.splice(1..1, range).next(), None);
        let told = pair.sync();
        let places = told.iter().map(ListChange::index);
        assert!(places.eq([Some(1), Some(2), Some(3)]), "{told:?}");
        assert_eq!(pair.client, ["Hello", "One", "Two", "Three", "World", "!"]);
    });
}

#[test]
fn test_set_another_element_takes_the_place() {
    Pair::each(words, |pair| {
        assert!(pair.server.set(1, "yay".into()));
        let told = [ListChange::Set {
            index: 1,
            previous: "World".to_string(),
            value: "yay".into(),
        }];
        assert_eq!(pair.sync(), told);
        assert_eq!(pair.client[1], "yay");
        // Mirror's setter does not send an equal value, and neither does this one.
        assert!(!pair.server.set(1, "yay".into()));
        assert!(!pair.server.is_dirty());
    });
}

#[test]
fn test_set_null_an_element_may_be_none() {
    let list = || SyncList::from(["Hello", "World"].map(|word| Some(word.to_string())));
    Pair::each(list, |pair| {
        pair.server.set(1, None);
        assert_eq!(pair.sync().len(), 1);
        assert_eq!(pair.client, [Some("Hello".to_string()), None]);
        pair.server.set(1, Some("yay".into()));
        assert_eq!(pair.sync().len(), 1);
        assert_eq!(pair.client[1].as_deref(), Some("yay"));
    });
}

#[test]
fn list_remove_runs_the_hook_with_the_item() {
    Pair::each(words, |pair| {
        pair.server.retain(|word| word != "World");
        assert_eq!(pair.sync(), [remove(1, "World")]);
        assert_eq!(pair.client, ["Hello", "!"]);
    });
}

#[test]
fn list_remove_at_runs_the_hook_with_index_and_item() {
    Pair::each(words, |pair| {
        assert_eq!(pair.server.remove(1), "World");
        assert_eq!(pair.sync(), [remove(1, "World")]);
        assert_eq!(pair.client, ["Hello", "!"]);
    });
}

#[test]
fn test_remove_all_those_that_match_go() {
    Pair::each(words, |pair| {
        pair.server.retain(|word| !word.contains('l'));
        assert_eq!(pair.sync(), [remove(0, "Hello"), remove(0, "World")]);
        assert_eq!(pair.client, ["!"]);
    });
}

#[test]
fn list_remove_all_without_a_match_sends_no_change() {
    Pair::each(words, |pair| {
        pair.server.retain(|word| word != "yay");
        assert!(!pair.server.is_dirty());
        assert_eq!(pair.server.len(), 3);
    });
}

#[test]
fn test_find_and_test_no_find_a_replica_is_searched_as_a_slice() {
    Pair::each(words, |pair| {
        let find = |word: &str| pair.client.iter().find(|item| *item == word);
        assert_eq!(find("World").map(String::as_str), Some("World"));
        assert_eq!(find("yay"), None);
        assert!(pair.client.contains(&"!".to_string()));
    });
}

#[test]
fn test_find_all_and_test_find_all_non_existent() {
    Pair::each(words, |pair| {
        let all = |letter| pair.client.iter().filter(move |word| word.contains(letter));
        assert_eq!(all('l').collect::<Vec<_>>(), ["Hello", "World"]);
        assert_eq!(all('z').count(), 0);
    });
}

#[test]
fn test_find_index_gives_a_position() {
    Pair::each(words, |pair| {
        let place = |word| pair.client.iter().position(|item| item == word);
        assert_eq!((place("World"), place("yay")), (Some(1), None));
    });
}

#[test]
fn test_mult_sync_two_rounds_of_changes() {
    Pair::each(words, |pair| {
        pair.server.push("1".into());
        assert_eq!(pair.sync(), [add(3, "1")]);
        // And another one: nothing of the first comes again.
        pair.server.push("2".into());
        assert_eq!(pair.sync(), [add(4, "2")]);
        assert_eq!(pair.client, ["Hello", "World", "!", "1", "2"]);
    });
}

#[test]
fn count_test_a_replica_has_as_many() {
    Pair::each(words, |pair| {
        assert_eq!(pair.client.len(), 3);
        pair.server.remove(0);
        pair.sync();
        assert_eq!((pair.client.len(), pair.server.len()), (2, 2));
    });
}

#[test]
fn sync_list_int_test_elements_of_several_types() {
    Pair::each(SyncList::new, |pair| {
        pair.server.extend([1_i32, -2, 3]);
        assert_eq!(pair.sync().len(), 3);
        assert_eq!(pair.client, [1, -2, 3]);
    });
}

#[test]
fn sync_list_uint_test() {
    Pair::each(SyncList::new, |pair| {
        pair.server.extend([1_u32, u32::MAX]);
        assert_eq!(pair.sync().len(), 2);
        assert_eq!(pair.client, [1, u32::MAX]);
    });
}

#[test]
fn sync_list_bool_test() {
    Pair::each(SyncList::new, |pair| {
        pair.server.extend([true, false]);
        assert_eq!(pair.sync().len(), 2);
        assert_eq!(pair.client, [true, false]);
    });
}

/// Elements are compared by their bits: setting NaN where NaN is, is no change.
#[test]
fn sync_list_float_test() {
    Pair::each(SyncList::new, |pair| {
        pair.server.extend([1.5_f32, f32::NAN]);
        assert_eq!(pair.sync().len(), 2);
        assert_eq!(pair.client[0].to_bits(), 1.5_f32.to_bits());
        assert!(pair.client[1].is_nan());
        assert!(!pair.server.set(1, f32::NAN));
        assert!(pair.server.set(1, -0.0));
    });
}

#[test]
fn list_is_dirty_from_a_change_to_its_send() {
    Pair::each(words, |pair| {
        assert!(!pair.server.is_dirty());
        pair.server.push("1".into());
        assert!(pair.server.is_dirty());
        pair.sync();
        assert!(!pair.server.is_dirty() && !pair.client.is_dirty());
    });
}

/// Mirror's `Reset` empties a list that is kept in a pool; here one is taken out, and a new one is there.
#[test]
fn list_reset_clears_changes_and_items() {
    Pair::each(words, |pair| {
        pair.server.push("yay".into());
        let taken = std::mem::take(&mut pair.server);
        assert_eq!(taken.into_inner(), ["Hello", "World", "!", "yay"]);
        assert!(pair.server.is_empty() && !pair.server.is_dirty());
        pair.server.push("1".into());
        pair.sync();
        assert_eq!(pair.client, ["1"]);
        pair.server.push("2".into());
        assert_eq!(pair.sync(), [add(1, "2")]);
    });
}

/// What Mirror has as a class.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
struct Player {
    id: u32,
    position: f32,
}

fn players() -> SyncList<Player> {
    let player = |id| Player { id, position: 0.5 };
    [player(1), player(2)].into()
}

#[test]
fn class_remove_should_remove_item() {
    Pair::each(players, |pair| {
        let removed = pair.server.remove(0);
        assert_eq!(removed.id, 1);
        let previous = removed;
        assert_eq!(pair.sync(), [ListChange::RemoveAt { index: 0, previous }]);
        assert_eq!(pair.client, pair.server);
    });
}

#[test]
fn class_clear_should_clear_all() {
    Pair::each(players, |pair| {
        pair.server.clear();
        assert_eq!(pair.sync().len(), 1);
        assert!(pair.client.is_empty());
    });
}

/// LESSONS 8: a member that is written through the element is noticed as well, which Mirror's is not.
#[test]
fn struct_list_is_dirty_when_modifying_and_setting_struct() {
    Pair::each(players, |pair| {
        let mut player = pair.server[0].clone();
        player.position = 1.0;
        assert!(!pair.server.is_dirty(), "it is a copy");
        pair.server.set(0, player);
        assert!(pair.server.is_dirty());
        pair.sync();
        pair.server.get_mut(1).unwrap().position = 2.0;
        assert!(pair.server.is_dirty());
        pair.sync();
        assert_eq!(pair.client, pair.server);
    });
}

#[test]
fn struct_old_value_should_not_be_new_value() {
    Pair::each(players, |pair| {
        pair.server.get_mut(0).unwrap().position = 1.0;
        let told = pair.sync();
        let [change] = &told[..] else {
            panic!("{told:?}")
        };
        let position = |player: Option<&Player>| player.map(|player| player.position);
        assert_eq!(position(change.previous()), Some(0.5));
        assert_eq!(position(change.value()), Some(1.0));
    });
}
