//! What comes before the object that it is for is held, in order, for a time and to a number; what
//! comes after the object has gone is not.

use std::time::Duration;

use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{ClientConfig, Framing, ServerConfig};
use syncvar_testing::ClientMessages as _;
use syncvar_testing::{Compass, DATAGRAMS, Door, Packet, Pair, Player, frame, prefabs};

const DESTROY: i16 = 1;
const UPDATE_VARS: i16 = 8;
const AUTHORITY: i16 = 15;

/// Returns a pair with ticks of 600 ms, whose client is ready.
fn joined(framing: Framing) -> Pair {
    joined_with(ClientConfig {
        framing,
        ..ClientConfig::default()
    })
}

/// As [`joined`], with settings of the client.
fn joined_with(mut client: ClientConfig) -> Pair {
    client.ping_interval = Duration::ZERO;
    let mut pair = Pair::joined(prefabs, ServerConfig::default(), client, DATAGRAMS);
    pair.tick = Duration::from_millis(600);
    pair
}

/// Returns the packets of an update of the server.
fn update_packets(pair: &mut Pair) -> Vec<Packet> {
    pair.update_server();
    pair.server_packets()
}

/// Delivers messages of the test, each in a packet of channel 0.
fn say(pair: &mut Pair, messages: &[Vec<u8>]) {
    for messages in messages {
        let handled = pair.client.handle_messages(0, messages);
        handled.expect("valid messages");
    }
}

fn spawn(pair: &mut Pair) -> NetId {
    pair.server.spawn((Door::default(), Compass::default()))
}

fn turn(pair: &mut Pair, id: NetId, heading: f32) {
    let mut compass = pair.server.get_mut::<Compass>(id).expect("a weathervane");
    compass.heading.set(heading);
}

fn heading(pair: &Pair, id: NetId) -> Option<f32> {
    Some(*pair.client.get::<Compass>(id)?.heading)
}

fn unknown(pair: &Pair) -> u64 {
    pair.client.stats().unknown_objects
}

fn is_change(event: &ClientEvent, id: NetId) -> bool {
    matches!(event, ClientEvent::Changed { object, .. } if *object == id)
}

/// An update of an object, as a packet of one message.
fn update(id: u8, payload: &[u8]) -> Vec<u8> {
    frame(UPDATE_VARS, &[&[id], payload].concat())
}

// checklist: T55
#[test]
fn a_change_that_overtakes_the_spawn_is_applied_after_it() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let mut pair = joined(dialect);
        let id = spawn(&mut pair);
        let spawn = update_packets(&mut pair);
        turn(&mut pair, id, 90.0);
        let first = update_packets(&mut pair);
        turn(&mut pair, id, 180.0);
        let second = update_packets(&mut pair);
        pair.deliver(&first);
        pair.deliver(&second);
        assert_eq!((heading(&pair, id), pair.events().len()), (None, 0));
        pair.deliver(&spawn);
        assert_eq!(heading(&pair, id), Some(180.0));
        let events = pair.events();
        assert_eq!(events[0], ClientEvent::Spawned { object: id });
        assert!(events[1..].iter().all(|event| is_change(event, id)));
        assert_eq!(events.len(), 3, "{events:?}");
        assert_eq!(unknown(&pair), 0, "nothing was dropped");
    }
}

/// A hook that runs for a held change runs as for any other: the application knows the object by then.
// checklist: T55
#[test]
fn hooks_run_for_changes_that_were_held() {
    let mut pair = joined(Framing::Unet);
    say(&mut pair, &[update(1, b"\x01\x07"), update(1, b"\x01\x08")]);
    let id = pair.server.spawn(Player::new(1, "Ann"));
    pair.down();
    let player = pair.client.get::<Player>(id).unwrap();
    assert_eq!(
        player.log,
        ["health 1 -> 7 (Ann, 0)", "health 7 -> 8 (Ann, 0)"]
    );
}

