//! Values in the bytes of Mirror beyond the examples of WIRE.md, and what comes of bytes that nobody should
//! send.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::{NonZeroI64, NonZeroU8, NonZeroU32};
use std::time::{Duration, SystemTime};

use syncvar::SyncValue;
use syncvar::limits::ReadBudget;
use syncvar::prelude::*;
use syncvar::{
    values::{Color32, Decimal, LayerMask, Matrix4x4, OaDate},
    wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind, WriteErrorKind},
};

#[derive(SyncValue, Clone, PartialEq, Debug)]
enum Gait {
    Stand,
    Walk,
    Run,
}

/// The same with numbers of other types.
mod gaits {
    use syncvar::prelude::*;

    macro_rules! gaits {
        ($($name:ident: $repr:ident, $least:literal, $most:literal;)*) => {$(
            #[derive(SyncValue, Clone, PartialEq, Debug)]
            #[repr($repr)]
            pub(crate) enum $name {
                Stand = $least,
                Run = 2,
                Fly = $most,
            }
        )*};
    }

    gaits! {
        I8: i8, -128, 127;
        U8: u8, 0, 255;
        I16: i16, -32_768, 32_767;
        U16: u16, 0, 65_535;
        I32: i32, -2_147_483_648, 2_147_483_647;
        U32: u32, 0, 4_294_967_295;
        I64: i64, -2_147_483_648, 4_294_967_295;
        U64: u64, 0, 4_294_967_295;
        Isize: isize, -2_147_483_648, 2_147_483_647;
        Usize: usize, 0, 4_294_967_295;
    }
}

fn writer_of<T: SyncValue>(value: &T) -> NetworkWriter {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write(value);
    writer
}

/// The bytes of a value, which is read back from them.
fn bytes<T: SyncValue>(value: &T) -> String {
    let writer = writer_of(value);
    assert_eq!(writer.error(), None);
    assert!(read::<T>(writer.as_bytes()).same(value));
    hex::encode(writer.as_bytes())
}

fn try_read<T: SyncValue>(bytes: &[u8]) -> Result<T, ReadErrorKind> {
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::Mirror);
    let value = reader.read().map_err(|error| error.kind())?;
    assert_eq!(reader.remaining(), 0, "all of it is read");
    Ok(value)
}

fn read<T: SyncValue>(bytes: &[u8]) -> T {
    try_read(bytes).expect("these bytes are such a value")
}

fn error<T: SyncValue>(bytes: &[u8]) -> ReadErrorKind {
    let value = try_read::<T>(bytes);
    value.err().expect("these bytes are no such value")
}

fn refused<T: SyncValue>(value: &T) -> WriteErrorKind {
    let writer = writer_of(value);
    assert!(writer.is_empty(), "nothing of it is written");
    writer.error().expect("it has no form").kind()
}

#[test]
fn the_repr_of_an_enumeration_is_the_type_of_its_number() {
    use gaits::{I8, I16, I32, I64, Isize, U8, U16, U32, U64, Usize};
    for (written, expected) in [
        (bytes(&Gait::Stand) + &bytes(&Gait::Walk), "0002"),
        (bytes(&I8::Stand) + &bytes(&I8::Fly), "807f"),
        (bytes(&U8::Run) + &bytes(&U8::Fly), "02ff"),
        (bytes(&I16::Stand) + &bytes(&I16::Fly), "0080ff7f"),
        (bytes(&U16::Run) + &bytes(&U16::Fly), "0200ffff"),
        (bytes(&I32::Run) + &bytes(&I32::Stand), "04fbffffffff"),
        (bytes(&U32::Run) + &bytes(&U32::Fly), "02fbffffffff"),
        (bytes(&I64::Run) + &bytes(&I64::Fly), "04fcfeffffff01"),
        (bytes(&U64::Run) + &bytes(&U64::Fly), "02fbffffffff"),
        (bytes(&Isize::Run) + &bytes(&Isize::Stand), "04fbffffffff"),
        (bytes(&Usize::Run) + &bytes(&Usize::Fly), "02fbffffffff"),
    ] {
        assert_eq!(written, expected);
    }
}

