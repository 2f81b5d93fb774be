//! Collections among other fields: their bits, their hooks, and the order of both.

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;

use crate::derive::{send, twins};
use syncvar_testing::{apply, written};

/// What a client was told, in the order in which it was.
type Told = Vec<String>;

#[test]
fn collections_and_sync_vars_share_bits_in_declaration_order() {
    #[derive(NetworkBehaviour, Default)]
    struct Creature {
        #[sync_var]
        speed: SyncVar<u8>,
        #[sync_var(hook = on_wound)]
        wounds: SyncList<u8>,
        told: Told,
    }

    impl Creature {
        fn on_wound(&mut self, change: &ListChange<u8>) {
            self.told.push(format!("{change:?}"));
        }
    }

    #[derive(NetworkBehaviour, Default)]
    struct Orc {
        #[sync_var]
        names: SyncHashSet<u8>,
        #[network_behaviour(base)]
        creature: Creature,
    }

    #[derive(NetworkBehaviour, Default)]
    struct Chief(
        #[network_behaviour(base)] Orc,
        #[sync_var] SyncVar<u8>,
        #[sync_var(hook = on_order)] SyncDictionary<u8, u8>,
        u8,
    );

    impl Chief {
        fn on_order(&mut self, change: &DictionaryChange<u8, u8>) {
            self.3 = *change.key().unwrap();
        }
    }

    let (mut chief, mut replica) = twins::<Chief>();
    chief.0.creature.wounds.push(7);
    assert_eq!(chief.sync_var_dirty_bits(), 0b0_0010);
    chief.0.names.insert(8);
    chief.2.insert(9, 10);
    assert_eq!(chief.sync_var_dirty_bits(), 0b1_0110);
    send(&mut chief, &mut replica);
    assert_eq!(chief.sync_var_dirty_bits(), 0);
    assert!(replica.0.creature.wounds == [7] && replica.0.names.contains(&8));
    assert_eq!(replica.0.creature.told, ["Add { index: 0, value: 7 }"]);
    assert_eq!((replica.2[&9], replica.3), (10, 9));
    let names: Vec<_> = Chief::SCHEMA.field_names(u64::MAX).collect();
    assert_eq!(names, ["speed", "wounds", "names", "1", "2"]);
}

/// Notes the state of all fields with every hook.
#[derive(NetworkBehaviour, Default)]
struct Diary {
    #[sync_var(hook = on_size)]
    size: SyncVar<u8>,
    #[sync_var(hook = on_item, batch_hook = on_items)]
    items: SyncList<u8>,
    #[sync_var(hook = on_weight)]
    weight: SyncVar<u8>,
    #[sync_var(batch_hook = on_tags)]
    tags: SyncSortedSet<u8>,
    told: Told,
}

impl Diary {
    fn tell(&mut self, what: &str) {
        let (size, items) = (*self.size, self.items.len());
        let (weight, tags) = (*self.weight, self.tags.len());
        self.told
            .push(format!("{what}: {size} {items} {weight} {tags}"));
    }

    fn on_size(&mut self, previous: u8) {
        self.tell(&format!("size was {previous}"));
    }

    fn on_item(&mut self, change: &ListChange<u8>) {
        self.tell(&format!("item {}", change.value().unwrap()));
    }

    fn on_items(&mut self, changes: &[ListChange<u8>]) {
        self.tell(&format!("{} items", changes.len()));
    }

    fn on_weight(&mut self, previous: u8) {
        self.tell(&format!("weight was {previous}"));
    }

    fn on_tags(&mut self, changes: &[SetChange<u8>]) {
        self.tell(&format!("{} tags", changes.len()));
    }
}

#[test]
fn hooks_run_in_declaration_order_when_every_field_is_new() {
    let (mut bag, mut replica) = twins::<Diary>();
    bag.tags.extend([1, 2, 3]);
    bag.weight.set(4);
    bag.items.extend([5, 6]);
    bag.size.set(9);
    send(&mut bag, &mut replica);
    assert_eq!(
        replica.told,
        [
            "size was 0: 9 2 4 3",
            "item 5: 9 2 4 3",
            "item 6: 9 2 4 3",
            "2 items: 9 2 4 3",
            "weight was 0: 9 2 4 3",
            "3 tags: 9 2 4 3",
        ]
    );
    bag.items.push(7);
    bag.items.pop();
    bag.set_dirty_bit(0b10);
    send(&mut bag, &mut replica);
    assert_eq!(replica.told.len(), 6, "nothing has become of it");
}

