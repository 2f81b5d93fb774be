//! When a call is written, and in which order it arrives.

use std::time::Duration;

use syncvar::Framing;
use syncvar::prelude::*;

use super::world::{DIALECTS, Unit, network, raised, ran, seen, spawn};

// checklist: T58
#[test]
fn call_follows_the_spawn_of_the_same_tick() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = net.server.spawn(Unit::default());
        let second = net.connection(1);
        net.server.calls::<Unit>(id).hear("first".into()).unwrap();
        net.server
            .calls::<Unit>(id)
            .whisper(second, "second".into())
            .unwrap();
        net.server.calls::<Unit>(id).burst(3, "x".into()).unwrap();
        net.server
            .calls::<Unit>(id)
            .glimpse("fourth".into())
            .unwrap();
        net.settle();
        assert_eq!(seen(&net, 0, id), ["hear first", "glimpse fourth"]);
        assert_eq!(
            seen(&net, 1, id),
            ["hear first", "whisper second", "glimpse fourth"]
        );
        assert_eq!(
            raised(&mut net, 0)[0].arguments(Unit::BURST),
            Some((3, "x".into()))
        );
        assert_eq!(net.client(0).stats().unknown_objects, 0);
    }
}

// checklist: T58
#[test]
fn object_despawned_in_its_spawn_tick_sends_no_call() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = net.server.spawn(Unit::default());
        net.server.calls::<Unit>(id).hear("nobody".into()).unwrap();
        net.server.calls::<Unit>(id).explode(1.0).unwrap();
        net.server.despawn(id).unwrap();
        net.settle();
        assert!(net.client(0).get::<Unit>(id).is_none());
        assert_eq!(net.client(0).stats().unknown_objects, 0);
        assert!(net.server.is_idle());
    }
}

// checklist: T58
#[test]
fn call_precedes_the_despawn_of_the_same_tick() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = spawn(&mut net, None);
        net.server.calls::<Unit>(id).burst(1, "x".into()).unwrap();
        net.server.calls::<Unit>(id).passed().unwrap();
        net.server.despawn(id).unwrap();
        net.settle();
        assert_eq!(raised(&mut net, 0).len(), 2);
        assert_eq!(net.client(0).stats().unknown_objects, 0);
    }
}

// checklist: T58
#[test]
fn given_to_another_owner_and_called_the_new_owner_runs_it() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = net.server.spawn(Unit::default());
        let ids = [net.connection(0), net.connection(1)];
        net.server.set_owner(id, Some(ids[0])).unwrap();
        net.server.set_owner(id, Some(ids[1])).unwrap();
        net.server.calls::<Unit>(id).reload().unwrap();
        net.settle();
        assert_eq!(seen(&net, 0, id), [""; 0]);
        assert_eq!(seen(&net, 1, id), ["reload"]);
        assert!(net.client(1).is_owner(id));
    }
}

#[test]
fn calls_keep_their_order_across_channels_and_receivers() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = spawn(&mut net, Some(0));
        let one = net.connection(0);
        for number in 0..4_u8 {
            net.server
                .calls::<Unit>(id)
                .hear(number.to_string())
                .unwrap();
            net.server
                .calls::<Unit>(id)
                .glimpse(number.to_string())
                .unwrap();
            net.server
                .calls::<Unit>(id)
                .whisper(one, number.to_string())
                .unwrap();
            net.server.calls::<Unit>(id).reload().unwrap();
        }
        net.settle();
        let expected = (0..4).flat_map(|number| {
            [
                format!("hear {number}"),
                format!("glimpse {number}"),
                format!("whisper {number}"),
                "reload".into(),
            ]
        });
        assert_eq!(seen(&net, 0, id), expected.collect::<Vec<_>>());
    }
}

// checklist: B14
#[test]
fn calls_leave_at_once_and_fields_with_the_tick() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = spawn(&mut net, None);
        net.server.get_mut::<Unit>(id).unwrap().ammo.set(3);
        net.server.calls::<Unit>(id).hear("now".into()).unwrap();
        assert!(!net.server.is_idle());
        let mut packets = Vec::new();
        while let Some(transmit) = net.server.poll_transmit() {
            packets.push((transmit.channel, transmit.to_bytes()));
        }
        assert_eq!(packets.len(), 1);
        for (channel, packet) in packets {
            net.client_mut(0).handle_packet(channel, &packet).unwrap();
        }
        assert_eq!(seen(&net, 0, id), ["hear now"]);
        assert_eq!(*net.client(0).get::<Unit>(id).unwrap().ammo, 10);
        net.settle();
        assert_eq!(*net.client(0).get::<Unit>(id).unwrap().ammo, 3);
    }
}

