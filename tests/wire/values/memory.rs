//! The memory that reading takes, and keeps.

use std::num::NonZeroU32;
use std::time::Duration;

use allocation_counter::measure;
use bytes::Bytes;
use syncvar::SyncValue;
use syncvar::limits::ReadBudget;
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind};

/// D8: a count is checked against what is left before memory is taken.
#[test]
fn excessive_count_takes_no_memory() {
    let mut values: Vec<u64> = Vec::new();
    let mut reader = NetworkReader::new(&[0xff, 0xff, 1, 2, 3]);
    assert!(reader.read_into(&mut values).is_err());
    assert!(values.capacity() < 100, "{}", values.capacity());
    let mut reader = NetworkReader::with_encoding(&[0xff, 0xff, 3, 1, 2, 3], Encoding::Compact);
    assert!(reader.read_into(&mut values).is_err());
    assert!(values.capacity() < 100, "{}", values.capacity());
}

#[test]
fn elements_that_take_no_byte_take_no_memory_without_bound() {
    #[derive(SyncValue, Clone, Default)]
    struct Cache {
        #[sync_value(skip)]
        words: [u64; 32],
    }
    assert_eq!(Cache::default().words, [0; 32]);
    let caches = vec![Cache::default(); 1024];
    let mut writer = NetworkWriter::new();
    writer.write(&caches);
    assert!(writer.error().is_none());
    let back: Vec<Cache> = NetworkReader::new(writer.as_bytes()).read().unwrap();
    assert_eq!(back.len(), 1024);
    writer.write(&vec![Cache::default(); 1025]);
    assert!(writer.error().is_some());

    let nested = [&[100, 0][..], &[0xff; 200]].concat();
    let refused = |reader: NetworkReader<'_>| {
        let read = { reader }.read::<Vec<Vec<Cache>>>();
        read.map(|_| ()).unwrap_err().kind()
    };
    let limit = ReadErrorKind::TooManyElements {
        count: 1025,
        limit: 1024,
    };
    let unlimited = NetworkReader::new(&nested).with_budget(ReadBudget::UNLIMITED);
    assert_eq!(refused(unlimited.with_max_elements(1 << 20)), limit);
    let kind = refused(NetworkReader::new(&nested));
    assert!(matches!(kind, ReadErrorKind::TooMuchMemory { .. }));
}

#[test]
fn reading_in_place_keeps_memory() {
    let mut text = String::with_capacity(100);
    let place = text.as_ptr();
    NetworkReader::new(b"\x02\0hi")
        .read_into(&mut text)
        .unwrap();
    assert_eq!((text.as_str(), text.as_ptr()), ("hi", place));
}

/// N18, N20: what a fixed string is for.
#[test]
fn plain_values_are_written_and_read_without_allocation() {
    type Values = (FixedString128, Duration, u128, Option<NonZeroU32>, Bytes);
    let picture = Bytes::from(vec![1, 2, 3]);
    let mut values: Values = Default::default();
    values.4 = picture.clone();
    let (name, span) = (FixedString::truncated("Ann"), Duration::from_millis(5));
    let sent: Values = (name, span, 7, NonZeroU32::new(300), picture);
    for dialect in [Encoding::Unet, Encoding::Compact] {
        let mut writer = NetworkWriter::with_encoding(dialect);
        writer.write(&sent);
        let length = writer.len();
        writer.truncate(0);
        let written = measure(|| writer.write(&sent));
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), dialect);
        let read = measure(|| reader.read_into(&mut values).unwrap());
        assert_eq!((written.count_total, read.count_total), (0, 0));
        assert!(values.same(&sent) && writer.len() == length);
    }
}
