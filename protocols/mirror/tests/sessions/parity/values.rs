//! `NetworkWriterTest`, `NetworkReaderTest` and `EnumReadWriteTests`: values there and back.

use std::collections::HashSet;
use std::fmt::Debug;

use syncvar::SyncValue;
use syncvar::mirror::CompressedQuaternion;
use syncvar::{
    codec::SyncCodec,
    values::{
        Color, Color32, Decimal, LayerMask, Matrix4x4, OaDate, Plane, Quaternion, Ray, Rect,
        Vector2, Vector2Int, Vector3, Vector3Int, Vector4,
    },
    wire::{Encoding, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind},
};

fn written<T: SyncValue>(value: &T) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write(value);
    assert!(writer.error().is_none());
    writer.as_bytes().to_vec()
}

fn read<T: SyncValue>(bytes: &[u8]) -> Result<T, ReadError> {
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::Mirror);
    let value = reader.read()?;
    reader.finish()?;
    Ok(value)
}

/// It arrives, and so it does where it may be absent; what is cut off is an error.
#[track_caller]
fn arrives<T: SyncValue + Clone + PartialEq + Debug>(value: &T) {
    let bytes = written(value);
    assert_eq!(read::<T>(&bytes).as_ref(), Ok(value));
    for length in 0..bytes.len() {
        assert!(read::<T>(&bytes[..length]).is_err(), "{length} bytes");
    }
    for value in [Some(value.clone()), None] {
        assert_eq!(read::<Option<T>>(&written(&value)), Ok(value));
    }
}

// TestBool, TestByte, TestSByte, TestChar, TestFloats, TestDoubles, TestDecimals, TestUnicodeString,
// TestWritingSmallMessage, TestWritingAndReading, and their Nullable kin.
#[test]
fn primitives_arrive() {
    arrives(&true);
    arrives(&u8::MAX);
    arrives(&i8::MIN);
    arrives(&'あ');
    arrives(&i16::MIN);
    arrives(&u16::MAX);
    for number in [0, 1, -1, 240, 2287, 67_823, i32::MIN, i32::MAX] {
        arrives(&number);
        arrives(&i64::from(number));
        arrives(&number.unsigned_abs());
        arrives(&u64::from(number.unsigned_abs()));
    }
    arrives(&u64::MAX);
    arrives(&1.5_f32);
    arrives(&-2.5e300_f64);
    arrives(&Decimal::new(-12_345, 3));
    for text in ["", "\0", "ab", "𠜎 € é", "\u{ffff}"] {
        arrives(&text.to_owned());
    }
}

// TestVector2, TestVector3, TestVector4, TestVector2Int, TestVector3Int, TestColor, TestColor32, TestQuaternion,
// TestRect, TestPlane, TestRay, TestMatrix4x4, TestLayerMask, and their Nullable kin.
#[test]
fn values_of_unity_arrive() {
    let direction = Vector3::new(1.0, -2.0, 3.5);
    arrives(&Vector2::new(1.0, 2.0));
    arrives(&direction);
    arrives(&Vector4::new(1.0, 2.0, 3.0, 4.0));
    arrives(&Vector2Int::new(i32::MIN, 3));
    arrives(&Vector3Int::new(1, i32::MAX, -3));
    arrives(&Color::new(0.1, 0.2, 0.3, 0.4));
    arrives(&Color32::new(1, 2, 3, 255));
    arrives(&Quaternion::IDENTITY);
    arrives(&Rect {
        x: 1.0,
        y: 2.0,
        width: 3.0,
        height: 4.0,
    });
    arrives(&Plane {
        normal: direction,
        distance: 4.0,
    });
    arrives(&Ray {
        origin: direction,
        direction,
    });
    arrives(&Matrix4x4::default());
    arrives(&LayerMask(0xffff));
    arrives(&OaDate(45_000.25));
}