// checklist: T55
#[test]
fn early_messages_of_all_kinds_run_in_order() {
    let mut pair = joined(Framing::Compact);
    say(
        &mut pair,
        &[
            frame(AUTHORITY, b"\x01\x01"),
            update(1, b"\x01\x07"),
            frame(AUTHORITY, b"\x01\x00"),
        ],
    );
    assert_eq!(pair.events(), []);
    let id = pair.server.spawn(Player::new(1, "Ann"));
    pair.down();
    let events = pair.events();
    let owner = |owned| ClientEvent::OwnerChanged { object: id, owned };
    assert_eq!(events[0], ClientEvent::Spawned { object: id });
    assert_eq!(events[1], owner(true));
    assert!(is_change(&events[2], id));
    assert_eq!(events[3..], [owner(false)]);
}

// checklist: T55
#[test]
fn despawn_before_its_spawn_removes_the_object_at_once() {
    const HIDE: i16 = 13;

    for (message, hidden) in [(DESTROY, false), (HIDE, true)] {
        let mut pair = joined(Framing::Compact);
        say(
            &mut pair,
            &[
                update(1, b"\x01\x07"),
                frame(message, b"\x01"),
                update(1, b"\x01\x08"),
            ],
        );
        let object = pair.server.spawn(Player::new(1, "Ann"));
        pair.down();
        let events = pair.events();
        assert_eq!(events[0], ClientEvent::Spawned { object });
        assert!(is_change(&events[1], object));
        assert_eq!(events[2..], [ClientEvent::Despawned { object, hidden }]);
        assert_eq!(pair.client.object_count(), 0);
        assert_eq!(unknown(&pair), 1, "the change after the despawn");
    }
}

// checklist: T55
#[test]
fn early_messages_of_one_object_expire_together() {
    let mut pair = joined(Framing::Compact);
    let seconds = Duration::from_secs_f64;
    pair.client.update(seconds(100.0));
    say(&mut pair, &[update(1, b"\x01\x07")]);
    pair.client.update(seconds(101.0));
    say(&mut pair, &[update(2, b"\x01\x08"), update(1, b"\x01\x09")]);
    pair.client.update(seconds(102.0));
    pair.client.update(seconds(103.9));
    assert_eq!(pair.events(), []);
    pair.client.update(seconds(104.0));
    let (object, messages) = (NetId(1), 2);
    assert_eq!(
        pair.events(),
        [ClientEvent::EarlyMessagesDropped { object, messages }]
    );
    assert_eq!(unknown(&pair), 2);
    // The other one is still held.
    let first = pair.server.spawn(Player::new(1, "Ann"));
    let second = pair.server.spawn(Player::new(1, "Bob"));
    pair.down();
    assert_eq!(pair.client.get::<Player>(first).unwrap().health, 1);
    assert_eq!(pair.client.get::<Player>(second).unwrap().health, 8);
    pair.client.update(seconds(1000.0));
    assert!(
        !pair
            .events()
            .iter()
            .any(|event| matches!(event, ClientEvent::EarlyMessagesDropped { .. }))
    );
}

/// The time begins with the update after a message has come: a client that stood still for a while
/// does not drop what has just arrived.
// checklist: T55
#[test]
fn a_long_pause_before_the_message_does_not_count() {
    let mut pair = joined(Framing::Compact);
    pair.client.update(Duration::from_secs(1));
    say(&mut pair, &[update(1, b"\x01\x07")]);
    pair.client.update(Duration::from_secs(50));
    let id = pair.server.spawn(Player::new(1, "Ann"));
    pair.down();
    assert_eq!(pair.client.get::<Player>(id).unwrap().health, 7);
}

// checklist: T55
#[test]
fn early_messages_are_bounded_and_the_oldest_object_goes_first() {
    let config = ClientConfig {
        max_early_messages: 3,
        ..ClientConfig::default()
    };
    let mut pair = joined_with(config);
    for id in [5, 6, 5, 7] {
        say(&mut pair, &[update(id, b"\x01\x07")]);
    }
    let (object, messages) = (NetId(5), 2);
    assert_eq!(
        pair.events(),
        [ClientEvent::EarlyMessagesDropped { object, messages }]
    );
    say(&mut pair, &[update(8, b"\x01\x07")]);
    assert_eq!(pair.events(), []);
    say(&mut pair, &[update(9, b"\x01\x07")]);
    let (object, messages) = (NetId(6), 1);
    assert_eq!(
        pair.events(),
        [ClientEvent::EarlyMessagesDropped { object, messages }]
    );
    assert_eq!(unknown(&pair), 3);
}

