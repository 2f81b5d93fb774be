//! Values of other crates: bytes, uuid, glam, mint.

use bytes::Bytes;
use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind};

use crate::values::{error_in, round_trip, round_trip_in};

#[test]
fn bytes_travel_as_a_vec_of_them() {
    let value = Bytes::from_static(b"\x01\x02\xff");
    let bytes = round_trip(&value, &Bytes::new());
    assert_eq!(bytes, [3, 0, 1, 2, 255]);
    assert_eq!(bytes, round_trip(&value.to_vec(), &Vec::new()));
    assert_eq!(Bytes::SCHEMA.to_string(), Vec::<u8>::SCHEMA.to_string());
    round_trip(&Bytes::new(), &value);
    let (needed, left) = (65_535, 1);
    let end = ReadErrorKind::UnexpectedEnd { needed, left };
    assert_eq!(
        error_in::<Bytes>(Encoding::Unet, &[0xff, 0xff, 1]),
        (end, 2)
    );
    let mut writer = NetworkWriter::new();
    writer.write(&Bytes::from(vec![0; 65_536]));
    assert!(writer.error().is_some() && writer.is_empty());
}

#[test]
fn bytes_that_are_the_same_stay_the_ones_they_are() {
    let mut value = Bytes::from(vec![1, 2, 3]);
    let place = value.as_ptr();
    NetworkReader::new(&[3, 0, 1, 2, 3])
        .read_into(&mut value)
        .unwrap();
    assert_eq!(value.as_ptr(), place);
    NetworkReader::new(&[1, 0, 9])
        .read_into(&mut value)
        .unwrap();
    assert_eq!(value[..], [9]);
}

/// T18: a `Guid`.
#[cfg(feature = "uuid")]
// checklist: T18
#[test]
fn a_uuid_takes_16_bytes_in_the_order_of_its_text() {
    use uuid::Uuid;

    let id = Uuid::from_u128(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff);
    let bytes = round_trip(&id, &Uuid::nil());
    assert_eq!(hex::encode(bytes), "00112233445566778899aabbccddeeff");
    let bytes = round_trip_in(Encoding::Mirror, &id, &Uuid::nil());
    assert_eq!(hex::encode(bytes), "33221100554477668899aabbccddeeff");
    round_trip(&Uuid::max(), &id);
    let owners = std::collections::HashMap::from([(id, 1_u8), (Uuid::max(), 2)]);
    round_trip(&owners, &std::collections::HashMap::new());
}

/// Floats that all differ.
#[cfg(any(feature = "glam", feature = "mint"))]
fn sixteen() -> [f32; 16] {
    let mut bits = 0;
    std::array::from_fn(|_| {
        bits += 1;
        f32::from_bits(bits)
    })
}

