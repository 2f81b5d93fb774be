//! What is kept of the changes of a collection, and what goes over the wire.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{
    Framing, SyncField,
    behaviour::{BehaviourInfo, FieldVisitor},
    fields::{FieldPlace, OperationLog},
    schema::{BehaviourSchema, FieldSchema},
    wire::{Encoding, NetworkReader, NetworkWriter, ReadError},
};

use crate::collections::{Bag, apply, delta, world};

/// A list that clients have, in `Compact`.
fn known(items: impl IntoIterator<Item = u32>) -> SyncList<u32> {
    let mut list = SyncList::from_iter(items);
    list.clear_dirty();
    list
}

fn whole(list: &SyncList<u32>) -> Vec<u8> {
    let mut list = list.clone();
    list.set_dirty();
    delta(&list, Encoding::Compact)
}

/// Writes by index in the full log of Mirror: one operation each, and none without a difference.
#[test]
fn full_log_has_the_elements_written_by_index() {
    let mut list = SyncList::from([1_u32, 2, 3]);
    list.set_log(OperationLog::Full { pending: 0 });
    list.set_observed(true);
    let mut replica = list.clone();
    list[0] = 10;
    list[1] = 2;
    list.push(4);
    list[2] += 4;
    // The end of a write access on a server.
    FieldPlace::end_write(&mut list);
    let mut twin = SyncList::from([1_u32, 2, 3]);
    twin.set_log(OperationLog::Full { pending: 0 });
    twin.set_observed(true);
    twin.set(0, 10);
    twin.push(4);
    twin.set(2, 7);
    let bytes = delta(&list, Encoding::Mirror);
    assert_eq!(bytes, delta(&twin, Encoding::Mirror));
    apply(&mut replica, &bytes, Encoding::Mirror);
    assert_eq!(replica, [10, 2, 7, 4]);

    // Written before the end of the access: the list is refilled.
    list.clear_dirty();
    list[0] = 11;
    apply(
        &mut replica,
        &delta(&list, Encoding::Mirror),
        Encoding::Mirror,
    );
    assert_eq!(replica, [11, 2, 7, 4]);
}

/// What a long list costs is what changes.
#[test]
fn operation_size_does_not_grow_with_the_list() {
    type Operation = fn(&mut SyncList<u32>);
    let operations: [(Operation, usize); 7] = [
        (|list| list.push(5), 3),
        (|list| assert!(list.set(0, 7)), 3),
        (|list| list.insert(0, 7), 3),
        (|list| assert_eq!(list.remove(0), 1), 2),
        (|list| assert!(list.set(90_000, 7)), 5),
        (|list| list.truncate(60_000), 8),
        (|list| list.retain(|item| item % 20_000 != 0), 22),
    ];
    for (operation, bytes) in operations {
        let mut list = known(1..=100_000);
        let mut replica = list.clone();
        operation(&mut list);
        let delta = delta(&list, Encoding::Compact);
        assert_eq!(delta.len(), bytes, "{delta:?}");
        apply(&mut replica, &delta, Encoding::Compact);
        assert_eq!(replica, list);
    }
}

#[test]
fn whole_list_is_sent_when_shorter_than_its_operations() {
    for changes in [1, 5, 20, 22, 30, 100, 1000, 10_000] {
        let mut list = known([1, 2, 3]);
        let mut replica = list.clone();
        for number in 0..changes {
            // Nothing of this can be put together.
            list.insert(0, number % 100);
            list.pop();
        }
        let delta = delta(&list, Encoding::Compact);
        assert!(delta.len() <= 64, "{changes}: {}", delta.len());
        assert_eq!(changes > 20, delta == whole(&list), "{changes}");
        apply(&mut replica, &delta, Encoding::Compact);
        assert_eq!(replica, list, "{changes}");
    }
}

/// LESSONS 13: the log has a bound of its own, however long nothing is sent.
#[test]
fn a_log_that_is_never_sent_does_not_grow_beyond_the_list() {
    let mut list = known(0..100);
    for number in 0..100_000 {
        list.push(number);
        list.remove(0);
    }
    assert_eq!(delta(&list, Encoding::Compact), whole(&list));
    let mut map = SyncDictionary::from([(0, 0_u32)]);
    map.clear_dirty();
    for number in 1..100_000 {
        map.insert(number, number);
        map.remove(&(number - 1));
    }
    // Neither of those that have come and gone is known to anybody.
    assert_eq!(delta(&map, Encoding::Compact).len(), 1 + 2 + 7);
}

