//! The calls of UNet's `NetworkWriter` and `NetworkReader`, and ours that stand for them.

use syncvar::{
    NetId, NetRef, NetworkSceneId,
    values::{
        Color, Color32, Decimal, Matrix4x4, NetworkHash128, Plane, Quaternion, Ray, Rect, Vector2,
        Vector3, Vector4,
    },
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::recorded::Recorded;
use super::rule::Rule;
use syncvar_testing::golden::Json;

/// A pair of calls, one for each direction.
pub(crate) trait Codec {
    /// A recorded value as text, or the rule by which Rust has no such value.
    fn show(&self, value: &Json) -> Result<String, Rule>;

    fn write(&self, value: &Json) -> Result<NetworkWriter, Rule>;

    /// The value as text.
    fn read(&self, reader: &mut NetworkReader<'_>) -> Result<String, ReadError>;
}

struct Typed<T> {
    write: fn(&mut NetworkWriter, &T),
    read: fn(&mut NetworkReader<'_>) -> Result<T, ReadError>,
}

impl<T: Recorded> Codec for Typed<T> {
    fn show(&self, value: &Json) -> Result<String, Rule> {
        Ok(T::from_json(value)?.show())
    }

    fn write(&self, value: &Json) -> Result<NetworkWriter, Rule> {
        let mut writer = NetworkWriter::new();
        (self.write)(&mut writer, &T::from_json(value)?);
        Ok(writer)
    }

    fn read(&self, reader: &mut NetworkReader<'_>) -> Result<String, ReadError> {
        (self.read)(reader).map(|value| value.show())
    }
}

/// The codec of a writer's call, as the recordings name it.
pub(crate) fn by_write_call(call: &str) -> Option<Box<dyn Codec>> {
    find(|write_call, _| write_call == call)
}

/// The codec of a reader's call, as the recordings name it.
pub(crate) fn by_read_call(call: &str) -> Option<Box<dyn Codec>> {
    find(|_, read_call| read_call == call)
}

macro_rules! codecs {
    ($($write_call:literal, $read_call:literal: $type:ty = $write:expr, $read:expr;)*) => {
        fn find(is_wanted: impl Fn(&str, &str) -> bool) -> Option<Box<dyn Codec>> {
            $(if is_wanted($write_call, $read_call) {
                return Some(Box::new(Typed::<$type> { write: $write, read: $read }));
            })*
            None
        }
    };
}

codecs! {
    "WritePackedUInt32", "ReadPackedUInt32": u32 =
        |w, v| w.write_packed_u32(*v), |r| r.read_packed_u32();
    "WritePackedUInt64", "ReadPackedUInt64": u64 =
        |w, v| w.write_packed_u64(*v), |r| r.read_packed_u64();
    "WritePackedUInt32((uint)int)", "": i32 = |w, v| w.write(v), |r| r.read();
    "WritePackedUInt64((ulong)long)", "": i64 = |w, v| w.write(v), |r| r.read();
    "Write(bool)", "ReadBoolean": bool = |w, v| w.write_bool(*v), |r| r.read_bool();
    "Write(byte)", "ReadByte": u8 = |w, v| w.write_u8(*v), |r| r.read_u8();
    "Write(sbyte)", "ReadSByte": i8 = |w, v| w.write_i8(*v), |r| r.read_i8();
    "Write(char)", "ReadChar": u16 =
        |w, v| w.write_char_low_byte(*v), |r| r.read_char_low_byte();
    "Write(short)", "ReadInt16": i16 = |w, v| w.write_i16(*v), |r| r.read_i16();
    "Write(ushort)", "ReadUInt16": u16 = |w, v| w.write_u16(*v), |r| r.read_u16();
    "Write(int)", "ReadInt32": i32 = |w, v| w.write_i32(*v), |r| r.read_i32();
    "Write(uint)", "ReadUInt32": u32 = |w, v| w.write_u32(*v), |r| r.read_u32();
    "Write(long)", "ReadInt64": i64 = |w, v| w.write_i64(*v), |r| r.read_i64();
    "Write(ulong)", "ReadUInt64": u64 = |w, v| w.write_u64(*v), |r| r.read_u64();
    "Write(float)", "ReadSingle": f32 = |w, v| w.write_f32(*v), |r| r.read_f32();
    "Write(double)", "ReadDouble": f64 = |w, v| w.write_f64(*v), |r| r.read_f64();
    "Write(decimal)", "ReadDecimal": Decimal = |w, v| w.write_decimal(*v), |r| r.read_decimal();
    "Write(string)", "ReadString": String =
        |w, v| w.write_string(v), |r| r.read_string().map(String::from);
    "WriteBytesFull", "ReadBytesAndSize": Vec<u8> =
        |w, v| w.write_bytes_and_size(v), |r| r.read_bytes_and_size().map(Vec::from);
    "Write(Vector2)", "ReadVector2": Vector2 = |w, v| w.write(v), |r| r.read();
    "Write(Vector3)", "ReadVector3": Vector3 = |w, v| w.write(v), |r| r.read();
    "Write(Vector4)", "ReadVector4": Vector4 = |w, v| w.write(v), |r| r.read();
    "Write(Quaternion)", "ReadQuaternion": Quaternion = |w, v| w.write(v), |r| r.read();
    "Write(Color)", "ReadColor": Color = |w, v| w.write(v), |r| r.read();
    "Write(Color32)", "ReadColor32": Color32 = |w, v| w.write(v), |r| r.read();
    "Write(Rect)", "ReadRect": Rect = |w, v| w.write(v), |r| r.read();
    "Write(Plane)", "ReadPlane": Plane = |w, v| w.write(v), |r| r.read();
    "Write(Ray)", "ReadRay": Ray = |w, v| w.write(v), |r| r.read();
    "Write(Matrix4x4)", "ReadMatrix4x4": Matrix4x4 = |w, v| w.write(v), |r| r.read();
    "Write(NetworkHash128)", "ReadNetworkHash128": NetworkHash128 =
        |w, v| w.write(v), |r| r.read();
    "Write(NetworkInstanceId)", "ReadNetworkId": NetId = |w, v| w.write(v), |r| r.read();
    "Write(NetworkSceneId)", "ReadSceneId": NetworkSceneId = |w, v| w.write(v), |r| r.read();
    "Write(NetworkIdentity)", "ReadNetworkIdentity": NetRef = |w, v| w.write(v), |r| r.read();
    "Write(GameObject)", "ReadGameObject": NetRef = |w, v| w.write(v), |r| r.read();
    "Write(Transform)", "ReadTransform": NetRef = |w, v| w.write(v), |r| r.read();
}