#[test]
fn the_repr_makes_no_difference_in_the_other_dialects() {
    use gaits::{I64, U8, U64};
    let in_both = |write: &dyn Fn(&mut NetworkWriter)| {
        [Encoding::Unet, Encoding::Compact].map(|dialect| {
            let mut writer = NetworkWriter::with_encoding(dialect);
            write(&mut writer);
            hex::encode(writer.as_bytes())
        })
    };
    let run = ["02000000", "04"];
    assert_eq!(in_both(&|writer| writer.write(&Gait::Run)), run);
    assert_eq!(in_both(&|writer| writer.write(&U8::Run)), run);
    assert_eq!(in_both(&|writer| writer.write(&I64::Run)), run);
    assert_eq!(
        in_both(&|writer| writer.write(&U64::Fly)),
        ["ffffffff", "01"]
    );
}

#[test]
fn a_number_that_no_variant_has_is_refused() {
    let unknown = |name, value| ReadErrorKind::UnknownVariant { name, value };
    assert_eq!(error::<Gait>(&[6]), unknown("Gait", 3));
    assert_eq!(error::<gaits::U8>(&[3]), unknown("U8", 3));
    assert_eq!(error::<gaits::I16>(&[0xff, 0xff]), unknown("I16", -1));
    let (what, value) = ("number of a variant", 1 << 32);
    let wide = [252, 0, 0, 0, 0, 1];
    assert_eq!(
        error::<gaits::U64>(&wide),
        ReadErrorKind::InvalidValue { what, value }
    );
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write_enum_as(1_i64 << 32);
    let error = writer.error().expect("no dialect has room for it");
    assert_eq!(error.kind(), WriteErrorKind::TooFewBits { bits: 32 });
}

#[test]
fn optional_number_is_a_flag_and_a_fixed_width() {
    for (written, expected) in [
        (bytes(&Some(1_u8)), "0101"),
        (bytes(&Some(1_i16)), "010100"),
        (bytes(&Some(300_u32)), "012c010000"),
        (bytes(&Some(-2_i64)), "01feffffffffffffff"),
        (bytes(&Some(1_u64)), "010100000000000000"),
        (bytes(&Some(Box::new(1_u32))), "0101000000"),
        (bytes(&Some(NonZeroU8::MIN)), "0101"),
        (bytes(&Some(NonZeroU32::MIN)), "0101000000"),
        (bytes(&Some(NonZeroI64::MIN)), "010000000000000080"),
        (bytes(&Some(true)), "0101"),
        (bytes(&Some('a')), "016100"),
        (bytes(&Some(1.0_f32)), "010000803f"),
        (bytes(&Some(OaDate(0.0))), "010000000000000000"),
        (bytes(&Some(Color32::new(1, 2, 3, 255))), "01010203ff"),
        (bytes(&Some(Gait::Run)), "0104"),
        (bytes(&Some(Some(1_u32))), "010101000000"),
        (bytes(&vec![Some(1_u32), None]), "03010100000000"),
    ] {
        assert_eq!(written, expected);
    }
    let (what, value) = ("NonZeroU32", 0);
    let zero = ReadErrorKind::InvalidValue { what, value };
    assert_eq!(error::<Option<NonZeroU32>>(&[1, 0, 0, 0, 0]), zero);
}

#[test]
fn absent_value_with_a_length_is_null() {
    for (written, expected) in [
        (bytes(&None::<FixedString32>), "0000"),
        (bytes(&None::<Box<String>>), "0000"),
        (bytes(&Some(vec![1_u8])), "0201"),
        (bytes(&None::<Vec<u8>>), "00"),
        (bytes(&None::<BTreeSet<i32>>), "00"),
        (bytes(&Some(BTreeSet::<i32>::new())), "01"),
        (bytes(&None::<HashMap<i32, i32>>), "00"),
        (bytes(&Some(Some(String::new()))), "010100"),
        (bytes(&Some(None::<String>)), "010000"),
        (bytes(&vec![Some(vec![7_i32]), None]), "03020e00"),
    ] {
        assert_eq!(written, expected);
    }
    // A zero that is longer than it need be is null all the same.
    assert_eq!(read::<Option<Vec<u8>>>(&[251, 0, 0, 0, 0]), None);
}

