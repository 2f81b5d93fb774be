//! Which bytes: masks, levels, and what is in which section.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{codec::Half, wire::ReadErrorKind};

use super::support::{Component, DocData, InhLeaf, empty_collections};

#[test]
fn class_without_collections_writes_an_empty_mask() {
    let mut data = Component::new(DocData::default());
    let full = "84f9ae8e0f004578616d706c6520737472696e67";
    assert_eq!(data.full(), full);
    assert_eq!(data.change(), "000000000000000000", "nothing is dirty");
    data.get_mut::<DocData>().int1.set(0);
    data.get_mut::<DocData>().my_string.set(String::new());
    assert_eq!(data.change(), "000000000000000005000100");
    assert_eq!(
        data.everything(),
        "0000000000000000ffffffffffffffffff00f9ae8e0100"
    );
    data.apply(full, true).unwrap();
    assert_eq!(*data.get::<DocData>().my_string, "Example string");
}

#[test]
fn each_class_that_has_values_repeats_their_mask() {
    let mut leaf = Component::new(InhLeaf::default());
    let empty = empty_collections(3);
    assert_eq!(leaf.full(), format!("{empty}020200620000003f0701"));
    assert_eq!(leaf.change(), "0000000000000000000000");
    leaf.get_mut::<InhLeaf>().base().base_a.set(0);
    assert_eq!(leaf.change(), "000000000000000001000101");
    leaf.get_mut::<InhLeaf>().leaf_b.set(0);
    assert_eq!(leaf.change(), "00000000000000001100111100");
}

#[test]
fn collections_come_before_the_values_of_all_classes() {
    let mut leaf = Component::new(InhLeaf::default());
    let behaviour = leaf.get_mut::<InhLeaf>();
    behaviour.base().base_a.set(100);
    behaviour.base().base_list.extend([1, 2]);
    behaviour.leaf_b.set(5);
    behaviour.leaf_dict.insert(1, "one".into());
    behaviour.base.mid_set.insert("x".into());
    let full = "020000000204020000000100000002007801000000010000000204006f6e65\
                01000000c80200620000003f070a";
    let change = "070000000000000002000000000200040100000000020078010000000002\
                  04006f6e6511c811110a";
    assert_eq!(leaf.full(), full);
    assert_eq!(leaf.change(), change);

    let mut replica = Component::new(InhLeaf::default());
    let (_, fields) = replica.read_with_fields(change, false).unwrap();
    let all = leaf.get::<InhLeaf>().sync_var_dirty_bits();
    assert_eq!(fields, all, "as dirty bits of this library");
    let read = replica.get::<InhLeaf>();
    assert_eq!(*read.base.base.base.base_list, [1, 2]);
    assert!(read.base.mid_set.contains("x"));
    assert_eq!(read.leaf_dict[&1], "one");
    assert_eq!((*read.base.base.base.base_a, *read.leaf_b), (100, 5));
    assert_eq!(replica.slot().dirty_bits(), 0, "what was read is clean");
}

#[test]
fn after_set_dirty_every_bit_is_set_at_every_level() {
    let mut leaf = Component::new(InhLeaf::default());
    leaf.get_mut::<InhLeaf>().base().base_list.push(1);
    leaf.slot().mark_sent(0, None);
    let everything = "0000000000000000ffffffffffffffffff02020062\
                      ffffffffffffffffff0000003fffffffffffffffffff0701";
    let (bytes, written) = leaf.written(false, true);
    assert_eq!((&*bytes, written), (everything, true));
    let mut replica = Component::new(InhLeaf::default());
    replica.get_mut::<InhLeaf>().leaf_a.set(0);
    replica.apply(everything, false).unwrap();
    assert_eq!(*replica.get::<InhLeaf>().leaf_a, 7);
}

#[test]
fn bits_that_belong_to_no_field_are_passed_over() {
    let mut data = Component::new(DocData::default());
    let (_, fields) = data
        .read_with_fields("f8ffffffffffffff0902", false)
        .unwrap();
    assert_eq!((fields, *data.get::<DocData>().int1), (1, 1));
}

#[test]
fn a_payload_that_ends_too_early_is_an_error_that_says_where() {
    let mut data = Component::new(DocData::default());
    let error = data.read("00000000000000", false).unwrap_err();
    assert!(matches!(error.kind(), ReadErrorKind::UnexpectedEnd { .. }));
    let error = data.read("00000000000000000200", false).err();
    assert_eq!(error, None, "an int of one byte");
    let error = data.read("000000000000000002", false).unwrap_err();
    assert_eq!(error.field(), Some("DocData.int2"));
}

