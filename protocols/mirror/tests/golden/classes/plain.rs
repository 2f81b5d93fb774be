//! Classes of plain values.

use syncvar::prelude::*;
use syncvar::values::{
    Color, Color32, Decimal, Matrix4x4, Plane, Quaternion, Ray, Rect, Vector2, Vector2Int, Vector3,
    Vector3Int, Vector4,
};

use crate::golden::subject::subjects;
use crate::golden::value::Text;
use crate::golden::value::number::{
    CodeUnit, DateTime, EByte, EDefault, EFlags, ELong, ESByte, EShort, EUInt, EULong, EUShort,
    LayerMask,
};
use crate::golden::value::unity::{Guid, Uri};

#[derive(NetworkBehaviour)]
pub(crate) struct DocData {
    #[sync_var]
    int1: SyncVar<i32>,
    #[sync_var]
    int2: SyncVar<i32>,
    #[sync_var]
    my_string: SyncVar<Text>,
}

impl Default for DocData {
    fn default() -> Self {
        Self {
            int1: 66.into(),
            int2: 23487.into(),
            my_string: Some("Example string".to_string()).into(),
        }
    }
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct PrimVars {
    #[sync_var]
    v_byte: SyncVar<u8>,
    #[sync_var]
    v_sbyte: SyncVar<i8>,
    #[sync_var]
    v_char: SyncVar<CodeUnit>,
    #[sync_var]
    v_bool: SyncVar<bool>,
    #[sync_var]
    v_short: SyncVar<i16>,
    #[sync_var]
    v_ushort: SyncVar<u16>,
    #[sync_var]
    v_int: SyncVar<i32>,
    #[sync_var]
    v_uint: SyncVar<u32>,
    #[sync_var]
    v_long: SyncVar<i64>,
    #[sync_var]
    v_ulong: SyncVar<u64>,
    #[sync_var]
    v_float: SyncVar<f32>,
    #[sync_var]
    v_double: SyncVar<f64>,
    #[sync_var]
    v_decimal: SyncVar<Decimal>,
    #[sync_var]
    v_string: SyncVar<Text>,
}

#[derive(NetworkBehaviour)]
pub(crate) struct UnityVars {
    #[sync_var]
    v_vector2: SyncVar<Vector2>,
    #[sync_var]
    v_vector3: SyncVar<Vector3>,
    #[sync_var]
    v_vector4: SyncVar<Vector4>,
    #[sync_var]
    v_vector2_int: SyncVar<Vector2Int>,
    #[sync_var]
    v_vector3_int: SyncVar<Vector3Int>,
    #[sync_var]
    v_color: SyncVar<Color>,
    #[sync_var]
    v_color32: SyncVar<Color32>,
    #[sync_var]
    v_quaternion: SyncVar<Quaternion>,
    #[sync_var]
    v_rect: SyncVar<Rect>,
    #[sync_var]
    v_plane: SyncVar<Plane>,
    #[sync_var]
    v_ray: SyncVar<Ray>,
    #[sync_var]
    v_layer_mask: SyncVar<LayerMask>,
    #[sync_var]
    v_matrix: SyncVar<Matrix4x4>,
    #[sync_var]
    v_guid: SyncVar<Guid>,
    #[sync_var]
    v_date_time: SyncVar<DateTime>,
    #[sync_var]
    v_uri: SyncVar<Uri>,
}

/// Its recorded date is one from the beginning.
impl Default for UnityVars {
    fn default() -> Self {
        Self {
            v_vector2: SyncVar::default(),
            v_vector3: SyncVar::default(),
            v_vector4: SyncVar::default(),
            v_vector2_int: SyncVar::default(),
            v_vector3_int: SyncVar::default(),
            v_color: SyncVar::default(),
            v_color32: SyncVar::default(),
            v_quaternion: SyncVar::default(),
            v_rect: SyncVar::default(),
            v_plane: SyncVar::default(),
            v_ray: SyncVar::default(),
            v_layer_mask: SyncVar::default(),
            v_matrix: SyncVar::default(),
            v_guid: SyncVar::default(),
            v_date_time: DateTime::from_bits(0x40e6_24f0_c6ce_8151).into(),
            v_uri: SyncVar::default(),
        }
    }
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct EnumVars {
    #[sync_var]
    e_default: SyncVar<EDefault>,
    #[sync_var]
    e_byte: SyncVar<EByte>,
    #[sync_var]
    e_sbyte: SyncVar<ESByte>,
    #[sync_var]
    e_short: SyncVar<EShort>,
    #[sync_var]
    e_ushort: SyncVar<EUShort>,
    #[sync_var]
    e_uint: SyncVar<EUInt>,
    #[sync_var]
    e_long: SyncVar<ELong>,
    #[sync_var]
    e_ulong: SyncVar<EULong>,
    #[sync_var]
    e_flags: SyncVar<EFlags>,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct NullableVars {
    #[sync_var]
    n_byte: SyncVar<Option<u8>>,
    #[sync_var]
    n_sbyte: SyncVar<Option<i8>>,
    #[sync_var]
    n_char: SyncVar<Option<CodeUnit>>,
    #[sync_var]
    n_bool: SyncVar<Option<bool>>,
    #[sync_var]
    n_short: SyncVar<Option<i16>>,
    #[sync_var]
    n_ushort: SyncVar<Option<u16>>,
    #[sync_var]
    n_int: SyncVar<Option<i32>>,
    #[sync_var]
    n_uint: SyncVar<Option<u32>>,
    #[sync_var]
    n_long: SyncVar<Option<i64>>,
    #[sync_var]
    n_ulong: SyncVar<Option<u64>>,
    #[sync_var]
    n_float: SyncVar<Option<f32>>,
    #[sync_var]
    n_double: SyncVar<Option<f64>>,
    #[sync_var]
    n_decimal: SyncVar<Option<Decimal>>,
    #[sync_var]
    n_vector3: SyncVar<Option<Vector3>>,
    #[sync_var]
    n_quaternion: SyncVar<Option<Quaternion>>,
    #[sync_var]
    n_color32: SyncVar<Option<Color32>>,
    #[sync_var]
    n_guid: SyncVar<Option<Guid>>,
    #[sync_var]
    n_date_time: SyncVar<Option<DateTime>>,
}

#[derive(NetworkBehaviour)]
pub(crate) struct PerfVars {
    #[sync_var]
    i0: SyncVar<i32>,
    #[sync_var]
    i1: SyncVar<i32>,
    #[sync_var]
    i2: SyncVar<i32>,
    #[sync_var]
    i3: SyncVar<i32>,
    #[sync_var]
    f0: SyncVar<f32>,
    #[sync_var]
    f1: SyncVar<f32>,
    #[sync_var]
    f2: SyncVar<f32>,
    #[sync_var]
    s: SyncVar<Text>,
}

impl Default for PerfVars {
    fn default() -> Self {
        Self {
            i0: 1.into(),
            i1: 2.into(),
            i2: 3.into(),
            i3: 4.into(),
            f0: 1.0.into(),
            f1: 2.0.into(),
            f2: 3.0.into(),
            s: Some("short".to_string()).into(),
        }
    }
}

/// Its fields are of every accessibility, among fields that do not travel.
#[derive(NetworkBehaviour)]
pub(crate) struct OrderVars {
    #[sync_var]
    private_first: SyncVar<i32>,
    #[sync_var]
    list1: SyncList<i32>,
    #[sync_var]
    pub(super) prot: SyncVar<i32>,
    #[sync_var]
    pub(crate) r#pub: SyncVar<i32>,
    #[sync_var]
    list2: SyncList<Text>,
    #[sync_var]
    pub(crate) inter: SyncVar<i32>,
}

impl Default for OrderVars {
    fn default() -> Self {
        Self {
            private_first: 1.into(),
            list1: SyncList::new(),
            prot: 3.into(),
            r#pub: 4.into(),
            list2: SyncList::new(),
            inter: 5.into(),
        }
    }
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct EmptyNB {}

/// As long as its text: of no recording.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct OneText {
    #[sync_var]
    text: SyncVar<String>,
}

subjects! {
    DocData [int1 int2 my_string];
    PrimVars [
        v_byte v_sbyte v_char v_bool v_short v_ushort v_int v_uint v_long v_ulong v_float v_double
        v_decimal v_string
    ];
    UnityVars [
        v_vector2 v_vector3 v_vector4 v_vector2_int v_vector3_int v_color v_color32 v_quaternion
        v_rect v_plane v_ray v_layer_mask v_matrix v_guid v_date_time v_uri
    ];
    EnumVars [e_default e_byte e_sbyte e_short e_ushort e_uint e_long e_ulong e_flags];
    NullableVars [
        n_byte n_sbyte n_char n_bool n_short n_ushort n_int n_uint n_long n_ulong n_float n_double
        n_decimal n_vector3 n_quaternion n_color32 n_guid n_date_time
    ];
    PerfVars [i0 i1 i2 i3 f0 f1 f2 s];
    OrderVars [private_first list1 prot r#pub list2 inter];
    EmptyNB [];
    OneText [text];
}
