use std::collections::BTreeMap;
use std::num::NonZeroU8;

use proptest::prelude::*;
use syncvar_runtime::{NetworkReader, ReadError, ReadErrorKind};

use super::{DatagramHeader, Place, SentCount, StreamHeader, TickNumber};
use crate::link::ack::Ack;
use crate::link::header_bytes::{HeaderBytes, MAX_HEADER};
use crate::link::stream::StreamTicks;

/// Header of a datagram that is not an acknowledgement alone.
fn datagram(sequence: u16, tick: TickNumber) -> DatagramHeader {
    DatagramHeader {
        sent: Some(Place { sequence, tick }),
        ..lone(None)
    }
}

/// Header of a datagram without messages.
fn lone(ack: impl Into<Option<Ack>>) -> DatagramHeader {
    DatagramHeader {
        sent: None,
        after: None,
        part: (0, NonZeroU8::MIN),
        ack: ack.into(),
        partial: false,
        owed: false,
        settled: None,
    }
}

fn ack(newest: Option<u16>, missing: u64) -> Ack {
    Ack {
        newest,
        handled: 12,
        missing,
    }
}

/// Reads all bytes.
fn whole<T>(
    bytes: &[u8],
    read: impl FnOnce(&mut NetworkReader<'_>) -> Result<T, ReadError>,
) -> Result<T, ReadErrorKind> {
    let mut reader = NetworkReader::new(bytes);
    let header = read(&mut reader).map_err(|error| error.kind())?;
    reader.finish().map_err(|error| error.kind())?;
    Ok(header)
}

fn datagrams() -> [(&'static str, DatagramHeader); 8] {
    let first = datagram(7, TickNumber::Short(300));
    let second_of_3 = DatagramHeader {
        after: Some(12),
        part: (1, NonZeroU8::new(3).unwrap()),
        ..first
    };
    let probe = DatagramHeader {
        after: Some(12),
        ..datagram(8, TickNumber::Short(301))
    };
    [
        (
            "datagram, sequence 7, tick 300, the only one of its tick",
            first,
        ),
        (
            "the same, the second of 3, behind stream packet 12",
            second_of_3,
        ),
        (
            "the same, the datagrams below sequence 5 are settled",
            DatagramHeader {
                settled: Some(5),
                ..first
            },
        ),
        ("the same, tick in full", datagram(7, TickNumber::Wide(300))),
        (
            "probe, sequence 8, tick 301, behind stream packet 12",
            probe,
        ),
        (
            "acknowledgement: newest 7, 12 stream packets handled, none missing",
            lone(ack(Some(7), 0)),
        ),
        ("the same, 5 and 2 missing", lone(ack(Some(7), 0b1_0010))),
        (
            "acknowledgement: nothing received, 12 handled",
            lone(ack(None, 0)),
        ),
    ]
}

/// Packets of one stream, in this order, with their tick.
fn stream() -> [(&'static str, u32, StreamHeader); 5] {
    let last = StreamHeader {
        end: true,
        ..StreamHeader::default()
    };
    let before_3_datagrams = StreamHeader {
        datagrams: NonZeroU8::new(3),
        ..last
    };
    let more = StreamHeader::default();
    let behind_7 = SentCount {
        count: 7,
        is_decided: false,
    };
    [
        (
            "stream, tick 300 after 297, the last packet of its update, no datagrams in the tick",
            300,
            last,
        ),
        (
            "stream, tick 300 again, the last packet of its update, 3 datagrams in the tick",
            300,
            before_3_datagrams,
        ),
        ("stream, tick 300 again, more packets follow", 300, more),
        (
            "stream, tick 301, the last packet of its update, behind 7 datagrams",
            301,
            StreamHeader {
                sent: Some(behind_7),
                ..last
            },
        ),
        (
            "stream, tick 302, the same, all of them are settled",
            302,
            StreamHeader {
                sent: Some(SentCount {
                    is_decided: true,
                    ..behind_7
                }),
                ..last
            },
        ),
    ]
}

#[test]
fn headers_are_the_examples_of_the_document() {
    let documented = documented();
    for (name, header) in datagrams() {
        assert_eq!(header.encode().as_slice(), documented[name], "{name}");
        let read = whole(&documented[name], DatagramHeader::decode);
        assert_eq!(read, Ok(header), "{name}");
    }
    let (mut sent, mut received) = (StreamTicks::default(), StreamTicks::default());
    let former = sent.stamp(297, StreamHeader::default()).encode();
    received
        .read(&mut NetworkReader::new(former.as_slice()))
        .unwrap();
    for (name, tick, header) in stream() {
        let bytes = sent.stamp(tick, header).encode();
        assert_eq!(bytes.as_slice(), documented[name], "{name}");
        let (read, at) = whole(&documented[name], |reader| received.read(reader)).unwrap();
        assert_eq!(
            (StreamHeader { step: 0, ..read }, at),
            (header, tick),
            "{name}"
        );
    }
    assert_eq!(documented.len(), datagrams().len() + stream().len());

    /// Examples of the table in WIRE.md, section 7: name and bytes.
    fn documented() -> BTreeMap<&'static str, Vec<u8>> {
        let document = include_str!("../../../../../WIRE.md");
        let (_, section) = document.split_once("\n## 7. Packet headers\n").unwrap();
        let (_, table) = section.split_once("\n| example | bytes |\n").unwrap();
        let rows = table.lines().skip(1).take_while(|row| row.starts_with('|'));
        let example = |row: &'static str| {
            let (name, digits) = row.trim_matches(['|', ' ']).rsplit_once(" | ").unwrap();
            let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
            let byte = |pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
            (name, digits.chunks(2).map(byte).collect())
        };
        rows.map(example).collect()
    }
}

#[test]
fn headers_against_the_rules_are_refused() {
    let datagrams: [&[u8]; 13] = [
        // Neither sequence nor acknowledgement.
        &[0x00],
        // An acknowledgement alone has no tick, place or state.
        &[0x12, 7, 0, 12, 0, 0],
        &[0x14, 1, 0, 7, 0, 12, 0, 0],
        &[0x18, 0, 2, 7, 0, 12, 0, 0],
        &[0x30, 7, 0, 12, 0, 0],
        &[0x50, 7, 0, 12, 0, 0],
        &[0x90, 7, 0, 12, 0, 0],
        // Index and number of the tick's datagrams.
        &[0x09, 7, 0, 1, 0, 0, 0],
        &[0x09, 7, 0, 1, 0, 3, 3],
        &[0x09, 7, 0, 1, 0, 255, 254],
        // Forms of an acknowledgement.
        &[0x10, 7, 0, 12, 0, 0x20],
        &[0x10, 7, 0, 12, 0, 0x10],
        &[0x10, 7, 0, 12, 0, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    ];
    for bytes in datagrams {
        let read = whole(bytes, DatagramHeader::decode);
        assert!(
            matches!(read, Err(ReadErrorKind::InvalidValue { .. })),
            "{bytes:x?}: {read:?}"
        );
    }
    let streams: [&[u8]; 9] = [
        &[0x04, 1, 0],
        &[0x40],
        &[0x80],
        // State before the end of the update.
        &[0x20],
        &[0x06],
        // A step of 0, and one above 32 bits.
        &[0x01, 0],
        &[0x01, 0x80, 0x80, 0x80, 0x80, 0x10],
        &[0x08, 0],
        &[0x10, 0, 0, 12, 0, 0x11],
    ];
    for bytes in streams {
        let read = whole(bytes, StreamHeader::decode);
        assert!(
            matches!(read, Err(ReadErrorKind::InvalidValue { .. })),
            "{bytes:x?}: {read:?}"
        );
    }
}

#[test]
fn ticks_of_a_stream_end_at_32_bits() {
    let mut ticks = StreamTicks::default();
    let first = [0x01, 0xff, 0xff, 0xff, 0xff, 0x0f];
    let (_, tick) = ticks.read(&mut NetworkReader::new(&first)).unwrap();
    assert_eq!(tick, u32::MAX);
    let error = ticks.read(&mut NetworkReader::new(&[0x01, 1])).unwrap_err();
    assert!(matches!(
        error.kind(),
        ReadErrorKind::InvalidValue { value: 1, .. }
    ));
}

#[test]
fn longest_header_fits_the_room_for_headers() {
    let header = DatagramHeader {
        after: Some(u16::MAX),
        part: (254, NonZeroU8::MAX),
        ack: Some(ack(Some(u16::MAX), u64::MAX)),
        partial: true,
        owed: true,
        ..datagram(u16::MAX, TickNumber::Wide(u32::MAX))
    };
    assert_eq!(header.encode().as_slice().len(), MAX_HEADER);
}

/// Returns whether each part of the bytes is too short for a header.
fn cuts_fail<T>(
    bytes: &HeaderBytes,
    read: impl Fn(&mut NetworkReader<'_>) -> Result<T, ReadError>,
) -> bool {
    let bytes = bytes.as_slice();
    let is_cut = |result: Result<T, _>| matches!(result, Err(ReadErrorKind::UnexpectedEnd { .. }));
    (0..bytes.len()).all(|length| is_cut(whole(&bytes[..length], &read)))
}

fn any_ack() -> impl Strategy<Value = Option<Ack>> {
    let some = (any::<Option<u16>>(), any::<u16>(), any::<u64>(), 0..64_u32);
    prop::option::of(some.prop_map(|(newest, handled, missing, shift)| Ack {
        newest,
        handled,
        missing: newest.map_or(0, |_| missing >> shift),
    }))
}

fn any_datagram() -> impl Strategy<Value = DatagramHeader> {
    let tick = prop_oneof![
        any::<u16>().prop_map(TickNumber::Short),
        any::<u32>().prop_map(TickNumber::Wide)
    ];
    let place = (any::<u16>(), tick).prop_map(|(sequence, tick)| Place { sequence, tick });
    let part =
        (1..=u8::MAX).prop_flat_map(|count| (0..count, Just(NonZeroU8::new(count).unwrap())));
    let state = (any::<[Option<u16>; 2]>(), part, any::<[bool; 2]>());
    (place, state, any_ack()).prop_map(|(place, ([after, settled], part, [partial, owed]), ack)| {
        DatagramHeader {
            settled,
            sent: Some(place),
            after,
            part,
            ack,
            partial,
            owed,
        }
    })
}

fn any_stream() -> impl Strategy<Value = StreamHeader> {
    let flags = (any::<[bool; 3]>(), any::<Option<(u16, bool)>>());
    let header = (any::<u32>(), flags, any::<u8>(), any_ack());
    header.prop_map(|(step, ([end, partial, owed], sent), count, ack)| {
        let sent = sent.map(|(count, is_decided)| SentCount { count, is_decided });
        StreamHeader {
            step,
            end,
            datagrams: NonZeroU8::new(count),
            partial: partial && end,
            owed: owed && end,
            sent: sent.filter(|_| end),
            ack,
        }
    })
}

proptest! {
    #[test]
    fn headers_come_back_whole_or_not_at_all(datagram in any_datagram(), stream in any_stream()) {
        let bytes = datagram.encode();
        prop_assert_eq!(whole(bytes.as_slice(), DatagramHeader::decode), Ok(datagram));
        prop_assert!(cuts_fail(&bytes, DatagramHeader::decode));
        let bytes = stream.encode();
        prop_assert_eq!(whole(bytes.as_slice(), StreamHeader::decode), Ok(stream));
        prop_assert!(cuts_fail(&bytes, StreamHeader::decode));
    }

    #[test]
    fn any_bytes_are_a_header_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..28)) {
        if let Ok(header) = DatagramHeader::decode(&mut NetworkReader::new(&bytes)) {
            prop_assert_eq!(whole(header.encode().as_slice(), DatagramHeader::decode), Ok(header));
        }
        if let Ok(header) = StreamHeader::decode(&mut NetworkReader::new(&bytes)) {
            prop_assert_eq!(whole(header.encode().as_slice(), StreamHeader::decode), Ok(header));
        }
    }
}
