//! Lists.

use syncvar::Dialect;

use crate::{Bag, world};

/// CHECKLIST M5, M17, M21, N27; LESSONS 33: a client is told of every operation, with position, previous
/// and new value, in order, when all of them have been made.
#[test]
fn m21_a_client_is_told_of_every_operation_in_order() {
    for dialect in [Dialect::Unet, Dialect::Compact] {
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
