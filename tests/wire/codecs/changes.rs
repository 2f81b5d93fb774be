//! On the server a write is a change only if it makes a difference to what is sent.

use proptest::prelude::*;
use syncvar::Budget;
use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;

use crate::codecs::{Metres, Unit, travel};

/// A server with a unit at 0, and a client that has it.
fn world() -> (MemoryNetwork, NetId) {
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Unit>("unit"));
    net.ping_interval = std::time::Duration::ZERO;
    net.connect();
    let id = net.server.spawn(Unit::default());
    net.settle();
    (net, id)
}

/// Changes the unit; returns whether anything is sent of it.
fn is_sent(net: &mut MemoryNetwork, id: NetId, change: impl FnOnce(&mut Unit)) -> bool {
    change(&mut net.server.get_mut::<Unit>(id).unwrap());
    let dirty_bits = net.server.get::<Unit>(id).unwrap().sync_var_dirty_bits();
    let before = net.client(0).stats().received.bytes;
    net.settle();
    let sent = net.client(0).stats().received.bytes > before;
    assert_eq!(sent, dirty_bits != 0);
    sent
}

fn x(net: &MemoryNetwork, id: NetId) -> f32 {
    *net.client(0).get::<Unit>(id).unwrap().x
}

/// T26 (a), (b): below the threshold nothing is sent, above it the value is; however it was written.
/// The steps are 0.1.
#[test]
fn less_than_a_step_is_not_sent_however_it_is_written() {
    type Write = fn(&mut Unit, f32);
    let writes: [(&str, Write); 5] = [
        ("set", |unit, to| _ = unit.x.set(to)),
        ("an operator", |unit, to| {
            let by = to - *unit.x;
            unit.x += by;
        }),
        ("update", |unit, to| unit.x.update(|x| *x = to)),
        ("DerefMut", |unit, to| *unit.x = to),
        ("a new variable", |unit, to| unit.x = to.into()),
    ];
    for (name, write) in writes {
        let (mut net, id) = world();
        assert!(!is_sent(&mut net, id, |unit| write(unit, 0.04)), "{name}");
        assert_eq!(*net.server.get::<Unit>(id).unwrap().x, 0.04, "it is kept");
        assert_eq!(x(&net, id), 0.0);
        assert!(!is_sent(&mut net, id, |unit| write(unit, -0.049)), "{name}");
        assert!(is_sent(&mut net, id, |unit| write(unit, 0.06)), "{name}");
        assert_eq!(x(&net, id), 0.1, "{name}");
        assert!(!is_sent(&mut net, id, |unit| write(unit, 0.14)), "{name}");
        assert!(!is_sent(&mut net, id, |_| ()), "{name}");
    }
}

/// T26 (d), (e): above the threshold, but within the send interval, nothing is sent until that is
/// over; a change that waits for it is sent even if a later write takes it back.
#[test]
fn more_than_a_step_waits_for_the_send_interval() {
    use std::time::Duration;
    use syncvar::codec::Half;

    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0.5)]
    struct Gauge {
        #[sync_var(with = Half)]
        level: SyncVar<f32>,
    }

    let prefabs = || Prefabs::new().register::<Gauge>("gauge");
    let mut server = NetworkServer::new(prefabs());
    let connection = server.handle_connect();
    let mut client = NetworkClient::new(prefabs());
    client.handle_connect();
    let mut update = |server: &mut NetworkServer, milliseconds| {
        while let Some(packet) = client.poll_transmit() {
            server
                .handle_packet(connection, packet.channel, &packet.bytes)
                .unwrap();
        }
        server.update(Duration::from_millis(milliseconds));
        let mut sent = 0;
        while let Some(transmit) = server.poll_transmit() {
            let packet = transmit.to_bytes();
            sent += packet.len();
            client.handle_packet(transmit.channel, &packet).unwrap();
        }
        sent
    };
    let id = server.spawn(Gauge::default());
    for now in 0..5 {
        update(&mut server, 1000 + now);
    }
    let set = |server: &mut NetworkServer, level: f32| {
        server.get_mut::<Gauge>(id).unwrap().level.set(level);
    };
    set(&mut server, 1.0);
    assert!(update(&mut server, 1600) > 0);
    set(&mut server, 1.0001);
    assert_eq!(
        update(&mut server, 2200),
        0,
        "(e) below the step, interval over"
    );
    set(&mut server, 2.0);
    assert!(update(&mut server, 2300) > 0);
    set(&mut server, 3.0);
    assert_eq!(
        update(&mut server, 2400),
        0,
        "(d) above the step, within the interval"
    );
    set(&mut server, 2.0);
    assert_eq!(update(&mut server, 2500), 0);
    assert!(update(&mut server, 2900) > 0, "it was a change");
}

