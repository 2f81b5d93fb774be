//! Inputs by tick: in time, over losses and jitter, on both carriers.

mod stalls;

use std::time::Duration;

use syncvar::limits::Limits;
use syncvar::motion::Input;
use syncvar::prelude::*;
use syncvar::stats::MessageType;
use syncvar::testing::Conditions;
use syncvar::{Framing, ServerConfig};

#[derive(SyncValue, Clone, Default, PartialEq, Debug)]
struct Move {
    number: u64,
    aim: f32,
}

const RATE: u32 = 30;

fn network(link: Conditions, datagrams: bool) -> MemoryNetwork {
    let config = ServerConfig {
        tick_rate: RATE,
        ..ServerConfig::default()
    };
    let prefabs = || Prefabs::new().input::<Move>();
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    net.tick = Duration::from_secs(1) / RATE;
    net.datagrams = datagrams;
    net.connect();
    net
}

/// Counts of the inputs that the server has used.
#[derive(Default, Debug)]
struct Used {
    known: u32,
    repeated: u32,
    missing: u32,
}

/// Runs some steps, in which the client's input is the number of the step.
fn run(net: &mut MemoryNetwork, steps: u64) -> Used {
    run_with(net, steps, |_| {})
}

/// As [`run`], with work of the game before each step.
fn run_with(net: &mut MemoryNetwork, steps: u64, work: impl Fn(&mut MemoryNetwork)) -> Used {
    let connection = net.connection(0);
    let (mut used, mut last) = (Used::default(), 0);
    let first = u64::try_from(net.now().as_micros()).unwrap();
    for number in first..first + steps {
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let aim = (number / 4) as f32;
        net.client_mut(0).set_input(&Move { number, aim }).unwrap();
        for tick in net.server.ticks_until(net.now() + net.tick) {
            match net.server.input::<Move>(connection, tick) {
                Input::Known(input) => {
                    assert!(input.number >= last, "{} after {last}", input.number);
                    last = input.number;
                    used.known += 1;
                }
                Input::Repeated(_) => used.repeated += 1,
                Input::Missing => used.missing += 1,
            }
        }
        work(net);
        net.step();
    }
    used
}

fn bad_link() -> Conditions {
    Conditions {
        delay: Duration::from_millis(100),
        jitter: Duration::from_millis(20),
        loss: 0.05,
        ..Conditions::default()
    }
}

#[test]
fn every_tick_has_its_input_on_an_instant_link() {
    for datagrams in [false, true] {
        let mut net = network(Conditions::default(), datagrams);
        run(&mut net, 60);
        let used = run(&mut net, 600);
        assert_eq!(
            (used.known, used.repeated, used.missing),
            (600, 0, 0),
            "{datagrams}"
        );
        let ahead = net.client(0).input_tick().unwrap() - net.server.network_time().tick;
        assert!((1..=4).contains(&ahead), "{ahead} ticks ahead");
    }
}

#[test]
fn inputs_outlast_a_second_update_before_the_packets() {
    for datagrams in [false, true] {
        let mut net = network(Conditions::default(), datagrams);
        run(&mut net, 60);
        let used = run_with(&mut net, 600, |net| {
            let later = net.now() + net.tick;
            net.client_mut(0).update(later);
        });
        assert_eq!(used.known, 600, "{datagrams}: {used:?}");
    }
}

#[test]
fn inputs_arrive_in_time_over_losses_and_jitter() {
    for datagrams in [false, true] {
        let mut net = network(bad_link(), datagrams);
        run(&mut net, 300);
        let used = run(&mut net, 3000);
        assert_eq!(used.missing, 0);
        // A loss on the stream delays the inputs behind it.
        let most = if datagrams { 15 } else { 60 };
        assert!(used.repeated <= most, "{used:?} with datagrams {datagrams}");
        let ahead = net.client(0).input_tick().unwrap() - net.server.network_time().tick;
        assert!((4..=12).contains(&ahead), "{ahead} ticks ahead");
        let sent = net.client(0).stats().encoded(MessageType::Inputs);
        let each = sent.bytes / sent.messages;
        assert!(each < 80, "{each} bytes per tick");
        let reports = net.server.stats().encoded(MessageType::InputState);
        assert!(reports.messages < 3300 / 4, "{reports:?}");
    }
}