/// N14, M13: the types of an engine.
#[cfg(feature = "glam")]
// checklist: M13 N14
#[test]
fn glams_types_travel_bit_for_bit() {
    use glam::{
        DQuat, DVec2, DVec3, DVec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat3A, Mat4, Quat, UVec2,
        UVec3, UVec4, Vec2, Vec3, Vec3A, Vec4,
    };
    use syncvar::values::{Matrix4x4, Quaternion, Vector2, Vector3, Vector4};

    let odd = f32::from_bits(0x7fc0_1234);
    assert_eq!(
        round_trip(&Vec2::new(odd, -0.0), &Vec2::ZERO),
        round_trip(&Vector2::new(odd, -0.0), &Vector2::default())
    );
    let ours = round_trip(&Vector3::new(odd, -0.0, 3.0), &Vector3::default());
    assert_eq!(round_trip(&Vec3::new(odd, -0.0, 3.0), &Vec3::ZERO), ours);
    assert_eq!(round_trip(&Vec3A::new(odd, -0.0, 3.0), &Vec3A::ZERO), ours);
    assert_eq!(
        round_trip(&Vec4::new(odd, -0.0, 3.0, f32::MAX), &Vec4::ZERO),
        round_trip(&Vector4::new(odd, -0.0, 3.0, f32::MAX), &Vector4::default())
    );
    assert_eq!(
        round_trip(&Quat::from_xyzw(0.1, 0.2, 0.3, 0.4), &Quat::IDENTITY),
        round_trip(&Quaternion::new(0.1, 0.2, 0.3, 0.4), &Quaternion::default())
    );
    round_trip(&DQuat::from_xyzw(0.1, 0.2, 0.3, 0.4), &DQuat::IDENTITY);
    assert_eq!(
        round_trip(&DVec2::new(f64::NAN, -0.0), &DVec2::ZERO).len(),
        16
    );
    assert_eq!(round_trip(&DVec3::MAX, &DVec3::ZERO).len(), 24);
    assert_eq!(round_trip(&DVec4::MIN, &DVec4::ZERO).len(), 32);
    assert_eq!(
        round_trip(&IVec2::new(-1, 2), &IVec2::ZERO),
        round_trip(&(-1, 2), &(0, 0))
    );
    round_trip(&IVec3::MIN, &IVec3::ZERO);
    round_trip(&IVec4::MAX, &IVec4::ZERO);
    assert_eq!(
        round_trip(&UVec2::new(1, 300), &UVec2::ZERO),
        [1, 0xf1, 0x3c]
    );
    round_trip(&UVec3::MAX, &UVec3::ZERO);
    round_trip(&UVec4::MAX, &UVec4::ZERO);

    let numbers = sixteen();
    let mat4 = Mat4::from_cols_array(&numbers);
    let ours = round_trip(&Matrix4x4::from(mat4), &Matrix4x4::default());
    assert_eq!(round_trip(&mat4, &Mat4::IDENTITY), ours);
    let mat3 = Mat3::from_cols_slice(&numbers);
    let rows = round_trip(&mat3.transpose().to_cols_array(), &[0.0; 9]);
    assert_eq!(round_trip(&mat3, &Mat3::IDENTITY), rows);
    assert_eq!(round_trip(&Mat3A::from(mat3), &Mat3A::IDENTITY), rows);
    assert_eq!(
        round_trip(&Mat2::from_cols_slice(&numbers), &Mat2::IDENTITY).len(),
        16
    );
    assert!(Vec2::NAN.same(&Vec2::NAN) && !Vec2::ZERO.same(&-Vec2::ZERO));
    assert_eq!(Vec3A::SCHEMA.to_string(), Vector3::SCHEMA.to_string());
}

