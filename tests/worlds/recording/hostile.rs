//! Records with a valid checksum and other contents: errors with a place, no panic, bounded memory.

use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::records::{RecordError, TickRecord};
use syncvar::wire::{NetworkWriter, ReadErrorKind};
use syncvar_testing::{Player, frame};

use super::{Recording, client, health};

/// Position of the version and the flags.
const FLAGS: usize = 4;

/// Position of the varints of a record: number (1 byte), tick (2), time (4).
const VARINTS: usize = 9;

/// Position of the first item of a record.
const ITEMS: usize = VARINTS + 7;

/// Position of the tick of a keyframe, behind the origin (8, 8 and 2 bytes) and the number (1).
const KEYFRAME_TICK: usize = FLAGS + 1 + 18 + 1;

/// Returns a record of these bytes with their checksum.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let rest = &bytes[4..];
    [&crc32c::crc32c(rest).to_le_bytes(), rest].concat()
}

/// Returns a keyframe with a player, a record with its change, and the player.
fn records() -> (TickRecord, TickRecord, NetId) {
    let mut recording = Recording::of_incarnation(7);
    let id = recording.server.spawn(Player::new(1, "a"));
    let (_, keyframe) = recording.keyframe();
    recording.set_health(id, 2);
    (keyframe, recording.update().remove(0), id)
}

fn kind(error: RecordError) -> (ReadErrorKind, usize) {
    match error {
        RecordError::Malformed(error) => (error.kind(), error.offset()),
        other => panic!("{other}"),
    }
}

#[test]
fn malformed_fields_are_refused_with_their_place() {
    /// Flags of a record, and the version.
    const CHANGES: u8 = 0x20;

    const KEYFRAME: u8 = 0x22;

    let (keyframe, record, _) = records();
    let changed = |position: usize, byte: u8| {
        let mut bytes = record.as_bytes().to_vec();
        bytes[position] = byte;
        TickRecord::from_bytes(&sealed(&bytes)).unwrap_err()
    };
    assert_eq!(changed(FLAGS, 0x10), RecordError::Version(1));
    let refused = |position, byte| kind(changed(position, byte));
    assert_eq!(
        refused(FLAGS, CHANGES | 4),
        (invalid("flags of a record", 4), 5)
    );
    assert_eq!(refused(VARINTS, 0), (invalid("number of a record", 0), 10));
    assert_eq!(refused(ITEMS, 1), (invalid("audience of an item", 1), 17));
    assert_eq!(refused(ITEMS, 2), (invalid("audience of an item", 2), 17));
    assert_eq!(refused(ITEMS, 8), (invalid("flags of an item", 8), 17));
    assert_eq!(refused(ITEMS + 2, 0), (invalid("length of an item", 0), 19));
    let (needed, left) = (127, record.as_bytes().len() - 19);
    let end = ReadErrorKind::UnexpectedEnd { needed, left };
    assert_eq!(refused(ITEMS + 2, 127).0, end);
    // Tick 1 of the headers is 300.
    let mut bytes = keyframe.as_bytes().to_vec();
    assert_eq!(bytes[FLAGS], KEYFRAME);
    bytes[KEYFRAME_TICK] -= 2;
    let error = kind(TickRecord::from_bytes(&sealed(&bytes)).unwrap_err());
    assert_eq!(error, (invalid("tick of a record", 299), KEYFRAME_TICK + 2));

    fn invalid(what: &'static str, value: u64) -> ReadErrorKind {
        ReadErrorKind::InvalidValue { what, value }
    }
}