#[test]
fn repeated_set_is_sent_once_and_a_reset_not_at_all() {
    let mut list = known(0..1000);
    for round in 0..50 {
        for index in [3, 500, 999] {
            list.set(index, round);
        }
    }
    let bytes = delta(&list, Encoding::Compact);
    assert_eq!(bytes.len(), 1 + 2 + 3 + 3);

    let (mut net, id) = world(Framing::Compact, bag(&[1, 2]));
    {
        let mut bag = net.server.get_mut::<Bag>(id).unwrap();
        bag.items.set(0, 9);
        bag.items.set(0, 1);
        bag.ammo.insert("bow".into(), 8);
        bag.ammo.insert("bow".into(), 7);
        bag.tags.insert("new".into());
        bag.tags.remove("new");
        bag.tags.remove("old");
        bag.tags.insert("old".into());
    }
    net.settle();
    let client = net.client(0).get::<Bag>(id).unwrap();
    assert_eq!(client.told, Vec::<String>::new());
}

fn bag(items: &[u32]) -> Bag {
    Bag {
        items: items.into(),
        ammo: [("bow".into(), 7)].into(),
        tags: ["old".into()].into(),
        scores: [30, 10].into(),
        ..Bag::default()
    }
}

/// LESSONS 13, D7: what nobody observes keeps no operations; as soon as somebody does, changes are
/// operations again.
#[test]
fn log_stays_empty_without_observers() {
    let (mut net, id) = world(Framing::Compact, bag(&[1, 2, 3]));
    let connection = net.connection(0);
    let push = |net: &mut MemoryNetwork| {
        net.server.get_mut::<Bag>(id).unwrap().items.push(4);
        let bag = net.server.get::<Bag>(id).unwrap();
        delta(&bag.items, Encoding::Compact)
    };
    assert_eq!(push(&mut net), [1, 0, 4], "one operation");
    net.settle();
    net.server.hide(id, connection).unwrap();
    net.settle();
    // The first change after the last observer has left finds out.
    push(&mut net);
    net.settle();
    for _ in 0..3 {
        assert_eq!(push(&mut net)[0], 0, "no operations are kept");
        net.settle();
        let bag = net.server.get::<Bag>(id).unwrap();
        assert!(!bag.items.is_dirty(), "nothing waits");
    }
    net.server.show(id, connection).unwrap();
    net.settle();
    assert_eq!(push(&mut net), [1, 0, 4], "one operation");
    net.settle();
    let server = net.server.get::<Bag>(id).unwrap();
    assert_eq!(
        net.client(0).get::<Bag>(id).unwrap().state(),
        server.state()
    );
}

#[test]
fn object_spawned_before_any_client_logs_no_operation() {
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Bag>("bag"));
    let id = net.server.spawn(bag(&[]));
    for number in 0..3 {
        net.server.get_mut::<Bag>(id).unwrap().items.push(number);
        let waiting = delta(&net.server.get::<Bag>(id).unwrap().items, Encoding::Compact);
        assert_eq!(waiting[0], 0, "no operations are kept");
        net.settle();
    }
    net.connect();
    net.settle();
    let server = net.server.get::<Bag>(id).unwrap();
    assert_eq!(
        net.client(0).get::<Bag>(id).unwrap().state(),
        server.state()
    );
}

/// LESSONS 9: whoever joins while changes wait has them once.
#[test]
fn client_that_joins_between_operations_gets_each_once() {
    let (mut net, id) = world(Framing::Compact, bag(&[1]));
    for number in 10..20 {
        net.server.get_mut::<Bag>(id).unwrap().items.push(number);
        let late = net.connect();
        let mut bag = net.server.get_mut::<Bag>(id).unwrap();
        bag.items.remove(0);
        bag.scores.insert(number.cast_signed());
        drop(bag);
        net.settle();
        let server = net.server.get::<Bag>(id).unwrap();
        for client in 0..=late {
            let client = net.client(client).get::<Bag>(id).unwrap();
            assert_eq!(client.state(), server.state());
        }
        let told = &net.client(late).get::<Bag>(id).unwrap().told;
        assert_eq!(*told, Vec::<String>::new(), "a full state tells nothing");
    }
}

