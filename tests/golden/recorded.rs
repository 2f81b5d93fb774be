//! Values as the recorder writes them, and as ours.

use syncvar::{
    Color, Color32, Decimal, Matrix4x4, NetId, NetworkHash128, NetworkReader, NetworkSceneId,
    NetworkWriter, Plane, Quaternion, Ray, ReadError, Rect, SyncValue, TypeSchema, Vector2,
    Vector3, Vector4,
};

use super::json::Json;
use super::rule::Rule;

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
        Ok(json.bool())
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

fn floats<const N: usize>(json: &Json) -> [f32; N] {
    let floats: Vec<f32> = json.at("f32").items().iter().map(float).collect();
    floats.try_into().expect("as many floats as the type has")
}

fn show_floats(floats: &[f32]) -> String {
    let floats: Vec<_> = floats.iter().map(Recorded::show).collect();
    format!("({})", floats.join(" "))
}

macro_rules! vectors {
    ($($type:ident $kind:literal [$($field:ident),+];)*) => {$(
        impl Recorded for $type {
            fn stands_for(kind: &str) -> bool {
                kind == $kind
            }

            fn from_json(json: &Json) -> Result<Self, Rule> {
                let [$($field),+] = floats(json.get("x_y_width_height").unwrap_or(json));
                Ok(Self { $($field),+ })
            }

            fn show(&self) -> String {
                show_floats(&[$(self.$field),+])
            }
        }
    )*};
}

vectors! {
    Vector2 "Vector2" [x, y];
    Vector3 "Vector3" [x, y, z];
    Vector4 "Vector4" [x, y, z, w];
    Quaternion "Quaternion" [x, y, z, w];
    Color "Color" [r, g, b, a];
    Rect "Rect" [x, y, width, height];
}

impl Recorded for Plane {
    fn stands_for(kind: &str) -> bool {
        kind == "Plane"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        let (normal, distance) = (json.at("normal"), json.at("distance"));
        Ok(Self {
            normal: Vector3::from_json(normal)?,
            distance: f32::from_json(distance)?,
        })
    }

    fn show(&self) -> String {
        format!("{} {}", self.normal.show(), self.distance.show())
    }
}

impl Recorded for Ray {
    fn stands_for(kind: &str) -> bool {
        kind == "Ray"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        let (origin, direction) = (json.at("origin"), json.at("direction"));
        Ok(Self {
            origin: Vector3::from_json(origin)?,
            direction: Vector3::from_json(direction)?,
        })
    }

    fn show(&self) -> String {
        format!("{} to {}", self.origin.show(), self.direction.show())
    }
}

impl Recorded for Matrix4x4 {
    fn stands_for(kind: &str) -> bool {
        kind == "Matrix4x4"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        let cells: [f32; 16] = floats(json.at("rows_m00_to_m33"));
        let mut matrix = Self::default();
        matrix.rows.as_flattened_mut().copy_from_slice(&cells);
        Ok(matrix)
    }

    fn show(&self) -> String {
        show_floats(self.rows.as_flattened())
    }
}

impl Recorded for Color32 {
    fn stands_for(kind: &str) -> bool {
        kind == "Color32"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        let [r, g, b, a] = json.items() else {
            panic!("four numbers, not {json:?}");
        };
        Ok(Self::new(r.number(), g.number(), b.number(), a.number()))
    }

    fn show(&self) -> String {
        format!("{self:?}")
    }
}

impl Recorded for Decimal {
    fn stands_for(kind: &str) -> bool {
        kind == "Decimal"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        let words: Vec<i32> = json.at("bits").items().iter().map(Json::number).collect();
        let words: [i32; 4] = words.try_into().expect("four words");
        Ok(Self::from_bits(words.map(i32::cast_unsigned)).expect("a valid decimal"))
    }

    fn show(&self) -> String {
        format!("{:08x?}", self.to_bits())
    }
}

impl Recorded for NetworkHash128 {
    fn stands_for(kind: &str) -> bool {
        kind == "NetworkHash128"
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        Ok(Self::parse(json.text()))
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// References to objects are recorded as `null`, `{"netId": n}` or `{"no_identity": true}`.
impl Recorded for NetId {
    fn stands_for(kind: &str) -> bool {
        [
            "NetworkInstanceId",
            "GameObject",
            "NetworkIdentity",
            "Transform",
        ]
        .contains(&kind)
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
        kind.starts_with("enum:") && !kind.ends_with("Int64")
    }

    fn from_json(json: &Json) -> Result<Self, Rule> {
        let [a, b, c, d, ..] = json.number::<i64>().to_le_bytes();
        Ok(Self(i32::from_le_bytes([a, b, c, d])))
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}
