//! Counterparts of Mirror's tests of behaviours, as far as they are about collections:
//! `NetworkBehaviourSerializeTest`, `NetworkBehaviourDirtyBitsTests`, `NetworkBehaviourTests`.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    Framing,
    behaviour::{BehaviourInfo, FieldVisitor},
    schema::BehaviourSchema,
    wire::{Encoding, NetworkReader, NetworkWriter, ReadError},
};

use crate::collections::{Bag, world};

/// One class with a variable and a list.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Base {
    #[sync_var]
    number: SyncVar<i32>,
    #[sync_var]
    list: SyncList<String>,
}

/// A subclass with its own.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Derived {
    #[network_behaviour(base)]
    base: Base,
    #[sync_var]
    map: SyncDictionary<u32, String>,
    #[sync_var]
    set: SyncHashSet<u32>,
}

fn fill(base: &mut Base) {
    base.number.set(10);
    base.list.extend(["one", "two"].map(String::from));
}

/// Writes a behaviour and reads it into another one; returns how many bytes that took.
fn transfer<B: NetworkBehaviour>(
    from: &mut B,
    to: &mut B,
    initial: bool,
    dialect: Encoding,
) -> usize {
    let mut writer = NetworkWriter::with_encoding(dialect);
    from.on_serialize(&mut writer, initial);
    assert_eq!(writer.error(), None);
    from.clear_all_dirty_bits();
    let mut reader = NetworkReader::with_encoding(writer.as_bytes(), dialect);
    to.on_deserialize(&mut reader, initial).unwrap();
    reader.finish().unwrap();
    writer.len()
}

fn both(test: impl Fn(Encoding)) {
    [Encoding::Unet, Encoding::Compact]
        .into_iter()
        .for_each(test);
}

#[test]
fn behaviour_with_sync_var_test_the_full_state_and_a_change() {
    both(|dialect| {
        let (mut server, mut client) = (Base::default(), Base::default());
        fill(&mut server);
        transfer(&mut server, &mut client, true, dialect);
        assert_eq!(*client.number, 10);
        assert_eq!(client.list, ["one", "two"]);
        server.number.set(11);
        server.list.push("three".into());
        transfer(&mut server, &mut client, false, dialect);
        assert_eq!(*client.number, 11);
        assert_eq!(client.list, ["one", "two", "three"]);
    });
}

#[test]
fn base_and_subclass_fields_travel_together() {
    both(|dialect| {
        let (mut server, mut client) = (Derived::default(), Derived::default());
        fill(&mut server.base);
        server.map.insert(1, "one".into());
        transfer(&mut server, &mut client, true, dialect);
        assert_eq!(client.base.list, ["one", "two"]);
        server.base.list.remove(0);
        server.map.insert(2, "two".into());
        server.set.insert(3);
        transfer(&mut server, &mut client, false, dialect);
        assert_eq!(client.base.list, ["two"]);
        assert_eq!(client.map, server.map);
        assert_eq!(client.set, server.set);
        // Only what the base has.
        server.base.list.push("x".into());
        transfer(&mut server, &mut client, false, dialect);
        assert_eq!(client.base.list, ["two", "x"]);
    });
}

#[test]
fn subclass_without_fields_inherits_those_of_its_base() {
    /// A subclass without.
    #[derive(NetworkBehaviour, Default)]
    struct Plain {
        #[network_behaviour(base)]
        base: Base,
    }

    both(|dialect| {
        let (mut server, mut client) = (Plain::default(), Plain::default());
        fill(&mut server.base);
        transfer(&mut server, &mut client, true, dialect);
        server.base.list.clear();
        transfer(&mut server, &mut client, false, dialect);
        assert!(client.base.list.is_empty());
        assert_eq!(*client.base.number, 10);
    });
}

#[test]
fn base_without_fields_has_a_subclass_with_fields() {
    #[derive(NetworkBehaviour, Default)]
    struct Bare {
        name: String,
    }
    #[derive(NetworkBehaviour, Default)]
    struct Sub {
        #[network_behaviour(base)]
        bare: Bare,
        #[sync_var]
        set: SyncSortedSet<i32>,
    }
    both(|dialect| {
        let (mut server, mut client) = (Sub::default(), Sub::default());
        server.bare.name = "not synchronised".into();
        server.set.extend([1, 2]);
        transfer(&mut server, &mut client, true, dialect);
        server.set.pop_first();
        assert_eq!(server.sync_var_dirty_bits(), 1);
        transfer(&mut server, &mut client, false, dialect);
        assert_eq!(client.set, SyncSortedSet::from([2]));
        assert!(client.bare.name.is_empty());
    });
}

/// What Mirror has on a child is here one behaviour beside another.
#[test]
fn behaviours_of_one_object_are_serialized_together() {
    let prefabs = || Prefabs::new().register::<(Derived, Base, ByHand)>("family");
    let mut net = MemoryNetwork::pair(prefabs);
    let family = (Derived::default(), Base::default(), ByHand::default());
    let id = net.server.spawn(family);
    net.settle();
    let mut derived = net.server.get_mut::<Derived>(id).unwrap();
    derived.base.list.push("base".into());
    derived.map.insert(1, "one".into());
    drop(derived);
    fill(&mut net.server.get_mut::<Base>(id).unwrap());
    fill(&mut net.server.get_mut::<ByHand>(id).unwrap().base);
    net.settle();
    net.connect();
    net.settle();
    for client in [net.client(0), net.client(1)] {
        let derived = client.get::<Derived>(id).unwrap();
        assert_eq!(derived.base.list, ["base"]);
        assert_eq!(derived.map[&1], "one");
        assert_eq!(client.get::<Base>(id).unwrap().list, ["one", "two"]);
        let by_hand = client.get::<ByHand>(id).unwrap();
        assert_eq!(by_hand.base.list, ["one", "two"]);
    }
}

