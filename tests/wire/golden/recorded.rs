//! Values as the recorder writes them, and as ours.

mod unity;

use syncvar::{
    NetId, NetRef, NetworkSceneId, SyncValue,
    schema::TypeSchema,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::rule::Rule;
use syncvar_testing::golden::{Json, Node};

/// A value that stands in the recordings.
pub(crate) trait Recorded: SyncValue {
    /// Whether this is the type that the recorder calls so.
    fn stands_for(kind: &str) -> bool;

    /// The value, or the rule by which Rust has no such value.
    fn from_json(json: &Json) -> Result<Self, Rule>;

    /// The value as text, exact to the bit: two values are the same when their texts are.
    fn show(&self) -> String;

    /// A list of such values; `u8` has a form of its own.
    fn list_from_json(json: &Json) -> Result<Vec<Self>, Rule> {
        json.items().iter().map(Self::from_json).collect()
    }
}

macro_rules! numbers {
    ($($type:ident $kind:literal;)*) => {$(
        impl Recorded for $type {
            fn stands_for(kind: &str) -> bool {
                kind == $kind
            }

            fn from_json(json: &Json) -> Result<Self, Rule> {
                Ok(json.number())
            }

            fn show(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

numbers! {
    i8 "SByte";
    i16 "Int16";
    u16 "UInt16";
    i32 "Int32";
    u32 "UInt32";
    i64 "Int64";
    u64 "UInt64";
}

impl Recorded for u8 {
    fn stands_for(kind: &str) -> bool {
        kind == "Byte"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        Ok(json.number())
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn list_from_json(json: &Json) -> Result<Vec<Self>, Rule> {
        Ok(match (json.get("bytes"), json.get("bytes_len")) {
            (Some(bytes), _) => bytes.hex(),
            (None, Some(length)) => generated(json, length.number()),
            (None, None) => Vec::new(),
        })
    }
}

/// Bytes that are recorded as a rule: `b[i] = i * gen_mul + gen_add`.
fn generated(json: &Json, length: u32) -> Vec<u8> {
    let (mul, add): (u32, u32) = (json.at("gen_mul").number(), json.at("gen_add").number());
    (0..length)
        .map(|i| i.wrapping_mul(mul).wrapping_add(add).to_le_bytes()[0])
        .collect()
}

impl<T: Recorded> Recorded for Vec<T> {
    fn stands_for(kind: &str) -> bool {
        kind.strip_suffix("[]").is_some_and(T::stands_for)
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        T::list_from_json(json)
    }

    fn show(&self) -> String {
        let elements: Vec<_> = self.iter().map(T::show).collect();
        format!("[{}]", elements.join(", "))
    }
}

impl Recorded for bool {
    fn stands_for(kind: &str) -> bool {
        kind == "Boolean"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        Ok(json.truth())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// C#'s `char` is a UTF-16 code unit.
impl Recorded for char {
    fn stands_for(kind: &str) -> bool {
        kind == "Char"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        Self::from_u32(json.number()).ok_or(Rule::LoneSurrogate)
    }

    fn show(&self) -> String {
        u32::from(*self).to_string()
    }
}

impl Recorded for String {
    fn stands_for(kind: &str) -> bool {
        kind == "String"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        if json.is_null() {
            return Ok(Self::new());
        }
        if let Some(text) = json.get("repeat") {
            return Ok(text.text().repeat(json.at("n").number()));
        }
        if let Some(units) = json.get("utf16") {
            let units: Vec<u16> = units.items().iter().map(Json::number).collect();
            return Self::from_utf16(&units).map_err(|_| Rule::LoneSurrogate);
        }
        Ok(json.text().into())
    }

    fn show(&self) -> String {
        format!("{self:?}")
    }
}

impl Recorded for f32 {
    fn stands_for(kind: &str) -> bool {
        kind == "Single"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        Ok(float(json.at("bits")))
    }

    fn show(&self) -> String {
        format!("{:08x}", self.to_bits())
    }
}

fn float(bits: &Json) -> f32 {
    f32::from_bits(u32::from_str_radix(bits.text(), 16).expect("8 hexadecimal digits"))
}

impl Recorded for f64 {
    fn stands_for(kind: &str) -> bool {
        kind == "Double"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        let bits = json.at("bits").text();
        Ok(Self::from_bits(
            u64::from_str_radix(bits, 16).expect("16 hexadecimal digits"),
        ))
    }

    fn show(&self) -> String {
        format!("{:016x}", self.to_bits())
    }
}

/// References to objects are recorded as `null`, `{"netId": n}` or `{"no_identity": true}`.
impl Recorded for NetId {
    fn stands_for(kind: &str) -> bool {
        kind == "NetworkInstanceId"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        let number = match json {
            Json::Number(_) => json.number(),
            _ => json.get("netId").map_or(0, Json::number),
        };
        Ok(Self(number))
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl Recorded for NetRef {
    fn stands_for(kind: &str) -> bool {
        ["GameObject", "NetworkIdentity", "Transform"].contains(&kind)
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        NetId::from_json(json).map(Self::from)
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl Recorded for NetworkSceneId {
    fn stands_for(kind: &str) -> bool {
        kind == "NetworkSceneId"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        Ok(Self(json.number()))
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}

/// Whether this is `enum:name:type`, with one of these types below it.
pub(crate) fn is_enum(kind: &str, types: &[&str]) -> bool {
    let name_and_type = kind.strip_prefix("enum:");
    let name_and_type = name_and_type.and_then(|kind| kind.split_once(':'));
    name_and_type.is_some_and(|(_, below)| types.contains(&below))
}

/// A C# enumeration of up to 32 bits, which can hold any number, in the four bytes that all of them
/// take.
#[derive(Clone, Default)]
pub(crate) struct EnumNumber(i32);

impl EnumNumber {
    pub(crate) fn new(number: i32) -> Self {
        Self(number)
    }
}

impl SyncValue for EnumNumber {
    const SCHEMA: TypeSchema = TypeSchema::Named("enum");

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_enum(self.0);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_enum().map(Self)
    }

    fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Recorded for EnumNumber {
    fn stands_for(kind: &str) -> bool {
        let up_to_32_bits = ["Byte", "SByte", "Int16", "UInt16", "Int32", "UInt32"];
        is_enum(kind, &up_to_32_bits)
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        let [a, b, c, d, ..] = json.number::<i64>().to_le_bytes();
        Ok(Self(i32::from_le_bytes([a, b, c, d])))
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}