#[test]
fn collection_changes_follow_their_mask_in_field_order() {
    #[derive(SyncValue, Clone, PartialEq, Debug)]
    struct Item {
        id: i32,
        name: String,
        weight: f32,
    }

    #[derive(NetworkBehaviour)]
    struct SyncObjs {
        #[sync_var]
        ints: SyncList<i32>,
        #[sync_var]
        strings: SyncList<String>,
        #[sync_var]
        items: SyncList<Item>,
        #[sync_var]
        dict: SyncDictionary<i32, String>,
        #[sync_var]
        hset: SyncHashSet<String>,
        #[sync_var]
        sset: SyncSortedSet<i32>,
        #[sync_var]
        after: SyncVar<i32>,
    }

    impl Default for SyncObjs {
        fn default() -> Self {
            Self {
                ints: SyncList::default(),
                strings: SyncList::default(),
                items: SyncList::default(),
                dict: SyncDictionary::default(),
                hset: SyncHashSet::default(),
                sset: SyncSortedSet::default(),
                after: 42.into(),
            }
        }
    }

    let mut objects = Component::new(SyncObjs::default());
    assert_eq!(objects.full(), format!("{}54", empty_collections(6)));
    let behaviour = objects.get_mut::<SyncObjs>();
    behaviour.dict.insert(1, "a".into());
    behaviour.dict.insert(1, "b".into());
    behaviour.dict.remove(&1);
    let change = "08000000000000000300000000020200610102020062020200";
    assert_eq!(objects.change(), change);

    let mut objects = Component::new(SyncObjs::default());
    let behaviour = objects.get_mut::<SyncObjs>();
    behaviour.ints.push(1);
    behaviour.strings.push("s".into());
    let (id, name, weight) = (1, "n".into(), 2.0);
    behaviour.items.push(Item { id, name, weight });
    behaviour.dict.insert(3, "three".into());
    behaviour.hset.insert("h".into());
    behaviour.sset.insert(9);
    behaviour.sset.insert(4);
    behaviour.after.set(43);
    let full = "0100000002010000000100000002007301000000010000000202006e0000004001000000\
                01000000060600746872656501000000010000000200680100000002000000081202000000\
                56";
    let change = "3f00000000000000010000000002010000000002007301000000000202006e0000004001\
                  000000000606007468726565010000000002006802000000001200080156";
    assert_eq!((&*objects.full(), &*objects.change()), (full, change));
    let mut replica = Component::new(SyncObjs::default());
    replica.apply(change, false).unwrap();
    let read = replica.get::<SyncObjs>();
    assert_eq!(
        (read.ints[0], &*read.dict[&3], *read.after),
        (1, "three", 43)
    );
    assert!(read.sset.iter().eq(&[4, 9]), "sorted");
}

/// Collections between the values are counted by themselves, and so are the values.
#[test]
fn collections_between_values_move_no_bit_of_them() {
    #[derive(NetworkBehaviour, Default)]
    struct Mixed {
        #[sync_var]
        first: SyncVar<i32>,
        #[sync_var]
        list: SyncList<i32>,
        #[sync_var]
        second: SyncVar<i32>,
        #[sync_var]
        set: SyncSortedSet<i32>,
        #[sync_var]
        third: SyncVar<i32>,
    }
    let mut mixed = Component::new(Mixed::default());
    mixed.get_mut::<Mixed>().third.set(3);
    assert_eq!(mixed.change(), "00000000000000000406");
    mixed.get_mut::<Mixed>().set.insert(-1);
    assert_eq!(
        mixed.change(),
        "020000000000000001000000000104 06".replace(' ', "")
    );
    mixed.get_mut::<Mixed>().second.set(2);
    let change = mixed.change();
    assert_eq!(change, "0200000000000000010000000001060406");
    let mut replica = Component::new(Mixed::default());
    let (_, fields) = replica.read_with_fields(&change, false).unwrap();
    assert_eq!(fields, 0b11100);
    let read = replica.get::<Mixed>();
    assert_eq!((*read.first, *read.second, *read.third), (0, 2, 3));
    assert!(read.set.contains(&-1) && read.list.is_empty());
}

