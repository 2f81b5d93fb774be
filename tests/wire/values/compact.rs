//! What is particular to the dialect `Compact`.

use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind};

use crate::values::{Effect, Gait, round_trip};

/// The error of reading a value in `Compact`.
fn compact_error<T: SyncValue>(bytes: &[u8]) -> ReadErrorKind {
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::Compact);
    let error = reader.read::<T>().err().expect("it is refused");
    assert!(error.offset() <= bytes.len());
    error.kind()
}

#[test]
fn compact_numbers_that_do_not_fit_their_type_are_out_of_range() {
    let out_of_range = |value, target| ReadErrorKind::OutOfRange { value, target };
    let beyond_32_bits = [0x80, 0x80, 0x80, 0x80, 0x10];
    assert_eq!(compact_error::<u8>(&[0x80, 2]), out_of_range(256, "u8"));
    assert_eq!(compact_error::<i8>(&[0x80, 2]), out_of_range(128, "i8"));
    assert_eq!(
        compact_error::<i8>(&[0x81, 2]),
        out_of_range((-129_i64).cast_unsigned(), "i8")
    );
    for (kind, target) in [
        (compact_error::<u16>(&beyond_32_bits), "u16"),
        (compact_error::<u32>(&beyond_32_bits), "u32"),
        (compact_error::<char>(&beyond_32_bits), "char"),
        (compact_error::<NetId>(&beyond_32_bits), "NetId"),
        (compact_error::<Effect>(&beyond_32_bits), "u32"),
    ] {
        assert_eq!(kind, out_of_range(1 << 32, target));
    }
    assert_eq!(
        compact_error::<Gait>(&beyond_32_bits),
        out_of_range(1 << 31, "i32")
    );
    assert_eq!(
        compact_error::<char>(&[0x80, 0xb0, 3]),
        ReadErrorKind::InvalidChar(0xd800)
    );
    assert_eq!(
        compact_error::<u64>(&[0xff; 10]),
        ReadErrorKind::VarintTooLong
    );
}

#[test]
fn compact_texts_keep_unets_limit_and_sequences_the_readers() {
    let text = "x".repeat(32_767);
    assert_eq!(round_trip(&text, &String::new()).len(), 32_769);
    let bytes = vec![1_u8; 65_535];
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    writer.write(&bytes);
    assert_eq!((writer.len(), writer.error()), (65_538, None));
    writer.write(&(text + "x"));
    assert!(writer.take_error().is_some());
    assert_eq!(writer.len(), 65_538, "nothing of it is written");
    for count in [65_536, 70_000] {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        let (bytes, numbers) = (vec![1_u8; count], vec![300_u16; count]);
        writer.write(&bytes);
        writer.write(&numbers);
        assert_eq!(writer.error(), None);
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Compact);
        assert_eq!(reader.read(), Ok(bytes));
        assert_eq!(reader.read(), Ok(numbers));
    }

    let [length, limit] = [32_768, 32_767];
    assert_eq!(
        compact_error::<String>(&[0x80, 0x80, 2]),
        ReadErrorKind::StringTooLong { length, limit }
    );
    let too_many = ReadErrorKind::TooManyElements {
        count: 1 << 21,
        limit: 1 << 20,
    };
    let end = ReadErrorKind::UnexpectedEnd {
        needed: 1 << 21,
        left: 0,
    };
    assert_eq!(compact_error::<Vec<u8>>(&[0x80, 0x80, 0x80, 1]), end);
    assert_eq!(compact_error::<Vec<u16>>(&[0x80, 0x80, 0x80, 1]), too_many);
    let (needed, left) = (65_535, 2);
    assert_eq!(
        compact_error::<Vec<u8>>(&[0xff, 0xff, 3, 1, 2]),
        ReadErrorKind::UnexpectedEnd { needed, left }
    );
}
