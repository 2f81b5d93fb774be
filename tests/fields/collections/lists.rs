//! Lists.

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    Framing, SyncField,
    wire::{Encoding, NetworkWriter},
};

use crate::collections::{Bag, world};

/// CHECKLIST M5, M17, M21, N27; LESSONS 33: a client is told of every operation, with position, previous
/// and new value, in order, when all of them have been made.
#[test]
fn client_receives_each_operation_in_order() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let bag = Bag {
            items: [1, 2, 3].into(),
            ..Bag::default()
        };
        let (mut net, id) = world(dialect, bag);
        {
            let mut bag = net.server.get_mut::<Bag>(id).unwrap();
            bag.items.push(4);
            bag.items.insert(0, 9);
            bag.items.set(1, 10);
            *bag.items.get_mut(2).unwrap() += 5;
            bag.items.remove(3);
        }
        net.settle();
        let server = net.server.get::<Bag>(id).unwrap();
        let client = net.client(0).get::<Bag>(id).unwrap();
        assert_eq!(server.items, [9, 10, 7, 4]);
        assert_eq!(client.state(), server.state());
        let told = [
            "Add { index: 3, value: 4 } of [9, 10, 7, 4]",
            "Insert { index: 0, value: 9 } of [9, 10, 7, 4]",
            "Set { index: 1, previous: 1, value: 10 } of [9, 10, 7, 4]",
            "Set { index: 2, previous: 2, value: 7 } of [9, 10, 7, 4]",
            "RemoveAt { index: 3, previous: 3 } of [9, 10, 7, 4]",
            "5 items",
        ];
        assert_eq!(client.told, told);
    }
}

#[test]
fn element_written_by_index_is_one_operation() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let bag = Bag {
            items: (0..100).collect(),
            ..Bag::default()
        };
        let (mut net, id) = world(dialect, bag);
        {
            let mut bag = net.server.get_mut::<Bag>(id).unwrap();
            bag.items[7] = 40;
            bag.items[7] += 2;
            bag.items[8] = 8; // no difference
            bag.items.remove(0);
            bag.items[98] += 1;
        }
        net.settle();
        let server = net.server.get::<Bag>(id).unwrap();
        let client = net.client(0).get::<Bag>(id).unwrap();
        assert_eq!(client.state(), server.state());
        assert_eq!(client.told.last().unwrap(), "3 items");
        let operations: Vec<_> = { client.told.iter() }
            .filter_map(|told| told.split_once(" of ").map(|(operation, _)| operation))
            .collect();
        let expected = [
            "Set { index: 7, previous: 7, value: 42 }",
            "RemoveAt { index: 0, previous: 0 }",
            "Set { index: 98, previous: 99, value: 100 }",
        ];
        assert_eq!(operations, expected);
    }
}

#[test]
fn element_written_by_index_without_a_difference_is_not_sent() {
    let bag = Bag {
        items: [1, 2].into(),
        ..Bag::default()
    };
    let (mut net, id) = world(Framing::Compact, bag);
    net.server.get_mut::<Bag>(id).unwrap().items[1] = 2;
    assert_eq!(net.server.get::<Bag>(id).unwrap().sync_var_dirty_bits(), 0);
    net.settle();
    assert!(net.client(0).get::<Bag>(id).unwrap().told.is_empty());
}

/// CHECKLIST M19, M20, N27: lists of string, float, int, uint, bool, and of structs with members of any
/// kind; the full state is that of UNet's own lists, a count of two bytes and the elements.
#[test]
fn lists_of_every_built_in_kind_and_of_structs_are_unets() {
    #[derive(SyncValue, Clone, Default)]
    struct Item {
        id: u32,
        name: String,
        sizes: Vec<u8>,
    }
    fn full(list: &impl SyncField) -> Vec<u8> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Unet);
        list.write_full(&mut writer);
        writer.as_bytes().to_vec()
    }
    assert_eq!(full(&SyncList::from(["ab".to_owned()])), b"\x01\0\x02\0ab");
    assert_eq!(full(&SyncList::from([1.0_f32])), [1, 0, 0, 0, 0x80, 0x3f]);
    assert_eq!(full(&SyncList::from([1, 300])), [2, 0, 1, 0xf1, 0x3c]);
    assert_eq!(
        full(&SyncList::from([-1])),
        [1, 0, 0xfb, 0xff, 0xff, 0xff, 0xff]
    );
    assert_eq!(full(&SyncList::from([240_u32])), [1, 0, 240]);
    assert_eq!(full(&SyncList::from([true, false])), [2, 0, 1, 0]);
    let item = Item {
        id: 5,
        name: "x".into(),
        sizes: vec![7],
    };
    assert_eq!(
        full(&SyncList::from([item])),
        [1, 0, 5, 1, 0, b'x', 1, 0, 7]
    );
}

/// CHECKLIST M18, N30: a list is a type of its own, and needs no attribute to notice what is done to it;
/// the attribute is what gives it a bit among those of the variables, side by side with them. Without it
/// it does not compile (`ui/unmarked/sync_list.rs`), nor does one inside another field
/// (`ui/nested_collection`).
#[test]
fn lists_stand_side_by_side_with_variables_and_each_has_a_bit() {
    #[derive(NetworkBehaviour, Default)]
    struct Mixed {
        #[sync_var]
        before: SyncVar<i32>,
        #[sync_var]
        list: SyncList<i32>,
        #[sync_var]
        between: SyncVar<i32>,
        #[sync_var]
        map: SyncDictionary<u8, i32>,
    }
    let mut mixed = Mixed::default();
    mixed.clear_all_dirty_bits();
    mixed.list.push(1);
    assert_eq!(mixed.sync_var_dirty_bits(), 0b0010);
    mixed.map.insert(1, 1);
    mixed.between.set(2);
    assert_eq!(mixed.sync_var_dirty_bits(), 0b1110);
    mixed.before += 1;
    assert_eq!(mixed.sync_var_dirty_bits(), 0b1111);
}

/// As the elements themselves: in a map, in an order, where a slice is asked for.
#[test]
fn a_list_is_compared_and_lent_as_its_elements() {
    fn sum(items: impl AsRef<[u32]>) -> u32 {
        items.as_ref().iter().sum()
    }
    let list = SyncList::from([1_u32, 2]);
    assert!(list.cmp(&[1, 3].into()).is_lt());
    let names = std::collections::HashSet::from([list.clone()]);
    assert!(names.contains(&list));
    assert_eq!(sum(&list), 3);
    assert_eq!(Vec::from(list), [1, 2]);
}

/// A `Vec` compares with the last element that stays, which makes a difference where "the same" is not
/// the same both ways.
#[test]
fn elements_that_are_the_same_are_taken_out_as_in_a_vec() {
    for items in [vec![1, 2, 3, 4, 7], vec![5, 5, 5], vec![3, 1, 2], vec![]] {
        let mut list = SyncList::from(items.clone());
        list.clear_dirty();
        let mut vec = items;
        vec.dedup_by(|item, former| *item - *former <= 1);
        list.dedup_by(|item, former| item - former <= 1);
        assert_eq!(list, vec);
    }
}

#[test]
#[should_panic(expected = "does not lie in a list of 2 elements")]
fn a_range_without_end_is_refused_as_in_a_vec() {
    SyncList::from([1, 2]).drain(0..=usize::MAX);
}
