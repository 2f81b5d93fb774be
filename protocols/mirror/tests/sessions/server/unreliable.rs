//! Owners whose components travel unreliably: Mirror's `SyncMethod.Hybrid`, from a client.

use syncvar::mirror::message::{
    EntityStateMessageUnreliableBaseline, EntityStateMessageUnreliableDelta, NetworkMessage,
};
use syncvar::mirror::*;
use syncvar::prelude::*;
use syncvar::{
    Channel,
    wire::{Encoding, NetworkWriter},
};

use super::net::{Aim, Net};

/// A component at position 2, with its length.
fn third(component: &NetworkWriter) -> Vec<u8> {
    let bytes = component.as_bytes();
    [&[4, bytes.len().try_into().unwrap()], bytes].concat()
}

fn baseline(object: NetId, baseline_tick: u8, yaw: i32) -> Vec<u8> {
    let mut component = NetworkWriter::with_encoding(Encoding::Mirror);
    component.write(&yaw);
    let message = EntityStateMessageUnreliableBaseline {
        baseline_tick,
        net_id: object,
        payload: Some(&third(&component)),
    };
    message.to_bytes().unwrap().to_vec()
}

fn delta(object: NetId, baseline_tick: u8, yaw: i32) -> Vec<u8> {
    let mut component = NetworkWriter::with_encoding(Encoding::Mirror);
    component.write_u64(0);
    component.write_var_u64(1);
    component.write(&yaw);
    let message = EntityStateMessageUnreliableDelta {
        baseline_tick,
        net_id: object,
        payload: Some(&third(&component)),
    };
    message.to_bytes().unwrap().to_vec()
}

/// Has a connection send a message in a batch of its own, at a time of its own.
fn say_at(net: &mut Net, from: ConnectionId, time: f64, message: &[u8]) -> Result<(), MirrorError> {
    let mut batch = time.to_le_bytes().to_vec();
    batch.push(message.len().try_into().unwrap());
    batch.extend(message);
    net.server.handle_packet(from, Channel::Unreliable, &batch)
}

fn yaw(net: &Net, object: NetId) -> i32 {
    *net.server.get::<Aim>(object).unwrap().yaw
}

#[test]
fn newer_unreliable_owner_state_is_applied() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let (other, others) = net.join();
    net.step();
    net.told(other);
    let steps = [
        (0.10, delta(player, 0, 1), 1),
        (0.10, delta(player, 0, 2), 1), // it comes twice
        (0.20, delta(player, 0, 3), 3),
        (0.15, delta(player, 0, 4), 3), // it is late
        (0.30, delta(player, 1, 5), 3), // it is counted from what has not come
        (0.30, baseline(player, 1, 6), 6),
        (0.40, delta(player, 0, 7), 6), // it is counted from what was before
        (0.40, delta(player, 1, 8), 8),
    ];
    for (time, message, expected) in steps {
        say_at(&mut net, owner, time, &message).unwrap();
        assert_eq!(yaw(&net, player), expected);
    }
    assert_eq!(net.server.stats().outdated_states, 4);
    let turned = &net.server.get::<Aim>(player).unwrap().turned;
    assert_eq!(turned, &[(0, 1), (1, 3), (3, 6), (6, 8)]);
    net.step();
    assert_eq!(net.told(other), ["state 1"]);
    assert_eq!(net.clients[&other].objects[&player].yaw, 8);

    // Nobody else may write it, be it that it comes unreliably.
    for message in [baseline(player, 1, 66), delta(player, 1, 66)] {
        say_at(&mut net, other, 9.0, &message).unwrap();
    }
    assert_eq!((yaw(&net, player), yaw(&net, others)), (8, 0));
    assert_eq!(net.server.stats().refused_states, 2);
}

#[test]
fn a_new_owner_begins_anew() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let (heir, _) = net.join();
    say_at(&mut net, owner, 100.0, &baseline(player, 7, 1)).unwrap();
    say_at(&mut net, owner, 100.1, &delta(player, 7, 2)).unwrap();
    assert_eq!(yaw(&net, player), 2);
    net.server.set_owner(player, Some(heir)).unwrap();
    // Its clock says something else, and it counts from what it was sent.
    say_at(&mut net, heir, 1.0, &delta(player, 0, 3)).unwrap();
    assert_eq!(yaw(&net, player), 3);
}

#[test]
fn malformed_unreliable_packet_disconnects() {
    let messages: [(fn(_, _, _) -> _, _); 2] =
        [(baseline, "UnreliableBaseline"), (delta, "UnreliableDelta")];
    for (message, name) in messages {
        let mut net = Net::new();
        let (owner, player) = net.join();
        let mut message: Vec<u8> = message(player, 0, 1);
        // Behind the id, the baseline, the object, the size and the mask: the length of the component.
        message[6] += 1;
        let error = say_at(&mut net, owner, 1.0, &message).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(!net.server.is_connected(owner));
    }
}