// checklist: T55
#[test]
fn the_bytes_of_held_messages_are_bounded() {
    let config = ClientConfig {
        max_early_bytes: 1000,
        ..ClientConfig::default()
    };
    let mut pair = joined_with(config);
    say(&mut pair, &[update(1, &[1; 600]), update(2, &[1; 400])]);
    assert_eq!(pair.events(), []);
    say(&mut pair, &[update(3, &[1; 10])]);
    let dropped = |object, messages| ClientEvent::EarlyMessagesDropped { object, messages };
    assert_eq!(pair.events(), [dropped(NetId(1), 1)]);
    // One that is too long by itself takes those before it along: what is left would have a gap.
    say(&mut pair, &[update(3, &[1; 1001])]);
    assert_eq!(pair.events(), [dropped(NetId(3), 2)]);
    assert_eq!(unknown(&pair), 3);
}

// checklist: T55
#[test]
fn zero_capacity_counts_early_messages_only() {
    let config = ClientConfig {
        max_early_messages: 0,
        ..ClientConfig::default()
    };
    let mut pair = joined_with(config);
    say(
        &mut pair,
        &[update(1, b"\x01\x07"), frame(DESTROY, b"\x01")],
    );
    let id = pair.server.spawn(Player::new(1, "Ann"));
    pair.down();
    assert_eq!(pair.client.get::<Player>(id).unwrap().health, 1);
    assert_eq!(unknown(&pair), 1, "the change");
}

/// A change that was sent before its object was hidden, and that arrives when it has been shown again
/// and hidden state has changed since, is not put on top of the newer state.
// Lesson 31.
#[test]
fn messages_after_a_despawn_are_not_kept_for_the_next_show() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let mut pair = joined(dialect);
        let id = spawn(&mut pair);
        pair.down();
        turn(&mut pair, id, 90.0);
        let before = update_packets(&mut pair);
        pair.server.hide(id, pair.connection).unwrap();
        pair.down();
        turn(&mut pair, id, 180.0);
        pair.down();
        pair.deliver(&before);
        // Packets with headers tell what belongs to the object.
        let expected = u64::from(dialect == Framing::Unet);
        assert_eq!(unknown(&pair), expected);
        pair.server.show(id, pair.connection).unwrap();
        pair.steps(2);
        assert_eq!(heading(&pair, id), Some(180.0));
        // It is known again: what overtakes nothing is applied.
        turn(&mut pair, id, 270.0);
        pair.down();
        assert_eq!(heading(&pair, id), Some(270.0));
        assert_eq!(unknown(&pair), expected);
    }
}

// Lesson 32.
#[test]
fn early_messages_of_a_join_run_before_ready() {
    let mut pair = joined(Framing::Unet);
    pair.server.set_not_ready(pair.connection);
    pair.down();
    let ids = [spawn(&mut pair), spawn(&mut pair)];
    pair.client.ready();
    pair.up();
    let burst = update_packets(&mut pair);
    turn(&mut pair, ids[0], 90.0);
    let change = update_packets(&mut pair);
    pair.events();
    pair.deliver(&change);
    pair.deliver(&burst);
    let events = pair.events();
    let spawned = |object| ClientEvent::Spawned { object };
    assert_eq!(events[..2], [spawned(ids[0]), spawned(ids[1])]);
    assert!(is_change(&events[2], ids[0]));
    assert_eq!(events[3..], [ClientEvent::Ready]);
    assert_eq!(heading(&pair, ids[0]), Some(90.0));
}

/// A delta whose spawn was damaged is early, and the burst behind `NotReady` has newer state.
#[test]
fn not_ready_drops_early_deltas_of_unreliable_channels() {
    let mut pair = joined(Framing::Unet);
    let id = spawn(&mut pair);
    // The spawn is lost in a damaged packet.
    update_packets(&mut pair);
    turn(&mut pair, id, 90.0);
    pair.down();
    assert_eq!((heading(&pair, id), unknown(&pair)), (None, 0));
    pair.server.set_not_ready(pair.connection);
    pair.down();
    assert_eq!(unknown(&pair), 1);
    turn(&mut pair, id, 180.0);
    pair.client.ready();
    pair.steps(2);
    assert_eq!(heading(&pair, id), Some(180.0));
}