/// N14, M13.
#[cfg(feature = "mint")]
// checklist: M13 N14
#[test]
fn mints_types_travel_bit_for_bit() {
    use mint::{
        ColumnMatrix2, ColumnMatrix3, ColumnMatrix4, Point2, Point3, Quaternion, RowMatrix2,
        RowMatrix3, RowMatrix4, Vector2, Vector3, Vector4,
    };

    macro_rules! each {
        ($($type:ident<$number:ty>, $count:literal;)*) => {$(
            let mut last = <$number>::MAX;
            let value: [$number; $count] = std::array::from_fn(|_| {
                last /= <$number>::from(3_u8);
                last
            });
            let zero = [<$number>::default(); $count];
            let bytes = round_trip(&$type::from(value), &$type::from(zero));
            assert_eq!(bytes, round_trip(&value, &zero));
        )*};
    }
    each! {
        Vector2<f32>, 2; Vector3<f32>, 3; Vector4<f32>, 4; Point2<f32>, 2; Point3<f32>, 3;
        Vector2<f64>, 2; Vector3<f64>, 3; Vector4<f64>, 4; Point2<f64>, 2; Point3<f64>, 3;
        Vector2<i32>, 2; Vector3<i32>, 3; Vector4<i32>, 4; Point2<i32>, 2; Point3<i32>, 3;
        Vector2<u32>, 2; Vector3<u32>, 3; Vector4<u32>, 4; Point2<u32>, 2; Point3<u32>, 3;
        Quaternion<f32>, 4; Quaternion<f64>, 4;
        RowMatrix2<f32>, 4; RowMatrix3<f32>, 9; RowMatrix4<f32>, 16;
    }
    let numbers = sixteen();
    let rows = RowMatrix4::from(numbers);
    assert_eq!(
        round_trip(&ColumnMatrix4::from(rows), &[0.0; 16].into()),
        round_trip(&rows, &rows)
    );
    let rows = RowMatrix3::from([1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    assert_eq!(
        round_trip(&ColumnMatrix3::from(rows), &[0.0; 9].into()),
        round_trip(&rows, &rows)
    );
    let rows = RowMatrix2::from([1.0_f32, 2.0, 3.0, 4.0]);
    assert_eq!(
        round_trip(&ColumnMatrix2::from(rows), &[0.0; 4].into()),
        round_trip(&rows, &rows)
    );
}

/// With the same types on the wire a side may have glam and the other mint, or neither.
#[cfg(all(feature = "glam", feature = "mint"))]
#[test]
fn glam_mint_and_ours_are_the_same_to_the_schema() {
    let same = [
        [
            glam::Vec2::SCHEMA,
            mint::Point2::<f32>::SCHEMA,
            Vector2::SCHEMA,
        ],
        [
            glam::Vec3::SCHEMA,
            mint::Vector3::<f32>::SCHEMA,
            Vector3::SCHEMA,
        ],
        [
            glam::Vec4::SCHEMA,
            mint::Vector4::<f32>::SCHEMA,
            syncvar::values::Vector4::SCHEMA,
        ],
        [
            glam::Quat::SCHEMA,
            mint::Quaternion::<f32>::SCHEMA,
            Quaternion::SCHEMA,
        ],
        [
            glam::Mat4::SCHEMA,
            mint::ColumnMatrix4::<f32>::SCHEMA,
            syncvar::values::Matrix4x4::SCHEMA,
        ],
        [
            glam::IVec3::SCHEMA,
            mint::Vector3::<i32>::SCHEMA,
            mint::Point3::<i32>::SCHEMA,
        ],
        [
            glam::DVec2::SCHEMA,
            mint::Vector2::<f64>::SCHEMA,
            mint::Point2::<f64>::SCHEMA,
        ],
        [
            glam::Mat3::SCHEMA,
            mint::RowMatrix3::<f32>::SCHEMA,
            glam::Mat3A::SCHEMA,
        ],
    ];
    for [a, b, c] in same {
        assert_eq!(a.to_string(), b.to_string());
        assert_eq!(b.to_string(), c.to_string());
    }
}

/// What has a form of its own in Mirror has it under every name.
#[cfg(all(feature = "glam", feature = "mint"))]
#[test]
fn mirror_knows_cells_and_matrices_by_every_name() {
    use syncvar::values::{Matrix4x4, Vector2Int, Vector3Int};

    fn in_mirror<T: SyncValue>(value: &T) -> Vec<u8> {
        round_trip_in(Encoding::Mirror, value, value)
    }
    let cell = in_mirror(&Vector2Int::new(1, -1));
    assert_eq!(hex::encode(&cell), "01000000ffffffff");
    assert_eq!(in_mirror(&glam::IVec2::new(1, -1)), cell);
    assert_eq!(in_mirror(&mint::Vector2::from([1, -1])), cell);
    assert_eq!(in_mirror(&mint::Point2::from([1, -1])), cell);
    let place = in_mirror(&Vector3Int::new(1, -1, 300));
    assert_eq!(in_mirror(&glam::IVec3::new(1, -1, 300)), place);
    assert_eq!(in_mirror(&mint::Vector3::from([1, -1, 300])), place);
    assert_eq!(in_mirror(&mint::Point3::from([1, -1, 300])), place);

    let numbers = sixteen();
    let columns: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let matrix = glam::Mat4::from_cols_array(&numbers);
    let rows: mint::RowMatrix4<f32> = Matrix4x4::from(matrix).into();
    assert_eq!(in_mirror(&matrix), columns);
    assert_eq!(in_mirror(&Matrix4x4::from(matrix)), columns);
    assert_eq!(in_mirror(&rows), columns);
    assert_eq!(in_mirror(&mint::ColumnMatrix4::from(rows)), columns);
}