#[test]
fn null_that_is_not_in_an_option_is_read_as_empty() {
    assert_eq!(read::<String>(&[0, 0]), "");
    assert_eq!(read::<FixedString32>(&[0, 0]), "");
    assert_eq!(read::<Vec<u8>>(&[0]), [0_u8; 0]);
    assert_eq!(read::<Vec<String>>(&[0]), Vec::<String>::new());
    assert_eq!(read::<HashSet<u8>>(&[0]), HashSet::new());
    assert_eq!(read::<BTreeMap<u8, u8>>(&[0]), BTreeMap::new());
}

#[test]
fn class_is_read_into_the_existing_value() {
    #[derive(SyncValue, Clone, PartialEq, Debug, Default)]
    struct Item {
        id: i32,
        name: String,
        weight: f32,
        /// Does not travel.
        #[sync_value(skip)]
        seen: bool,
    }

    impl Item {
        fn new(id: i32, name: &str, weight: f32) -> Self {
            Self {
                id,
                name: name.into(),
                weight,
                seen: false,
            }
        }
    }

    let mut item = Some(Item {
        seen: true,
        ..Item::default()
    });
    let writer = writer_of(&Some(Item::new(1, "bow", 0.5)));
    let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Mirror);
    reader.read_into(&mut item).expect("it was written");
    let expected = Item {
        seen: true,
        ..Item::new(1, "bow", 0.5)
    };
    assert_eq!(item, Some(expected));
}

#[test]
fn any_byte_but_zero_is_true() {
    assert_eq!((read::<bool>(&[2]), read::<bool>(&[0])), (true, false));
    assert_eq!(read::<Option<u8>>(&[255, 7]), Some(7));
    assert_eq!(read::<Option<i32>>(&[2, 1, 0, 0, 0]), Some(1));
}

#[test]
fn a_character_is_one_code_unit() {
    assert_eq!(refused(&'🎲'), WriteErrorKind::TwoCodeUnits('🎲'));
    assert_eq!(bytes(&'\u{ffff}'), "ffff");
    assert_eq!(
        error::<char>(&[0, 0xd8]),
        ReadErrorKind::InvalidChar(0xd800)
    );
}

#[test]
fn a_text_has_at_most_65_534_bytes() {
    let text = "x".repeat(65_534);
    assert_eq!(writer_of(&text).as_bytes()[..3], [255, 255, b'x']);
    assert_eq!(read::<String>(writer_of(&text).as_bytes()), text);
    let (length, limit) = (65_535, 65_534);
    let too_long = WriteErrorKind::StringTooLong { length, limit };
    assert_eq!(refused(&(text + "x")), too_long);
    assert_eq!(error::<String>(&[2, 0, 0xff]), ReadErrorKind::InvalidUtf8);
    let (needed, left) = (65_534, 0);
    let short = ReadErrorKind::UnexpectedEnd { needed, left };
    assert_eq!(error::<String>(&[255, 255]), short);
    let (length, limit) = (33, 32);
    let too_long = ReadErrorKind::StringTooLong { length, limit };
    assert_eq!(
        error::<FixedString32>(&[[34, 0].as_slice(), &[b'x'; 33]].concat()),
        too_long
    );
}

