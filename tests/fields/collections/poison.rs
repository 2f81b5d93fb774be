//! Changes that make no sense, over the network: they poison one object, until it comes again.

use syncvar::prelude::*;
use syncvar::{Framing, stats::MessageType};
use syncvar_testing::ClientMessages as _;

use crate::collections::{Bag, world};

/// A message as UNet sends it: size, number, object, bits of fields, and what stands for these.
fn update(id: NetId, fields: u8, payload: &[u8]) -> Vec<u8> {
    let id = u8::try_from(id.0).unwrap();
    let length = u8::try_from(payload.len() + 2).unwrap();
    [&[length, 0, 8, 0, id, fields], payload].concat()
}

fn filled() -> Bag {
    Bag {
        items: [1, 2, 3].into(),
        ammo: [("bow".to_string(), 12)].into(),
        tags: ["red".to_string()].into(),
        scores: [10, 20].into(),
        ..Bag::default()
    }
}

/// The client has what the server has.
fn assert_equal(net: &MemoryNetwork, ids: &[NetId]) {
    for id in ids {
        let expected = net.server.get::<Bag>(*id).unwrap().state();
        assert_eq!(net.client(0).get::<Bag>(*id).unwrap().state(), expected);
    }
}

/// Some of it is read before the mistake comes, and no hook is told of that.
#[test]
fn malformed_change_poisons_its_object_and_runs_no_hook() {
    let bad: [(u8, &[u8]); 12] = [
        // An element is added, and then: one taken out that is not there, an unknown operation, the
        // end, a position far away.
        (1, &[2, 0, 0, 7, 4, 200]),
        (1, &[2, 0, 0, 7, 9, 0]),
        (1, &[2, 0, 0, 7]),
        (
            1,
            &[
                2, 0, 0, 7, 5, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1,
            ],
        ),
        // All is taken out, and then runs of what is not there.
        (1, &[2, 1, 0, 7, 1, 1, 1]),
        // The whole, which is too short.
        (1, &[0, 5, 0, 1, 2]),
        (2, &[2, 0, 0, 1, 0, b'a', 1, 2, 0, 1, 0, b'z']),
        (2, &[0, 2, 0, 1, 0, b'a', 1, 1, 0, b'a', 2]),
        (4, &[1, 0, 0, 3, 0, b'r', b'e', b'd']),
        (4, &[1, 2, 0, 4, 0, b'b', b'l', b'u', b'e']),
        (8, &[2, 0, 0, 5, 0, 0, 10]),
        (8, &[2, 1, 0, 2, 0, 10]),
    ];
    for (fields, payload) in bad {
        for dialect in [Framing::Unet, Framing::Compact] {
            let (mut net, one) = world(dialect, filled());
            let other = net.server.spawn(filled());
            net.settle();
            events(&mut net);

            let packet = [update(one, fields, payload), update(other, 1, &[1, 4, 0])].concat();
            net.client_mut(0).handle_messages(0, &packet).unwrap();
            let events_of_both = events(&mut net);
            let [
                ClientEvent::Poisoned { object, .. },
                ClientEvent::Changed {
                    object: changed, ..
                },
            ] = &events_of_both[..]
            else {
                panic!("{payload:?}: {events_of_both:?}")
            };
            assert_eq!((*object, *changed), (one, other));
            assert_eq!(told(&mut net, one), [""; 0], "{payload:?}");
            let expected = ["RemoveAt { index: 0, previous: 1 } of [2, 3]", "1 items"];
            assert_eq!(told(&mut net, other), expected);

            // The neighbour goes on, and what is poisoned comes again, once, and with what has
            // happened meanwhile.
            net.server.get_mut::<Bag>(other).unwrap().scores.insert(30);
            net.server.get_mut::<Bag>(one).unwrap().items.push(4);
            net.server.get_mut::<Bag>(one).unwrap().tags.clear();
            net.settle();
            let of_the_restore = told(&mut net, one);
            assert!(
                !of_the_restore.is_empty(),
                "the snapshot differs: {payload:?}"
            );
            assert_eq!(told(&mut net, other), ["Add { value: 30 }"]);
            assert_equal(&net, &[one]);
            let restored = events(&mut net);
            let restored = restored.iter().filter(
                |event| matches!(event, ClientEvent::Restored { object } if *object == one),
            );
            assert_eq!(restored.count(), 1);

            net.server.get_mut::<Bag>(one).unwrap().items.push(5);
            net.settle();
            assert_eq!(told(&mut net, one).len(), 2, "changes are told of again");
            assert_equal(&net, &[one]);
        }
    }

    fn events(net: &mut MemoryNetwork) -> Vec<ClientEvent> {
        syncvar_testing::events(net.client_mut(0)).collect()
    }

    fn told(net: &mut MemoryNetwork, id: NetId) -> Vec<String> {
        std::mem::take(&mut net.client_mut(0).get_mut::<Bag>(id).unwrap().told)
    }
}

/// What a server sends, with one bit turned round: nothing that follows is lost, whatever it is taken
/// for, as long as the client is not told to forget or to leave.
#[test]
fn flipped_bit_does_not_stop_later_packets() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let mut equal = 0;
        let mut bit = 0;
        loop {
            let (mut net, one) = world(dialect, filled());
            let two = net.server.spawn(filled());
            net.settle();
            for id in [one, two] {
                let mut bag = net.server.get_mut::<Bag>(id).unwrap();
                bag.items.insert(1, 9);
                bag.items.retain(|item| item % 2 == 1);
                bag.ammo.remove("bow");
                bag.tags.insert("x".into());
                bag.scores.pop_first();
            }
            net.server.update(net.now() + net.tick);
            let mut packet = net.server.poll_transmit().unwrap().to_bytes().to_vec();
            assert!(net.server.poll_transmit().is_none());
            // Size and number of the message are not what this is about.
            let place = 4 + bit / 8;
            if place >= packet.len() {
                assert!(bit > 200 && equal * 10 > bit * 9, "{equal} of {bit}");
                break;
            }
            packet[place] ^= 1 << (bit % 8);
            bit += 1;
            let _ = net.client_mut(0).handle_messages(0, &packet);
            net.settle();
            for id in [one, two] {
                let mut bag = net.server.get_mut::<Bag>(id).unwrap();
                bag.items.set_dirty();
                bag.ammo.set_dirty();
                bag.tags.set_dirty();
                bag.scores.set_dirty();
            }
            net.settle();
            let objects = net.client(0).object_count();
            if net.is_connected(0) && objects == 2 {
                assert_equal(&net, &[one, two]);
                equal += 1;
            }
            let spawned = net.client(0).stats().decoded(MessageType::SpawnBatch);
            assert!(spawned.messages < 10, "asked again and again");
        }
    }
}