// TestList, TestHashSet, TestNullList, TestNullHashSet, TestToArray, TestToArraySegment,
// TestToArraySegment_EmptyContent, TestReading0LengthBytes, TestReading0LengthBytesAndSize,
// TestWritingBytesSegment, TestWritingLargeMessage, TestWritingHugeArray.
#[test]
fn sequences_arrive() {
    arrives(&vec![1, -2, 3]);
    arrives(&Vec::<String>::new());
    arrives(&vec!["a".to_owned(), String::new()]);
    arrives(&vec![Some(1.5_f32), None]);
    arrives(&Vec::<u8>::new());
    arrives(&vec![0_u8, 255]);
    arrives(&HashSet::from([1, 2, 3]));
    let huge = vec![7_u8; 100_000];
    assert_eq!(read::<Vec<u8>>(&written(&huge)), Ok(huge));
}

// TestByteEndianness, TestSbyteEndianness, TestShortEndianness, TestUShortEndianness, TestIntEndianness,
// TestUIntEndianness, TestLongEndianness, TestULongEndianness, TestFloatBinaryCompatibility,
// TestDoubleBinaryCompatibility, TestDecimalBinaryCompatibility, LittleEndianPlatform.
#[test]
fn the_least_significant_byte_comes_first_on_every_machine() {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write_u8(0x12);
    writer.write_u16(0x1234);
    writer.write_u32(0x1234_5678);
    writer.write_u64(0x1234_5678_9abc_def0);
    writer.write_f32(1.0);
    writer.write_f64(1.0);
    let expected = "12 3412 78563412 f0debc9a78563412 0000803f 000000000000f03f";
    assert_eq!(hex::encode(writer.as_bytes()), expected.replace(' ', ""));
    assert_eq!(
        hex::encode(written(&Decimal::new(3, 0))),
        "00000000000000000300000000000000"
    );
}

// TestReadArray_LengthIsTooBig, TestReadList_LengthIsTooBig, TestReadHashSet_LengthIsTooBig,
// TestReadBytes_LengthIsTooBig, TestArrayThrowsIfLengthIsWrong, TestArrayDoesNotThrowWithCorrectLength.
#[test]
fn count_beyond_the_remaining_bytes_is_an_error() {
    // 3 elements, and 2 of them.
    let short = [4, 2, 2];
    assert!(read::<Vec<i32>>(&short).is_err());
    assert!(read::<Vec<u8>>(&short).is_err());
    assert!(read::<HashSet<i32>>(&short).is_err());
    assert_eq!(read::<Vec<i32>>(&[4, 2, 2, 2]), Ok(vec![1, 1, 1]));
    let huge = [0xfb, 0xff, 0xff, 0xff, 0xff, 1, 2, 3];
    assert!(read::<Vec<i32>>(&huge).is_err());
    assert!(read::<HashSet<i32>>(&huge).is_err());
    assert!(read::<Vec<u8>>(&huge).is_err());
}

// TestReadingInvalidString, TestReadingTruncatedString, ReadString_InvalidUTF8, TestReadingTooMuch,
// ReadBytes_CountTooBig, Remaining.
#[test]
fn invalid_or_truncated_text_is_an_error() {
    let kind = |bytes: &[u8]| read::<String>(bytes).unwrap_err().kind();
    assert_eq!(kind(&[3, 0, 0xc3, 0x28]), ReadErrorKind::InvalidUtf8);
    assert!(read::<String>(&[9, 0, b'a']).is_err(), "cut off");
    assert!(read::<String>(&[1]).is_err(), "half of a length");
    let mut reader = NetworkReader::with_encoding(&[1, 2, 3], Encoding::Mirror);
    assert_eq!(reader.remaining(), 3);
    assert!(reader.read_u32().is_err());
    assert_eq!(reader.read_u16(), Ok(0x0201));
    assert_eq!(reader.remaining(), 1);
}

// WriteString_EnsuresCapacity, and what Mirror throws for.
#[test]
fn a_text_that_is_too_long_is_an_error_of_the_writer() {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write(&"x".repeat(65_534));
    assert_eq!((writer.error(), writer.len()), (None, 65_536));
    writer.write(&"x".repeat(65_535));
    let kind = writer.error().unwrap().kind();
    assert!(matches!(kind, WriteErrorKind::StringTooLong { .. }));
}

// TestResetSetsPotionAndLength, SetBuffer.
#[test]
fn a_writer_can_be_used_again() {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write(&"text".to_owned());
    writer.truncate(0);
    assert!(writer.is_empty());
    writer.write(&7_u8);
    assert_eq!(writer.as_bytes(), [7]);
}