/// A behaviour by hand, which calls that of its base and writes more.
#[derive(Default)]
struct ByHand {
    base: Base,
    more: u8,
}

impl NetworkBehaviour for ByHand {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "ByHand",
        base: Some(&Base::SCHEMA),
        fields: &[],
    };
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.send_interval(Duration::ZERO);

    fn sync_var_dirty_bits(&self) -> u64 {
        self.base.sync_var_dirty_bits()
    }
    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.base(&mut self.base, &mut Default::default());
    }
    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let written = self.base.on_serialize(writer, initial_state);
        writer.write(&self.more);
        written
    }
    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        self.base.on_deserialize(reader, initial_state)?;
        self.more = reader.read()?;
        Ok(())
    }
}

#[test]
fn handwritten_behaviour_wraps_a_derived_one() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<ByHand>("by hand"));
    let mut behaviour = ByHand::default();
    fill(&mut behaviour.base);
    behaviour.more = 7;
    let id = net.server.spawn(behaviour);
    net.settle();
    let replica = net.client(0).get::<ByHand>(id).unwrap();
    assert_eq!(replica.base.list, ["one", "two"]);
    assert_eq!((*replica.base.number, replica.more), (10, 7));
    let mut behaviour = net.server.get_mut::<ByHand>(id).unwrap();
    behaviour.base.list.insert(1, "and".into());
    behaviour.more = 8;
    drop(behaviour);
    net.settle();
    let replica = net.client(0).get::<ByHand>(id).unwrap();
    assert_eq!(replica.base.list, ["one", "and", "two"]);
    assert_eq!(replica.more, 8);
}

#[test]
fn each_collection_has_the_bit_of_its_position() {
    let mut bag = Bag::default();
    bag.clear_all_dirty_bits();
    assert_eq!(bag.sync_var_dirty_bits(), 0);
    bag.items.push(1);
    assert_eq!(bag.sync_var_dirty_bits(), 0b0001);
    bag.ammo.insert("bow".into(), 1);
    assert_eq!(bag.sync_var_dirty_bits(), 0b0011);
    bag.tags.insert("red".into());
    bag.scores.insert(1);
    assert_eq!(bag.sync_var_dirty_bits(), 0b1111);
}

#[test]
fn clear_all_dirty_bits_clears_sync_objects_dirty_bits() {
    let mut bag = Bag::default();
    bag.clear_all_dirty_bits();
    bag.items.push(1);
    bag.scores.insert(1);
    bag.clear_all_dirty_bits();
    assert_eq!(bag.sync_var_dirty_bits(), 0);
    // What was cleared does not come with the next change.
    bag.items.push(2);
    let mut writer = NetworkWriter::new();
    bag.on_serialize(&mut writer, false);
    assert_eq!(writer.as_bytes(), [0b0001, 1, 0, 0, 2]);
}

#[test]
fn full_state_has_all_objects_and_a_delta_the_dirty_ones() {
    both(|dialect| {
        let (mut server, mut client) = (Bag::default(), Bag::default());
        server.items.extend([1, 2]);
        server.ammo.insert("bow".into(), 12);
        server.tags.insert("red".into());
        server.scores.insert(7);
        transfer(&mut server, &mut client, true, dialect);
        assert_eq!(client.state(), server.state());
        assert!(client.told.is_empty());
        server.ammo.insert("bow".into(), 11);
        server.ammo.insert("gun".into(), 3);
        let length = transfer(&mut server, &mut client, false, dialect);
        assert!(length < 25, "{length}");
        assert_eq!(client.state(), server.state());
        assert_eq!(
            transfer(&mut server, &mut client, false, dialect),
            1,
            "no bits"
        );
    });
}

/// A change waits for the send interval, and is one of the server's until then.
#[test]
fn collection_change_waits_for_the_send_interval() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0.5)]
    struct Slow {
        #[sync_var]
        list: SyncList<u32>,
    }
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Slow>("slow"));
    let id = net.server.spawn(Slow::default());
    net.settle();
    let push = |net: &mut MemoryNetwork, item| {
        net.server.get_mut::<Slow>(id).unwrap().list.push(item);
    };
    push(&mut net, 0);
    net.settle();
    let start = net.now();
    let mut item = 0;
    while net.now() < start + Duration::from_millis(400) {
        item += 1;
        push(&mut net, item);
        net.step();
        assert!(net.server.get::<Slow>(id).unwrap().list.is_dirty());
        assert_eq!(net.client(0).get::<Slow>(id).unwrap().list.len(), 1);
    }
    net.settle();
    let client = net.client(0).get::<Slow>(id).unwrap();
    assert!(client.list.iter().copied().eq(0..=item));
    assert!(!net.server.get::<Slow>(id).unwrap().list.is_dirty());
}

/// What changed while nobody looked comes with the full state, and not again as a change.
#[test]
fn dirty_bits_are_cleared_for_spawned_without_observers() {
    let (mut net, _) = world(Framing::Compact, Bag::default());
    let hidden = SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Bag::default(), hidden).unwrap();
    net.settle();
    for item in 0..50 {
        let mut bag = net.server.get_mut::<Bag>(id).unwrap();
        bag.items.push(item);
        bag.tags.insert(item.to_string());
        drop(bag);
        net.step();
    }
    assert_eq!(net.server.get::<Bag>(id).unwrap().sync_var_dirty_bits(), 0);
    net.server.show_to_all(id).unwrap();
    net.settle();
    let bag = net.client(0).get::<Bag>(id).unwrap();
    assert_eq!(bag.state(), net.server.get::<Bag>(id).unwrap().state());
    assert!(bag.told.is_empty(), "{:?}", bag.told);
}