#[test]
fn counts_and_lengths_are_checked_before_memory_is_taken() {
    const LIMIT: usize = 16_777_216;
    // One more than the most there can be; all 64 bits; a length that is not there.
    let beyond = [251, 2, 0, 0, 1];
    let endless = [255; 9];
    let long = [251, 1, 0, 0, 1];
    let too_many = |count, limit| ReadErrorKind::TooManyElements { count, limit };
    let read_all = |bytes: &[u8]| {
        let mut reader = NetworkReader::with_encoding(bytes, Encoding::Mirror);
        reader = reader.with_budget(ReadBudget::UNLIMITED);
        reader.read::<Vec<u64>>().map_err(|error| error.kind())
    };
    assert_eq!(read_all(&beyond), Err(too_many(LIMIT + 1, LIMIT)));
    assert_eq!(read_all(&endless), Err(too_many(usize::MAX - 1, LIMIT)));
    let short = |needed| ReadErrorKind::UnexpectedEnd { needed, left: 0 };
    assert_eq!(read_all(&long), Err(short(1)));
    assert_eq!(error::<Vec<u64>>(&long), too_many(LIMIT, 1 << 20));
    assert_eq!(
        error::<HashSet<u64>>(&endless),
        too_many(usize::MAX - 1, 1 << 20)
    );
    assert_eq!(error::<Vec<u8>>(&endless), short(usize::MAX - 1));
    assert_eq!(error::<Option<Vec<u8>>>(&endless), short(usize::MAX - 1));
    // Elements without bytes are no way around it.
    assert_eq!(error::<Vec<[u8; 0]>>(&[249, 0, 0]), too_many(1025, 1024));
}

#[test]
fn sequences_have_at_most_16_777_216_elements() {
    let (most, limit) = (vec![false; 16_777_216], 16_777_216);
    let writer = writer_of(&most);
    assert_eq!(writer.as_bytes()[..5], [251, 1, 0, 0, 1]);
    assert_eq!((writer.len(), writer.error()), (5 + most.len(), None));
    let count = limit + 1;
    let too_many = WriteErrorKind::TooManyElements { count, limit };
    assert_eq!(refused(&vec![false; count]), too_many);
    let length = count;
    let too_long = WriteErrorKind::BytesTooLong { length, limit };
    assert_eq!(refused(&vec![0_u8; length]), too_long);
}

#[test]
fn an_integer_that_does_not_fit_its_type_is_refused_and_not_cut() {
    let wide = [252, 1, 0, 0, 0, 1];
    let out_of_range = |value, target| ReadErrorKind::OutOfRange { value, target };
    assert_eq!(error::<u32>(&wide), out_of_range((1 << 32) + 1, "u32"));
    assert_eq!(error::<NetId>(&wide), out_of_range((1 << 32) + 1, "NetId"));
    let below = (-(1_i64 << 31) - 1).cast_unsigned();
    assert_eq!(error::<i32>(&wide), out_of_range(below, "i32"));
    assert_eq!(read::<u64>(&wide), (1 << 32) + 1);
    assert_eq!(
        read::<u32>(&[255, 7, 0, 0, 0, 0, 0, 0, 0]),
        7,
        "longer than it need be"
    );
}

#[test]
fn sets_and_maps_are_read_in_any_order_and_once_for_all() {
    assert_eq!(read::<BTreeSet<u8>>(&[4, 9, 1, 9]), BTreeSet::from([1, 9]));
    assert_eq!(read::<HashSet<u8>>(&[4, 9, 1, 9]), HashSet::from([1, 9]));
    let last = [(1, 7), (9, 6)];
    let entries = [4, 9, 5, 1, 7, 9, 6];
    assert_eq!(read::<BTreeMap<u8, u8>>(&entries), BTreeMap::from(last));
    assert_eq!(read::<HashMap<u8, u8>>(&entries), HashMap::from(last));
    let mut map = BTreeMap::from([(9_u8, 1_u8), (8, 1)]);
    let mut reader = NetworkReader::with_encoding(&entries, Encoding::Mirror);
    reader.read_into(&mut map).expect("three entries");
    assert_eq!(map, BTreeMap::from(last));
}

#[test]
fn a_matrix_travels_column_by_column() {
    let mut matrix = Matrix4x4::default();
    matrix.rows[0][1] = 1.0;
    matrix.rows[3][2] = 2.0;
    let floats = writer_of(&matrix);
    let places = |value: f32| {
        let parts = floats.as_bytes().chunks(4);
        parts
            .map(|part| part == value.to_le_bytes())
            .position(|is| is)
    };
    assert_eq!((places(1.0), places(2.0)), (Some(4), Some(11)));
    assert_eq!(read::<Matrix4x4>(floats.as_bytes()), matrix);
}