#[test]
fn own_and_unknown_messages_are_refused_before_an_effect() {
    let (keyframe, record, id) = records();
    let mut client = client();
    client.handle_record(&keyframe).unwrap();
    let (_, change) = record.as_bytes().split_at(ITEMS);
    // SpawnFinished 0, LocalClientAuthority, Session, OwnerState, Connect, Disconnect, a command, no message.
    let own = [
        (12, 0),
        (15, 1),
        (19, 0),
        (30, 1),
        (32, 0),
        (33, 0),
        (5, 0),
        (6, 0),
        (-1, 0),
    ];
    for (number, byte) in own {
        let messages = frame(number, &[byte]);
        let record = with_items(&record, &[change, &item(&messages)].concat()).unwrap();
        let (kind, _) = kind(client.handle_record(&record).unwrap_err());
        assert_eq!(kind, ReadErrorKind::UnknownMessage(number));
        assert_eq!(health(&client, id), 1, "nothing of the record was applied");
    }
    let cut = with_items(&record, &[change, &item(&[9, 0, 22, 0])].concat()).unwrap();
    assert!(client.handle_record(&cut).is_err());
    client.handle_record(&record).unwrap();
    assert_eq!(health(&client, id), 2);

    /// Returns a record with other items.
    fn with_items(record: &TickRecord, items: &[u8]) -> Result<TickRecord, RecordError> {
        TickRecord::from_bytes(&sealed(&[&record.as_bytes()[..ITEMS], items].concat()))
    }

    /// Returns an item of channel 0.
    fn item(messages: &[u8]) -> Vec<u8> {
        let mut writer = NetworkWriter::new();
        writer.write_bytes(&[0, 0]);
        writer.write_varint(messages.len() as u64);
        writer.write_bytes(messages);
        writer.as_bytes().to_vec()
    }
}

#[test]
fn partial_record_reports_an_incomplete_tick() {
    let (keyframe, record, _) = records();
    let mut bytes = record.as_bytes().to_vec();
    bytes[FLAGS] |= 1;
    let record = TickRecord::from_bytes(&sealed(&bytes)).unwrap();
    assert!(record.is_partial() && !record.is_keyframe());
    let mut client = client();
    client.handle_record(&keyframe).unwrap();
    client.handle_record(&record).unwrap();
    let last = super::events(&mut client).pop().unwrap();
    let complete = matches!(last, ClientEvent::Tick { complete: true, .. });
    assert!(!complete, "{last:?}");
}

#[test]
fn earlier_tick_is_refused() {
    let (keyframe, record, id) = records();
    let mut bytes = keyframe.as_bytes().to_vec();
    bytes[KEYFRAME_TICK] += 50;
    let keyframe = TickRecord::from_bytes(&sealed(&bytes)).unwrap();
    let mut client = client();
    client.handle_record(&keyframe).unwrap();
    let expected = RecordError::EarlierTick {
        last: keyframe.tick(),
        found: record.tick(),
    };
    assert_eq!(client.handle_record(&record), Err(expected));
    assert_eq!(health(&client, id), 1);
}

proptest! {
    #![proptest_config(syncvar_testing::cases(1024))]

    #[test]
    fn damage_behind_a_valid_checksum_harms_no_later_playback(
        changes in proptest::collection::vec((any::<bool>(), 4_usize..200, any::<u8>()), 1..8),
        cut in proptest::option::of(4_usize..200),
    ) {
        let (keyframe, record, id) = records();
        let mut client = client();
        client.handle_record(&keyframe).unwrap();
        let mut bytes = [&keyframe, &record].map(|record| record.as_bytes().to_vec());
        for (which, position, byte) in changes {
            let bytes = &mut bytes[usize::from(which)];
            let position = 4 + position % (bytes.len() - 4);
            bytes[position] = byte;
        }
        if let Some(cut) = cut {
            bytes[1].truncate(cut.min(record.as_bytes().len()).max(4));
        }
        for bytes in bytes {
            if let Ok(record) = TickRecord::from_bytes(&sealed(&bytes)) {
                let _ = client.handle_record(&record);
                prop_assert!(client.poll_transmit().is_none());
            }
        }
        prop_assert!(client.object_count() < 4);
        client.disconnect("the end");
        client.handle_record(&keyframe).unwrap();
        client.handle_record(&record).unwrap();
        prop_assert_eq!(health(&client, id), 2);
    }
}
