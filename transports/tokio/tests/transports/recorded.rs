//! Recorded bytes of Mirror's transports, and the messages in them.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use syncvar_runtime::Channel;
use syncvar_tokio::kcp::{Hello, KcpConnection, KcpError};
use syncvar_tokio::telepathy::{Frames, head};

#[test]
fn recorded_bytes_hold_the_recorded_messages() {
    let given = std::env::var_os("SYNCVAR_GOLDEN_DIR");
    let folder = given.as_ref().map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../protocols/mirror/tests/golden/data"),
        PathBuf::from,
    );
    let mut sessions = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy();
        if name.starts_with("session_") && path.extension().is_some_and(|ext| ext == "json") {
            let session = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            if check(&session) > 0 {
                sessions += 1;
            }
        }
    }
    // One KCP session and six Telepathy sessions have raw bytes.
    assert!(sessions == 7 || given.is_some(), "{sessions}");

    /// Checks a recorded session. Returns the number of messages in its raw bytes.
    fn check(session: &Value) -> usize {
        let Some(raw) = session["raw"].as_array().filter(|raw| !raw.is_empty()) else {
            return 0;
        };
        let connections: BTreeSet<u64> =
            raw.iter().filter_map(|raw| raw["conn"].as_u64()).collect();
        // The recorder has checked the frames of streams; datagrams need no check.
        let is_kcp = session["raw_framing_check"]
            .as_object()
            .is_none_or(serde_json::Map::is_empty);
        let checked = connections.iter().enumerate().map(|(index, connection)| {
            let end = End {
                session,
                connection: *connection,
                index,
            };
            if is_kcp {
                kcp(&end)
            } else {
                ["c2s", "s2c"].map(|dir| telepathy(&end, dir)).iter().sum()
            }
        });
        checked.sum()
    }
}

/// Recording of one connection.
struct End<'a> {
    session: &'a Value,
    /// Number of the connection in `raw`.
    connection: u64,
    /// Position among all connections.
    index: usize,
}

impl End<'_> {
    /// Returns times and bytes.
    fn raw(&self, dir: &str) -> Vec<(Duration, Vec<u8>)> {
        let raw = self.session["raw"].as_array().unwrap().iter();
        // Begin and end of connections are recorded between them.
        raw.filter(|raw| raw["conn"] == self.connection && raw["dir"] == dir)
            .filter(|raw| raw["hex"].is_string())
            .map(|raw| {
                let time = Duration::from_secs_f64(raw["t"].as_f64().unwrap());
                (time, hex::decode(raw["hex"].as_str().unwrap()).unwrap())
            })
            .collect()
    }

    /// Returns the messages of Mirror on one channel, or on all.
    fn messages(&self, dir: &str, channel: Option<u64>) -> Vec<Bytes> {
        let messages = || self.session["messages"].as_array().unwrap().iter();
        // KCP connections have other numbers there, in order of arrival.
        let mut numbers = Vec::new();
        for number in messages().filter_map(|message| message["conn"].as_u64()) {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        let number = if numbers.contains(&self.connection) {
            self.connection
        } else {
            numbers[self.index]
        };
        messages()
            .filter(|message| message["conn"] == number && message["dir"] == dir)
            .filter(|message| channel.is_none_or(|channel| message["channel"] == channel))
            .map(|message| {
                hex::decode(message["hex"].as_str().unwrap())
                    .unwrap()
                    .into()
            })
            .collect()
    }
}