// checklist: B15
#[test]
fn late_joiner_receives_fields_but_no_past_calls() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = spawn(&mut net, None);
        net.server.calls::<Unit>(id).hear("past".into()).unwrap();
        net.server.get_mut::<Unit>(id).unwrap().ammo.set(4);
        let late = net.connect();
        net.settle();
        net.server.calls::<Unit>(id).hear("present".into()).unwrap();
        net.settle();
        assert_eq!(seen(&net, 0, id), ["hear past", "hear present"]);
        assert_eq!(seen(&net, late, id), ["hear present"]);
        assert_eq!(*net.client(late).get::<Unit>(id).unwrap().ammo, 4);
    }
}

#[test]
fn call_beside_a_view_change_reaches_the_new_observers() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = spawn(&mut net, None);
        let second = net.connection(1);
        net.server.calls::<Unit>(id).hear("both".into()).unwrap();
        net.server.hide(id, second).unwrap();
        net.server.calls::<Unit>(id).hear("first".into()).unwrap();
        net.settle();
        assert_eq!(seen(&net, 0, id), ["hear both", "hear first"]);
        assert_eq!(seen(&net, 1, id), [""; 0]);
        net.server.show(id, second).unwrap();
        net.server.calls::<Unit>(id).hear("shown".into()).unwrap();
        net.server
            .calls::<Unit>(id)
            .whisper(second, "you too".into())
            .unwrap();
        net.settle();
        assert_eq!(seen(&net, 0, id), ["hear both", "hear first", "hear shown"]);
        assert_eq!(seen(&net, 1, id), ["hear shown", "whisper you too"]);
        assert_eq!(net.client(1).stats().unknown_objects, 0);
    }
}

#[test]
fn a_call_before_the_owner_is_ready_comes_with_its_objects() {
    let mut net = network(Framing::Compact, 0);
    net.connect();
    let connected = loop {
        net.step();
        let events = std::iter::from_fn(|| net.server.poll_event()).collect::<Vec<_>>();
        let mut connected = events.iter().filter_map(|event| match event {
            ServerEvent::Connected { connection } => Some(*connection),
            _ => None,
        });
        if let Some(connection) = connected.next() {
            break connection;
        }
    };
    let options = SpawnOptions {
        owner: Some(connected),
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Unit::default(), options).unwrap();
    net.server.set_ready(connected);
    net.server
        .calls::<Unit>(id)
        .whisper(connected, "welcome".into())
        .unwrap();
    net.settle();
    assert_eq!(seen(&net, 0, id), ["whisper welcome"]);
}

#[test]
fn commands_keep_their_order_across_channels() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = spawn(&mut net, Some(0));
        for number in 0..3 {
            net.client_mut(0).calls::<Unit>(id).fire(number).unwrap();
            net.client_mut(0)
                .calls::<Unit>(id)
                .steer(number.to_string())
                .unwrap();
        }
        let client = net.client_mut(0);
        let packets: Vec<_> = std::iter::from_fn(|| client.poll_transmit()).collect();
        let channels: Vec<_> = packets.iter().map(|packet| packet.channel).collect();
        assert_eq!(channels, [0, 1, 0, 1, 0, 1]);
        let connection = net.connection(0);
        for packet in packets {
            let (channel, bytes) = (packet.channel, &packet.bytes);
            let handled = match packet.delivery {
                syncvar::Channel::Reliable => net.server.handle_packet(connection, channel, bytes),
                syncvar::Channel::Unreliable => {
                    net.server.handle_datagram(connection, channel, bytes)
                }
            };
            handled.unwrap();
        }
        let expected = (0..3).flat_map(|number| {
            [
                format!("fire {number} by Some(1)"),
                format!("steer {number}"),
            ]
        });
        assert_eq!(ran(&net, id), expected.collect::<Vec<_>>());
    }
}

#[test]
fn a_connection_with_a_budget_is_called_like_any_other() {
    let mut net = network(Framing::Compact, 1);
    let id = spawn(&mut net, None);
    let connection = net.connection(0);
    net.server
        .set_budget(connection, Some(syncvar::Budget::new(20)))
        .unwrap();
    net.server.get_mut::<Unit>(id).unwrap().ammo.set(1);
    net.server.calls::<Unit>(id).hear("now".into()).unwrap();
    net.tick = Duration::from_millis(50);
    net.step();
    assert_eq!(seen(&net, 0, id), ["hear now"]);
}
