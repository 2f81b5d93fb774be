//! Log files: a whole one with changed bytes, for a reader and a player.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::OnceLock;
use std::time::Duration;

use syncvar::NetId;
use syncvar::log::{LogEntry, LogError, LogHeader, LogReader, LogWriter, Marker, Player};

use crate::limits::bounded;
use crate::protocol::{Compact, Protocol};
use crate::records;
use crate::script::{Script, Step};

/// Most decompressed bytes of a chunk.
const MAX_CHUNK: u64 = 1 << 20;

type Replicas = Vec<(NetId, Vec<u8>)>;

/// Runs an input.
///
/// # Panics
///
/// When the player exceeds a limit, or shows a world that was not recorded.
pub fn run(bytes: &[u8]) {
    let mut file = whole().clone();
    for step in Script::new(bytes) {
        change(&mut file, step);
    }
    // An error is a refusal.
    let _ = bounded(file.len(), || play(file));
}

/// Changes a file.
fn change(file: &mut Vec<u8>, mut step: Step<'_>) {
    let place = usize::try_from(step.number()).unwrap_or_default() % (file.len() + 1);
    match step.op % 5 {
        0 => file.truncate(place),
        1 => {
            if let Some(byte) = file.get_mut(place) {
                *byte ^= step.byte();
            }
        }
        2 => drop(file.splice(place..place, step.bytes.iter().copied())),
        3 => {
            let end = (place + usize::from(step.byte())).min(file.len());
            file.drain(place..end);
        }
        _ => {
            let end = (place + step.bytes.len()).min(file.len());
            file.splice(place..end, step.bytes.iter().copied());
        }
    }
}

/// Plays a file to its end, then seeks back.
fn play(file: Vec<u8>) -> Result<(), LogError> {
    let reader = LogReader::with_limit(Cursor::new(file), MAX_CHUNK)?;
    let mut player = Player::new(reader);
    let mut client = Compact::client();
    let check = |player: &Player<_>, client: &_| {
        let recorded = states().range(..=player.position()).next_back();
        let recorded = recorded.map(|(_, replicas)| replicas);
        assert_eq!(recorded, Some(&Compact::replicas(client)));
    };
    let _ = player.markers()?;
    while player.step_forward(&mut client)? {
        check(&player, &client);
        while client.poll_event().is_some() {}
    }
    for part in [3, 1, 2] {
        let time = player.start() + player.duration() * part / 4;
        player.seek(&mut client, time)?;
        check(&player, &client);
    }
    Ok(())
}

/// Returns a file of the legal records.
fn whole() -> &'static Vec<u8> {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let writer = LogWriter::new(&LogHeader::of(&Compact::server()));
        let mut writer = writer.expect("the header fits");
        for record in records::legal() {
            if record.is_keyframe() {
                let marker = Marker::new(record.time(), record.tick(), "keyframe", true.into());
                writer.mark(&[marker]).expect("the marker fits");
            }
            writer
                .push(&LogEntry::from(record))
                .expect("the record fits");
        }
        writer.finish().expect("the summary fits")
    })
}

/// Returns the replicas after each legal record, by its time.
fn states() -> &'static BTreeMap<Duration, Replicas> {
    static STATES: OnceLock<BTreeMap<Duration, Replicas>> = OnceLock::new();
    STATES.get_or_init(|| {
        let mut client = Compact::client();
        let mut states = BTreeMap::new();
        for record in records::legal() {
            client.handle_record(record).expect("a legal record");
            states.insert(record.time(), Compact::replicas(&client));
        }
        states
    })
}
