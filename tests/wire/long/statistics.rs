//! A long message counts as what it carries.

use syncvar::stats::MessageType;

use super::route::{Route, network, numbers};

#[test]
fn both_sides_count_long_messages_under_their_type() {
    let mut net = network(1);
    let id = net.server.spawn(Route::of(numbers(60_000, 0)));
    net.settle();
    let mut route = net.server.get_mut::<Route>(id).unwrap();
    route.points.set(numbers(60_000, 1));
    drop(route);
    net.settle();
    for message_type in [MessageType::SpawnBatch, MessageType::UpdateBatch] {
        let encoded = net.server.stats().encoded(message_type);
        assert_eq!(encoded, net.client(0).stats().decoded(message_type));
        assert_eq!(encoded.messages, 1);
        assert!(encoded.bytes > 600_000);
    }
    // The head of ten bytes, a header of one and a length of three, a mask and a count.
    let encoded = net.server.stats().encoded(MessageType::UpdateBatch);
    assert_eq!(encoded.bytes, 10 + 4 + 1 + 3 + 600_000);
    let none = syncvar::stats::Counter::default();
    assert_eq!(net.server.stats().encoded(MessageType::Long), none);
    assert_eq!(net.client(0).stats().decoded(MessageType::Long), none);
    assert_eq!(net.client(0).stats().received, net.server.stats().sent);
}
