//! Batches: reading returns the written entries.

use super::{
    super::{Room, Segments},
    Entries,
};
use crate::packet::Frames;
use crate::packet::test_forms::BATCHED;
use crate::{Encoding, NetId, WriteErrorKind};

/// Encodes entries, given as ids and content lengths, into packets of a size.
fn packets(size: usize, entries: &[(u32, usize)]) -> Vec<Vec<u8>> {
    let mut segments = Segments::new(size, Encoding::Compact, BATCHED);
    for (id, length) in entries {
        let contents = vec![u8::try_from(*id % 256).unwrap(); *length];
        let writer = segments.begin_entry(BATCHED.update, NetId(*id));
        writer.write_bytes(&contents);
        segments.commit_entry();
    }
    segments.drain().map(|packet| packet.to_vec()).collect()
}

/// Decodes packets into ids and content lengths.
fn entries(packets: &[Vec<u8>]) -> Vec<(u32, usize)> {
    let mut all = Vec::new();
    for packet in packets {
        for frame in Frames::new(packet, BATCHED.long) {
            for entry in Entries::new(frame.unwrap().payload) {
                let (id, contents) = entry.unwrap();
                assert!(contents.iter().all(|byte| u32::from(*byte) == id.0 % 256));
                all.push((id.0, contents.len()));
            }
        }
    }
    all
}

#[test]
fn entries_survive_a_round_trip_and_fill_the_packets() {
    let lengths = [0, 1, 6, 7, 8, 134, 135, 500];
    let ids = [1, 2, 17, 18, 300, 5000, 1 << 20, u32::MAX - 1];
    for shift in 0..lengths.len() {
        let given = ids.iter().zip(lengths.iter().cycle().skip(shift));
        let given: Vec<_> = given.map(|(id, length)| (*id, *length)).collect();
        for size in [0, 20, 100, 150, 10_000] {
            let packets = packets(size, &given);
            assert_eq!(entries(&packets), given, "size {size}");
            for packet in &packets {
                let one = entries(std::slice::from_ref(packet)).len() == 1;
                assert!(packet.len() <= size || one, "{} of {size}", packet.len());
            }
        }
    }
}

#[test]
fn descending_id_begins_a_new_message() {
    let given = [(5, 2), (9, 2), (9, 2), (3, 2)];
    assert_eq!(entries(&packets(1000, &given)), given);
}

#[test]
fn discarded_entry_leaves_no_trace() {
    let mut segments = Segments::new(1000, Encoding::Compact, BATCHED);
    for (id, keep) in [(4, false), (5, true), (6, false), (7, true)] {
        let writer = segments.begin_entry(BATCHED.update, NetId(id));
        writer.write_bytes(&[u8::try_from(id).unwrap(); 9]);
        if keep {
            segments.commit_entry();
        } else {
            segments.give_up_entry();
        }
    }
    let packets: Vec<_> = segments.drain().map(|packet| packet.to_vec()).collect();
    assert_eq!(entries(&packets), [(5, 9), (7, 9)]);
    assert_eq!(self::packets(1000, &[(5, 9), (7, 9)]), packets);
}

#[test]
fn malformed_header_ends_the_message() {
    for payload in [
        &[0xFF; 11][..],
        &[8, 1],
        &[7, 0xFF],
        &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
    ] {
        let mut entries = Entries::new(payload);
        assert!(entries.next().unwrap().is_err() || entries.next().unwrap().is_err());
        assert!(entries.next().is_none());
    }
}

/// Returns the bytes before the contents of an entry that is alone in its message and packet.
fn head(id: u32, length: usize) -> Vec<u8> {
    let packets = packets(1340, &[(id, length)]);
    let [packet] = &packets[..] else {
        panic!("{} packets", packets.len())
    };
    packet[..packet.len() - length].to_vec()
}

