//! Inputs of hostile clients: an error or no effect, never a panic or a lost server.

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::ServerConfig;
use syncvar::limits::Limits;
use syncvar::motion::Input;
use syncvar::prelude::*;
use syncvar::stats::MessageType;
use syncvar::testing::Conditions;
use syncvar_testing::{ServerMessages as _, frame};

const INPUTS: i16 = 39;

fn network() -> MemoryNetwork {
    network_of(Limits::default().max_input_lead)
}

fn network_of(max_input_lead: u64) -> MemoryNetwork {
    let config = ServerConfig {
        tick_rate: 20,
        limits: Limits {
            max_input_lead,
            ..Limits::default()
        },
        ..ServerConfig::default()
    };
    let prefabs = || Prefabs::new().input::<(u8, String)>();
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect();
    for _ in 0..5 {
        net.step();
    }
    net
}

fn handle(net: &mut MemoryNetwork, payload: &[u8]) -> bool {
    let connection = net.connection(0);
    let packet = frame(INPUTS, payload);
    net.server.handle_messages(connection, 0, &packet).is_ok()
}

#[test]
fn malformed_inputs_are_errors() {
    let cases: [(&str, &[u8]); 8] = [
        ("empty", b""),
        ("no inputs", b"\x08\x00\x01"),
        ("too many", b"\x40\x21\x01\x02\x03\x07\x00"),
        ("before tick 0", b"\x02\x04\x01\x02\x03\x07\x00"),
        ("a bit without an input", b"\x08\x01\x03\x02\x03\x07\x00"),
        ("an unset byte", b"\x08\x01\x01\x02\x01\x07"),
        ("too long", b"\x08\x01\x01\xf1\x64"),
        ("surplus bytes", b"\x08\x01\x01\x02\x03\x07\x00\x00"),
    ];
    for (name, payload) in cases {
        assert!(!handle(&mut network(), payload), "{name}");
    }
    let mut net = network();
    assert!(handle(&mut net, b"\x08\x01\x01\x02\x03\x07\x00"));
    let connection = net.connection(0);
    let input = net.server.input(connection, 8);
    assert_eq!(input, Input::Known((7_u8, String::new())));
}

#[test]
fn inputs_far_ahead_are_ignored_and_the_first_one_counts() {
    let mut net = network();
    let now = u8::try_from(net.server.network_time().tick).unwrap();
    assert!(handle(&mut net, &[now + 34, 1, 1, 2, 3, 7, 0]));
    net.step();
    assert_eq!(net.server.stats().refused.inputs, 1);
    for value in [5, 6] {
        assert!(handle(&mut net, &[now + 2, 1, 1, 2, 3, value, 0]));
    }
    let connection = net.connection(0);
    let mut input = |tick: u8| net.server.input(connection, tick.into());
    assert_eq!(input(now + 2), Input::Known((5_u8, String::new())));
    assert_eq!(input(now + 34), Input::Repeated((5, String::new())));
}

#[test]
fn inputs_relative_to_an_unknown_one_are_ignored() {
    let mut net = network();
    assert!(handle(&mut net, b"\x08\x82\x01\x02\x03\x07\x00"));
    let connection = net.connection(0);
    let input = net.server.input::<(u8, String)>(connection, 8);
    assert_eq!(input, Input::Missing);
    assert_eq!(net.server.stats().refused.inputs, 2);
    net.step();
    assert_eq!(net.server.stats().refused.misbehaved, 0);
    let told = net.server.stats().encoded(MessageType::InputState);
    assert_eq!(told.messages, 1);
}

#[test]
fn inputs_beyond_the_lead_of_the_settings_are_ignored() {
    let mut net = network_of(3);
    // The tick of the update that judges the inputs.
    let now = u8::try_from(net.server.network_time().tick).unwrap() + 1;
    for ahead in [3, 4] {
        assert!(handle(&mut net, &[now + ahead, 1, 1, 2, 3, ahead, 0]));
    }
    net.step();
    assert_eq!(net.server.stats().refused.inputs, 1);
    let connection = net.connection(0);
    let mut input = |tick: u8| net.server.input(connection, tick.into());
    assert_eq!(input(now + 3), Input::Known((3_u8, String::new())));
    assert_eq!(input(now + 4), Input::Repeated((3_u8, String::new())));
}

proptest! {
    #[test]
    fn no_payload_harms_the_server(payloads in vec(vec(prop_oneof![0..4_u8, any::<u8>()], 0..40), 1..20)) {
        let mut net = network();
        let connection = net.connection(0);
        for payload in payloads {
            handle(&mut net, &payload);
            let tick = net.server.network_time().tick;
            for tick in tick.saturating_sub(3)..tick + 40 {
                net.server.input::<(u8, String)>(connection, tick);
            }
            net.step();
        }
        prop_assert!(net.server.stats().refused.misbehaved <= 1);
    }
}