// ByteIsSentForByteEnum, ShortIsSentForShortEnum.
#[test]
fn an_enumeration_takes_the_bytes_of_its_number() {
    #[derive(SyncValue, Clone, Debug, PartialEq)]
    #[repr(u8)]
    enum Small {
        A,
        B,
    }

    #[derive(SyncValue, Clone, Debug, PartialEq)]
    #[repr(i16)]
    enum Short {
        C = 300,
    }

    assert_eq!(written(&Small::B), [1]);
    assert_eq!(written(&Short::C), [0x2c, 1]);
    arrives(&Small::A);
    arrives(&Short::C);
}

// CustomWriterIsUsedForEnum, CustomReaderWriterTests: what the game says goes before what is derived.
#[test]
fn a_type_that_is_written_by_hand_is_written_so_wherever_it_is() {
    #[derive(Clone, Debug, PartialEq)]
    struct Money {
        gold: i32,
        silver: i32,
    }

    impl SyncValue for Money {
        const SCHEMA: syncvar::schema::TypeSchema = <i32 as SyncValue>::SCHEMA;

        fn write(&self, writer: &mut NetworkWriter) {
            writer.write(&(self.gold * 100 + self.silver));
        }

        fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
            let money: i32 = reader.read()?;
            Ok(Self {
                gold: money / 100,
                silver: money % 100,
            })
        }

        fn same(&self, other: &Self) -> bool {
            self == other
        }
    }

    let money = Money { gold: 1, silver: 2 };
    assert_eq!(written(&money), written(&102));
    arrives(&money);
    assert_eq!(read::<Vec<Money>>(&written(&vec![102])), Ok(vec![money]));
}

// VarInt, VarIntSize, VarUInt, VarUIntSize.
#[test]
fn a_number_takes_the_more_bytes_the_larger_it_is() {
    let bounds = [
        240,
        2287,
        67_823,
        (1 << 24) - 1,
        (1 << 32) - 1,
        (1 << 40) - 1,
    ];
    let bounds = bounds.into_iter().chain([(1 << 48) - 1, (1 << 56) - 1]);
    for (length, bound) in (1..).zip(bounds) {
        let bound: u64 = bound;
        assert_eq!(written(&bound).len(), length, "{bound}");
        assert_eq!(written(&(bound + 1)).len(), length + 1, "{bound} + 1");
        for number in [bound - 1, bound, bound + 1] {
            assert_eq!(read(&written(&number)), Ok(number));
            // Zigzag: an even number is not negative, an odd one is.
            let signed = i64::try_from(number / 2).unwrap();
            let signed = if number % 2 == 0 { signed } else { -signed - 1 };
            assert_eq!(written(&signed), written(&number));
            assert_eq!(read(&written(&signed)), Ok(signed));
        }
    }
    assert_eq!(written(&u64::MAX).len(), 9);
    assert_eq!(written(&i64::MIN).len(), 9);
}

// CompressAndDecompressQuaternion, CompressAndDecompressQuaternion_2674,
// CompressAndDecompressQuaternion_90DegreeEuler, CompressAndDecompressQuaternion_Iterate_0_to_360,
// LargestAbsoluteComponentIndex, ScaleFloatToUShort, ScaleUShortToFloat.
#[test]
fn a_compressed_rotation_arrives_as_nearly_the_same() {
    for degrees in 0..360_u16 {
        let half = f32::from(degrees).to_radians() / 2.0;
        for axis in 0..3 {
            let mut parts = [0.0; 3];
            parts[axis] = half.sin();
            let [x, y, z] = parts;
            let rotation = Quaternion::new(x, y, z, half.cos());
            let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
            CompressedQuaternion::write(&rotation, &mut writer);
            assert_eq!(writer.len(), 4);
            let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Mirror);
            let back = CompressedQuaternion::read(&mut reader).unwrap();
            // The same rotation with the opposite sign is the same rotation.
            let dot = x * back.x + y * back.y + z * back.z + rotation.w * back.w;
            assert!(dot.abs() > 0.9999, "{degrees} degrees about {axis}: {dot}");
        }
    }
}
