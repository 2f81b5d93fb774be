//! Tick records for a client that plays them.

use std::sync::OnceLock;
use std::time::Duration;

use syncvar::records::TickRecord;
use syncvar::{ClientState, ConnectionId, NetId, NetworkClient};

use crate::limits::bounded;
use crate::protocol::{Compact, Protocol};
use crate::script::{Script, Step};
use crate::world::TICK;

/// Most objects of a client, as its settings say.
const MAX_OBJECTS: usize = 64;

/// Length of the checksum.
const CHECKSUM: usize = 4;

/// Positions of the numbers behind the origin, of a keyframe (tick 1, number, tick, time) and a later record (number,
/// tick, time), and their number.
const KEYFRAME_NUMBERS: (usize, usize) = (21, 4);
const NUMBERS: (usize, usize) = (9, 3);

/// Updates of the recorded session.
const UPDATES: u8 = 64;

struct Playback {
    client: NetworkClient,
    /// Number of the next legal record.
    next: usize,
    now: Duration,
}

/// Runs an input.
///
/// # Panics
///
/// When the client exceeds a limit, sends packets, or does not recover by a new playback.
pub fn run(bytes: &[u8]) {
    let mut playback = Playback::new();
    for step in Script::new(bytes) {
        playback.take(step);
        let client = &mut playback.client;
        while client.poll_event().is_some() {}
        let is_playing = client.state() == ClientState::Connected;
        assert!(!is_playing || client.poll_transmit().is_none());
        assert!(Compact::replicas(client).len() <= MAX_OBJECTS);
    }
    playback.client.disconnect("the end");
    playback.client.forget_objects();
    assert_eq!(&playback.play_all(), expected());
}

/// Returns the replicas after all legal records.
fn expected() -> &'static Vec<(NetId, Vec<u8>)> {
    static EXPECTED: OnceLock<Vec<(NetId, Vec<u8>)>> = OnceLock::new();
    EXPECTED.get_or_init(|| Playback::new().play_all())
}

/// Returns the records of a session, with keyframes in their places.
pub fn legal() -> &'static [TickRecord] {
    static LEGAL: OnceLock<Vec<TickRecord>> = OnceLock::new();
    LEGAL.get_or_init(|| {
        let mut server = Compact::server();
        let (mut records, mut last) = (Vec::new(), 0);
        server.start_recording();
        for what in 0..UPDATES {
            let connections = [ConnectionId::SERVER; 4];
            for number in 0..4 {
                let what = what * 4 + number;
                let bytes = [what % 3, what, 3, what / 20, 0, 0, b'a', b'b', what];
                let step = Step {
                    op: 0,
                    bytes: &bytes,
                };
                Compact::change(&mut server, &connections, step);
            }
            if what % 16 == 15 {
                server.request_keyframe();
            }
            server.update(Duration::from_secs(1) + TICK * u32::from(what));
            records.extend(server.records_after(last).cloned());
            last = records.last().map_or(0, TickRecord::seq);
        }
        records
    })
}

impl Playback {
    fn new() -> Self {
        Self {
            client: Compact::client(),
            next: 0,
            now: Duration::ZERO,
        }
    }

    /// Plays all legal records, and returns the replicas.
    fn play_all(&mut self) -> Vec<(NetId, Vec<u8>)> {
        for record in legal() {
            let played = self.client.handle_record(record);
            assert!(played.is_ok(), "{played:?} of {record:?}");
        }
        Compact::replicas(&self.client)
    }

    fn take(&mut self, mut step: Step<'_>) {
        match step.op % 8 {
            0 | 1 => {
                for _ in 0..=step.byte() % 16 {
                    let record = self.legal();
                    self.receive(record.as_bytes());
                }
            }
            2 => {
                let (head, mut items) = self.parts();
                step.patch(&mut items);
                self.receive(&[head, items].concat());
            }
            3 => {
                let (mut head, items) = self.parts();
                step.patch(&mut head);
                self.receive(&[head, items].concat());
            }
            4 => {
                let (head, _) = self.parts();
                let (kind, flags) = (step.byte(), step.byte());
                let messages = Compact::message(kind, step.bytes);
                let length = u8::try_from(messages.len() % 128).unwrap_or(0);
                let item = [&[flags % 8, flags >> 7, length], &messages[..]].concat();
                self.receive(&[head, item].concat());
            }
            5 => self.next = usize::from(step.byte()),
            6 => {
                self.now += TICK * u32::from(step.byte());
                self.client.update(self.now);
            }
            _ => match step.byte() % 3 {
                0 => self.client.disconnect("enough"),
                1 => self.client.handle_disconnect(),
                _ => self.client.handle_connect(),
            },
        }
    }

    /// Returns the next legal record.
    fn legal(&mut self) -> &'static TickRecord {
        let records = legal();
        self.next += 1;
        &records[(self.next - 1) % records.len()]
    }

    /// Returns the next legal record, divided before its items.
    fn parts(&mut self) -> (Vec<u8>, Vec<u8>) {
        let record = self.legal();
        let bytes = record.as_bytes();
        let (first, count) = if record.is_keyframe() {
            KEYFRAME_NUMBERS
        } else {
            NUMBERS
        };
        let mut ends = (first..bytes.len()).filter(|place| bytes[*place] < 128);
        let last = ends.nth(count - 1).expect("all numbers");
        let (head, items) = bytes.split_at(last + 1);
        (head.to_vec(), items.to_vec())
    }

    /// Plays a record with these bytes, behind their checksum.
    fn receive(&mut self, bytes: &[u8]) {
        let rest = bytes.get(CHECKSUM..).unwrap_or_default();
        let bytes = [&crc32c::crc32c(rest).to_le_bytes(), rest].concat();
        let client = &mut self.client;
        bounded(bytes.len(), || {
            let record = TickRecord::from_bytes(&bytes);
            let _ = record.and_then(|record| client.handle_record(&record));
        });
    }
}