#[test]
fn message_above_16_bits_takes_the_long_form() {
    // With the header's 4 bytes the payload has 65 535, the maximum of the short form.
    let short = [0xff, 0xff, 22, 0, 0x17, 0xf4, 0xff, 3];
    assert_eq!(head(3, 65_531), short);
    let long = [6, 0, 24, 0, 0, 0, 1, 0, 22, 0, 0x17, 0xf5, 0xff, 3];
    assert_eq!(head(3, 65_532), long);
    // The payload has 4 bytes before the contents.
    for length in 65_534..=65_537 {
        let rest = u32::try_from(length).unwrap();
        let head = head(3, length);
        assert_eq!(head[..4], [6, 0, 24, 0], "{length}");
        assert_eq!(head[4..8], (rest + 4).to_le_bytes(), "{length}");
        assert_eq!((&head[8..10], head.len()), (&[22, 0][..], 14), "{length}");
    }
    // A header of eight bytes.
    let last = u32::MAX - 1;
    assert_eq!(head(last, 65_527).len(), 4 + 8);
    assert_eq!(head(last, 65_528).len(), 10 + 8);
    assert_eq!(head(3, 3_000_000)[4..8], 3_000_005_u32.to_le_bytes());
}

#[test]
fn long_message_holds_one_entry() {
    let given = [
        (1, 10),
        (2, 10),
        (3, 65_534),
        (4, 10),
        (5, 10),
        (6, 100_000),
        (7, 65_536),
        (7, 65_537),
        (9, 10),
    ];
    for size in [0, 1, 40, 1340, 65_539, 65_540, 70_000, 200_000, usize::MAX] {
        let packets = packets(size, &given);
        assert_eq!(entries(&packets), given, "size {size}");
        for packet in &packets {
            let ids = entries(std::slice::from_ref(packet));
            assert!(packet.len() <= size || ids.len() == 1, "size {size}");
            let is_long = ids.iter().any(|(_, length)| *length > 60_000);
            assert!(!is_long || ids.len() == 1, "size {size}");
        }
        if size == 1340 {
            let ids: Vec<_> = packets
                .iter()
                .map(|packet| entries(std::slice::from_ref(packet)).len())
                .collect();
            assert_eq!(ids, [2, 1, 2, 1, 1, 1, 1]);
        }
    }
}

/// The size of a message with several entries always fits the short form.
#[test]
fn several_entries_never_take_the_long_form() {
    for last in 65_000..65_540 {
        let given = [(1, 10), (2, 500), (3, last - 500), (300, 5)];
        let packets = packets(usize::MAX, &given);
        assert_eq!(entries(&packets), given);
        for packet in &packets {
            assert!(packet.len() <= 65_539, "{last}");
        }
    }
}

#[test]
fn entry_is_checked_as_if_alone() {
    let refused = |id, length: usize, room| {
        let mut segments = Segments::new(1340, Encoding::Compact, BATCHED);
        segments.begin_entry(BATCHED.update, NetId(2));
        segments.commit_entry();
        let writer = segments.begin_entry(BATCHED.update, NetId(id));
        writer.write_bytes(&vec![1; length]);
        segments.check_entry(room);
        segments.writer().take_error().map(|error| error.kind())
    };
    let too_large = |length, limit| Some(WriteErrorKind::MessageTooLarge { length, limit });
    let (least, most) = (Room::reliable(0), Room::reliable(100_000));
    assert_eq!(refused(3, 65_531, least), None);
    assert_eq!(refused(3, 65_532, least), too_large(65_536, 65_535));
    // The header is longer: 5 bytes for the id.
    assert_eq!(refused(1 << 30, 65_527, least), None);
    assert_eq!(refused(1 << 30, 65_528, least), too_large(65_536, 65_535));
    assert_eq!(refused(3, 99_996, most), None);
    assert_eq!(refused(3, 99_997, most), too_large(100_001, 100_000));
    let unreliable = refused(3, 99_996, Room::unreliable(1340));
    let (length, limit) = (100_010, 1340);
    let kind = WriteErrorKind::TooLargeForUnreliable { length, limit };
    assert_eq!(unreliable, Some(kind));
}
