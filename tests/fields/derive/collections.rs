//! Collections as fields: what they can hold, where they can stand, and who is told.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use syncvar::NetworkBehaviour;
use syncvar::SyncValue;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    schema::TypeSchema,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use crate::derive::{send, twins};

#[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Item {
    id: u32,
    names: Vec<String>,
}

fn item(id: u32) -> Item {
    let names = vec![format!("item {id}")];
    Item { id, names }
}

#[test]
fn collections_hold_structs_with_lists_in_them() {
    #[derive(NetworkBehaviour, Default)]
    struct Bag {
        #[sync_var]
        list: SyncList<Item>,
        #[sync_var]
        by_name: SyncDictionary<String, Item>,
        #[sync_var]
        by_item: SyncDictionary<Item, Item>,
        #[sync_var]
        set: SyncHashSet<Item>,
        #[sync_var]
        sorted: SyncSortedSet<Item>,
    }

    let (mut bag, mut replica) = twins::<Bag>();
    bag.list.extend([item(1), item(2)]);
    bag.list.get_mut(0).unwrap().names.push("first".into());
    bag.by_name.insert("axe".into(), item(3));
    bag.by_item.insert(item(4), item(5));
    bag.set.insert(item(6));
    bag.sorted.extend([item(8), item(7)]);
    assert_eq!(bag.sync_var_dirty_bits(), 0b1_1111);
    send(&mut bag, &mut replica);
    assert_eq!(replica.list[0].names, ["item 1", "first"]);
    assert_eq!((&replica.list, &replica.set), (&bag.list, &bag.set));
    assert_eq!(replica.by_name["axe"], item(3));
    assert_eq!(replica.by_item[&item(4)], item(5));
    assert!(replica.sorted.iter().eq(&[item(7), item(8)]));
}

#[test]
fn collections_hold_bytes() {
    #[derive(NetworkBehaviour, Default)]
    struct Bag {
        #[sync_var]
        list: SyncList<u8>,
        #[sync_var]
        map: SyncDictionary<u8, u8>,
        #[sync_var]
        set: SyncHashSet<u8>,
        #[sync_var]
        sorted: SyncSortedSet<u8>,
    }

    let (mut bag, mut replica) = twins::<Bag>();
    bag.list.push(1);
    bag.map.insert(2, 3);
    bag.set.insert(4);
    bag.sorted.insert(5);
    let bytes = send(&mut bag, &mut replica);
    assert!(
        bytes.starts_with("0f0100"),
        "{bytes}: the mask, one operation, an addition"
    );
    assert_eq!((replica.list[0], replica.map[&2]), (1, 3));
    assert!(replica.set.contains(&4) && replica.sorted.contains(&5));
    bag.list.clear();
    bag.map.remove(&2);
    bag.set.remove(&4);
    bag.sorted.pop_first();
    send(&mut bag, &mut replica);
    assert!(replica.list.is_empty() && replica.map.is_empty() && replica.set.is_empty());
    assert!(replica.sorted.is_empty());
}

#[test]
fn a_generic_behaviour_can_have_collections_of_its_parameters() {
    #[derive(NetworkBehaviour)]
    struct Bag<K: Hash + Eq, V> {
        #[sync_var(hook = on_item, batch_hook = on_items)]
        list: SyncList<V>,
        #[sync_var(hook = on_entry)]
        map: SyncDictionary<K, Vec<V>>,
        #[sync_var]
        set: SyncHashSet<K>,
        seen: Vec<V>,
        calls: usize,
    }

    impl<K: Hash + Eq, V> Default for Bag<K, V> {
        fn default() -> Self {
            Self {
                list: SyncList::new(),
                map: SyncDictionary::new(),
                set: SyncHashSet::new(),
                seen: Vec::new(),
                calls: 0,
            }
        }
    }

    impl<K: SyncValue + Hash + Eq, V: SyncValue> Bag<K, V> {
        fn on_item(&mut self, change: &ListChange<V>) {
            self.seen.extend(change.value().cloned());
        }

        fn on_items(&mut self, changes: &[ListChange<V>]) {
            self.calls += changes.len();
        }

        fn on_entry(&mut self, change: &DictionaryChange<K, Vec<V>>) {
            self.calls += usize::from(change.key().is_some());
        }
    }

    let (mut bag, mut replica) = twins::<Bag<String, Item>>();
    bag.list.extend([item(1), item(2)]);
    bag.map.insert("both".into(), vec![item(1), item(2)]);
    bag.set.insert("axe".into());
    send(&mut bag, &mut replica);
    assert_eq!((replica.seen, replica.calls), (vec![item(1), item(2)], 3));
    assert!(replica.map["both"].len() == 2 && replica.set.contains("axe"));
}

