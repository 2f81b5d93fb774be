//! Datagrams of a client: owner writes and commands, late, repeated and forged.

use std::time::Duration;

use syncvar::error::PacketError;
use syncvar::prelude::*;
use syncvar::{Channel, ClientConfig, ClientPacket, Endpoint, PacketLimits, ServerEvent};
use syncvar_testing::{DATAGRAMS, arrive, arrive_at_server};

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

/// A client with a car, whose packets arrive by hand.
struct Road {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    now: Duration,
    id: NetId,
}

impl Road {
    fn new(limits: PacketLimits) -> Self {
        let prefabs = || Prefabs::new().register::<Car>("car");
        let config = ClientConfig {
            ping_interval: Duration::ZERO,
            ..ClientConfig::default()
        };
        let mut server = NetworkServer::new(prefabs());
        let mut client = NetworkClient::with_config(prefabs(), config);
        Endpoint::handle_connect(&mut client, limits);
        let connection = Endpoint::handle_connect(&mut server, limits);
        let id = server.spawn(Car::default());
        let now = Duration::ZERO;
        let mut road = Self {
            server,
            client,
            connection,
            now,
            id,
        };
        road.exchange(6);
        road.server.set_owner(id, Some(connection)).unwrap();
        road.exchange(6);
        assert!(road.client.is_owner(id));
        while road.server.poll_event().is_some() {}
        road
    }

    /// All packets of both sides arrive, several times.
    fn exchange(&mut self, times: usize) {
        for _ in 0..times {
            for packet in self.up() {
                self.arrive(&packet).unwrap();
            }
            self.down();
        }
    }

    /// The client's packets of one more update.
    fn up(&mut self) -> Vec<ClientPacket> {
        self.now += Duration::from_millis(20);
        self.client.update(self.now);
        std::iter::from_fn(|| self.client.poll_transmit()).collect()
    }

    /// An update of the server, whose packets arrive.
    fn down(&mut self) {
        self.now += Duration::from_millis(20);
        self.server.update(self.now);
        while let Some(transmit) = self.server.poll_transmit() {
            let place = (transmit.delivery, transmit.channel);
            arrive(&mut self.client, place, &transmit.to_bytes()).unwrap();
        }
    }

    /// Writes on the client. Returns the datagram.
    fn write(&mut self, write: impl FnOnce(&mut Car)) -> ClientPacket {
        write(&mut self.client.get_mut::<Car>(self.id).unwrap());
        let mut packets = self.up();
        assert_eq!(packets.len(), 1, "{packets:?}");
        packets.remove(0)
    }

    fn arrive(&mut self, packet: &ClientPacket) -> Result<(), PacketError> {
        arrive_at_server(&mut self.server, self.connection, packet)
    }

    fn values(&self) -> (u32, u32) {
        let car = self.server.get::<Car>(self.id).unwrap();
        (*car.x, *car.y)
    }

    fn honked(&self) -> &[u32] {
        &self.server.get::<Car>(self.id).unwrap().honked
    }
}

#[test]
fn late_write_replaces_no_newer_one_and_is_not_missing() {
    let mut road = Road::new(DATAGRAMS);
    let first = road.write(|car| {
        car.x.set(1);
    });
    let second = road.write(|car| {
        car.y.set(2);
    });
    assert_eq!(second.delivery, Channel::Unreliable);
    road.arrive(&second).unwrap();
    // A message has the fields of the undecided ones before it.
    assert_eq!(road.values(), (1, 2));
    let third = road.write(|car| {
        car.x.set(3);
    });
    road.arrive(&third).unwrap();
    road.arrive(&first).unwrap();
    assert_eq!(road.values(), (3, 2));
    let ignored = road.server.stats().ignored_writes;
    assert_eq!(ignored, 0, "lateness is no fault");
}

