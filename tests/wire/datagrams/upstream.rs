//! Datagrams of a client: owner writes and commands, late, repeated and forged.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{Channel, ClientConfig, PacketLimits, ServerConfig, ServerEvent};
use syncvar_testing::{DATAGRAMS, Packet, Pair, spawn_owned};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Car {
    #[sync_var(write = owner)]
    x: SyncVar<u32>,
    #[sync_var(write = owner)]
    y: SyncVar<u32>,
    #[sync_var(write = owner)]
    letter: SyncVar<String>,
    honked: Vec<u32>,
}

#[network_calls]
impl Car {
    #[command(unreliable)]
    fn honk(&mut self, number: u32) {
        self.honked.push(number);
    }
}

/// Id of the car of a road.
const CAR: NetId = NetId(1);

/// Returns a pair whose client owns a car.
fn road(limits: PacketLimits) -> Pair {
    let prefabs = || Prefabs::new().register::<Car>("car");
    let config = ClientConfig {
        ping_interval: Duration::ZERO,
        ..ClientConfig::default()
    };
    let mut road = Pair::joined(prefabs, ServerConfig::default(), config, limits);
    road.tick = Duration::from_millis(20);
    let id = spawn_owned(&mut road.server, Car::default(), road.connection);
    assert_eq!(id, CAR);
    exchange(&mut road, 6);
    assert!(road.client.is_owner(CAR));
    road.server_events();
    road
}

/// Delivers all packets of both ends, several times.
fn exchange(road: &mut Pair, times: usize) {
    for _ in 0..times {
        road.now += road.tick;
        road.up();
        road.down();
    }
}

/// Returns the packets of the client's next update.
fn next_packets(road: &mut Pair) -> Vec<Packet> {
    road.now += road.tick;
    road.update_client();
    road.client_packets()
}

/// Writes on the client. Returns the datagram.
fn write(road: &mut Pair, write: impl FnOnce(&mut Car)) -> Packet {
    write(&mut road.client.get_mut::<Car>(CAR).unwrap());
    let mut packets = next_packets(road);
    assert_eq!(packets.len(), 1, "{packets:?}");
    packets.remove(0)
}

fn values(road: &Pair) -> (u32, u32) {
    let car = road.server.get::<Car>(CAR).unwrap();
    (*car.x, *car.y)
}

#[test]
fn late_write_replaces_no_newer_one_and_is_not_missing() {
    let mut road = road(DATAGRAMS);
    let first = write(&mut road, |car| {
        car.x.set(1);
    });
    let second = write(&mut road, |car| {
        car.y.set(2);
    });
    assert_eq!(second.delivery, Channel::Unreliable);
    road.to_server(&second).unwrap();
    // A message has the fields of the undecided ones before it.
    assert_eq!(values(&road), (1, 2));
    let third = write(&mut road, |car| {
        car.x.set(3);
    });
    road.to_server(&third).unwrap();
    road.to_server(&first).unwrap();
    assert_eq!(values(&road), (3, 2));
    let ignored = road.server.stats().ignored_writes;
    assert_eq!(ignored, 0, "lateness is no fault");
}

#[test]
fn repeated_value_is_no_change() {
    let mut road = road(DATAGRAMS);
    let first = write(&mut road, |car| {
        car.x.set(1);
    });
    road.to_server(&first).unwrap();
    // The acknowledgement is lost.
    road.now += Duration::from_millis(40);
    road.server.update(road.now);
    while road.server.poll_transmit().is_some() {}
    while road.server.poll_event().is_some() {}
    let second = write(&mut road, |car| {
        car.y.set(2);
    });
    road.to_server(&second).unwrap();
    let written = std::iter::from_fn(|| road.server.poll_event());
    let written = written.filter_map(|event| match event {
        ServerEvent::Written { fields, .. } => Some(fields.dirty_bits()),
        _ => None,
    });
    assert_eq!(written.collect::<Vec<_>>(), [0b10]);
    assert_eq!(values(&road), (1, 2));
}

