//! Section 2: encodings that are chosen for a field.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{
    codec::{Bits, Fixed, Half, Quantized, SmallestThree, SyncCodec, ZigZag},
    values::{Quaternion, Vector2, Vector3},
    wire::Encoding,
};

use crate::examples::{Examples, bytes, bytes_in};
use crate::untyped::round_trip;

#[derive(NetworkBehaviour)]
struct Unit {
    #[sync_var(with = Half)]
    speed: SyncVar<f32>,
    #[sync_var(with = ZigZag)]
    lead: SyncVar<i32>,
}

#[test]
pub(crate) fn values_by_codecs_are_written_as_documented() -> Examples {
    let turned = Quaternion::new(0.6, 0.0, 0.0, -0.8);
    let mut unit = Unit {
        speed: 1.0.into(),
        lead: (-1).into(),
    };
    let full = bytes(|writer| assert!(unit.on_serialize(writer, true)));
    unit.lead.set(2);
    let changed = bytes(|writer| assert!(unit.on_serialize(writer, false)));
    Examples::check(vec![
        ("`-3_i32` as `ZigZag`", coded::<ZigZag, _>(&-3_i32)),
        ("`300_i32` as `ZigZag`", coded::<ZigZag, _>(&300_i32)),
        (
            "compact `300_i32` as `ZigZag`",
            bytes_in(Encoding::Compact, |writer| ZigZag::write(&300_i32, writer)),
        ),
        ("`-2_i16` as `Fixed`", coded::<Fixed, _>(&-2_i16)),
        ("`300_u64` as `Fixed`", coded::<Fixed, _>(&300_u64)),
        ("`'あ'` as `Fixed`", coded::<Fixed, _>(&'あ')),
        ("`4095_u32` as `Bits<12>`", coded::<Bits<12>, _>(&4095_u32)),
        ("`-2_i32` as `Bits<12>`", coded::<Bits<12>, _>(&-2_i32)),
        (
            "`12.3456_f32` as `Quantized<-500, 500, 100>`",
            coded::<Quantized<-500, 500, 100>, _>(&12.3456_f32),
        ),
        (
            "`0.5_f64` as `Quantized<0, 1, 255>`",
            coded::<Quantized<0, 1, 255>, _>(&0.5_f64),
        ),
        (
            "`Vector3::new(1.0, -1.5, 99.0)` as `Quantized<-10, 10, 10>`",
            coded::<Quantized<-10, 10, 10>, _>(&Vector3::new(1.0, -1.5, 99.0)),
        ),
        ("`1.618_f32` as `Half`", coded::<Half, _>(&1.618_f32)),
        (
            "`Vector2::new(1.0, -2.0)` as `Half`",
            coded::<Half, _>(&Vector2::new(1.0, -2.0)),
        ),
        (
            "`Quaternion::IDENTITY` as `SmallestThree`",
            coded::<SmallestThree, _>(&Quaternion::IDENTITY),
        ),
        (
            "`Quaternion::new(0.6, 0.0, 0.0, -0.8)` as `SmallestThree`",
            coded::<SmallestThree, _>(&turned),
        ),
        (
            "full `Unit { speed: 1.0 as Half, lead: -1 as ZigZag }`",
            full,
        ),
        ("`Unit` with `lead = 2` changed", changed),
    ])
}

/// The bytes of a value by a codec, which are the same in every dialect or those of `Unet`.
fn coded<C: SyncCodec<T>, T: Clone + Send + Sync + 'static>(value: &T) -> String {
    bytes(|writer| {
        C::write(value, writer);
        round_trip(C::SCHEMA, writer.as_bytes(), Encoding::Unet);
    })
}