#[test]
fn elements_keys_and_values_can_be_generic_structs() {
    #[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq, Hash)]
    struct Pair<T>(T, T);

    #[derive(NetworkBehaviour, Default)]
    struct Bag {
        #[sync_var(hook = on_pair)]
        list: SyncList<Pair<u8>>,
        #[sync_var]
        map: SyncDictionary<Pair<u8>, Pair<Item>>,
        #[sync_var]
        set: SyncHashSet<Pair<Option<u8>>>,
        last: Option<Pair<u8>>,
    }

    impl Bag {
        fn on_pair(&mut self, change: &ListChange<Pair<u8>>) {
            self.last = change.value().cloned();
        }
    }

    let (mut bag, mut replica) = twins::<Bag>();
    bag.list.push(Pair(1, 2));
    bag.map.insert(Pair(3, 4), Pair(item(5), item(6)));
    bag.set.insert(Pair(Some(7), None));
    send(&mut bag, &mut replica);
    assert_eq!(replica.last, Some(Pair(1, 2)));
    assert_eq!(replica.map[&Pair(3, 4)].1, item(6));
    assert!(replica.set.contains(&Pair(Some(7), None)));
}

#[test]
fn a_struct_that_compares_floats_in_its_own_way_can_be_a_key() {
    #[derive(SyncValue, Clone, Copy, Default)]
    struct Exact<T>(T);

    impl PartialEq for Exact<f32> {
        fn eq(&self, other: &Self) -> bool {
            self.0.to_bits() == other.0.to_bits()
        }
    }

    impl Eq for Exact<f32> {}

    impl Hash for Exact<f32> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.to_bits().hash(state);
        }
    }

    #[derive(NetworkBehaviour, Default)]
    struct Bag {
        #[sync_var]
        map: SyncDictionary<(Exact<f32>, u8), u8>,
        #[sync_var]
        set: SyncHashSet<Option<Exact<f32>>>,
    }

    let (mut bag, mut replica) = twins::<Bag>();
    bag.map.insert((Exact(f32::NAN), 1), 2);
    bag.set.insert(Some(Exact(0.5)));
    send(&mut bag, &mut replica);
    assert_eq!(replica.map[&(Exact(f32::NAN), 1)], 2);
    assert!(replica.set.contains(&Some(Exact(0.5))));
}

/// Where a value is declared that belongs to a behaviour.
mod inventory {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Inventory {
        #[sync_var]
        pub(crate) slots: SyncList<slot::Slot>,
        #[sync_var]
        pub(crate) best: SyncVar<slot::Slot>,
    }

    pub(crate) mod slot {
        #[derive(syncvar::SyncValue, Clone, Debug, Default, PartialEq)]
        pub(crate) struct Slot {
            pub(crate) content: Content,
        }

        #[derive(syncvar::SyncValue, Clone, Debug, Default, PartialEq)]
        pub(crate) enum Content {
            #[default]
            Nothing,
            Coins(u32),
            Chest(Box<[u32; 2]>),
        }
    }
}

#[test]
fn element_type_may_come_from_another_module_and_nest_values() {
    use inventory::slot::{Content, Slot};

    let (mut inventory, mut replica) = twins::<inventory::Inventory>();
    inventory.slots.push(Slot::default());
    inventory.slots.push(Slot {
        content: Content::Chest(Box::new([3, 4])),
    });
    inventory.slots.get_mut(0).unwrap().content = Content::Coins(2);
    let last = inventory.slots.last().cloned();
    inventory.best.set(last.unwrap());
    send(&mut inventory, &mut replica);
    assert_eq!(replica.slots, inventory.slots);
    assert_eq!(replica.slots[1], *replica.best);
}

