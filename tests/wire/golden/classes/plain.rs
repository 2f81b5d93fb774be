//! Classes of one level without hooks.

use syncvar::{
    NetId, NetRef, NetworkBehaviour, NetworkSceneId, SyncVar,
    values::{
        Color, Color32, Decimal, Matrix4x4, NetworkHash128, Plane, Quaternion, Ray, Rect, Vector2,
        Vector3, Vector4,
    },
};

use super::{Cell, Cells, cells};
use crate::golden::recorded::EnumNumber;

#[derive(NetworkBehaviour, Default)]
pub(super) struct Data {
    #[sync_var]
    int1: SyncVar<i32>,
    #[sync_var]
    int2: SyncVar<i32>,
    #[sync_var]
    my_string: SyncVar<String>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct AllPrims {
    #[sync_var]
    b: SyncVar<bool>,
    #[sync_var]
    u8: SyncVar<u8>,
    #[sync_var]
    i8: SyncVar<i8>,
    #[sync_var]
    c: SyncVar<char>,
    #[sync_var]
    i16: SyncVar<i16>,
    #[sync_var]
    u16: SyncVar<u16>,
    #[sync_var]
    i32: SyncVar<i32>,
    #[sync_var]
    u32: SyncVar<u32>,
    #[sync_var]
    i64: SyncVar<i64>,
    #[sync_var]
    u64: SyncVar<u64>,
    #[sync_var]
    f32: SyncVar<f32>,
    #[sync_var]
    f64: SyncVar<f64>,
    #[sync_var]
    dec: SyncVar<Decimal>,
    #[sync_var]
    s: SyncVar<String>,
    #[sync_var]
    e: SyncVar<EnumNumber>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct EnumKinds {
    #[sync_var]
    plain: SyncVar<EnumNumber>,
    #[sync_var]
    eb: SyncVar<EnumNumber>,
    #[sync_var]
    esb: SyncVar<EnumNumber>,
    #[sync_var]
    es: SyncVar<EnumNumber>,
    #[sync_var]
    eus: SyncVar<EnumNumber>,
    #[sync_var]
    eui: SyncVar<EnumNumber>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct Vectors {
    #[sync_var]
    v2: SyncVar<Vector2>,
    #[sync_var]
    v3: SyncVar<Vector3>,
    #[sync_var]
    v4: SyncVar<Vector4>,
    #[sync_var]
    q: SyncVar<Quaternion>,
    #[sync_var]
    col: SyncVar<Color>,
    #[sync_var]
    col32: SyncVar<Color32>,
    #[sync_var]
    rect: SyncVar<Rect>,
    #[sync_var]
    plane: SyncVar<Plane>,
    #[sync_var]
    ray: SyncVar<Ray>,
    #[sync_var]
    m: SyncVar<Matrix4x4>,
    #[sync_var]
    hash: SyncVar<NetworkHash128>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct Refs {
    #[sync_var]
    nid: SyncVar<NetId>,
    #[sync_var]
    go: SyncVar<NetRef>,
    #[sync_var]
    ident: SyncVar<NetRef>,
    #[sync_var]
    tr: SyncVar<NetRef>,
    #[sync_var]
    sid: SyncVar<NetworkSceneId>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct Two {
    #[sync_var]
    w: SyncVar<String>,
    #[sync_var]
    k: SyncVar<u8>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct Three {
    #[sync_var]
    f: SyncVar<f32>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct BigStr {
    #[sync_var]
    s: SyncVar<String>,
    #[sync_var]
    t: SyncVar<String>,
}

/// As many fields as UNet allows, all alike.
macro_rules! vars31 {
    ($($field:ident)*) => {
        #[derive(NetworkBehaviour, Default)]
        pub(super) struct Vars31 {
            $(#[sync_var] $field: SyncVar<i32>,)*
        }

        cells! { Vars31 [$($field)*]; }
    };
}

vars31! {
    v00 v01 v02 v03 v04 v05 v06 v07 v08 v09 v10 v11 v12 v13 v14 v15
    v16 v17 v18 v19 v20 v21 v22 v23 v24 v25 v26 v27 v28 v29 v30
}

cells! {
    Data [int1 int2 my_string];
    AllPrims [b u8 i8 c i16 u16 i32 u32 i64 u64 f32 f64 dec s e];
    EnumKinds [plain eb esb es eus eui];
    Vectors [v2 v3 v4 q col col32 rect plane ray m hash];
    Refs [nid go ident tr sid];
    Two [w k];
    Three [f];
    BigStr [s t];
}
