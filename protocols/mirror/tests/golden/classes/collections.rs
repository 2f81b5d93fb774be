//! Classes of collections. Those of one collection write down what their hooks are told.

use serde_json::json;
use syncvar::prelude::*;
use syncvar::values::Vector3;

use super::structs::Item;
use crate::golden::changes::{dictionary_events, list_events, set_events};
use crate::golden::log::Log;
use crate::golden::subject::subjects;
use crate::golden::value::Text;

#[derive(NetworkBehaviour)]
pub(crate) struct SyncObjs {
    #[sync_var]
    ints: SyncList<i32>,
    #[sync_var]
    strings: SyncList<Text>,
    #[sync_var]
    items: SyncList<Item>,
    #[sync_var]
    dict: SyncDictionary<i32, Text>,
    #[sync_var]
    hset: SyncHashSet<Text>,
    #[sync_var]
    sset: SyncSortedSet<i32>,
    #[sync_var]
    after: SyncVar<i32>,
}

impl Default for SyncObjs {
    fn default() -> Self {
        Self {
            ints: SyncList::new(),
            strings: SyncList::new(),
            items: SyncList::new(),
            dict: SyncDictionary::new(),
            hset: SyncHashSet::new(),
            sset: SyncSortedSet::new(),
            after: 42.into(),
        }
    }
}

/// Classes of one collection each.
macro_rules! ones {
    ($($class:ident { $field:ident: $type:ty } $change:ty, $events:ident;)*) => {$(
        #[derive(NetworkBehaviour, Default)]
        pub(crate) struct $class {
            #[sync_var(hook = on_change)]
            $field: $type,
            log: Log,
        }

        impl $class {
            fn on_change(&mut self, change: &$change) {
                let events = $events(change);
                self.log.write(stringify!($class), "changed", json!(events));
            }
        }

        subjects! {
            $class [$field];
        }
    )*};
}

ones! {
    OneListInt { list: SyncList<i32> } ListChange<i32>, list_events;
    OneListString { list: SyncList<Text> } ListChange<Text>, list_events;
    OneListItem { list: SyncList<Item> } ListChange<Item>, list_events;
    OneListVec { list: SyncList<Vector3> } ListChange<Vector3>, list_events;
    OneListULong { list: SyncList<u64> } ListChange<u64>, list_events;
    OneDict { dict: SyncDictionary<i32, Text> } DictionaryChange<i32, Text>, dictionary_events;
    OneDictStructVal { dict: SyncDictionary<Text, Item> } DictionaryChange<Text, Item>, dictionary_events;
    OneHashSet { set: SyncHashSet<Text> } SetChange<Text>, set_events;
    OneSortedSet { set: SyncSortedSet<i32> } SetChange<i32>, set_events;
}

subjects! {
    SyncObjs [ints strings items dict hset sset after];
}
