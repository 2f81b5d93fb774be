//! `Postcard`: values of types that serde knows.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use proptest::prelude::*;
use serde::{Deserialize, Serialize, Serializer};
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::{
    values::Postcard,
    wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind, WriteErrorKind},
};

use crate::values::{error_in, round_trip, round_trip_in};

/// Of another crate, as far as this one knows: no `PartialEq`, no `SyncValue`.
#[derive(Serialize, Deserialize, Clone, Debug)]
struct Loadout {
    slots: VecDeque<usize>,
    weight: f32,
    address: Option<IpAddr>,
}

fn loadout() -> Postcard<Loadout> {
    Postcard(Loadout {
        slots: [1, 300].into(),
        weight: f32::NAN,
        address: None,
    })
}

/// N19, T18: any other type, through a wrapper; never read in place.
#[test]
fn any_type_of_serde_travels_as_its_bytes() {
    let empty = Postcard(Loadout {
        slots: VecDeque::new(),
        weight: 0.0,
        address: Some([127, 0, 0, 1].into()),
    });
    let bytes = round_trip(&loadout(), &empty);
    assert_eq!(hex::encode(bytes), "09000201ac020000c07f00");
    let bytes = round_trip_in(Encoding::Compact, &loadout(), &empty);
    assert_eq!(hex::encode(bytes), "090201ac020000c07f00");
    round_trip(&empty, &loadout());
    round_trip(&Postcard(String::new()), &Postcard("x".into()));
    round_trip(&vec![Postcard('a'), Postcard('あ')], &Vec::new());
}

#[test]
fn two_are_the_same_if_their_bytes_are() {
    let mut var = SyncVar::new(loadout());
    assert!(!var.set(loadout()), "NaN is no change for ever");
    var.update(|loadout| loadout.weight = 0.0);
    assert!(var.is_dirty() && !loadout().same(&var));
    var.slots.push_back(7);
    assert_eq!(var.into_inner().into_inner().slots, [1, 300, 7]);
}

/// A write error leaves nothing behind.
#[test]
fn postcard_encode_failure_is_a_write_error() {
    #[derive(Clone, Deserialize)]
    struct Moody(bool);

    impl Serialize for Moody {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if self.0 {
                return Err(serde::ser::Error::custom("not today"));
            }
            serializer.collect_seq([1_u8, 2].iter().filter(|number| **number > 0))
        }
    }

    for dialect in [Encoding::Unet, Encoding::Compact] {
        let kind = |write: &dyn Fn(&mut NetworkWriter)| {
            let mut writer = NetworkWriter::with_encoding(dialect);
            writer.write(&5_u8);
            write(&mut writer);
            assert_eq!(writer.as_bytes(), [5]);
            writer.error().unwrap().kind()
        };
        let moody = kind(&|writer| writer.write(&Postcard(Moody(true))));
        assert_eq!(
            moody.to_string(),
            "the value's own `Serialize` refuses to encode it"
        );
        let unknown = kind(&|writer| writer.write(&Postcard(Moody(false))));
        assert_eq!(
            unknown.to_string(),
            "postcard cannot encode a sequence whose length is not known beforehand"
        );
        if dialect == Encoding::Unet {
            let long = kind(&|writer| writer.write(&Postcard("x".repeat(65_533))));
            let (length, limit) = (65_536, 65_535);
            assert_eq!(long, WriteErrorKind::BytesTooLong { length, limit });
        }
        let mut writer = NetworkWriter::with_encoding(dialect);
        writer.write(&Postcard("x".repeat(65_532)));
        assert!(writer.error().is_none());
    }
    assert!(
        !Postcard(Moody(true)).same(&Postcard(Moody(true))),
        "it is to come to light"
    );
}

#[test]
fn postcard_decode_failure_is_a_read_error() {
    let error = |bytes: &[u8]| error_in::<Postcard<(bool, String)>>(Encoding::Compact, bytes);
    let custom = |text| (ReadErrorKind::Custom(text), 0);
    assert_eq!(
        error(&[2, 7, 0]),
        custom("postcard cannot decode these bytes")
    );
    assert_eq!(
        error(&[1, 1]),
        custom("postcard needs more bytes than there are")
    );
    assert_eq!(
        error(&[3, 1, 2, b'x']),
        custom("postcard needs more bytes than there are")
    );
    assert_eq!(
        error(&[4, 1, 2, 0xff, 0xfe]),
        custom("postcard cannot decode these bytes")
    );
    let left = ReadErrorKind::TrailingBytes { left: 1 };
    assert_eq!(error(&[4, 1, 1, b'x', 0]), (left, 5));
    let (needed, left) = (9, 1);
    assert_eq!(
        error(&[9, 1]),
        (ReadErrorKind::UnexpectedEnd { needed, left }, 1)
    );
    let zero = error_in::<Postcard<std::num::NonZeroU8>>(Encoding::Unet, &[1, 0, 0]);
    assert_eq!(
        zero,
        custom("the value's own `Deserialize` refuses these bytes")
    );
}

#[test]
fn wrapper_equals_its_value_for_serde_and_readers() {
    let postcard = Postcard(5);
    assert_eq!(serde_json::to_string(&postcard).unwrap(), "5");
    assert_eq!(
        serde_json::from_str::<Postcard<i32>>("5").unwrap(),
        postcard
    );
    assert_eq!(format!("{postcard} {postcard:?}"), "5 5");
    assert_eq!(Postcard::<u8>::SCHEMA.to_string(), "Postcard");
}

proptest! {
    #[test]
    fn every_postcard_comes_back(
        value in proptest::collection::btree_map("[a-é]{0,3}", any::<(Option<i64>, [char; 2])>(), 0..5),
    ) {
        round_trip(&Postcard(value.clone()), &Postcard(BTreeMap::new()));
        round_trip(&Some(vec![Postcard(value)]), &None);
    }

    #[test]
    fn no_bytes_make_a_reader_of_postcards_panic(bytes: Vec<u8>) {
        for dialect in [Encoding::Unet, Encoding::Compact] {
            let _ = NetworkReader::with_encoding(&bytes, dialect).read::<Postcard<Loadout>>();
        }
    }
}
