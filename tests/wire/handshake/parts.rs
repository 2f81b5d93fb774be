//! Schema messages of a hostile server: bounded memory, and an error that names the mistake.

use syncvar::prelude::*;
use syncvar::schema::MAX_SCHEMA_TEXT;
use syncvar::wire::ReadErrorKind;
use syncvar::{ClientState, DisconnectReason};
use syncvar_testing::frame;

use super::server_side::Player;

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Player>("player")
}

fn connecting() -> NetworkClient {
    let mut client = NetworkClient::new(prefabs());
    client.handle_connect();
    while client.poll_transmit().is_some() {}
    client
}

/// Returns a Schema message.
fn part(is_last: bool, text: &[u8]) -> Vec<u8> {
    frame(21, &[&[u8::from(is_last)][..], text].concat())
}

/// Returns the text of the refusal; none while the client waits.
fn refusal(client: &mut NetworkClient) -> Option<String> {
    match client.poll_event()? {
        ClientEvent::Refused {
            reason: DisconnectReason::SchemaMismatch(Some(report)),
        } => Some(report.to_string()),
        other => panic!("{other:?}"),
    }
}

/// Returns whether the client has sent Disconnect 1.
fn has_left(client: &mut NetworkClient) -> bool {
    let packet = client.poll_transmit().map(|packet| packet.bytes.to_vec());
    client.state() == ClientState::Disconnected && packet == Some(frame(33, &[1, 0, 0]))
}

#[test]
fn text_without_an_end_is_refused_at_its_limit() {
    let mut client = connecting();
    let packet = part(false, &vec![b'x'; 60_000]);
    for _ in 0..MAX_SCHEMA_TEXT / 60_000 {
        client.handle_packet(0, &packet).expect("a part");
    }
    assert_eq!(refusal(&mut client), None, "the text may still end");
    let error = client.handle_packet(0, &packet).unwrap_err();
    assert!(
        matches!(error.kind(), ReadErrorKind::TooMuchMemory { needed: 60_000, left } if left < 60_000),
        "{error}"
    );
    let refusal = refusal(&mut client).expect("a refusal");
    assert!(refusal.contains("cannot be read"), "{refusal}");
    assert!(has_left(&mut client));
}

#[test]
fn malformed_parts_are_errors_and_the_client_leaves() {
    for (payload, expected) in [
        (vec![], "1 byte"),
        (vec![2], "2"),
        (vec![0], "part of a schema"),
        ([&[0][..], &vec![b'x'; 60_001]].concat(), "60001"),
        ([&[1][..], b"\xff"].concat(), "UTF-8"),
    ] {
        let mut client = connecting();
        let error = client.handle_packet(0, &frame(21, &payload)).unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert!(refusal(&mut client).is_some(), "{expected}");
        assert!(has_left(&mut client), "{expected}");
    }
}

#[test]
fn part_behind_the_last_is_an_error() {
    let mut client = connecting();
    let text = prefabs().schema_text().clone();
    // The own schema needs no resolution: the client asks again.
    let half = text.len() / 2;
    client
        .handle_packet(0, &part(false, &text.as_bytes()[..half]))
        .expect("a part");
    client
        .handle_packet(0, &part(true, &text.as_bytes()[half..]))
        .expect("a part");
    let connect = client.poll_transmit().expect("a Connect").bytes;
    assert_eq!(
        &connect[2..13],
        [&[32, 0, 7][..], &prefabs().schema_hash().to_le_bytes()].concat()
    );
    let error = client.handle_packet(0, &part(true, b"")).unwrap_err();
    assert!(error.to_string().contains("behind the last"), "{error}");
    assert!(refusal(&mut client).is_some() && has_left(&mut client));
}

#[test]
fn schema_behind_the_answer_is_an_unknown_message() {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect();
    net.settle();
    let client = net.client_mut(0);
    // Behind a header.
    let packet = [&[0, 0][..], &part(true, b"")].concat();
    let mut raw = connecting();
    let answer = frame(32, &[&[7][..], &[0; 8], &[0, 1, 0]].concat());
    raw.handle_packet(0, &answer)
        .expect("an answer in the framing Unet");
    assert!(raw.is_connected());
    assert!(raw.handle_packet(0, &part(true, b"")).is_err());
    assert!(raw.is_connected());
    assert!(client.handle_packet(0, &packet).is_err());
}

#[test]
fn channels_of_an_answer_are_checked() {
    for (channels, expected) in [
        (&[0][..], "number of channels"),
        (&[65], "number of channels"),
        (&[1, 2], "2"),
        (&[2, 0], "1 byte"),
    ] {
        let mut client = connecting();
        let answer = frame(32, &[&[7][..], &[0; 8], &[0], channels].concat());
        let error = client.handle_packet(0, &answer).unwrap_err();
        assert!(
            error.to_string().contains(expected),
            "{channels:?}: {error}"
        );
        assert!(!client.is_connected());
    }
}

#[test]
fn each_connection_begins_with_an_empty_text() {
    let mut client = connecting();
    client
        .handle_packet(0, &part(false, b"prefab"))
        .expect("a part");
    client.handle_disconnect();
    while client.poll_event().is_some() {}
    client.handle_connect();
    let text = prefabs().schema_text().clone();
    client
        .handle_packet(0, &part(true, text.as_bytes()))
        .expect("the schema");
    assert_eq!(client.state(), ClientState::Connecting);
    assert_eq!(client.poll_event(), None);
}