/// Lesson 28. No step is lost: what a client has is never off by more than half a step.
#[test]
fn small_changes_add_up_without_drift() {
    let (mut net, id) = world();
    let mut sent = 0;
    for count in 1..=1000_u16 {
        let sent_now = is_sent(&mut net, id, |unit| unit.x += 0.007);
        sent += u32::from(sent_now);
        let exact = *net.server.get::<Unit>(id).unwrap().x;
        let off = (x(&net, id) - exact).abs();
        assert!(off <= 0.0501, "{count}: off by {off}");
    }
    assert_eq!(sent, 70, "7 units in steps of 0.1");
}

/// What happens to a world.
#[derive(Clone, Debug)]
enum Action {
    Move { by: f32, as_new: bool },
    Force,
    Join,
    Budget(bool),
    Step,
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![
        6 => (-0.1..0.1_f32, any::<bool>()).prop_map(|(by, as_new)| Action::Move { by, as_new }),
        1 => Just(Action::Force),
        1 => Just(Action::Join),
        1 => any::<bool>().prop_map(Action::Budget),
        4 => Just(Action::Step),
    ];
    proptest::collection::vec(action, 1..40)
}

proptest! {
    /// Whatever happens, each client has the nearest step to what the server has; and a field that is
    /// clean on the server is at that step on every client.
    #[test]
    fn every_client_has_the_nearest_step(actions in actions()) {
        let (mut net, id) = world();
        for action in actions {
            match action {
                Action::Move { by, as_new } => {
                    let mut unit = net.server.get_mut::<Unit>(id).unwrap();
                    let to = *unit.x + by;
                    if as_new {
                        unit.x = to.into();
                    } else {
                        *unit.x = to;
                    }
                }
                Action::Force => net.server.get_mut::<Unit>(id).unwrap().set_dirty_bit(1),
                Action::Join => _ = net.connect(),
                Action::Budget(limited) => {
                    let connection = net.connection(0);
                    net.server.set_budget(connection, limited.then(|| Budget::new(1))).unwrap();
                }
                Action::Step => net.step(),
            }
        }
        net.settle();
        let unit = net.server.get::<Unit>(id).unwrap();
        let (_, expected) = travel::<Metres, _>(&*unit.x);
        prop_assert_eq!(unit.sync_var_dirty_bits(), 0);
        for replica in net.replicas::<Unit>(id) {
            prop_assert_eq!(*replica.unwrap().x, expected);
        }
    }
}

/// Several guards and several fields between two updates.
#[test]
fn only_the_fields_that_make_a_difference_are_sent() {
    let (mut net, id) = world();
    let unit = |net: &mut MemoryNetwork, change: fn(&mut Unit)| {
        change(&mut net.server.get_mut::<Unit>(id).unwrap());
        net.server.get::<Unit>(id).unwrap().sync_var_dirty_bits()
    };
    assert_eq!(unit(&mut net, |unit| *unit.x = 0.03), 0);
    assert_eq!(unit(&mut net, |unit| unit.name.push('a')), 0b100);
    assert_eq!(unit(&mut net, |unit| *unit.speed = 1e-9), 0b100);
    assert_eq!(unit(&mut net, |unit| *unit.speed = 1.0), 0b110);
    // There and back in one guard is no change; a change that waits stays one.
    let there_and_back = |unit: &mut Unit| {
        *unit.x = 7.0;
        *unit.x = 0.01;
    };
    assert_eq!(unit(&mut net, there_and_back), 0b110);
    assert_eq!(unit(&mut net, |unit| *unit.speed = 0.0), 0b110);
    net.settle();
    let client = net.client(0).get::<Unit>(id).unwrap();
    assert_eq!((*client.x, *client.speed, &**client.name), (0.0, 0.0, "a"));
}