/// A value with a layout of its own: one byte, whatever shape it stands for.
#[derive(Clone)]
struct Shape(Arc<dyn Corners>);

trait Corners: Send + Sync {
    fn corners(&self) -> u8;
}

struct Polygon(u8);

impl Corners for Polygon {
    fn corners(&self) -> u8 {
        self.0
    }
}

impl Shape {
    fn new(corners: u8) -> Self {
        Self(Arc::new(Polygon(corners)))
    }
}

impl SyncValue for Shape {
    const SCHEMA: TypeSchema = TypeSchema::Named("Shape");

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_u8(self.0.corners());
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_u8().map(Self::new)
    }

    fn same(&self, other: &Self) -> bool {
        self.0.corners() == other.0.corners()
    }
}

/// The same for something generic.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Low<T>(T);

impl<T: SyncValue + Copy + Into<u32> + TryFrom<u32>> SyncValue for Low<T> {
    const SCHEMA: TypeSchema = TypeSchema::Named("Low");

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_u8(u8::try_from(self.0.into()).unwrap_or(u8::MAX));
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let value = T::try_from(reader.read_u8()?.into());
        value
            .map(Self)
            .map_err(|_| unreachable!("every type has 8 bits"))
    }

    fn same(&self, other: &Self) -> bool {
        self.0.into() == other.0.into()
    }
}

#[test]
fn element_key_and_value_may_have_a_custom_layout() {
    #[derive(NetworkBehaviour, Default)]
    struct Drawing {
        #[sync_var(hook = on_shape)]
        shapes: SyncList<Shape>,
        #[sync_var]
        numbers: SyncList<Low<u32>>,
        #[sync_var]
        by_number: SyncDictionary<Low<u16>, Shape>,
        corners: u8,
    }

    impl Drawing {
        fn on_shape(&mut self, change: &ListChange<Shape>) {
            self.corners += change.value().map_or(0, |shape| shape.0.corners());
        }
    }

    let (mut drawing, mut replica) = twins::<Drawing>();
    drawing.shapes.extend([Shape::new(3), Shape::new(4)]);
    drawing.numbers.push(Low(5));
    drawing.by_number.insert(Low(6), Shape::new(7));
    let bytes = send(&mut drawing, &mut replica);
    assert!(bytes.contains("0200000300000401000005"), "{bytes}");
    assert_eq!((replica.corners, replica.numbers[0].0), (7, 5));
    assert_eq!(replica.by_number[&Low(6)].0.corners(), 7);
}

#[test]
fn collection_in_a_plain_struct_is_a_collection() {
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Shelf {
        items: SyncList<u32>,
        tags: SyncHashSet<String>,
    }

    let mut shelf = Shelf::default();
    shelf.items.push(1);
    shelf.tags.insert("new".into());
    assert_eq!(shelf.clone(), shelf);
    let tags: HashSet<String> = shelf.tags.into_iter().collect();
    assert!(shelf.items == [1] && tags.contains("new"));
}

#[test]
fn exactly_64_collections_are_accepted() {
    macro_rules! behaviour {
        ($($field:ident)*) => {
            #[derive(NetworkBehaviour, Default)]
            struct Full {
                $(#[sync_var] $field: SyncList<u8>,)*
            }
        };
    }

    behaviour! {
        a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7 c0 c1 c2 c3 c4 c5 c6 c7 d0 d1 d2 d3 d4 d5 d6 d7
        e0 e1 e2 e3 e4 e5 e6 e7 f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2 g3 g4 g5 g6 g7 h0 h1 h2 h3 h4 h5 h6 h7
    }

    let (mut full, mut replica) = twins::<Full>();
    full.h7.push(9);
    assert_eq!(full.sync_var_dirty_bits(), 1 << 63);
    full.set_dirty_bit(u64::MAX);
    assert_eq!(full.sync_var_dirty_bits(), u64::MAX);
    send(&mut full, &mut replica);
    assert_eq!((replica.h7[0], Full::SCHEMA.field_count()), (9, 64));
    assert_eq!(full.sync_var_dirty_bits(), 0);
}
