//! Numbers of 128 bits, numbers that are not zero, spans of time.

use std::num::{NonZero, NonZeroI8, NonZeroI128, NonZeroU8, NonZeroU64, NonZeroU128};
use std::time::Duration;

use proptest::prelude::*;
use syncvar::SyncValue;
use syncvar::wire::{Encoding, ReadErrorKind};

use crate::values::{error_in, round_trip, round_trip_in};

/// M1, N13, T7: the widest numbers at their extremes.
#[test]
fn numbers_of_128_bits_come_back() {
    for value in [0, 1, 127, 128, u128::from(u64::MAX), u128::MAX] {
        assert_eq!(round_trip(&value, &7).len(), 16, "fixed in UNet's dialect");
    }
    for value in [0, -1, 63, -64, i128::from(i64::MIN), i128::MAX, i128::MIN] {
        assert_eq!(round_trip(&value, &7), value.to_le_bytes());
    }
    let lengths = [
        (0, 1),
        (127, 1),
        (128, 2),
        (u128::MAX >> 2, 18),
        (u128::MAX, 19),
    ];
    for (value, length) in lengths {
        assert_eq!(compact_length(&value), length, "{value}");
    }
    let lengths = [
        (0, 1),
        (-64, 1),
        (64, 2),
        (-65, 2),
        (i128::MIN, 19),
        (i128::MAX, 19),
    ];
    for (value, length) in lengths {
        assert_eq!(compact_length(&value), length, "{value}");
    }

    fn compact_length<T: SyncValue>(value: &T) -> usize {
        round_trip_in(Encoding::Compact, value, value).len()
    }
}

#[test]
fn a_number_of_more_than_128_bits_is_an_error() {
    let [mut more_bits, mut twenty] = [[0xff; 19], [0x80; 19]];
    more_bits[18] = 4;
    twenty[18] = 0x83;
    for bytes in [more_bits, twenty] {
        for (kind, offset) in [
            error_in::<u128>(Encoding::Compact, &bytes),
            error_in::<i128>(Encoding::Compact, &bytes),
        ] {
            assert_eq!((kind, offset), (ReadErrorKind::WideVarintTooLong, 0));
        }
    }
    let text = ReadErrorKind::WideVarintTooLong.to_string();
    assert_eq!(text, "a number of more than 128 bits");
    more_bits[18] = 3;
    let mut reader = syncvar::wire::NetworkReader::with_encoding(&more_bits, Encoding::Compact);
    assert_eq!(reader.read::<u128>(), Ok(u128::MAX));
}

/// M1, N13, T7.
#[test]
fn non_zero_numbers_travel_as_numbers_and_zero_is_an_error() {
    macro_rules! each {
        ($($number:ident, $name:literal;)*) => {$(
            for value in [$number::MIN, 1, $number::MAX] {
                let Some(not_zero) = NonZero::new(value) else { continue };
                let one = NonZero::<$number>::MIN;
                assert_eq!(round_trip(&not_zero, &one), round_trip(&value, &1));
            }
            for dialect in [Encoding::Unet, Encoding::Compact] {
                let kind = ReadErrorKind::InvalidValue { what: $name, value: 0 };
                assert_eq!(error_in::<NonZero<$number>>(dialect, &[0; 16]), (kind, 0));
            }
        )*};
    }
    each! {
        i8, "NonZeroI8";
        i16, "NonZeroI16";
        i32, "NonZeroI32";
        i64, "NonZeroI64";
        i128, "NonZeroI128";
        u8, "NonZeroU8";
        u16, "NonZeroU16";
        u32, "NonZeroU32";
        u64, "NonZeroU64";
        u128, "NonZeroU128";
    }
    let (kind, _) = error_in::<NonZeroU8>(Encoding::Compact, &[0]);
    assert_eq!(kind.to_string(), "0 is not a valid NonZeroU8");
    let (kind, _) = error_in::<NonZeroU8>(Encoding::Compact, &[0x80, 2]);
    let (value, target) = (256, "u8");
    assert_eq!(kind, ReadErrorKind::OutOfRange { value, target });
}

#[test]
fn a_span_of_time_keeps_its_nanoseconds() {
    for span in [
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_millis(1500),
        Duration::MAX,
    ] {
        round_trip(&span, &Duration::from_secs(9));
    }
    assert_eq!(round_trip(&Duration::from_secs(5), &Duration::ZERO), [5, 0]);
}

#[test]
fn a_span_with_a_second_of_nanoseconds_is_an_error() {
    let kind = |value| ReadErrorKind::InvalidValue {
        what: "number of nanoseconds",
        value,
    };
    let unet = [1, 0xfb, 0x00, 0xca, 0x9a, 0x3b];
    let compact = [1, 0x80, 0x94, 0xeb, 0xdc, 0x03];
    let billion = kind(1_000_000_000);
    assert_eq!(error_in::<Duration>(Encoding::Unet, &unet), (billion, 1));
    assert_eq!(
        error_in::<Duration>(Encoding::Compact, &compact),
        (billion, 1)
    );
    // As seconds they would not fit the type.
    let most = [&[0xff; 9][..], &unet[1..]].concat();
    assert_eq!(error_in::<Duration>(Encoding::Unet, &most), (billion, 9));
    let beyond_32_bits = [0, 0x80, 0x80, 0x80, 0x80, 0x10];
    let (value, target) = (1 << 32, "u32");
    assert_eq!(
        error_in::<Duration>(Encoding::Compact, &beyond_32_bits),
        (ReadErrorKind::OutOfRange { value, target }, 1)
    );
}

#[test]
fn schema_distinguishes_non_zero_from_plain_numbers() {
    assert_eq!(NonZeroI8::SCHEMA.to_string(), "NonZeroI8");
    assert_eq!(u128::SCHEMA.to_string(), "u128");
    assert_eq!(Duration::SCHEMA.to_string(), "Duration");
}

proptest! {
    #[test]
    fn every_wide_number_comes_back(a: i128, b: u128, seconds: u64, nanos in 0..1_000_000_000_u32) {
        round_trip(&a, &0);
        round_trip(&b, &0);
        round_trip(&Duration::new(seconds, nanos), &Duration::ZERO);
        let (first, second) = (NonZeroI128::new(a), NonZeroU128::new(b));
        round_trip(&(first, second, NonZeroU64::new(seconds)), &(None, None, None));
    }

    #[test]
    fn no_bytes_make_a_reader_of_numbers_panic(bytes: Vec<u8>) {
        for dialect in [Encoding::Unet, Encoding::Compact] {
            let reader = || syncvar::wire::NetworkReader::with_encoding(&bytes, dialect);
            let _ = reader().read::<i128>();
            let _ = reader().read::<NonZeroU128>();
            let _ = reader().read::<Duration>();
        }
    }
}