#[test]
fn clock_follows_a_longer_way_at_most_at_a_twentieth() {
    let mut net = network(Conditions::default(), true);
    run(&mut net, 100);
    let delay = Duration::from_millis(70);
    net.set_link(
        0,
        Conditions {
            delay,
            ..Conditions::default()
        },
    );
    let before = net.client(0).input_tick().unwrap();
    run(&mut net, 100);
    let ticks = net.client(0).input_tick().unwrap() - before;
    assert!((95..=106).contains(&ticks), "{ticks} in 100 steps");
    run(&mut net, 600);
    let used = run(&mut net, 100);
    assert_eq!(used.known, 100, "{used:?}");
    net.set_link(0, Conditions::default());
    run(&mut net, 600);
    let ahead = net.client(0).input_tick().unwrap() - net.server.network_time().tick;
    assert!(ahead <= 4, "{ahead} ticks ahead on the short way");
}

#[test]
fn a_silent_client_repeats_and_then_misses() {
    let mut net = network(Conditions::default(), true);
    let connection = net.connection(0);
    assert_eq!(net.server.input::<Move>(connection, 1), Input::Missing);
    run(&mut net, 60);
    net.cut(0);
    let tick = net.server.network_time().tick;
    let input = |net: &mut MemoryNetwork, tick| net.server.input::<Move>(connection, tick);
    assert_eq!(
        input(&mut net, tick),
        Input::Missing,
        "the connection is gone"
    );
    let mut net = network(Conditions::default(), true);
    run(&mut net, 60);
    let (connection, tick) = (net.connection(0), net.server.network_time().tick);
    let input = |net: &mut MemoryNetwork, tick| net.server.input::<Move>(connection, tick);
    assert!(matches!(input(&mut net, tick + 10), Input::Repeated(_)));
    assert_eq!(
        net.server.input::<u8>(connection, tick),
        Input::Missing,
        "another type"
    );
}

#[test]
fn inputs_work_in_both_framings() {
    let config = ServerConfig {
        tick_rate: 20,
        framing: Framing::Unet,
        ..ServerConfig::default()
    };
    let link = Conditions::default();
    let mut net = MemoryNetwork::with_config(|| Prefabs::new().input::<Move>(), config, link);
    net.connect();
    run(&mut net, 60);
    assert_eq!(run(&mut net, 100).known, 100);
}

#[test]
fn inputs_continue_after_another_connection() {
    let mut net = network(bad_link(), true);
    run(&mut net, 200);
    net.reconnect(0);
    run(&mut net, 200);
    let used = run(&mut net, 300);
    assert!(used.known >= 295, "{used:?}");
}

#[test]
fn local_client_has_the_held_input() {
    let mut server = NetworkServer::new(Prefabs::new().input::<Move>());
    assert!(server.local_set_input(&Move::default()).is_err());
    let local = server.connect_local();
    assert_eq!(server.input::<Move>(local, 1), Input::Missing);
    let input = Move {
        number: 7,
        aim: 1.0,
    };
    server.local_set_input(&input).unwrap();
    assert_eq!(server.input::<Move>(local, 1), Input::Known(input));
    assert!(server.local_set_input(&5_u8).is_err());
}

#[test]
fn an_unregistered_input_is_an_error() {
    let mut client = NetworkClient::new(Prefabs::new());
    assert!(client.set_input(&Move::default()).is_err());
    let mut client = NetworkClient::new(Prefabs::new().input::<Move>());
    assert!(client.set_input(&1_u8).is_err());
    assert!(client.set_input(&Move::default()).is_ok());
}

#[test]
fn too_many_messages_are_ignored() {
    let limits = Limits {
        input_rate: 10.0,
        ..Limits::default()
    };
    let config = ServerConfig {
        limits,
        tick_rate: RATE,
        ..ServerConfig::default()
    };
    let link = Conditions::default();
    let mut net = MemoryNetwork::with_config(|| Prefabs::new().input::<Move>(), config, link);
    net.tick = Duration::from_secs(1) / RATE;
    net.connect();
    run(&mut net, 300);
    let refused = net.server.stats().refused.inputs;
    assert!((150..=220).contains(&refused), "{refused}");
    assert!(net.is_connected(0));
}
