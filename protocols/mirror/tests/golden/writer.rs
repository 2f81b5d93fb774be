//! `writer.json`, `writer_random.json`: one value at a time.

use serde_json::Value;
use syncvar::{
    BehaviourRef, NetRef,
    codec::{Half, SyncCodec},
    values::{
        Color, Color32, Decimal, Matrix4x4, Plane, Quaternion, Ray, Rect, Vector2, Vector2Int,
        Vector3, Vector3Int, Vector4,
    },
    wire::{Encoding, NetworkReader, NetworkWriter},
};

use syncvar_mirror::CompressedQuaternion;

use super::classes::plain::EmptyNB;
use super::classes::structs::{
    EmptyStruct, Hidden, Item, ItemClass, ItemClassChild, Money, Nested, Segment,
};
use super::differences::Rule;
use super::json::Json;
use super::value::number::{
    CodeUnit, DateTime, EByte, EDefault, EFlags, ELong, ESByte, EShort, EUInt, EULong, EUShort,
    LayerMask,
};
use super::value::unity::{Guid, Uri};
use super::value::{Recorded, Text};
use crate::{Report, Verdict};
use syncvar_testing::golden::{same, same_bytes};

/// One value both ways.
type Test = fn(&Value) -> Result<(), String>;

fn bytes_of<T: Recorded>(value: &T) -> Result<Vec<u8>, String> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write(value);
    match writer.error() {
        Some(error) => Err(format!("not written: {error}")),
        None => Ok(writer.as_bytes().to_vec()),
    }
}

/// The value is written as recorded, and read back to what it was, or to what was recorded of that.
fn both_ways<T: Recorded>(case: &Value) -> Result<(), String> {
    let (bytes, value) = (case.at("hex").hex(), case.at("value"));
    same_bytes("written", &bytes_of(&T::from_json(value))?, &bytes)?;
    let back = case.get("reads_back_as").unwrap_or(value);
    reads_back::<T>(&bytes, back)
}

fn reads_back<T: Recorded>(bytes: &[u8], back: &Value) -> Result<(), String> {
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::Mirror);
    let read: T = reader
        .read()
        .map_err(|error| format!("not read: {error}"))?;
    reader
        .finish()
        .map_err(|error| format!("left over: {error}"))?;
    same("read back", &read.to_json(), &T::canonical(back))
}

/// Unity's constructor makes the normal of what is read one long again; ours stays as it was sent.
fn plane<T: Recorded>(case: &Value) -> Result<(), String> {
    let (bytes, value) = (case.at("hex").hex(), case.at("value"));
    same_bytes("written", &bytes_of(&T::from_json(value))?, &bytes)?;
    reads_back::<T>(&bytes, value)
}

/// Of a set in no order, what is written is only as long.
fn unordered<T: Recorded>(case: &Value) -> Result<(), String> {
    let (bytes, value) = (case.at("hex").hex(), case.at("value"));
    let written = bytes_of(&T::from_json(value))?;
    same("bytes written", &written.len(), &bytes.len())?;
    reads_back::<T>(&written, value)?;
    reads_back::<T>(&bytes, value)
}

/// Types by the writer that the weaver picks for them.
macro_rules! types {
    ($($kind:literal: $type:ty,)*) => {
        fn by_type(kind: &str) -> Option<Test> {
            Some(match kind {
                $($kind => both_ways::<$type>,)*
                "Plane" => plane::<Plane>,
                "Plane?" => plane::<Option<Plane>>,
                "HashSet<int>" => |case| {
                    both_ways::<Option<Vec<i32>>>(case)?;
                    unordered::<Option<std::collections::HashSet<i32>>>(case)?;
                    unordered::<Option<std::collections::BTreeSet<i32>>>(case)
                },
                "char" => |case| {
                    both_ways::<CodeUnit>(case)?;
                    match char::from_u32(case.at("value").number()) {
                        Some(_) => both_ways::<char>(case),
                        None => Ok(()),
                    }
                },
                _ => return None,
            })
        }
    };
}