/// Checks that a stream has the frames of the recorded messages. The proxy missed the last ones.
fn telepathy(end: &End<'_>, dir: &str) -> usize {
    let mut frames = Frames::new(16_384);
    let mut read = Vec::new();
    let mut written = Vec::new();
    for (_, bytes) in end.raw(dir) {
        written.extend_from_slice(&bytes);
        frames.buffer().extend_from_slice(&bytes);
        while let Some(frame) = frames.next_frame().unwrap() {
            read.push(frame);
        }
    }
    assert!(frames.buffer().is_empty(), "{dir}: half a frame is left");
    let expected = end.messages(dir, None);
    assert!(expected.len() - read.len() < 10, "{dir}");
    assert_eq!(read, expected[..read.len()], "{dir}");

    let again = read.iter().flat_map(|message| {
        let head = head(message.len()).unwrap();
        [head.to_vec(), message.to_vec()].concat()
    });
    assert_eq!(again.collect::<Vec<u8>>(), written, "{dir}");
    read.len()
}

/// Checks that both ends read the recorded datagrams as Mirror's ends did, and send the same acks.
fn kcp(end: &End<'_>) -> usize {
    let (to_server, to_client) = (end.raw("c2s"), end.raw("s2c"));
    let (began, hello) = &to_server[0];
    let answer = &to_client[0].1;

    // The server's first datagram has the cookie; its second segment has the time.
    let cookie = u32::from_le_bytes(answer[1..5].try_into().unwrap());
    let cookie = NonZeroU32::new(cookie).unwrap();
    let time = u32::from_le_bytes(answer[5 + 24 + 8..][..4].try_into().unwrap());
    let ours = Hello::read(hello)
        .unwrap()
        .answer(cookie, Duration::from_millis(time.into()));
    assert_eq!(ours, answer);

    let mut server = KcpConnection::accept(cookie, *began);
    let mut client = KcpConnection::connect(*began);
    let (at_server, said) = received(&mut server, &to_server[1..]);
    assert_eq!(acks(&said), acks(datagrams(&to_client[1..])));
    let (at_client, said) = received(&mut client, &to_client);
    assert_eq!(acks(&said), acks(datagrams(&to_server)));
    for (dir, received) in [("c2s", &at_server), ("s2c", &at_client)] {
        for (number, channel) in [(0, Channel::Reliable), (1, Channel::Unreliable)] {
            let received: Vec<Bytes> = received
                .iter()
                .filter(|(on, _)| *on == channel)
                .map(|(_, message)| message.clone())
                .collect();
            assert_eq!(received, end.messages(dir, Some(number)), "{dir}");
        }
    }
    assert_eq!(client.cookie(), Some(cookie));
    for side in [client, server] {
        assert_eq!(side.closed(), Some(KcpError::ClosedByPeer));
    }
    at_server.len() + at_client.len()
}

/// Passes datagrams to an end. Returns its messages and its own datagrams.
fn received(
    side: &mut KcpConnection,
    datagrams: &[(Duration, Vec<u8>)],
) -> (Vec<(Channel, Bytes)>, Vec<Bytes>) {
    let (mut messages, mut said) = (Vec::new(), Vec::new());
    for (time, datagram) in datagrams {
        side.handle_datagram(*time, datagram);
        messages.extend(std::iter::from_fn(|| side.poll_message()));
        side.update(*time);
        said.extend(std::iter::from_fn(|| side.poll_transmit()));
    }
    (messages, said)
}

fn datagrams(recorded: &[(Duration, Vec<u8>)]) -> impl IntoIterator<Item = &Vec<u8>> {
    recorded.iter().map(|(_, datagram)| datagram)
}

/// Returns the bytes of the ack segments in some datagrams, in order: window, number and first missing
/// number.
fn acks<D: AsRef<[u8]>>(datagrams: impl IntoIterator<Item = D>) -> Vec<String> {
    let mut acks = Vec::new();
    for datagram in datagrams {
        let (head, mut segments) = datagram.as_ref().split_at(5);
        while head[0] == 1 && !segments.is_empty() {
            let length = u32::from_le_bytes(segments[20..24].try_into().unwrap());
            let (segment, rest) = segments.split_at(24 + usize::try_from(length).unwrap());
            if segment[4] == 82 {
                acks.push(hex::encode(segment));
            }
            segments = rest;
        }
    }
    acks
}
