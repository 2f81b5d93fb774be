//! Collections of 100 000 elements.

use syncvar::prelude::*;
use syncvar::{
    Framing,
    stats::MessageType,
    wire::{Encoding, NetworkWriter, WriteErrorKind},
};

use crate::collections::{Bag, delta, world};

#[test]
fn list_of_100_000_costs_its_changes_only() {
    let bag = Bag {
        items: (0..100_000).collect(),
        ammo: (0..100_000).map(|key| (key.to_string(), key)).collect(),
        ..Bag::default()
    };
    let (mut net, id) = world(Framing::Compact, bag);
    let changes: [fn(&mut Bag); 6] = [
        |bag| bag.items.push(7),
        |bag| assert!(bag.items.set(50_000, 7)),
        |bag| assert_eq!(bag.items.remove(10), 10),
        |bag| assert_eq!(bag.ammo.insert("99999".into(), 0), Some(99_999)),
        |bag| assert_eq!(bag.ammo.remove("77777"), Some(77_777)),
        |bag| bag.scores.extend([3, 1, 2]),
    ];
    for change in changes {
        let before = encoded(&net);
        change(&mut net.server.get_mut::<Bag>(id).unwrap());
        net.settle();
        let bytes = encoded(&net) - before;
        assert!(bytes <= 16, "{bytes} bytes");
    }
    let late = net.connect();
    net.settle();
    let server = net.server.get::<Bag>(id).unwrap().state();
    for client in 0..=late {
        let client = net.client(client).get::<Bag>(id).unwrap();
        assert!(client.state() == server, "a client differs");
    }
    let client = net.client(0).get::<Bag>(id).unwrap();
    let told = client.told.iter().filter(|line| !line.contains(" of ["));
    let told: Vec<_> = told.map(String::as_str).collect();
    let expected = [
        "1 items",
        "1 items",
        "1 items",
        r#"Set { key: "99999", previous: 99999, value: 0 }"#,
        "1 ammo",
        r#"Remove { key: "77777", previous: 77777 }"#,
        "1 ammo",
        "Add { value: 1 }",
        "Add { value: 2 }",
        "Add { value: 3 }",
    ];
    assert_eq!(told, expected);

    /// The bytes of changes that the server has encoded so far.
    fn encoded(net: &MemoryNetwork) -> u64 {
        net.server.stats().encoded(MessageType::UpdateBatch).bytes
    }
}

/// UNet can count 65 535 elements, and its messages have as many bytes: more is an error that names the
/// field, and nothing is lost.
#[test]
fn unet_reports_the_operation_that_overflows_a_list() {
    let mut list: SyncList<bool> = (0..65_535).map(|number| number % 2 == 0).collect();
    list.clear_dirty();
    list.pop();
    list.push(true);
    assert_eq!(delta(&list, Encoding::Unet).len(), 1 + 4 + 3);
    list.clear_dirty();
    list.push(false);
    let mut writer = NetworkWriter::with_encoding(Encoding::Unet);
    list.write_delta(&mut writer);
    let (count, limit) = (65_536, 65_535);
    let kind = writer.error().map(|error| error.kind());
    assert_eq!(kind, Some(WriteErrorKind::TooManyElements { count, limit }));
    assert!(writer.is_empty(), "nothing of it is written");
    assert_eq!(delta(&list, Encoding::Compact), [1, 0, 0]);
}

#[test]
fn unet_reports_the_field_of_an_oversized_list() {
    let (mut net, id) = world(Framing::Unet, Bag::default());
    let mut bag = net.server.get_mut::<Bag>(id).unwrap();
    bag.items.extend(0..65_536);
    drop(bag);
    net.settle();
    let mut failures = Vec::new();
    while let Some(event) = net.server.poll_event() {
        if let ServerEvent::SerializeFailed { object, field, .. } = event {
            failures.push((object, field));
        }
    }
    assert_eq!(failures, [(id, Some("items"))]);
    let mut bag = net.server.get_mut::<Bag>(id).unwrap();
    bag.items.truncate(10_000);
    drop(bag);
    net.settle();
    let server = net.server.get::<Bag>(id).unwrap();
    let client = net.client(0).get::<Bag>(id).unwrap();
    assert!(client.state() == server.state());
}
