//! Writers: the sizes of numbers, growth, and failures that do no harm.

use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::{
    codec::Bits,
    values::Decimal,
    wire::{Encoding, MAX_BYTES, MAX_STRING_BYTES, NetworkReader, NetworkWriter},
};
use syncvar::{
    codec::SyncCodec,
    wire::{ReadErrorKind, WriteErrorKind},
};

const DIALECTS: [Encoding; 2] = [Encoding::Unet, Encoding::Compact];

/// The bytes of a value, after reading it back.
fn bytes<T: SyncValue>(dialect: Encoding, value: &T) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(dialect);
    writer.write(value);
    assert_eq!(writer.error(), None);
    let mut reader = NetworkReader::with_encoding(writer.as_bytes(), dialect);
    assert!(reader.read::<T>().unwrap().same(value));
    reader.finish().unwrap();
    writer.as_bytes().to_vec()
}

/// How many bytes WIRE.md says that a number takes.
fn documented(dialect: Encoding, number: u64) -> usize {
    let bits = 64 - number.leading_zeros() as usize;
    match (dialect, number) {
        (Encoding::Unet, ..=240) => 1,
        (Encoding::Unet, 241..=2287) => 2,
        (Encoding::Unet, 2288..=67_823) => 3,
        (Encoding::Unet, _) => 1 + bits.div_ceil(8).max(3),
        _ => bits.div_ceil(7).max(1),
    }
}

/// T66: for each width, the smallest number of so many bits and the largest, and those on both sides of
/// each border in between, in every type that holds them.
#[test]
fn a_packed_number_of_each_width_is_as_long_as_documented() {
    let of_width = |bits: u32| {
        let largest = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
        [largest, largest / 2 + 1]
    };
    let borders = [240, 241, 2287, 2288, 67_823, 67_824];
    let numbers: Vec<_> = (0..=64).flat_map(of_width).chain(borders).collect();
    for dialect in DIALECTS {
        for number in &numbers {
            let wide = bytes(dialect, number);
            assert_eq!(wide.len(), documented(dialect, *number), "{number}");
            for narrow in [
                u32::try_from(*number).map(|number| bytes(dialect, &number)),
                u16::try_from(*number).map(|number| bytes(dialect, &number)),
                u8::try_from(*number).map(|number| bytes(dialect, &number)),
            ] {
                assert!(narrow.is_err() || narrow.as_ref() == Ok(&wide), "{number}");
            }
        }
    }
}

/// T66: signed ones likewise; in UNet's dialect a negative one is a large unsigned one.
#[test]
fn packed_signed_numbers_have_the_documented_lengths() {
    for bits in 0..=63_u32 {
        let positive = i64::MAX.checked_shr(63 - bits).unwrap_or(0);
        for number in [positive, -positive - 1] {
            let zigzag = (number << 1 ^ number >> 63).cast_unsigned();
            let compact = documented(Encoding::Compact, zigzag);
            assert_eq!(bytes(Encoding::Compact, &number).len(), compact, "{number}");
            let unet = documented(Encoding::Unet, number.cast_unsigned());
            assert_eq!(bytes(Encoding::Unet, &number).len(), unet, "{number}");
            if let Ok(number) = i32::try_from(number) {
                assert_eq!(bytes(Encoding::Compact, &number).len(), compact, "{number}");
                let unet = documented(Encoding::Unet, number.cast_unsigned().into());
                assert_eq!(bytes(Encoding::Unet, &number).len(), unet, "{number}");
            }
            if let Ok(number) = i8::try_from(number) {
                assert_eq!(bytes(Encoding::Compact, &number).len(), compact, "{number}");
            }
        }
    }
}

/// T66: every basic type comes back, and those of fixed size have it.
#[test]
fn every_basic_type_comes_back() {
    for dialect in DIALECTS {
        let lengths = [
            bytes(dialect, &true).len(),
            bytes(dialect, &f32::MIN_POSITIVE).len(),
            bytes(dialect, &f64::NEG_INFINITY).len(),
            bytes(dialect, &Decimal::new(i64::MIN, 28)).len(),
            bytes(dialect, &Vector3::new(1.0, -0.0, f32::NAN)).len(),
        ];
        assert_eq!(lengths, [1, 4, 8, 16, 12]);
        for character in ['\0', 'z', '\u{ffff}', char::MAX] {
            bytes(dialect, &character);
        }
        for text in ["", "a", "日本"] {
            assert_eq!(
                bytes(dialect, &text.to_owned()).last(),
                text.as_bytes().last().or(Some(&0))
            );
        }
    }
}

