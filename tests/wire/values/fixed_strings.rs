//! `FixedString`: only the used bytes travel, and too long is an error where it is put in.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use proptest::prelude::*;
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::{
    values::FixedStringTooLong,
    wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind},
};

use crate::values::{error_in, round_trip, round_trip_in};

/// N18: only the used bytes are sent, and the receiver adjusts the length.
#[test]
fn a_fixed_string_travels_as_a_string_of_its_used_bytes() {
    let text = FixedString128::try_from("日本").unwrap();
    let bytes = round_trip(&text, &FixedString128::try_from("a longer one").unwrap());
    assert_eq!(bytes, b"\x06\0\xe6\x97\xa5\xe6\x9c\xac");
    assert_eq!(bytes, round_trip(&String::from("日本"), &String::new()));
    round_trip(&FixedString32::new(), &FixedString32::truncated("before"));
    let full = FixedString4096::try_from("x".repeat(4096)).unwrap();
    assert_eq!(round_trip(&full, &FixedString4096::new()).len(), 4098);
    assert_eq!(round_trip_in(Encoding::Compact, &full, &full).len(), 4098);
    round_trip(&FixedString::<0>::new(), &FixedString::new());
}

/// N18: the five sizes.
#[test]
fn the_five_sizes_hold_so_many_bytes() {
    macro_rules! each {
        ($($alias:ident: $bytes:literal;)*) => {$(
            assert_eq!(($alias::CAPACITY, $alias::new().capacity()), ($bytes, $bytes));
            let text = "x".repeat($bytes);
            round_trip(&$alias::try_from(text.as_str()).unwrap(), &$alias::new());
            let error = $alias::try_from(text + "x").unwrap_err();
            let (length, capacity) = ($bytes + 1, $bytes);
            assert_eq!(error, FixedStringTooLong { length, capacity });
        )*};
    }
    each! {
        FixedString32: 32;
        FixedString64: 64;
        FixedString128: 128;
        FixedString512: 512;
        FixedString4096: 4096;
    }
}

#[test]
fn overlong_string_is_an_error_with_both_lengths() {
    let sent = [&[40, 0][..], &[b'x'; 40]].concat();
    let (length, limit) = (40, 32);
    let kind = ReadErrorKind::StringTooLong { length, limit };
    assert_eq!(error_in::<FixedString32>(Encoding::Unet, &sent), (kind, 0));
    let sent = [&[40][..], &[b'x'; 40]].concat();
    assert_eq!(
        error_in::<FixedString32>(Encoding::Compact, &sent),
        (kind, 0)
    );
    let (kind, _) = error_in::<FixedString32>(Encoding::Unet, &[2, 0, 0xff, 0xfe]);
    assert_eq!(kind, ReadErrorKind::InvalidUtf8);
    let (kind, _) = error_in::<FixedString32>(Encoding::Compact, &[0xff; 10]);
    assert!(matches!(kind, ReadErrorKind::VarintTooLong), "{kind}");
    let (kind, _) = error_in::<FixedString32>(Encoding::Unet, &[0xff, 0xff, 1]);
    assert!(
        matches!(kind, ReadErrorKind::StringTooLong { .. }),
        "{kind}"
    );
}

/// A type that holds more than any string can have does not send it.
#[test]
fn one_that_is_longer_than_any_string_is_a_write_error() {
    let mut text = FixedString::<33_000>::new();
    text.try_push_str(&"x".repeat(32_767)).unwrap();
    let mut writer = NetworkWriter::new();
    writer.write(&text);
    assert!(writer.error().is_none());
    text.try_push('x').unwrap();
    writer.write(&text);
    assert!(writer.error().is_some());
}

