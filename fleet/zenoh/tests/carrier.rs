//! The carrier on sockets of this machine.

use std::time::{Duration, Instant};

use bytes::Bytes;
use syncvar_fleet::{Carrier, CarrierEvent, NodeId, Question, Role, Topic};
use syncvar_zenoh::{ZenohCarrier, ZenohConfig};

/// Carriers with one time.
struct Fleet {
    started: Instant,
}

impl Fleet {
    fn new() -> Self {
        let started = Instant::now();
        Self { started }
    }

    /// Updates carriers until a condition holds. Returns their events.
    fn run<const N: usize>(
        &self,
        carriers: &mut [&mut ZenohCarrier; N],
        what: &str,
        mut holds: impl FnMut(&[Vec<CarrierEvent>; N]) -> bool,
    ) -> [Vec<CarrierEvent>; N] {
        let mut events = [const { Vec::new() }; N];
        let until = Instant::now() + Duration::from_secs(20);
        while !holds(&events) {
            let counts = events.each_ref().map(Vec::len);
            assert!(Instant::now() < until, "{what}: {counts:?} events");
            for (carrier, events) in carriers.iter_mut().zip(&mut events) {
                carrier.update(self.started.elapsed());
                events.extend(std::iter::from_fn(|| carrier.poll()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        events
    }
}

/// Returns an address of this machine with a free port.
fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("tcp/{}", listener.local_addr().unwrap())
}

fn listening(id: u64, role: Role, address: &str) -> ZenohCarrier {
    let mut config = ZenohConfig::new("test", role);
    config.listen.push(address.into());
    config.address = format!("players of {id}");
    ZenohCarrier::open(NodeId(id), &config).unwrap()
}

fn dialling(id: u64, tier: u8, address: &str) -> ZenohCarrier {
    let mut config = ZenohConfig::new("test", Role::Relay);
    config.connect.push(address.into());
    config.tier = tier;
    ZenohCarrier::open(NodeId(id), &config).unwrap()
}

#[test]
fn records_questions_and_ends_travel() {
    let (fleet, address) = (Fleet::new(), free_address());
    let mut relay = dialling(2, 1, &address);
    // The source begins later than its relay.
    let mut origin = listening(1, Role::Origin, &address);
    let both = |events: &[Vec<CarrierEvent>; 2]| events.iter().all(|it| !it.is_empty());
    let events = fleet.run(&mut [&mut origin, &mut relay], "the nodes meet", both);
    assert_eq!(events[0], [CarrierEvent::Joined(NodeId(2))]);
    assert_eq!(events[1], [CarrierEvent::Joined(NodeId(1))]);
    assert_eq!(relay.nodes()[0].address, "players of 1");
    assert_eq!(
        (relay.sources(), origin.sources()),
        (vec![NodeId(1)], vec![])
    );

    let keyframe = relay.ask(NodeId(1), Question::Keyframe(Topic(9)));
    let call = relay.ask(NodeId(1), Question::Call("call".into()));
    let nobody = relay.ask(NodeId(77), Question::Call("call".into()));
    let both = |events: &[Vec<CarrierEvent>; 2]| events[0].len() == 2 && events[1].len() == 1;
    let [asked, mut ends] = fleet.run(&mut [&mut origin, &mut relay], "questions arrive", both);
    for event in asked {
        let CarrierEvent::Asked { from, id, question } = event else {
            panic!("{event:?}");
        };
        let expected = match id {
            _ if id == keyframe => Question::Keyframe(Topic(9)),
            _ => Question::Call("call".into()),
        };
        assert_eq!((from, question), (NodeId(2), expected));
        if id == call {
            let answer = Bytes::from(vec![7; 300_000]);
            // An answer counts once.
            origin.answer(from, id, answer.clone());
            origin.answer(from, id, answer);
        }
    }
    // The question for a keyframe stays without an answer, and ends by its time.
    let both = |events: &[Vec<CarrierEvent>; 2]| events[1].len() == 2;
    let [_, events] = fleet.run(&mut [&mut origin, &mut relay], "questions end", both);
    ends.extend(events);
    let answer = |id, answer| CarrierEvent::Answered { id, answer };
    let expected = [
        answer(nobody, None),
        answer(call, Some(vec![7; 300_000].into())),
        answer(keyframe, None),
    ];
    assert!(ends == expected, "{} ends", ends.len());
}

#[test]
fn records_arrive_by_topic_until_the_subscription_ends() {
    let (fleet, address) = (Fleet::new(), free_address());
    let mut origin = listening(1, Role::Origin, &address);
    let mut relay = dialling(2, 1, &address);
    relay.subscribe(NodeId(1), Topic(3));
    fleet.run(&mut [&mut origin, &mut relay], "the nodes meet", |events| {
        events.iter().all(|it| !it.is_empty())
    });
    let mut number = 0_u32;
    let publish = |origin: &mut ZenohCarrier, number: &mut u32| {
        *number += 1;
        origin.publish(Topic(4), "foreign".into());
        origin.publish(Topic(3), number.to_le_bytes().to_vec().into());
    };
    let mut arrived = Vec::new();
    let until = Instant::now() + Duration::from_secs(20);
    while arrived.len() < 50 && Instant::now() < until {
        publish(&mut origin, &mut number);
        for carrier in [&mut origin, &mut relay] {
            carrier.update(fleet.started.elapsed());
        }
        while let Some(event) = relay.poll() {
            let CarrierEvent::Record {
                publisher: NodeId(1),
                topic: Topic(3),
                bytes,
            } = event
            else {
                panic!("{event:?}");
            };
            arrived.push(u32::from_le_bytes(bytes[..].try_into().unwrap()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(
        arrived.len() >= 50 && arrived.is_sorted_by(|one, other| other - one == 1),
        "{arrived:?}"
    );
    relay.unsubscribe(NodeId(1), Topic(3));
    for _ in 0..100 {
        publish(&mut origin, &mut number);
        relay.update(fleet.started.elapsed());
        assert_eq!(relay.poll(), None);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_node_that_ends_is_told_and_a_new_one_takes_its_place() {
    let (fleet, address) = (Fleet::new(), free_address());
    let mut relay = dialling(2, 1, &address);
    for id in 10..13 {
        let mut origin = listening(id, Role::Origin, &address);
        let meet = fleet.run(&mut [&mut origin, &mut relay], "the nodes meet", |events| {
            events.iter().all(|it| !it.is_empty())
        });
        assert_eq!(meet[1], [CarrierEvent::Joined(NodeId(id))]);
        drop(origin);
        let [events] = fleet.run(&mut [&mut relay], "the end is told", |[it]| !it.is_empty());
        assert_eq!(events, [CarrierEvent::Left(NodeId(id))]);
        assert!(relay.nodes().is_empty());
    }
}

#[test]
fn nodes_follow_lower_tiers_and_see_their_own_world_only() {
    let (fleet, middle_address) = (Fleet::new(), free_address());
    let mut config = ZenohConfig::new("test", Role::Relay);
    config.listen.push(middle_address.clone());
    let mut middle = ZenohCarrier::open(NodeId(5), &config).unwrap();
    let mut leaf = dialling(6, 2, &middle_address);
    let mut other = dialling(7, 2, &middle_address);
    config.world = "another".into();
    config.listen.clear();
    config.connect.push(middle_address);
    config.tier = 9;
    let mut stranger = ZenohCarrier::open(NodeId(8), &config).unwrap();
    let nodes = |events: &[Vec<CarrierEvent>; 4]| events[0].len() == 2 && events[1].len() == 1;
    let mut all = [&mut middle, &mut leaf, &mut other, &mut stranger];
    fleet.run(&mut all, "the nodes meet", nodes);
    assert_eq!(middle.sources(), []);
    assert_eq!(leaf.sources(), [NodeId(5)]);
    assert!(stranger.nodes().is_empty());
}
