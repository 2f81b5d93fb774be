//! Counterparts of Mirror's `SyncSetTest`, for both sets. A name begins with that of Mirror's test.

use std::collections::BTreeSet;

use syncvar::prelude::*;

use crate::collections::pair::Pair;

fn words() -> [String; 3] {
    ["Hello", "World", "!"].map(String::from)
}

fn add(value: &str) -> SetChange<String> {
    let value = value.into();
    SetChange::Add { value }
}

fn remove(value: &str) -> SetChange<String> {
    let value = value.into();
    SetChange::Remove { value }
}

fn contains(set: &[&str]) -> impl Fn(&String) -> bool {
    move |word| set.contains(&word.as_str())
}

fn sorted(mut told: Vec<SetChange<String>>) -> Vec<SetChange<String>> {
    told.sort_by_key(|change| change.value().cloned());
    told
}

/// The same tests for each of the two.
macro_rules! set_tests {
    ($module:ident, $set:ident) => {
        mod $module {
            use super::*;

            type Words = $set<String>;

            fn set() -> Words {
                words().into()
            }

            fn content(set: &Words) -> BTreeSet<&str> {
                set.iter().map(String::as_str).collect()
            }

            #[test]
            fn test_init_the_full_state_arrives() {
                Pair::each(set, |pair| assert_eq!(pair.client, set()));
            }

            #[test]
            fn curly_braces_constructor_a_set_is_made_of_its_elements() {
                let set = set();
                assert_eq!(set.len(), 3);
                assert_eq!(set, words().into_iter().chain(words()).collect());
                assert!(!set.is_dirty());
            }

            #[test]
            fn set_add_runs_the_hook_with_new_values() {
                Pair::each(set, |pair| {
                    assert!(pair.server.insert("yay".into()));
                    assert_eq!(pair.sync(), [add("yay")]);
                    assert!(pair.client.contains("yay"));
                    assert!(!pair.server.insert("yay".into()));
                    assert!(!pair.server.is_dirty(), "it is there");
                });
            }

            #[test]
            fn set_clear_removes_all_values() {
                Pair::each(set, |pair| {
                    pair.server.clear();
                    let told = pair.sync();
                    assert!(
                        matches!(&told[..], [SetChange::Clear { previous }] if previous.len() == 3)
                    );
                    assert!(pair.client.is_empty());
                });
            }

            #[test]
            fn set_remove_runs_the_hook_with_the_value() {
                Pair::each(set, |pair| {
                    assert!(pair.server.remove("World"));
                    assert_eq!(pair.sync(), [remove("World")]);
                    assert!(!pair.client.contains("World"));
                    assert!(!pair.server.remove("World"));
                    assert!(!pair.server.is_dirty(), "it is not there");
                });
            }

            #[test]
            fn test_mult_sync_two_rounds_of_changes() {
                Pair::each(set, |pair| {
                    pair.server.insert("1".into());
                    assert_eq!(pair.sync(), [add("1")]);
                    pair.server.insert("2".into());
                    assert_eq!(pair.sync(), [add("2")]);
                    assert_eq!(pair.client, pair.server);
                });
            }

            #[test]
            fn count_test_a_replica_has_as_many() {
                Pair::each(set, |pair| {
                    assert_eq!((pair.client.len(), pair.client.iter().count()), (3, 3));
                });
            }

            /// What is in another one goes.
            #[test]
            fn test_except_with_transfers_as_removes() {
                Pair::each(set, |pair| {
                    let other = contains(&["World", "Hello"]);
                    pair.server.retain(|word| !other(word));
                    assert_eq!(sorted(pair.sync()), [remove("Hello"), remove("World")]);
                    assert_eq!(content(&pair.client), ["!"].into());
                });
            }

            #[test]
            fn set_except_with_itself_is_empty() {
                Pair::each(set, |pair| {
                    let same = pair.server.clone();
                    pair.server.retain(|word| !same.contains(word));
                    assert!(!pair.sync().is_empty());
                    assert!(pair.client.is_empty());
                });
            }

            #[test]
            fn set_intersect_removes_values_missing_in_the_other() {
                Pair::each(set, |pair| {
                    pair.server.retain(contains(&["World", "Hello", "yay"]));
                    assert_eq!(pair.sync(), [remove("!")]);
                    let other = Words::from(["Hello".to_string()]);
                    pair.server.retain(|word| other.contains(word));
                    assert_eq!(pair.sync(), [remove("World")]);
                    assert_eq!(content(&pair.client), ["Hello"].into());
                });
            }

            #[test]
            fn test_symmetric_except_with_transfers_as_adds_and_removes() {
                Pair::each(set, |pair| {
                    for word in ["Hello", "is"] {
                        if !pair.server.remove(word) {
                            pair.server.insert(word.into());
                        }
                    }
                    assert_eq!(sorted(pair.sync()), [remove("Hello"), add("is")]);
                    assert_eq!(content(&pair.client), ["!", "World", "is"].into());
                });
            }

            #[test]
            fn set_union_adds_values_and_with_itself_changes_none() {
                Pair::each(set, |pair| {
                    pair.server.extend(words());
                    assert!(!pair.server.is_dirty());
                    pair.server.extend(["Hello", "is"].map(String::from));
                    assert_eq!(pair.sync(), [add("is")]);
                    assert_eq!(pair.client.len(), 4);
                });
            }

            /// Subsets and supersets, proper or not, what overlaps, what is equal: queries only.
            #[test]
            fn set_comparisons_equal_those_of_std() {
                Pair::each(set, |pair| {
                    let here = &pair.client;
                    let made = |words: &[&str]| -> Words {
                        words.iter().map(|word| (*word).to_string()).collect()
                    };
                    let more = made(&["World", "Hello", "!", "pepe"]);
                    let less = made(&["World", "Hello"]);
                    let others = made(&["pepe"]);
                    assert!(here.is_subset(&more) && here.len() < more.len());
                    assert!(here.is_subset(&set()) && !here.is_subset(&less));
                    assert!(here.is_superset(&less) && here.len() > less.len());
                    assert!(here.is_superset(&set()) && !here.is_superset(&more));
                    assert!(!here.is_disjoint(&more) && here.is_disjoint(&others));
                    assert_eq!(*here, made(&["!", "World", "Hello"]));
                    assert_ne!(*here, less);
                    assert_eq!(here.intersection(&less).count(), 2);
                    assert_eq!(here.union(&more).count(), 4);
                    assert_eq!(here.difference(&less).collect::<Vec<_>>(), ["!"]);
                });
            }

            #[test]
            fn set_reset_clears_changes_and_items() {
                Pair::each(set, |pair| {
                    pair.server.insert("yay".into());
                    assert_eq!(std::mem::take(&mut pair.server).len(), 4);
                    assert!(pair.server.is_empty() && !pair.server.is_dirty());
                    pair.server.insert("new".into());
                    pair.sync();
                    assert_eq!(content(&pair.client), ["new"].into());
                    pair.server.insert("1".into());
                    assert_eq!(pair.sync(), [add("1")]);
                });
            }
        }
    };
}

set_tests!(hash, SyncHashSet);
set_tests!(ordered, SyncSortedSet);