#[test]
fn collection_works_in_tuple_structs_and_as_raw_identifier() {
    #[derive(NetworkBehaviour, Default)]
    struct Row(
        #[sync_var(hook = on_change)] SyncList<u8>,
        u8,
        #[sync_var(batch_hook = on_changes)] SyncList<u8>,
    );

    impl Row {
        fn on_change(&mut self, change: &ListChange<u8>) {
            self.1 += change.value().unwrap();
        }

        fn on_changes(&self, changes: &[ListChange<u8>]) -> usize {
            self.2.len() - changes.len()
        }
    }

    #[derive(NetworkBehaviour, Default)]
    struct r#Match {
        #[sync_var(hook = r#loop, batch_hook = r#while)]
        r#type: SyncHashSet<u8>,
        #[sync_var]
        r#loop: SyncDictionary<u8, u8>,
        #[network_behaviour(base)]
        r#mod: Row,
        told: u8,
    }

    impl r#Match {
        fn r#loop(&mut self, change: &SetChange<u8>) {
            self.told += change.value().unwrap();
        }

        fn r#while(&mut self, changes: &[SetChange<u8>]) {
            self.told *= u8::try_from(changes.len()).unwrap();
        }
    }

    let (mut behaviour, mut replica) = twins::<r#Match>();
    behaviour.r#mod.0.extend([3, 4]);
    behaviour.r#mod.2.push(5);
    behaviour.r#type.extend([10, 20]);
    behaviour.r#loop.insert(1, 2);
    send(&mut behaviour, &mut replica);
    assert_eq!((replica.r#mod.1, replica.told), (7, 60));
    let names: Vec<_> = r#Match::SCHEMA.field_names(u64::MAX).collect();
    assert_eq!(names, ["0", "2", "type", "loop"]);
}

#[test]
#[expect(unused_qualifications, reason = "a path is one of the ways")]
fn a_collection_can_be_written_by_path_by_alias_or_by_a_macro() {
    type Items = SyncList<u8>;
    type Map<V> = SyncDictionary<u8, V>;

    macro_rules! behaviour {
        ($name:ident { $($field:ident: $ty:ty,)* }) => {
            #[derive(NetworkBehaviour, Default)]
            struct $name {
                $(#[sync_var(hook = on_change, batch_hook = on_changes)] $field: $ty,)*
                #[sync_var(hook = on_all)]
                alias: Items,
                #[sync_var]
                quiet: Map<u8>,
                changes: usize,
            }
        };
    }

    behaviour!(Bag {
        path: syncvar::SyncList<u8>,
        absolute: ::syncvar::SyncList<u8>,
        in_macro: SyncList<u8>,
    });

    impl Bag {
        fn on_change(&mut self, _change: &ListChange<u8>) {
            self.changes += 1;
        }

        fn on_changes(&mut self, changes: &[ListChange<u8>]) {
            self.changes += 10 * changes.len();
        }

        /// What the derive does not know by its name gives all that it has to say at once.
        #[expect(clippy::needless_pass_by_value, reason = "it is given what there was")]
        fn on_all(&mut self, changes: Vec<ListChange<u8>>) {
            self.changes += 100 * changes.len();
        }
    }

    let (mut bag, mut replica) = twins::<Bag>();
    bag.path.push(1);
    bag.absolute.push(2);
    bag.in_macro.push(3);
    bag.alias.extend([4, 5]);
    bag.quiet.insert(6, 7);
    send(&mut bag, &mut replica);
    assert_eq!((replica.changes, replica.quiet[&6]), (233, 7));
    assert!(replica.alias == [4, 5] && replica.in_macro == [3]);
}

#[test]
fn several_collections_can_share_a_hook_and_a_trait_can_have_it() {
    trait Observer {
        fn on_change<T>(&mut self, change: &SetChange<T>);
    }

    #[derive(NetworkBehaviour, Default)]
    struct Tags {
        #[sync_var(hook = on_change)]
        names: SyncHashSet<String>,
        #[sync_var(hook = on_change)]
        numbers: SyncSortedSet<u32>,
        added: u32,
    }

    impl Observer for Tags {
        fn on_change<T>(&mut self, change: &SetChange<T>) {
            self.added += u32::from(matches!(change, SetChange::Add { .. }));
        }
    }

    let (mut tags, mut replica) = twins::<Tags>();
    tags.names.insert("fast".into());
    tags.numbers.extend([1, 2]);
    send(&mut tags, &mut replica);
    tags.numbers.clear();
    send(&mut tags, &mut replica);
    assert_eq!((replica.added, replica.numbers.len()), (3, 0));
}

#[test]
fn replaced_collection_is_sent_whole_and_reports_differences() {
    #[derive(NetworkBehaviour, Default)]
    struct Bag {
        #[sync_var(hook = on_item)]
        items: SyncList<u8>,
        changes: Vec<ListChange<u8>>,
    }

    impl Bag {
        fn on_item(&mut self, change: &ListChange<u8>) {
            self.changes.push(change.clone());
        }
    }

    let mut bag = Bag {
        items: [1, 2].into(),
        ..Bag::default()
    };
    let mut replica = Bag::default();
    let (full, _) = written(&mut bag, true);
    bag.clear_all_dirty_bits();
    apply(&mut replica, &full, true);
    assert!(replica.items == [1, 2] && replica.changes.is_empty());
    bag.items = [1, 2, 3].into();
    bag.notice_replacements();
    send(&mut bag, &mut replica);
    let added = ListChange::Add { index: 2, value: 3 };
    assert_eq!(replica.changes, [added]);
}
