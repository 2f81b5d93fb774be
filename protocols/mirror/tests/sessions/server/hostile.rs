//! Whatever a client sends: nothing panics, and what is not right ends the connection or is ignored.

use std::sync::OnceLock;

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::Channel;
use syncvar::DisconnectReason;
use syncvar::mirror::*;

use syncvar_testing::mirror::{FRAME, batch};

use super::net::{Net, aim};

fn reason(net: &mut Net) -> Option<MirrorError> {
    net.events().into_iter().find_map(|event| match event {
        MirrorServerEvent::Disconnected {
            reason: DisconnectReason::Refused(error),
            ..
        } => Some(error),
        _ => None,
    })
}

#[test]
fn messages_that_mirror_disconnects_for_disconnect() {
    let mut stray = batch(FRAME, &[&[0xbc, 0xaa]]);
    stray.push(200);
    let wrong: [(Vec<u8>, &str); 6] = [
        (vec![1, 2, 3], "3 bytes are fewer"),
        (batch(FRAME, &[&[0x01, 0x02]]), "message 513 is unknown"),
        (batch(FRAME, &[&[0xbc]]), "a message of 1 bytes has no id"),
        (batch(FRAME, &[&[]]), "a message of 0 bytes has no id"),
        (
            batch(FRAME, &[&[0x64, 0x88, 1]]),
            "malformed Mirror.SpawnMessage",
        ),
        (stray, "200 bytes"),
    ];
    for (bytes, expected) in wrong {
        let mut net = Net::new();
        let (connection, player) = net.join();
        net.events();
        let error = net
            .server
            .handle_packet(connection, Channel::Reliable, &bytes)
            .unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(reason(&mut net), Some(error));
        assert_eq!(net.server.poll_close(), Some(connection));
        assert!(net.server.identity(player).is_none());
    }
}

#[test]
fn messages_that_mirror_ignores_are_ignored() {
    let mut net = Net::new();
    let (connection, player) = net.join();
    let (other, others) = net.join();
    net.step();
    net.events();
    // Only a time; bytes behind a message; an object that is not there or not its own.
    net.say(connection, &[]).unwrap();
    net.say(connection, &[&[0xbc, 0xaa, 1, 2, 3]]).unwrap();
    net.say(connection, &[&aim(syncvar::NetId(99), 1), &aim(others, 1)])
        .unwrap();
    // Components that are the server's, without any bytes; and one that is not there.
    let foreign = [0x33, 0x30, 1, 2, 0b1011];
    net.say(connection, &[&foreign]).unwrap();
    assert!(net.server.is_connected(connection) && net.server.is_connected(other));
    let refused = net.events().into_iter().filter_map(|event| match event {
        MirrorServerEvent::StateRefused { reason, .. } => Some(reason),
        _ => None,
    });
    let expected = [StateRefusal::UnknownObject, StateRefusal::NotOwner];
    assert_eq!(refused.collect::<Vec<_>>(), expected);
    assert_eq!(player.0, 1);
}

#[test]
fn a_state_that_is_not_as_long_as_it_says_disconnects() {
    for change in [
        |state: &mut Vec<u8>| state[5] += 1,
        |state: &mut Vec<u8>| {
            state.pop();
            state[3] -= 1;
        },
        // Nothing at all.
        |state: &mut Vec<u8>| *state = vec![0x33, 0x30, 1, 0],
    ] {
        let mut net = Net::new();
        let (connection, player) = net.join();
        let mut state = aim(player, 1);
        change(&mut state);
        assert!(net.say(connection, &[&state]).is_err(), "{state:?}");
        assert!(!net.server.is_connected(connection));
    }
}

#[test]
fn a_hook_that_panics_is_an_event() {
    let mut net = Net::new();
    let (connection, player) = net.join();
    net.say(connection, &[&aim(player, 666), &aim(player, 7)])
        .unwrap();
    let failed = |event: &MirrorServerEvent| {
        matches!(
            event,
            MirrorServerEvent::HookFailed {
                behaviour: "Aim",
                ..
            }
        )
    };
    assert!(net.events().iter().any(failed));
    assert!(net.server.is_connected(connection));
}

/// What a stock client has sent in the recordings.
fn recorded() -> &'static [Vec<u8>] {
    static RECORDED: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    RECORDED.get_or_init(read_recorded)
}

fn read_recorded() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for name in ["telepathy", "twoclients", "kick"] {
        let path = format!(
            "{}/tests/golden/data/session_{name}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).unwrap();
        let session: serde_json::Value = serde_json::from_str(&text).unwrap();
        for message in session["messages"].as_array().unwrap() {
            let from_client = message["dir"]
                .as_str()
                .is_some_and(|it| it.starts_with('c'));
            if let Some(hex) = message["hex"].as_str().filter(|_| from_client) {
                frames.push(hex::decode(hex).unwrap());
            }
        }
    }
    assert!(frames.len() > 50, "{}", frames.len());
    frames.sort();
    frames.dedup();
    frames
}

proptest! {
    #![proptest_config(syncvar_testing::cases(256))]

    #[test]
    fn any_bytes_at_all_do_not_panic(packets in vec(vec(any::<u8>(), 0..60), 1..20)) {
        let mut net = Net::new();
        let (other, _) = net.join();
        for packet in packets {
            let (connection, _) = net.join();
            let _ = net.server.handle_packet(connection, Channel::Unreliable, &packet);
            let framed = batch(FRAME, &[&packet]);
            let _ = net.server.handle_packet(connection, Channel::Reliable, &framed);
        }
        net.step();
        prop_assert!(net.server.is_connected(other));
    }

    #[test]
    fn recorded_packets_with_some_bytes_changed_do_not_panic(
        picks in vec((any::<prop::sample::Index>(), vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)), 1..30),
    ) {
        let recorded = recorded();
        let mut net = Net::new();
        let (other, _) = net.join();
        let mut connection = net.join().0;
        for (pick, changes) in picks {
            let mut packet = pick.get(recorded).clone();
            for (place, byte) in changes {
                let place = place.index(packet.len());
                packet[place] = byte;
            }
            if net.server.handle_packet(connection, Channel::Reliable, &packet).is_err() {
                prop_assert!(!net.server.is_connected(connection));
                connection = net.join().0;
            }
        }
        net.step();
        prop_assert!(net.server.is_connected(other));
    }
}