#[test]
fn a_decimal_that_is_none_is_refused() {
    let mut bytes = [0; 16];
    bytes[2] = 29;
    assert_eq!(
        error::<Decimal>(&bytes),
        ReadErrorKind::InvalidDecimal(29 << 16)
    );
    assert_eq!(read::<Decimal>(&[0; 16]), Decimal::default());
}

#[test]
fn a_reference_names_one_of_64_behaviours() {
    #[derive(NetworkBehaviour, Default)]
    struct Marker {
        #[sync_var]
        number: SyncVar<u8>,
    }

    let (what, value) = ("position of a behaviour", 64);
    let refused = ReadErrorKind::InvalidValue { what, value };
    assert_eq!(error::<BehaviourRef<Marker>>(&[1, 0, 0, 0, 64]), refused);
    assert_eq!(read::<BehaviourRef<Marker>>(&[0; 4]), BehaviourRef::NONE);
}

#[test]
fn calls_that_mirror_has_too_write_its_bytes() {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write_string("hi");
    writer.write_bytes_and_size(&[1, 2]);
    writer.write_decimal(Decimal::new(1, 0));
    assert_eq!(writer.as_bytes()[..7], [3, 0, b'h', b'i', 3, 1, 2]);
    let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Mirror);
    assert_eq!(reader.read_string().ok(), Some("hi"));
    assert_eq!(reader.read_bytes_and_size().ok(), Some([1, 2].as_slice()));
    assert_eq!(reader.read_decimal().ok(), Some(Decimal::new(1, 0)));
}

#[test]
fn dates_are_times_to_the_millisecond() {
    for (date, milliseconds) in [
        (0x40e6_24f0_c6ce_8151, 1_709_210_096_789), // 2024-02-29 12:34:56.789
        (0x0000_0000_0000_0000, -2_209_161_600_000), // 1899-12-30
        (0x40e1_d5c0_0000_0000, 946_684_800_000),   // 2000-01-01
        (0xbff4_0000_0000_0000, -2_209_226_400_000), // 1899-12-29 06:00
        (0x40d8_f840_0000_0000, 0),
    ] {
        let (date, time) = (OaDate(f64::from_bits(date)), unix(milliseconds));
        assert!(OaDate::from(time).same(&date), "{date:?}");
        assert_eq!(date.to_system_time(), Some(time));
    }
    // Cut towards 1899-12-30, as .NET does.
    let more = Duration::from_micros(999);
    for (time, cut) in [
        (unix(946_684_800_001) + more, unix(946_684_800_001)),
        (unix(-86_400_001) + more, unix(-86_400_001)),
        (unix(-2_209_226_400_000) - more, unix(-2_209_226_400_000)),
    ] {
        assert_eq!(OaDate::from(time).to_system_time(), Some(cut));
    }

    /// So many milliseconds after 1970, or before.
    fn unix(milliseconds: i64) -> SystemTime {
        let span = Duration::from_millis(milliseconds.unsigned_abs());
        if milliseconds < 0 {
            SystemTime::UNIX_EPOCH - span
        } else {
            SystemTime::UNIX_EPOCH + span
        }
    }
}

#[test]
fn dates_that_net_has_not_are_no_times() {
    for date in [f64::NAN, f64::INFINITY, f64::MAX, -657_435.0, 2_958_466.0] {
        assert_eq!(OaDate(date).to_system_time(), None);
        assert!(read::<OaDate>(&date.to_le_bytes()).same(&OaDate(date)));
    }
    assert!(OaDate(-657_434.999).to_system_time().is_some());
    assert!(OaDate(2_958_465.999).to_system_time().is_some());
}

#[test]
fn a_mask_says_which_layers_are_in_it() {
    let mask = LayerMask(1 << 31 | 1 << 3);
    assert!(mask.contains(3) && mask.contains(31));
    assert!(!mask.contains(4) && !mask.contains(32) && !mask.contains(99));
    assert_eq!(read::<LayerMask>(writer_of(&mask).as_bytes()), LayerMask(8));
}