#[test]
fn acknowledged_fields_are_not_sent_again() {
    let mut road = road(DATAGRAMS);
    write(&mut road, |car| {
        car.letter.set("a".repeat(500));
    });
    let both = write(&mut road, |car| {
        car.x.set(1);
    });
    assert!(both.bytes.len() > 500);
    road.to_server(&both).unwrap();
    exchange(&mut road, 6);
    let next = write(&mut road, |car| {
        car.x.set(2);
    });
    assert!(next.bytes.len() < 40, "{}", next.bytes.len());
}

#[test]
fn lost_write_is_sent_again_with_the_value_of_now() {
    let mut road = road(DATAGRAMS);
    write(&mut road, |car| {
        car.x.set(7);
    });
    exchange(&mut road, 40);
    assert_eq!(values(&road), (7, 0));
    // Nothing more to say.
    assert_eq!(next_packets(&mut road), []);
}

#[test]
fn write_under_a_former_permit_is_passed_over() {
    let mut road = road(DATAGRAMS);
    let late = write(&mut road, |car| {
        car.x.set(1);
    });
    road.server.set_owner(CAR, None).unwrap();
    road.down();
    road.server.set_owner(CAR, Some(road.connection)).unwrap();
    road.down();
    exchange(&mut road, 4);
    road.to_server(&late).unwrap();
    assert_eq!(values(&road), (0, 0));
    let next = write(&mut road, |car| {
        car.x.set(5);
    });
    road.to_server(&next).unwrap();
    assert_eq!(values(&road), (5, 0));
}

#[test]
fn long_write_takes_the_stream_and_the_others_follow_it() {
    let mut road = road(DATAGRAMS);
    let long = write(&mut road, |car| {
        car.letter.set("a".repeat(5_000));
    });
    assert_eq!(long.delivery, Channel::Reliable);
    let short = write(&mut road, |car| {
        car.x.set(1);
    });
    assert_eq!(short.delivery, Channel::Reliable);
    road.to_server(&long).unwrap();
    road.to_server(&short).unwrap();
    exchange(&mut road, 6);
    let car = road.server.get::<Car>(CAR).unwrap();
    assert_eq!((car.letter.len(), *car.x), (5_000, 1));
    let next = write(&mut road, |car| {
        car.x.set(2);
    });
    assert_eq!(next.delivery, Channel::Unreliable);
}

#[test]
fn writes_take_the_stream_without_datagrams() {
    let mut road = road(PacketLimits::STREAM);
    let packet = write(&mut road, |car| {
        car.x.set(1);
    });
    assert_eq!(packet.delivery, Channel::Reliable);
    road.to_server(&packet).unwrap();
    assert_eq!(values(&road), (1, 0));
    let datagram = [&[3, 1, 0, 1, 0, 0, 0][..], &packet.bytes[2..]].concat();
    let refused = road.server.handle_datagram(road.connection, 1, &datagram);
    assert!(refused.is_err());
    assert!(road.server.is_connected(road.connection));
}

#[test]
fn repeated_command_runs_once() {
    let mut road = road(DATAGRAMS);
    for number in 1..=3 {
        road.client.calls::<Car>(CAR).honk(number).unwrap();
    }
    let packets = next_packets(&mut road);
    assert_eq!(packets.len(), 1);
    for _ in 0..3 {
        road.to_server(&packets[0]).unwrap();
    }
    assert_eq!(road.server.get::<Car>(CAR).unwrap().honked, [1, 2, 3]);
}

#[test]
fn malformed_datagrams_are_dropped_and_counted() {
    let mut road = road(DATAGRAMS);
    let good = write(&mut road, |car| {
        car.x.set(1);
    });
    let mut lone = good.bytes.to_vec();
    // A tick without a sequence.
    lone[0] = 0x02;
    let far = [&[3, 9, 0, 0, 0, 0, 0xf0][..], &good.bytes[5..]].concat();
    for bytes in [&[][..], &good.bytes[..3], &lone, &far] {
        let handled = road.server.handle_datagram(road.connection, 1, bytes);
        assert!(handled.is_err(), "{bytes:?}");
    }
    assert!(road.server.is_connected(road.connection));
    let events = std::iter::from_fn(|| road.server.poll_event());
    let misbehaved = events.filter(|it| matches!(it, ServerEvent::Misbehaved { .. }));
    assert_eq!(misbehaved.count(), 4);
    assert_eq!(values(&road), (0, 0));
    road.to_server(&good).unwrap();
    assert_eq!(values(&road), (1, 0));
}