#[test]
fn repeated_value_is_no_change() {
    let mut road = Road::new(DATAGRAMS);
    let first = road.write(|car| {
        car.x.set(1);
    });
    road.arrive(&first).unwrap();
    // The acknowledgement is lost.
    road.now += Duration::from_millis(40);
    road.server.update(road.now);
    while road.server.poll_transmit().is_some() {}
    while road.server.poll_event().is_some() {}
    let second = road.write(|car| {
        car.y.set(2);
    });
    road.arrive(&second).unwrap();
    let written = std::iter::from_fn(|| road.server.poll_event());
    let written = written.filter_map(|event| match event {
        ServerEvent::Written { fields, .. } => Some(fields.dirty_bits()),
        _ => None,
    });
    assert_eq!(written.collect::<Vec<_>>(), [0b10]);
    assert_eq!(road.values(), (1, 2));
}

#[test]
fn acknowledged_fields_are_not_sent_again() {
    let mut road = Road::new(DATAGRAMS);
    road.write(|car| {
        car.letter.set("a".repeat(500));
    });
    let both = road.write(|car| {
        car.x.set(1);
    });
    assert!(both.bytes.len() > 500);
    road.arrive(&both).unwrap();
    road.exchange(6);
    let next = road.write(|car| {
        car.x.set(2);
    });
    assert!(next.bytes.len() < 40, "{}", next.bytes.len());
}

#[test]
fn lost_write_is_sent_again_with_the_value_of_now() {
    let mut road = Road::new(DATAGRAMS);
    road.write(|car| {
        car.x.set(7);
    });
    road.exchange(40);
    assert_eq!(road.values(), (7, 0));
    // Nothing more to say.
    assert_eq!(road.up(), []);
}

#[test]
fn write_under_a_former_permit_is_passed_over() {
    let mut road = Road::new(DATAGRAMS);
    let late = road.write(|car| {
        car.x.set(1);
    });
    road.server.set_owner(road.id, None).unwrap();
    road.down();
    road.server
        .set_owner(road.id, Some(road.connection))
        .unwrap();
    road.down();
    road.exchange(4);
    road.arrive(&late).unwrap();
    assert_eq!(road.values(), (0, 0));
    let next = road.write(|car| {
        car.x.set(5);
    });
    road.arrive(&next).unwrap();
    assert_eq!(road.values(), (5, 0));
}

#[test]
fn long_write_takes_the_stream_and_the_others_follow_it() {
    let mut road = Road::new(DATAGRAMS);
    let long = road.write(|car| {
        car.letter.set("a".repeat(5_000));
    });
    assert_eq!(long.delivery, Channel::Reliable);
    let short = road.write(|car| {
        car.x.set(1);
    });
    assert_eq!(short.delivery, Channel::Reliable);
    road.arrive(&long).unwrap();
    road.arrive(&short).unwrap();
    road.exchange(6);
    let car = road.server.get::<Car>(road.id).unwrap();
    assert_eq!((car.letter.len(), *car.x), (5_000, 1));
    let next = road.write(|car| {
        car.x.set(2);
    });
    assert_eq!(next.delivery, Channel::Unreliable);
}

#[test]
fn writes_take_the_stream_without_datagrams() {
    let mut road = Road::new(PacketLimits::STREAM);
    let packet = road.write(|car| {
        car.x.set(1);
    });
    assert_eq!(packet.delivery, Channel::Reliable);
    road.arrive(&packet).unwrap();
    assert_eq!(road.values(), (1, 0));
    let datagram = [&[3, 1, 0, 1, 0, 0, 0][..], &packet.bytes[2..]].concat();
    let refused = road.server.handle_datagram(road.connection, 1, &datagram);
    assert!(refused.is_err());
    assert!(road.server.is_connected(road.connection));
}

#[test]
fn repeated_command_runs_once() {
    let mut road = Road::new(DATAGRAMS);
    for number in 1..=3 {
        road.client.calls::<Car>(road.id).honk(number).unwrap();
    }
    let packets = road.up();
    assert_eq!(packets.len(), 1);
    for _ in 0..3 {
        road.arrive(&packets[0]).unwrap();
    }
    assert_eq!(road.honked(), [1, 2, 3]);
}

#[test]
fn malformed_datagrams_are_dropped_and_counted() {
    let mut road = Road::new(DATAGRAMS);
    let good = road.write(|car| {
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
    assert_eq!(road.values(), (0, 0));
    road.arrive(&good).unwrap();
    assert_eq!(road.values(), (1, 0));
}