types! {
    "byte": u8, "byte?": Option<u8>,
    "sbyte": i8, "sbyte?": Option<i8>,
    "char?": Option<CodeUnit>,
    "bool": bool, "bool?": Option<bool>,
    "short": i16, "short?": Option<i16>,
    "ushort": u16, "ushort?": Option<u16>,
    "int": i32, "int?": Option<i32>,
    "uint": u32, "uint?": Option<u32>,
    "long": i64, "long?": Option<i64>,
    "ulong": u64, "ulong?": Option<u64>,
    "float": f32, "float?": Option<f32>,
    "double": f64, "double?": Option<f64>,
    "decimal": Decimal, "decimal?": Option<Decimal>,
    "string": Text,
    "byte[]": Option<Vec<u8>>, "ArraySegment<byte>": Option<Vec<u8>>,
    "Vector2": Vector2, "Vector2?": Option<Vector2>,
    "Vector3": Vector3, "Vector3?": Option<Vector3>,
    "Vector4": Vector4, "Vector4?": Option<Vector4>,
    "Vector2Int": Vector2Int, "Vector2Int?": Option<Vector2Int>,
    "Vector3Int": Vector3Int, "Vector3Int?": Option<Vector3Int>,
    "Color": Color, "Color?": Option<Color>,
    "Color32": Color32, "Color32?": Option<Color32>,
    "Quaternion": Quaternion, "Quaternion?": Option<Quaternion>,
    "Rect": Rect, "Rect?": Option<Rect>,
    "Ray": Ray, "Ray?": Option<Ray>,
    "LayerMask": LayerMask, "LayerMask?": Option<LayerMask>,
    "Matrix4x4": Matrix4x4, "Matrix4x4?": Option<Matrix4x4>,
    "Guid": Guid, "Guid?": Option<Guid>,
    "Uri": Uri,
    "DateTime": DateTime, "DateTime?": Option<DateTime>,
    "int[]": Option<Vec<i32>>, "List<int>": Option<Vec<i32>>, "ArraySegment<int>": Segment,
    "string[]": Option<Vec<Text>>, "List<string>": Option<Vec<Text>>,
    "List<Item>": Option<Vec<Item>>, "List<List<int>>": Option<Vec<Option<Vec<i32>>>>,
    "Vector3[]": Option<Vec<Vector3>>, "ulong[]": Option<Vec<u64>>,
    "bool[]": Option<Vec<bool>>, "EByte[]": Option<Vec<EByte>>,
    "Item": Item, "Nested": Nested, "Hidden": Hidden, "EmptyStruct": EmptyStruct,
    "ItemClass": Option<ItemClass>, "ItemClassChild": Option<ItemClassChild>,
    "Money": Money,
    "EDefault": EDefault, "EByte": EByte, "ESByte": ESByte, "EShort": EShort,
    "EUShort": EUShort, "EUInt": EUInt, "ELong": ELong, "EULong": EULong, "EFlags": EFlags,
    "NetworkIdentity": NetRef, "GameObject": NetRef, "Transform": NetRef,
    "NetworkBehaviour": BehaviourRef<EmptyNB>,
}

/// Integers of a fixed width: what the weaver picks for none, and an `Option` of them has.
fn fixed_width(call: &str) -> Option<Test> {
    macro_rules! fixed {
        ($type:ty) => {
            |case| {
                let mut nullable = vec![1];
                nullable.extend(case.at("hex").hex());
                let value = Some(<$type>::from_json(case.at("value")));
                same_bytes("written", &bytes_of(&value)?, &nullable)?;
                reads_back::<Option<$type>>(&nullable, case.at("value"))
            }
        };
    }
    Some(match call {
        "WriteInt" => fixed!(i32),
        "WriteUInt" => fixed!(u32),
        "WriteLong" => fixed!(i64),
        "WriteULong" => fixed!(u64),
        _ => return None,
    })
}

fn unity_only(kind: &str) -> bool {
    ["Texture2D", "Sprite"].contains(&kind)
}

pub(crate) fn run(json: &Value, report: &mut Report) {
    if let Some(picked) = json.get("weaver_writer_per_type") {
        for pair in picked.list() {
            let kind = pair.list()[0].text();
            report.case("weaver", kind, || picked_writer(kind, json));
        }
    }
    for (index, case) in json.at("cases").list().iter().enumerate() {
        let (call, kind) = (case.at("call").text(), case.at("type").text());
        let name = format!("{index} {call} {}", case.brief());
        report.case(kind, &name, || one(call, kind, case));
    }
}