#[test]
fn failed_push_leaves_the_string_unchanged() {
    let mut text: FixedString<4> = "日".parse().unwrap();
    let (length, capacity) = (6, 4);
    let too_long = FixedStringTooLong { length, capacity };
    assert_eq!(text.try_push('本'), Err(too_long));
    assert_eq!(text.try_push_str("本"), Err(too_long));
    assert_eq!("日本".parse::<FixedString<4>>(), Err(too_long));
    assert_eq!(text, "日");
    assert_eq!(text.try_push('!'), Ok(()));
    assert!(write!(text, "!").is_err() && text == "日!");
    assert_eq!(
        (text.pop(), text.pop(), text.pop()),
        (Some('!'), Some('日'), None)
    );
    write!(text, "{}", 1234).unwrap();
    text.truncate(9);
    assert_eq!(text.as_str(), "1234");
    text.truncate(2);
    assert_eq!((text.as_str(), text.len()), ("12", 2));
    text.clear();
    assert!(text.is_empty());
    let too_long = too_long.to_string();
    assert_eq!(
        too_long,
        "a text of 6 bytes does not fit the 4 of its fixed string"
    );
}

#[test]
fn truncation_respects_character_boundaries() {
    assert_eq!(FixedString::<4>::truncated("日本"), "日");
    assert_eq!(FixedString::<4>::truncated("abcdef"), "abcd");
    assert_eq!(FixedString::<2>::truncated("日"), "");
    let mut text = FixedString32::truncated("日本");
    text.truncate(4);
    assert_eq!(text, "日");
}

#[test]
fn fixed_string_compares_orders_hashes_and_prints_as_str() {
    let text = FixedString32::try_from("ab").unwrap();
    let owned = String::from("ab");
    assert!(text == "ab" && text == *"ab" && text == owned);
    assert!("ab" == text && *"ab" == text && owned == text);
    assert!(text < FixedString32::truncated("b") && text < *"b");
    assert_eq!(format!("{text:>4} {text:?}"), "  ab \"ab\"");
    let map = HashMap::from([(text, 1)]);
    assert_eq!(map.get("ab"), Some(&1));
    assert_eq!(BTreeMap::from([(text, 1)]).get("ab"), Some(&1));
    assert_eq!(
        (String::from(text), text.to_uppercase()),
        (owned, "AB".into())
    );
    let copy = text;
    assert_eq!(copy, text, "it is copied as a number is");
}

/// The same comparisons as those of `SyncVar<String>`.
#[test]
fn a_variable_of_it_compares_with_text() {
    let mut name = SyncVar::new(FixedString32::truncated("Ann"));
    assert!(name == "Ann" && name == *"Ann" && name == FixedString32::truncated("Ann"));
    assert!(!name.set("Ann".try_into().unwrap()) && name.set("Bob".try_into().unwrap()));
    name.update(|name| name.make_ascii_uppercase());
    assert_eq!((name.to_string(), name.len()), ("BOB".into(), 3));
}

#[test]
fn the_schema_names_the_size() {
    assert_eq!(FixedString32::SCHEMA.to_string(), "[FixedString; 32]");
}

#[cfg(feature = "serde")]
#[test]
fn serde_sees_a_string() {
    let text = FixedString::<4>::truncated("Ann");
    assert_eq!(serde_json::to_string(&text).unwrap(), "\"Ann\"");
    assert_eq!(
        serde_json::from_str::<FixedString<4>>("\"Ann\"").unwrap(),
        text
    );
    assert!(serde_json::from_str::<FixedString<4>>("\"Annie\"").is_err());
}

proptest! {
    #[test]
    fn every_text_comes_back_or_is_too_long(text: String, other: String) {
        match FixedString32::try_from(text.as_str()) {
            Ok(fixed) => {
                prop_assert!(text.len() <= 32);
                prop_assert_eq!(round_trip(&fixed, &FixedString::truncated(&other)), round_trip(&text, &other));
            }
            Err(error) => prop_assert_eq!((error.length, error.capacity), (text.len(), 32)),
        }
        prop_assert!(text.starts_with(FixedString32::truncated(&text).as_str()));
    }

    #[test]
    fn no_bytes_make_a_reader_of_fixed_strings_panic(bytes: Vec<u8>) {
        for dialect in [Encoding::Unet, Encoding::Compact] {
            let _ = NetworkReader::with_encoding(&bytes, dialect).read::<FixedString<3>>();
        }
    }
}
