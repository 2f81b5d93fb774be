//! Carriers: damaged bytes, links over transports.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::records::TickRecord;
use syncvar::testing::Random;
use syncvar::{ConnectionId, Endpoint, PacketLimits, ServerConfig};
use syncvar_fleet::link::{LinkCarrier, LinkPort};
use syncvar_fleet::memory::splice;
use syncvar_fleet::{
    Carrier, CarrierEvent, NodeId, Origin, Question, Relay, RelayConfig, Role, Topic, WorldState,
};

use crate::stage::{Unit, prefabs};

/// Returns successive records of a world of 140 units, each with many changes, and the state of the world.
fn records(count: u32) -> (Vec<TickRecord>, WorldState) {
    let config = ServerConfig {
        incarnation: 5,
        max_records: 1000,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let units: Vec<_> = (0..140).map(|_| server.spawn(Unit::default())).collect();
    server.start_recording();
    let mut random = Random::new(3);
    for tick in 1..=count + 1 {
        for unit in &units {
            let mut unit = server.get_mut::<Unit>(*unit).unwrap();
            unit.hp.set(random.below(1_000_000).cast_signed());
            unit.name
                .set(format!("unit with the number {}", random.below(1_000_000)));
        }
        // Each record has all changes: the send interval has passed.
        server.update(Duration::from_millis(200) * tick);
    }
    let keyframe = server.keyframe().unwrap().clone();
    let state = WorldState::of_server(&server, keyframe);
    let records = server.records_after(0).filter(|it| !it.is_keyframe());
    (records.cloned().collect(), state)
}

/// The damage that SCALE.md describes: right up to a byte, then the head of a batch and the beginning of the next tick.
#[test]
fn the_splice_of_a_closed_link_is_refused() {
    let (records, _) = records(2);
    let (first, second) = (records[0].as_bytes(), records[1].as_bytes());
    assert!(first.len() > 3500, "{}", first.len());
    for at in [2277, 3372] {
        let spliced = splice(first, at, second);
        assert_eq!(spliced.len(), first.len());
        assert_eq!(spliced[..at], first[..at]);
        let error = TickRecord::from_bytes(&spliced).unwrap_err();
        assert!(error.to_string().contains("checksum"), "{error}");
    }
}

#[test]
fn no_damaged_record_is_decoded() {
    let (records, state) = records(20);
    let mut random = Random::new(4);
    let cases = std::env::var("PROPTEST_CASES").ok();
    let cases = cases
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(256_u32);
    let state = state.to_bytes();
    for _ in 0..cases * 100 {
        let record = random.pick(&records).unwrap().as_bytes();
        let other = random.pick(&records).unwrap().as_bytes();
        let at = random.below(u32::try_from(record.len()).unwrap()) as usize;
        let damaged = match random.below(3) {
            0 => {
                let mut bytes = record.to_vec();
                bytes[at] ^= 1 << random.below(8);
                bytes.into()
            }
            1 => bytes::Bytes::copy_from_slice(&record[..at]),
            _ => splice(record, at, other),
        };
        if damaged != record {
            assert!(TickRecord::from_bytes(&damaged).is_err(), "cut at {at}");
        }
        let at = random.below(u32::try_from(state.len()).unwrap()) as usize;
        let mut bytes = state.to_vec();
        bytes[at] ^= 1 << random.below(8);
        if random.chance(300) {
            bytes.truncate(at);
        }
        assert!(WorldState::from_bytes(&bytes).is_err(), "byte {at}");
    }
}

#[test]
fn a_world_state_survives_its_bytes() {
    let (_, state) = records(2);
    assert_eq!(WorldState::from_bytes(&state.to_bytes()).unwrap(), state);
}

/// Moves the packets of a dialled source and of the listeners, as a transport does.
fn carry(relay: &mut LinkPort, origin: &mut LinkPort, link: ConnectionId) {
    while let Some(packet) = relay.poll_transmit() {
        assert!(packet.len() <= 16 * 1024);
        origin
            .handle_packet(link, packet.channel, &packet.to_bytes())
            .unwrap();
    }
    while let Some(packet) = origin.poll_transmit() {
        relay
            .handle_packet(ConnectionId::SERVER, packet.channel, &packet.to_bytes())
            .unwrap();
    }
}

#[test]
fn a_relay_follows_an_origin_over_a_link() {
    let config = ServerConfig {
        incarnation: 9,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let text = "x".repeat(30_000);
    let unit = server.spawn(Unit {
        name: text.clone().into(),
        ..Unit::default()
    });
    let mut origin = Origin::begin(&mut server).unwrap();
    let mut here = LinkCarrier::new(NodeId(1), Role::Origin, "").with_key("secret");
    let mut there = LinkCarrier::new(NodeId(2), Role::Relay, "").with_key("secret");
    let source = there.add_source();
    let mut relay = Relay::new(there, RelayConfig::default());
    let link = here.listeners().handle_connect(PacketLimits::STREAM);
    let port = relay.carrier_mut().source(source).unwrap();
    port.handle_connect(PacketLimits::STREAM);
    for tick in 1..60 {
        let now = Duration::from_millis(33) * tick;
        server
            .get_mut::<Unit>(unit)
            .unwrap()
            .hp
            .set(tick.cast_signed());
        server.update(now);
        origin.pump(&mut server, &mut here, now);
        let port = relay.carrier_mut().source(source).unwrap();
        carry(port, here.listeners(), link);
        relay.update(now);
    }
    let there = relay.server().unwrap();
    assert_eq!(there.value(unit, "Unit", "name"), Some(&text.into()));
    let hp = there.value(unit, "Unit", "hp").cloned();
    assert!((50..60).any(|tick: i32| hp == Some(tick.into())), "{hp:?}");
    assert_eq!(relay.stats().keyframes, 1);
    assert_eq!(here.nodes()[0].role, Role::Relay);
    // A lost link.
    here.listeners().handle_disconnect(link);
    here.update(Duration::from_secs(3));
    assert!(here.nodes().is_empty());
}

#[test]
fn a_node_with_another_key_is_refused() {
    let mut origin = LinkCarrier::new(NodeId(1), Role::Origin, "").with_key("secret");
    let mut stranger = LinkCarrier::new(NodeId(2), Role::Relay, "").with_key("guess");
    let source = stranger.add_source();
    let link = origin.listeners().handle_connect(PacketLimits::STREAM);
    let port = stranger.source(source).unwrap();
    port.handle_connect(PacketLimits::STREAM);
    let hello = port.poll_transmit().unwrap().to_bytes();
    assert!(origin.listeners().handle_packet(link, 0, &hello).is_err());
    origin.update(Duration::from_millis(10));
    assert!(origin.nodes().is_empty());
    assert_eq!(origin.listeners().poll_close(), Some(link));
}

#[test]
fn a_slow_node_misses_records_and_no_answer() {
    let mut origin = LinkCarrier::new(NodeId(1), Role::Origin, "");
    let mut relay = LinkCarrier::new(NodeId(2), Role::Relay, "");
    let source = relay.add_source();
    let link = origin.listeners().handle_connect(PacketLimits::STREAM);
    relay
        .source(source)
        .unwrap()
        .handle_connect(PacketLimits::STREAM);
    relay.subscribe(NodeId(1), Topic::WORLD);
    for _ in 0..3 {
        carry(relay.source(source).unwrap(), origin.listeners(), link);
        origin.update(Duration::from_millis(10));
        relay.update(Duration::from_millis(10));
    }
    let id = relay.ask(NodeId(1), Question::Call("how much?".into()));
    carry(relay.source(source).unwrap(), origin.listeners(), link);
    origin.update(Duration::from_millis(20));
    for number in 0..200_u8 {
        origin.publish(Topic::WORLD, vec![number].into());
    }
    while let Some(event) = origin.poll() {
        if let CarrierEvent::Asked { from, id, .. } = event {
            origin.answer(from, id, "42".into());
        }
    }
    carry(relay.source(source).unwrap(), origin.listeners(), link);
    relay.update(Duration::from_millis(30));
    let (mut numbers, mut answer) = (Vec::new(), None);
    while let Some(event) = relay.poll() {
        match event {
            CarrierEvent::Record { bytes, .. } => numbers.push(bytes[0]),
            CarrierEvent::Answered {
                answer: Some(bytes),
                ..
            } => answer = Some(bytes),
            _ => {}
        }
    }
    assert_eq!(
        numbers,
        (136..200).collect::<Vec<_>>(),
        "the oldest go first"
    );
    assert_eq!(answer.as_deref(), Some(&b"42"[..]), "question {id:?}");
}

#[test]
fn malformed_packets_of_a_node_end_its_link() {
    let mut random = Random::new(6);
    for _ in 0..2000 {
        let mut origin = LinkCarrier::new(NodeId(1), Role::Origin, "");
        let mut relay = LinkCarrier::new(NodeId(2), Role::Relay, "");
        let source = relay.add_source();
        let link = origin.listeners().handle_connect(PacketLimits::STREAM);
        let port = relay.source(source).unwrap();
        port.handle_connect(PacketLimits::STREAM);
        carry(port, origin.listeners(), link);
        for _ in 0..4 {
            let length = random.below(24);
            let bytes: Vec<u8> = (0..length)
                .map(|_| u8::try_from(random.below(256)).unwrap())
                .collect();
            let is_open = origin.listeners().is_connected(link);
            let handled = origin.listeners().handle_packet(link, 0, &bytes);
            assert!(is_open || handled.is_err());
            origin.update(Duration::from_millis(10));
        }
    }
}