/// T66, T68: as many bits as are asked for take as few bytes as hold them, on both sides of the border
/// of a byte.
#[test]
fn numbers_of_so_many_bits_take_as_few_bytes_as_hold_them() {
    fn length<const BITS: u32>(value: u64) -> usize {
        let mut writer = NetworkWriter::new();
        Bits::<BITS>::write(&value, &mut writer);
        assert_eq!(writer.error(), None);
        let mut reader = NetworkReader::new(writer.as_bytes());
        let back: u64 = Bits::<BITS>::read(&mut reader).unwrap();
        assert_eq!(back, value);
        reader.finish().unwrap();
        writer.len()
    }
    assert_eq!([length::<1>(1), length::<7>(127), length::<8>(255)], [1; 3]);
    assert_eq!(
        [length::<9>(511), length::<12>(4095), length::<16>(65_535)],
        [2; 3]
    );
    assert_eq!([length::<17>(70_000), length::<24>(0)], [3; 2]);
    assert_eq!(length::<64>(u64::MAX), 8);
}

/// T67: a writer grows as far as it has to, keeps what it has, and can be cut and taken.
#[test]
fn writer_grows_keeps_its_bytes_and_can_be_truncated() {
    let mut writer = NetworkWriter::new();
    assert!(writer.is_empty());
    let chunk: Vec<u8> = (0..=255).collect();
    for count in 1..=1000 {
        writer.write_bytes(&chunk);
        assert_eq!(writer.len(), count * 256);
    }
    assert!(writer.as_bytes().chunks(256).all(|found| found == chunk));
    writer.truncate(300);
    writer.write_u8(7);
    assert_eq!(
        &writer.as_bytes()[254..],
        [[254, 255].as_slice(), &chunk[..44], &[7]].concat()
    );
    writer.truncate(1000);
    assert_eq!(writer.len(), 301, "there is nothing to cut");
    let taken = writer.take_bytes();
    assert_eq!((taken.len(), writer.len()), (301, 0));
    writer.write_u8(1);
    assert_eq!((writer.as_bytes(), taken[300]), (&[1][..], 7));
}

/// T67: what has no form on the wire is an error that says so, and takes nothing from what was
/// written before; the first error is the one that is kept.
#[test]
fn failed_write_leaves_earlier_bytes() {
    let mut writer = NetworkWriter::new();
    writer.write_string("before");
    let before = writer.as_bytes().to_vec();
    writer.write_string(&"x".repeat(MAX_STRING_BYTES + 1));
    assert_eq!(writer.as_bytes(), before);
    writer.write_bytes_and_size(&vec![0; MAX_BYTES + 1]);
    assert_eq!(writer.as_bytes(), before);
    let error = writer.take_error().unwrap();
    let (length, limit) = (MAX_STRING_BYTES + 1, MAX_STRING_BYTES);
    assert_eq!(
        error.kind(),
        WriteErrorKind::StringTooLong { length, limit }
    );
    assert_eq!(error.offset(), before.len());

    assert_eq!(writer.error(), None);
    writer.write_string(&"x".repeat(MAX_STRING_BYTES));
    writer.write_bytes_and_size(&vec![1; MAX_BYTES]);
    assert_eq!(writer.error(), None, "the longest that there can be");
    let mut reader = NetworkReader::new(writer.as_bytes());
    assert_eq!(reader.read_string().unwrap(), "before");
    assert_eq!(reader.read_string().unwrap().len(), MAX_STRING_BYTES);
    assert_eq!(reader.read_bytes_and_size().unwrap(), vec![1; MAX_BYTES]);
    reader.finish().unwrap();
}

/// T67: texts of all five fixed sizes, empty, full, and one byte too long for the next smaller one.
#[test]
fn fixed_texts_of_all_five_sizes_are_written_and_read() {
    fn check<const N: usize>() {
        for length in [0, 1, N] {
            let text = "x".repeat(length);
            let fixed: FixedString<N> = text.as_str().try_into().unwrap();
            let mut expected = u16::try_from(length).unwrap().to_le_bytes().to_vec();
            expected.extend(text.bytes());
            assert_eq!(bytes(Encoding::Unet, &fixed), expected);
        }
        let too_long = bytes(Encoding::Unet, &"x".repeat(N + 1));
        let error = NetworkReader::new(&too_long)
            .read::<FixedString<N>>()
            .unwrap_err();
        let kind = error.kind();
        assert!(
            matches!(kind, ReadErrorKind::StringTooLong { .. }),
            "{kind:?}"
        );
    }
    check::<29>();
    check::<61>();
    check::<125>();
    check::<509>();
    check::<4093>();
}
