//! Section 9: tick records. The column of section 4 that says which messages they contain.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::records::{RecordDifferences, TickRecord};
use syncvar::stats::MessageType;

use crate::examples::{Examples, One};

#[test]
pub(crate) fn records_are_written_as_documented() -> Examples {
    let config = ServerConfig {
        incarnation: 0xff,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(Prefabs::new().register::<One>("one"), config);
    let id = server.spawn(One { v: 5.into() });
    server.start_recording();
    server.update(Duration::from_secs(10));
    let keyframe = server.keyframe().cloned().expect("the first keyframe");
    server.get_mut::<One>(id).expect("an object").v.set(77);
    server.update(Duration::from_millis(10_100));
    server.update(Duration::from_millis(10_200));
    let [change, silence] = [303, 306].map(|tick| server.record(tick).expect("a record"));
    let hex = |record: &TickRecord| hex::encode(record.as_bytes());
    Examples::check(vec![
        (
            "Keyframe 1 of tick 1 at 10 s: SpawnBatch #1 `one` with `v = 5`",
            hex(&keyframe),
        ),
        (
            "Record 2 of tick 4 at 10.1 s: UpdateBatch #1 `v = 77`",
            hex(change),
        ),
        (
            "Record 3 of tick 7 at 10.2 s, without messages",
            hex(silence),
        ),
    ])
}

#[test]
pub(crate) fn differences_are_written_as_documented() -> Examples {
    let mut server = NetworkServer::new(Prefabs::new().register::<One>("one"));
    let ids = [0, 1, 2].map(|_| server.spawn(One::default()));
    server.start_recording();
    server.update(Duration::from_secs(10));
    let mut differences = RecordDifferences::default();
    let contents = [77, 78, 79].map(|v| {
        server.get_mut::<One>(ids[2]).expect("an object").v.set(v);
        server.update(Duration::from_millis(
            2_300 + 100 * u64::from(v.unsigned_abs()),
        ));
        let record = server.record(server.network_time().tick);
        let mut bytes = record.expect("a record").as_bytes().to_vec();
        differences.subtract(&mut bytes).expect("a record");
        // The contents of its only entry end the record.
        hex::encode(&bytes[bytes.len() - 3..])
    });
    Examples::check(vec![(
        "Contents of UpdateBatch #3 in three records of a chunk: `v = 77`, `v = 78`, `v = 79`",
        contents.concat(),
    )])
}

#[test]
fn document_and_code_agree_which_messages_are_shared() {
    let document = include_str!("../../../WIRE.md");
    let rows = document
        .lines()
        .skip_while(|line| !line.starts_with("| number | message |"));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    let mut shared = Vec::new();
    for row in rows {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let Ok(number) = cells[1].parse() else {
            continue;
        };
        let is_shared = match cells[4].split(';').next() {
            Some("shared") => true,
            Some("own") => false,
            other => panic!("{other:?} in the row of {}", cells[2]),
        };
        // UNet's list messages are in the table only.
        if let Some(message_type) = MessageType::from_number(number) {
            shared.push((message_type, is_shared));
        }
    }
    let expected = MessageType::ALL.map(|message_type| (message_type, message_type.is_shared()));
    assert_eq!(shared, expected);
}