/// Lesson 14: what is told to be dirty is sent, whatever its value is, and no hook runs for it.
#[test]
fn field_set_dirty_is_always_sent() {
    let writes: [fn(&mut Unit); 4] = [
        |unit| unit.set_dirty_bit(1),
        |unit| unit.x.set_dirty(),
        |unit| {
            unit.set_dirty_bit(1);
            *unit.x = 0.02;
        },
        |unit| {
            *unit.x = 0.02;
            unit.set_dirty_bit(1);
        },
    ];
    for write in writes {
        let (mut net, id) = world();
        assert!(is_sent(&mut net, id, write));
        assert!(net.client(0).get::<Unit>(id).unwrap().log.is_empty());
        assert!(!is_sent(&mut net, id, |unit| *unit.x = 0.03), "once");
    }
}

/// A hook runs when the value is another one as far as it travels, and is given what the client had.
#[test]
fn hook_receives_decoded_values_and_only_real_changes() {
    let (mut net, id) = world();
    is_sent(&mut net, id, |unit| *unit.x = 1.26);
    is_sent(&mut net, id, |unit| *unit.x = 2.0);
    is_sent(&mut net, id, |unit| unit.set_dirty_bit(1));
    assert_eq!(
        net.client(0).get::<Unit>(id).unwrap().log,
        [(0.0, 1.3), (1.3, 2.0)]
    );
}

#[test]
fn late_joiner_has_the_values_of_the_others() {
    let (mut net, id) = world();
    is_sent(&mut net, id, |unit| *unit.x = 1.234);
    is_sent(&mut net, id, |unit| *unit.x = 1.2499);
    is_sent(&mut net, id, |unit| *unit.x = 1.1501);
    assert_eq!(*net.server.get::<Unit>(id).unwrap().x, 1.1501);
    let late = net.connect();
    net.settle();
    let unit = net.client(late).get::<Unit>(id).unwrap();
    assert_eq!((*unit.x, x(&net, id)), (1.2, 1.2));
    assert!(unit.log.is_empty(), "no hook for a first value");
    assert!(is_sent(&mut net, id, |unit| *unit.x = 3.0));
    assert_eq!(*net.client(late).get::<Unit>(id).unwrap().x, 3.0);
}

/// A write between the spawn and the first update is part of the first state.
#[test]
fn a_new_object_is_written_to_like_any_other() {
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Unit>("unit"));
    net.ping_interval = std::time::Duration::ZERO;
    net.connect();
    net.settle();
    let id = net.server.spawn(Unit::default());
    net.server.get_mut::<Unit>(id).unwrap().x.set(0.01);
    net.server.get_mut::<Unit>(id).unwrap().x.set(5.0);
    net.settle();
    assert_eq!(x(&net, id), 5.0);
    assert!(!is_sent(&mut net, id, |unit| *unit.x = 5.04));
}

/// A connection with a budget is sent the fields that it has missed, as they are then.
#[test]
fn value_delayed_by_a_budget_is_sent_as_current_and_is_clean() {
    let (mut net, first) = world();
    let ids: Vec<_> = (0..20).map(|_| net.server.spawn(Unit::default())).collect();
    net.settle();
    let connection = net.connection(0);
    net.server
        .set_budget(connection, Some(Budget::new(20)))
        .unwrap();
    for id in ids.iter().chain([&first]) {
        *net.server.get_mut::<Unit>(*id).unwrap().x = 2.04;
    }
    net.step();
    for id in ids.iter().chain([&first]) {
        *net.server.get_mut::<Unit>(*id).unwrap().x = 1.96;
        let unit = net.server.get::<Unit>(*id).unwrap();
        assert_eq!(unit.sync_var_dirty_bits(), 0, "2.0 still");
    }
    net.settle();
    for id in ids.iter().chain([&first]) {
        let unit = net.client(0).get::<Unit>(*id).unwrap();
        assert_eq!((*unit.x, &unit.log[..]), (2.0, &[(0.0, 2.0)][..]));
        assert!(!is_sent(&mut net, *id, |unit| *unit.x = 2.0));
    }
}