#[test]
fn replaced_collection_sends_its_difference() {
    let (mut net, id) = world(Framing::Compact, bag(&[1, 2, 3]));
    {
        let mut bag = net.server.get_mut::<Bag>(id).unwrap();
        bag.items = [1, 3].into();
        bag.ammo = [("axe".to_owned(), 1)].into();
        bag.tags = SyncHashSet::new();
        std::mem::take(&mut bag.scores);
    }
    net.settle();
    let server = net.server.get::<Bag>(id).unwrap();
    let client = net.client(0).get::<Bag>(id).unwrap();
    assert_eq!(client.state(), server.state());
    let told = [
        "RemoveAt { index: 1, previous: 2 } of [1, 3]",
        "1 items",
        r#"Remove { key: "bow", previous: 7 }"#,
        r#"Add { key: "axe", value: 1 }"#,
        "2 ammo",
        r#"Clear { previous: ["old"] }"#,
        "Clear { previous: [10, 30] }",
    ];
    assert_eq!(client.told, told);
}

/// A guard that is never dropped could hide a change: the list is sent whole then.
#[test]
fn element_with_a_leaked_guard_is_sent() {
    let mut list = known([1, 2, 3]);
    let mut element = list.get_mut(1).unwrap();
    *element = 20;
    std::mem::forget(element);
    assert!(list.is_dirty());
    let mut replica = known([1, 2, 3]);
    apply(
        &mut replica,
        &delta(&list, Encoding::Compact),
        Encoding::Compact,
    );
    assert_eq!(replica, [1, 20, 3]);
}

/// A value without a form that is gone again must not keep the rest from being sent.
#[test]
fn a_text_too_long_that_was_taken_out_again_is_no_hindrance() {
    let mut list = SyncList::from([String::from("a")]);
    list.clear_dirty();
    list.push("x".repeat(40_000));
    list.push("b".into());
    list.remove(1);
    let mut replica = SyncList::from([String::from("a")]);
    apply(&mut replica, &delta(&list, Encoding::Unet), Encoding::Unet);
    assert_eq!(replica, ["a", "b"]);
}

/// Says "not yet" until three items wait; its full state is that of the list, as it is.
#[derive(Default)]
struct Hesitant {
    items: SyncList<u32>,
}

impl NetworkBehaviour for Hesitant {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Hesitant",
        base: None,
        fields: &[FieldSchema::of::<SyncList<u32>>("items")],
    };
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.send_interval(Duration::ZERO);

    fn sync_var_dirty_bits(&self) -> u64 {
        self.items.is_dirty().into()
    }
    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "Hesitant.items", &mut self.items);
    }
    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        if initial_state {
            SyncField::write_full(&self.items, writer);
            return true;
        }
        let ready = self.items.len().is_multiple_of(3);
        writer.write_dirty_bits(ready.into());
        if ready {
            SyncField::write_delta(&self.items, writer);
        }
        ready
    }
    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        if initial_state {
            SyncField::read_full(&mut self.items, reader)
        } else if reader.read_dirty_bits_of::<Self>()? != 0 {
            SyncField::read_delta(&mut self.items, reader)
        } else {
            Ok(())
        }
    }
}

#[test]
fn pending_operations_in_a_snapshot_run_once() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Hesitant>("hesitant"));
    let id = net.server.spawn(Hesitant::default());
    net.settle();
    for (item, joins) in [(1, false), (2, true), (3, false)] {
        net.server.get_mut::<Hesitant>(id).unwrap().items.push(item);
        if joins {
            net.connect();
        }
        (0..5).for_each(|_| net.step());
    }
    for client in 0..2 {
        let replica = net.client(client).get::<Hesitant>(id).unwrap();
        assert_eq!(replica.items, [1, 2, 3], "client {client}");
    }
}

/// The server does not know that there is a change, until there is another one.
#[test]
fn changes_of_a_leaked_guard_run_once() {
    let (mut net, id) = world(Framing::Compact, Bag::default());
    let mut bag = net.server.get_mut::<Bag>(id).unwrap();
    bag.items.push(1);
    std::mem::forget(bag);
    net.connect();
    net.settle();
    net.server.get_mut::<Bag>(id).unwrap().items.push(2);
    net.settle();
    let expected = net.server.get::<Bag>(id).unwrap().state();
    for client in 0..2 {
        let replica = net.client(client).get::<Bag>(id).unwrap();
        assert_eq!(replica.state(), expected, "client {client}");
    }
}