// checklist: T65
#[test]
fn early_messages_end_with_the_connection() {
    let mut pair = joined(Framing::Compact);
    say(&mut pair, &[update(1, b"\x01\x07")]);
    pair.client.handle_disconnect();
    let events = pair.events();
    let (object, messages) = (NetId(1), 1);
    assert_eq!(
        events[0],
        ClientEvent::EarlyMessagesDropped { object, messages }
    );
    assert!(matches!(events[1..], [ClientEvent::Disconnected { .. }]));
}

// checklist: T52
#[test]
fn early_messages_of_an_unmakeable_object_are_dropped() {
    let config = ClientConfig {
        max_objects: 0,
        ..ClientConfig::default()
    };
    let mut pair = joined_with(config);
    say(&mut pair, &[update(1, b"\x01\x07")]);
    pair.server.spawn(Player::new(1, "Ann"));
    pair.down();
    let events = pair.events();
    assert!(matches!(events[0], ClientEvent::SpawnFailed { .. }));
    let (object, messages) = (NetId(1), 1);
    assert_eq!(
        events[1..],
        [ClientEvent::EarlyMessagesDropped { object, messages }]
    );
    say(&mut pair, &[update(1, b"\x01\x07")]);
    assert_eq!(
        (unknown(&pair), pair.events().len()),
        (2, 0),
        "it will not come"
    );
}

/// The object is asked for again then, and its state is newer than what was held.
#[test]
fn held_changes_are_void_when_the_full_state_cannot_be_read() {
    let mut pair = joined(Framing::Unet);
    say(
        &mut pair,
        &[update(1, b"\x01\x07"), frame(AUTHORITY, b"\x01\x01")],
    );
    let id = pair.server.spawn(Player::new(1, "Ann"));
    let spawn = update_packets(&mut pair);
    let mut garbled = spawn[0].bytes.to_vec();
    // The length of the name, behind the header, the id, the asset, the position and the health.
    garbled[4 + 1 + 16 + 12 + 2 + 1] = 200;
    say(&mut pair, &[garbled]);
    assert!(matches!(pair.events()[..], [ClientEvent::Poisoned { .. }]));
    pair.up();
    pair.down();
    assert_eq!(pair.client.get::<Player>(id).unwrap().health, 1);
    let object = id;
    let owned = true;
    let expected = [
        ClientEvent::Spawned { object },
        ClientEvent::OwnerChanged { object, owned },
    ];
    assert_eq!(pair.events(), expected);
}

#[test]
fn a_flood_of_messages_for_objects_that_never_come_is_bounded() {
    const MANY: u32 = 200_000;
    let mut pair = joined(Framing::Unet);
    for number in 0..MANY {
        let [a, b, c, d] = (number % 50_000 + 1_000_000).to_le_bytes();
        let payload = [251, a, b, c, d, 1, 7];
        let packet = frame(UPDATE_VARS, &payload);
        pair.client.handle_packet(0, &packet).expect("well-formed");
    }
    let held = u64::try_from(pair.client.config().max_early_messages).unwrap();
    assert_eq!(unknown(&pair) + held, u64::from(MANY));
    assert!(pair.events().len() <= pair.client.config().max_events / 2);
    pair.client.update(Duration::from_secs(1));
    pair.client.update(Duration::from_secs(9));
    assert_eq!(unknown(&pair), u64::from(MANY));
}

/// What the game does between two updates.
#[derive(Clone, Copy, Debug)]
enum Action {
    Spawn,
    Turn(usize, u8),
    Open(usize),
    Despawn(usize),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        2 => Just(Action::Spawn),
        4 => (any::<usize>(), any::<u8>()).prop_map(|(object, by)| Action::Turn(object, by)),
        2 => any::<usize>().prop_map(Action::Open),
        1 => any::<usize>().prop_map(Action::Despawn),
    ]
}