#[test]
fn a_class_of_collections_alone_has_one_mask() {
    #[derive(NetworkBehaviour, Default)]
    struct Lists {
        #[sync_var]
        one: SyncList<i32>,
        #[sync_var]
        other: SyncList<i32>,
    }
    #[derive(NetworkBehaviour, Default)]
    struct Derived {
        #[network_behaviour(base)]
        lists: Lists,
        #[sync_var]
        value: SyncVar<i32>,
    }
    let mut lists = Component::new(Lists::default());
    assert_eq!(lists.change(), "0000000000000000");
    lists.get_mut::<Lists>().other.push(1);
    assert_eq!(lists.change(), "0200000000000000010000000002");
    let mut derived = Component::new(Derived::default());
    assert_eq!(
        derived.change(),
        "000000000000000000",
        "of the derived class"
    );
    derived.get_mut::<Derived>().lists.one.push(1);
    derived.get_mut::<Derived>().value.set(1);
    let change = derived.change();
    assert_eq!(change, "01000000000000000100000000020102");
    let mut replica = Component::new(Derived::default());
    replica.apply(&change, false).unwrap();
    assert_eq!(*replica.get::<Derived>().value, 1);
    assert_eq!(*replica.get::<Derived>().lists.one, [1]);
}

#[test]
fn sixty_four_values_fill_the_mask() {
    macro_rules! many {
        ($($field:ident)*) => {
            #[derive(NetworkBehaviour, Default)]
            struct Max64 {
                $(#[sync_var] $field: SyncVar<u8>,)*
            }
        };
    }
    many! {
        a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7 c0 c1 c2 c3 c4 c5 c6 c7 d0 d1 d2 d3 d4 d5 d6 d7
        e0 e1 e2 e3 e4 e5 e6 e7 f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2 g3 g4 g5 g6 g7 h0 h1 h2 h3 h4 h5 h6 h7
    }
    let mut max = Component::new(Max64::default());
    max.get_mut::<Max64>().h7.set(8);
    assert_eq!(max.change(), "0000000000000000ff000000000000008008");
    max.get_mut::<Max64>().a0.set(1);
    let change = max.change();
    assert_eq!(change, "0000000000000000ff01000000000000800108");
    let mut replica = Component::new(Max64::default());
    replica.apply(&change, false).unwrap();
    let read = replica.get::<Max64>();
    assert_eq!((*read.a0, *read.h6, *read.h7), (1, 0, 8));
}

/// Mirror knows no such field; a change that has everything has all others.
#[test]
fn a_field_that_is_sent_once_is_in_full_states_alone() {
    #[derive(NetworkBehaviour, Default)]
    struct Tree {
        #[sync_var]
        height: SyncVar<i32>,
        #[sync_var(initial_only)]
        kind: SyncVar<i32>,
        #[sync_var]
        age: SyncVar<i32>,
    }
    let mut tree = Component::new(Tree::default());
    tree.get_mut::<Tree>().kind.set(1);
    assert_eq!(
        tree.written(false, false),
        ("000000000000000000".into(), true),
        "it need not wait: nobody will ever be sent it"
    );
    tree.get_mut::<Tree>().age.set(2);
    assert_eq!(tree.change(), "00000000000000000404");
    assert_eq!(tree.full(), "000204");
    assert_eq!(tree.everything(), "0000000000000000fffdffffffffffffff0004");
    let mut replica = Component::new(Tree::default());
    replica.apply("00000000000000000206", false).unwrap();
    assert_eq!(*replica.get::<Tree>().kind, 3, "Mirror may send it");
}

#[test]
fn field_policy_leaves_the_payload_alone_and_a_codec_does_not() {
    #[derive(NetworkBehaviour, Default)]
    struct Ship {
        #[sync_var(read = owner)]
        cargo: SyncVar<i32>,
        #[sync_var(with = Half, write = owner)]
        rudder: SyncVar<f32>,
    }
    let mut ship = Component::new(Ship::default());
    ship.get_mut::<Ship>().cargo.set(1);
    ship.get_mut::<Ship>().rudder.set(1.0);
    assert_eq!(ship.full(), "02003c");
    assert_eq!(ship.change(), "00000000000000000302003c");
    let mut replica = Component::new(Ship::default());
    replica.apply("02003c", true).unwrap();
    let read = replica.get::<Ship>();
    assert_eq!((*read.cargo, *read.rudder), (1, 1.0));
}
