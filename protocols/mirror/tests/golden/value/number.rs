//! Numbers, of which 64-bit ones are recorded as text and floats by their bits.

use serde_json::{Value, json};
use syncvar::{SyncValue, values::Decimal};

use super::Recorded;
use crate::golden::json::Json;

macro_rules! numbers {
    ($($type:ident $kind:literal;)*) => {$(
        impl Recorded for $type {
            fn kind() -> String {
                $kind.into()
            }

            fn from_json(json: &Value) -> Self {
                json.number()
            }

            fn to_json(&self) -> Value {
                json!(self.to_string())
            }
        }
    )*};
}

numbers! {
    u8 "byte";
    i8 "sbyte";
    i16 "short";
    u16 "ushort";
    i32 "int";
    u32 "uint";
    i64 "long";
    u64 "ulong";
}

/// Numbers of other names: enumerations, whose values need not be declared, a `char`, which is a code
/// unit of UTF-16, and a `LayerMask`.
macro_rules! named_numbers {
    ($($(#[$meta:meta])* $name:ident($type:ident) $kind:literal;)*) => {$(
        $(#[$meta])*
        #[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) $type);

        impl Recorded for $name {
            fn kind() -> String {
                $kind.into()
            }

            fn from_json(json: &Value) -> Self {
                Self(json.number())
            }

            fn to_json(&self) -> Value {
                json!(self.0.to_string())
            }
        }
    )*};
}

named_numbers! {
    CodeUnit(u16) "char";
    EDefault(i32) "EDefault";
    EByte(u8) "EByte";
    ESByte(i8) "ESByte";
    EShort(i16) "EShort";
    EUShort(u16) "EUShort";
    EUInt(u32) "EUInt";
    ELong(i64) "ELong";
    EULong(u64) "EULong";
    EFlags(i32) "EFlags";
    MonsterKind(u8) "MonsterKind";
}

/// The lower 16 bits of a mask of layers: the others do not travel.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LayerMask(u16);

impl Recorded for LayerMask {
    fn kind() -> String {
        "LayerMask".into()
    }

    fn from_json(json: &Value) -> Self {
        let mask: u32 = json.number();
        Self((mask & 0xffff) as u16)
    }

    fn to_json(&self) -> Value {
        json!(self.0.to_string())
    }
}

impl Recorded for bool {
    fn kind() -> String {
        "bool".into()
    }

    fn from_json(json: &Value) -> Self {
        json.truth()
    }

    fn to_json(&self) -> Value {
        json!(self)
    }
}

/// One `char` that is a whole character.
impl Recorded for char {
    fn kind() -> String {
        "char".into()
    }

    fn from_json(json: &Value) -> Self {
        Self::from_u32(json.number()).expect("no lone surrogate")
    }

    fn to_json(&self) -> Value {
        json!(u32::from(*self).to_string())
    }
}

impl Recorded for f32 {
    fn kind() -> String {
        "float".into()
    }

    fn from_json(json: &Value) -> Self {
        let bits = u32::from_str_radix(json.at("bits").text(), 16).expect("the bits of a float");
        Self::from_bits(bits)
    }

    fn to_json(&self) -> Value {
        json!({ "bits": format!("{:08x}", self.to_bits()) })
    }

    fn is_equal_in_csharp(&self, other: &Self) -> bool {
        self.total_cmp(other).is_eq()
            || self.is_nan() && other.is_nan()
            || self.abs().to_bits() == 0 && other.abs().to_bits() == 0
    }
}

impl Recorded for f64 {
    fn kind() -> String {
        "double".into()
    }

    fn from_json(json: &Value) -> Self {
        let bits = u64::from_str_radix(json.at("bits").text(), 16).expect("the bits of a double");
        Self::from_bits(bits)
    }

    fn to_json(&self) -> Value {
        json!({ "bits": format!("{:016x}", self.to_bits()) })
    }

    fn is_equal_in_csharp(&self, other: &Self) -> bool {
        self.total_cmp(other).is_eq()
            || self.is_nan() && other.is_nan()
            || self.abs().to_bits() == 0 && other.abs().to_bits() == 0
    }
}

impl Recorded for Decimal {
    fn kind() -> String {
        "decimal".into()
    }

    fn from_json(json: &Value) -> Self {
        let words = json.at("lo_mid_hi_flags").list().iter();
        let words = words.map(|word| u32::from_str_radix(word.text(), 16).expect("a word"));
        let words: Vec<_> = words.collect();
        Self::from_bits(words.try_into().expect("four words")).expect("a valid decimal")
    }

    fn to_json(&self) -> Value {
        json!(self.to_bits().map(|word| format!("{word:08x}")))
    }

    /// Without the zeros at the end: `1.0` is `1.00`.
    fn is_equal_in_csharp(&self, other: &Self) -> bool {
        let shortest = |decimal: &Self| {
            let text = decimal.to_string();
            let text = text.trim_start_matches('-').to_string();
            let text = if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.')
            } else {
                &text
            };
            let negative = decimal.to_bits()[3] >> 31 == 1 && text != "0";
            (negative, text.to_string())
        };
        shortest(self) == shortest(other)
    }
}

/// A date and time as OLE automation counts it: days since 30 December 1899.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DateTime(f64);

impl DateTime {
    /// The bits of the number of days.
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(f64::from_bits(bits))
    }
}

impl Recorded for DateTime {
    fn kind() -> String {
        "DateTime".into()
    }

    fn from_json(json: &Value) -> Self {
        Self(f64::from_json(json.at("oadate")))
    }

    fn to_json(&self) -> Value {
        self.0.to_json()
    }
}