fn act(pair: &mut Pair, ids: &mut Vec<NetId>, action: Action) {
    let pick = |ids: &[NetId], object: usize| ids.get(object % ids.len().max(1)).copied();
    match action {
        Action::Spawn => ids.push(spawn(pair)),
        Action::Turn(object, by) => {
            if let Some(id) = pick(ids, object) {
                turn(pair, id, by.into());
            }
        }
        Action::Open(object) => {
            if let Some(mut door) =
                pick(ids, object).and_then(|id| pair.server.get_mut::<Door>(id).ok())
            {
                let open = *door.open;
                door.open.set(!open);
            }
        }
        Action::Despawn(object) => {
            if let Some(id) = pick(ids, object) {
                ids.retain(|other| *other != id);
                pair.server.despawn(id).unwrap();
            }
        }
    }
}

/// A removal and an ownership of an absent object, forged or damaged.
#[test]
fn new_snapshot_drops_messages_of_the_time_before() {
    let mut pair = joined(Framing::Compact);
    let client = &mut pair.client;
    client.handle_messages(0, &frame(DESTROY, &[2])).unwrap();
    client
        .handle_messages(0, &frame(AUTHORITY, &[1, 1]))
        .unwrap();
    let forged = pair.events();
    pair.server.set_not_ready(pair.connection);
    pair.down();
    let dropped = |object| ClientEvent::EarlyMessagesDropped {
        object: NetId(object),
        messages: 1,
    };
    assert_eq!(forged, []);
    assert_eq!(
        pair.events(),
        [dropped(1), dropped(2), ClientEvent::NotReady]
    );
    let ids = [spawn(&mut pair), spawn(&mut pair)];
    pair.client.ready();
    pair.up();
    pair.down();
    assert_eq!(ids, [NetId(1), NetId(2)]);
    assert!(ids.iter().all(|id| heading(&pair, *id).is_some()));
    assert!(ids.iter().all(|id| !pair.client.is_owner(*id)));
}

proptest! {
    #![proptest_config(syncvar_testing::cases(256))]

    /// Two channels, each in order, and any order between them: the client ends with what the server
    /// has, and meets no change of an object that it does not know.
    // checklist: T55
    #[test]
    fn channels_that_overtake_one_another_end_in_the_same_state(
        updates in prop::collection::vec((prop::collection::vec(action(), 0..4), any::<[bool; 4]>()), 1..20),
        compact in any::<bool>(),
    ) {
        let mut pair = joined(if compact { Framing::Compact } else { Framing::Unet });
        let mut ids = Vec::new();
        let mut ways = [Vec::new(), Vec::new()];
        let mut events = Vec::new();
        for (actions, order) in updates {
            for action in actions {
                act(&mut pair, &mut ids, action);
            }
            for packet in update_packets(&mut pair) {
                ways[usize::from(packet.channel)].push(packet);
            }
            for second in order {
                let waiting = &mut ways[usize::from(second)];
                if !waiting.is_empty() {
                    let packet = waiting.remove(0);
                    pair.deliver([&packet]);
                }
            }
            events.extend(pair.events());
        }
        // The one in front last.
        let [first, second] = ways;
        pair.deliver(&second);
        pair.deliver(&first);
        if compact {
            // State that the server took for lost follows.
            pair.steps(8);
        }
        events.extend(pair.events());
        for id in &ids {
            let (theirs, ours) = (pair.server.identity(*id).unwrap(), pair.client.identity(*id).unwrap());
            prop_assert_eq!(&theirs.behaviour::<Door>().unwrap().open, &ours.behaviour::<Door>().unwrap().open);
            prop_assert_eq!(&theirs.behaviour::<Compass>().unwrap().heading, &ours.behaviour::<Compass>().unwrap().heading);
        }
        prop_assert_eq!(pair.client.object_count(), ids.len());
        let mut known = std::collections::BTreeSet::new();
        for event in events {
            match event {
                ClientEvent::Spawned { object } => prop_assert!(known.insert(object)),
                ClientEvent::Despawned { object, .. } => prop_assert!(known.remove(&object)),
                ClientEvent::Changed { object, .. } => prop_assert!(known.contains(&object)),
                _ => {}
            }
        }
    }
}
