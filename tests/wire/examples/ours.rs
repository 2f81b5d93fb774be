//! Section 2: the values that UNet has no form for, each in both dialects.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::{NonZeroI32, NonZeroU16};
use std::time::Duration;

use bytes::Bytes;
use syncvar::prelude::*;
use syncvar::values::{Ray2D, Vector2, Vector3Int};

use super::values::{compact, value};
use crate::examples::Examples;

/// An example in both dialects. Several values are different types with the same bytes.
macro_rules! both {
    ($examples:ident: $($name:literal => $($value:expr),+;)*) => {$(
        let written = [$((value(&$value), compact(&$value))),+];
        let [(in_unet, in_compact), ..] = written.clone();
        for other in written {
            assert_eq!(other, (in_unet.clone(), in_compact.clone()), $name);
        }
        $examples.push(($name, in_unet));
        $examples.push((concat!("compact ", $name), in_compact));
    )*};
}

#[test]
pub(crate) fn values_without_a_form_in_unet_are_written_as_documented() -> Examples {
    let mut examples = Vec::new();
    let (entries, names) = ([(300_u16, true), (2, false)], ["b", "a"].map(String::from));
    both! {
        examples:
        "`Vector3Int::new(1, -1, 300)`" => Vector3Int::new(1, -1, 300);
        "`Ray2D` from (1, 2) to (0, 1)" => Ray2D {
            origin: Vector2::new(1.0, 2.0),
            direction: Vector2::new(0.0, 1.0),
        };
        "`258_u128`" => 258_u128;
        "`-2_i128`" => -2_i128;
        "`NonZeroU16::new(300)`" => NonZeroU16::new(300).unwrap();
        "`NonZeroI32::new(-1)`" => NonZeroI32::new(-1).unwrap();
        "`Duration::from_millis(1500)`" => Duration::from_millis(1500);
        "`FixedString32::try_from(\"é\")`" => FixedString32::try_from("é").unwrap();
        "`Bytes::from_static(&[1, 2, 255])`" => Bytes::from_static(&[1, 2, 255]);
        "`HashMap::from([(300_u16, true), (2, false)])`, or a `BTreeMap`"
            => HashMap::from(entries), BTreeMap::from(entries);
        "`HashSet::from([\"b\", \"a\"])` of `String`, or a `BTreeSet`"
            => HashSet::from(names.clone()), BTreeSet::from(names.clone());
    }
    Examples::check(examples)
}

#[allow(
    unused_mut,
    clippy::vec_init_then_push,
    reason = "without features there are none"
)]
#[test]
pub(crate) fn values_of_other_crates_are_written_as_documented() -> Examples {
    let mut examples = Vec::new();
    #[cfg(feature = "serde")]
    both! {
        examples:
        "`Postcard((300_u16, \"é\"))` of `(u16, String)`"
            => syncvar::values::Postcard((300_u16, String::from("é")));
    }
    #[cfg(feature = "uuid")]
    both! {
        examples:
        "`Uuid` 00112233-4455-6677-8899-aabbccddeeff"
            => uuid::Uuid::from_u128(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff);
    }
    #[cfg(all(feature = "glam", feature = "mint"))]
    both! {
        examples:
        "`glam::Vec3::new(1.0, 2.0, 3.0)`, or mint's `Vector3` or `Point3`"
            => glam::Vec3::new(1.0, 2.0, 3.0), glam::Vec3A::new(1.0, 2.0, 3.0),
            mint::Vector3::from([1.0_f32, 2.0, 3.0]), mint::Point3::from([1.0_f32, 2.0, 3.0]);
        "`glam::DVec2::new(1.0, -2.0)`, or mint's"
            => glam::DVec2::new(1.0, -2.0), mint::Vector2::from([1.0_f64, -2.0]);
        "`glam::IVec2::new(-1, 300)`, or mint's"
            => glam::IVec2::new(-1, 300), mint::Vector2::from([-1, 300]);
        "`glam::UVec2::new(1, 300)`, or mint's"
            => glam::UVec2::new(1, 300), mint::Point2::from([1_u32, 300]);
        "`glam::Quat::from_xyzw(0.0, 0.0, 0.0, 1.0)`, or mint's"
            => glam::Quat::IDENTITY, mint::Quaternion::from([0.0_f32, 0.0, 0.0, 1.0]);
        "`glam::Mat2` of the rows (1, 2) and (3, 4), or mint's"
            => glam::Mat2::from_cols_array(&[1.0, 3.0, 2.0, 4.0]),
            mint::RowMatrix2::from([1.0_f32, 2.0, 3.0, 4.0]),
            mint::ColumnMatrix2::from([1.0_f32, 3.0, 2.0, 4.0]);
    }
    Examples::check(examples)
}

/// Returns whether an example is of a type that needs a feature which is not there.
pub(crate) fn is_absent(example: &str) -> bool {
    let needs = |name, there: bool| !there && example.contains(name);
    needs("Postcard(", cfg!(feature = "serde"))
        || needs("`Uuid`", cfg!(feature = "uuid"))
        || needs("glam::", cfg!(all(feature = "glam", feature = "mint")))
}