/// That the right writer is picked for a type shows in its cases: they are written by it.
fn picked_writer(kind: &str, json: &Value) -> Result<Verdict, String> {
    if unity_only(kind) {
        return Ok(Verdict::Ruled(Rule::NoSuchType));
    }
    let mut cases = json.at("cases").list().iter();
    let has_cases = cases.any(|case| case.at("type").text() == kind);
    // `Half` has a codec and no type of its own; `DocData` is a reference to a component.
    let known = by_type(kind).is_some() || kind == "Half" || kind == "DocData";
    if known && (has_cases || kind == "DocData") {
        return Ok(Verdict::Matched);
    }
    Err(format!("no cases for `{kind}`, or no type"))
}

fn one(call: &str, kind: &str, case: &Value) -> Result<Verdict, String> {
    if unity_only(kind) {
        return Ok(Verdict::Ruled(Rule::NoSuchType));
    }
    if case.get("throws").is_some() {
        return refused(case);
    }
    if let Some(repeat) = case.get("value_repeat") {
        return long(kind, repeat, case).map(|()| Verdict::Matched);
    }
    let test = match call {
        _ if kind == "Half" => return half(case).map(|()| Verdict::Matched),
        "Compression.CompressQuaternion" => {
            return compressed_rotation(case).map(|()| Verdict::Matched);
        }
        "Compression.CompressVarUInt" => both_ways::<u64>,
        "Compression.CompressVarInt" => both_ways::<i64>,
        _ => {
            let test = fixed_width(call).or_else(|| by_type(kind));
            test.ok_or_else(|| format!("no type for `{kind}`"))?
        }
    };
    test(case)?;
    Ok(Verdict::Matched)
}

/// `CompressedQuaternion` as Mirror has it, there and back.
fn compressed_rotation(case: &Value) -> Result<(), String> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    CompressedQuaternion::write(&Quaternion::from_json(case.at("value")), &mut writer);
    let expected = u32::from_str_radix(case.at("result_u32").text(), 16);
    let expected = expected.map_err(|error| error.to_string())?.to_le_bytes();
    same_bytes("compressed", writer.as_bytes(), &expected)?;
    let mut reader = NetworkReader::with_encoding(&expected, Encoding::Mirror);
    let read: Quaternion =
        CompressedQuaternion::read(&mut reader).map_err(|error| error.to_string())?;
    if read.to_json() != Quaternion::canonical(case.at("decompressed")) {
        return Err(format!("decompressed to {read:?}"));
    }
    Ok(())
}

/// What Mirror's writer throws at is an error of ours, and nothing is written.
fn refused(case: &Value) -> Result<Verdict, String> {
    let described = case.at("value_desc").text();
    if described.starts_with("lone surrogate") {
        // No `String` has one.
        return Ok(Verdict::Ruled(Rule::NoSuchValue));
    }
    let text = match described {
        "65535 x 's'" => "s".repeat(65_535),
        other => return Err(format!("`{other}` is not understood")),
    };
    match bytes_of(&text) {
        Err(_) => Ok(Verdict::Matched),
        Ok(_) => Err("it was written".into()),
    }
}

/// A value that is recorded as so many of something, of which the beginning is recorded.
fn long(kind: &str, repeat: &Value, case: &Value) -> Result<(), String> {
    let count: usize = repeat.at("count").number();
    let (written, back) = match kind {
        "string" => {
            let text = repeat.at("of").text().repeat(count);
            let written = bytes_of(&text)?;
            let read = read::<String>(&written)?;
            (written, read == text)
        }
        "byte[]" => {
            let bytes = vec![repeat.at("of").number::<u8>(); count];
            let written = bytes_of(&bytes)?;
            let read = read::<Vec<u8>>(&written)?;
            (written, read == bytes)
        }
        other => return Err(format!("many of `{other}`")),
    };
    let prefix = case.at("hex_prefix").hex();
    same_bytes("the beginning", &written[..prefix.len()], &prefix)?;
    let length: usize = case.at("total_len").number();
    same("length", &written.len(), &length)?;
    same("read back", &back, &true)
}

fn read<T: Recorded>(bytes: &[u8]) -> Result<T, String> {
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::Mirror);
    reader.read().map_err(|error| format!("not read: {error}"))
}

/// Half precision: the value is not recorded, so what is read is written again.
fn half(case: &Value) -> Result<(), String> {
    let bytes = case.at("hex").hex();
    let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
    let value = <Half as SyncCodec<f32>>::read(&mut reader);
    let value = value.map_err(|error| format!("not read: {error}"))?;
    reader
        .finish()
        .map_err(|error| format!("left over: {error}"))?;
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    <Half as SyncCodec<f32>>::write(&value, &mut writer);
    same_bytes("written again", writer.as_bytes(), &bytes)
}
