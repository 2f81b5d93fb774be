//! Types of values: those that the client in TypeScript reads for each type of a schema.

use std::collections::{BTreeMap, HashMap};

use syncvar::schema::{SchemaMember, SchemaType, SchemaVariant};

use super::names::{Identifiers, key, quoted};

/// Types with a name whose members the client gives to the program.
const STRUCTS: [(&str, &str); 20] = [
    ("Vector2", "{ x: f32, y: f32 }"),
    ("Vector3", "{ x: f32, y: f32, z: f32 }"),
    ("Vector4", "{ x: f32, y: f32, z: f32, w: f32 }"),
    ("Quaternion", "{ x: f32, y: f32, z: f32, w: f32 }"),
    ("Color", "{ r: f32, g: f32, b: f32, a: f32 }"),
    ("Color32", "{ r: u8, g: u8, b: u8, a: u8 }"),
    ("Rect", "{ x: f32, y: f32, width: f32, height: f32 }"),
    ("Plane", "{ normal: Vector3, distance: f32 }"),
    ("Ray", "{ direction: Vector3, origin: Vector3 }"),
    ("Ray2D", "{ origin: Vector2, direction: Vector2 }"),
    ("IVec2", "{ x: i32, y: i32 }"),
    ("IVec3", "{ x: i32, y: i32, z: i32 }"),
    ("IVec4", "{ x: i32, y: i32, z: i32, w: i32 }"),
    ("UVec2", "{ x: u32, y: u32 }"),
    ("UVec3", "{ x: u32, y: u32, z: u32 }"),
    ("UVec4", "{ x: u32, y: u32, z: u32, w: u32 }"),
    ("DVec2", "{ x: f64, y: f64 }"),
    ("DVec3", "{ x: f64, y: f64, z: f64 }"),
    ("DVec4", "{ x: f64, y: f64, z: f64, w: f64 }"),
    ("DQuat", "{ x: f64, y: f64, z: f64, w: f64 }"),
];

/// Encodings that the client knows.
const ENCODINGS: [&str; 6] = [
    "ZigZag",
    "Fixed",
    "Bits",
    "Quantized",
    "Half",
    "SmallestThree",
];

/// Longest array with a type for each element.
const MAX_TUPLE: usize = 8;

/// Declarations of the structs and enumerations of a module.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) identifiers: Identifiers,
    /// Identifiers of declared types.
    known: HashMap<SchemaType, String>,
    /// Declarations by identifier.
    pub(super) declarations: BTreeMap<String, String>,
}

impl Values {
    pub(super) fn new(identifiers: Identifiers) -> Self {
        Self {
            identifiers,
            known: HashMap::new(),
            declarations: BTreeMap::new(),
        }
    }

    /// Returns the type of a value; `undefined` for a value that the client cannot read.
    pub(super) fn type_of(&mut self, value: &SchemaType) -> String {
        match value {
            SchemaType::Named(name) => self.named(name),
            SchemaType::Struct { name, members } if name.is_empty() => self.members(members),
            SchemaType::Struct { name, members } => self.declared(value, name, |values, name| {
                let lines = members.iter().map(|it| {
                    let doc = doc(&[code(&it.value)]);
                    let (key, of) = (key(&it.names.name), values.type_of(&it.value));
                    format!("{doc}  {key}: {of};\n")
                });
                let lines: String = lines.collect();
                format!("export interface {name} {{\n{lines}}}\n")
            }),
            SchemaType::Enum { name, variants } => self.declared(value, name, |values, name| {
                let variants = variants.iter().map(|it| values.variant(it));
                let variants: Vec<_> = variants.collect();
                match &variants[..] {
                    [] => format!("export type {name} = never;\n"),
                    [one] => format!("export type {name} = {one};\n"),
                    several => format!("export type {name} =\n  | {};\n", several.join("\n  | ")),
                }
            }),
            SchemaType::Sequence(of) if **of == SchemaType::Named("u8".into()) => {
                "Uint8Array".to_owned()
            }
            SchemaType::Array(of, _) if **of == SchemaType::Named("FixedString".into()) => {
                "string".to_owned()
            }
            SchemaType::Array(of, length) if *length <= MAX_TUPLE => {
                let of = self.type_of(of);
                format!("[{}]", vec![of; *length].join(", "))
            }
            SchemaType::Sequence(of) | SchemaType::Array(of, _) => self.list(of),
            SchemaType::Optional(of) => format!("{} | null", self.type_of(of)),
            SchemaType::Map(key, of) => {
                format!("Map<{}, {}>", self.type_of(key), self.type_of(of))
            }
            SchemaType::Set(of) => format!("Set<{}>", self.type_of(of)),
            SchemaType::Collection { name, parts } => self.collection(name, parts),
            SchemaType::Encoded { codec, value, .. } if ENCODINGS.contains(&codec.as_str()) => {
                self.type_of(value)
            }
            _ => "undefined".to_owned(),
        }
    }

    /// Returns a tuple, or an object of members.
    fn members(&mut self, members: &[SchemaMember]) -> String {
        let mut positions = (0..).zip(members);
        let is_tuple = positions.all(|(at, it): (usize, _)| it.names.name == at.to_string());
        if is_tuple && !members.is_empty() {
            let types: Vec<_> = members.iter().map(|it| self.type_of(&it.value)).collect();
            return format!("[{}]", types.join(", "));
        }
        let member = |it: &SchemaMember| {
            let of = self.type_of(&it.value);
            format!("{}: {of}", key(&it.names.name))
        };
        let members: Vec<_> = members.iter().map(member).collect();
        format!("{{ {} }}", members.join("; ")).replace("{  }", "{}")
    }

    fn variant(&mut self, variant: &SchemaVariant) -> String {
        let name = &variant.names.name;
        if variant.members.is_empty() {
            return quoted(name);
        }
        format!("{{ {}: {} }}", key(name), self.members(&variant.members))
    }

    fn list(&mut self, of: &SchemaType) -> String {
        let of = self.type_of(of);
        if of.contains(" | ") {
            format!("({of})[]")
        } else {
            format!("{of}[]")
        }
    }

    fn collection(&mut self, name: &str, parts: &[SchemaType]) -> String {
        match (name, parts) {
            ("SyncList", [of]) => self.list(of),
            ("SyncHashSet" | "SyncSortedSet", [of]) => format!("Set<{}>", self.type_of(of)),
            ("SyncDictionary", [key, of]) => {
                format!("Map<{}, {}>", self.type_of(key), self.type_of(of))
            }
            _ => self.named(name),
        }
    }

    fn named(&mut self, name: &str) -> String {
        if let Some((_, members)) = STRUCTS.iter().find(|(it, _)| *it == name) {
            let value = SchemaType::parse(&format!("{name} {members}"));
            return value.map_or_else(|_| "undefined".to_owned(), |value| self.type_of(&value));
        }
        let integer = name.strip_prefix("NonZero").unwrap_or(name);
        let of = match &*integer.to_ascii_lowercase() {
            "u8" | "i8" | "u16" | "i16" | "u32" | "i32" => "number",
            "u64" | "i64" | "u128" | "i128" => "bigint",
            _ => match name {
                "bool" => "boolean",
                "f32" | "f64" | "NetId" | "NetRef" | "NetworkSceneId" | "LayerMask" | "OaDate"
                | "Duration" => "number",
                "char" | "String" | "FixedString" | "NetworkHash128" | "Uuid" | "Decimal" => {
                    "string"
                }
                "Matrix4x4" | "Mat2" | "Mat3" => "number[]",
                "Postcard" => "Uint8Array",
                "BehaviourRef" => "{ object: number; behaviour: number } | null",
                _ => "undefined",
            },
        };
        of.to_owned()
    }

    /// Returns the identifier of a type, and declares the type by it at its first use.
    fn declared(
        &mut self,
        value: &SchemaType,
        name: &str,
        declare: impl FnOnce(&mut Self, &str) -> String,
    ) -> String {
        if let Some(identifier) = self.known.get(value) {
            return identifier.clone();
        }
        let identifier = self.identifiers.claim(name);
        self.known.insert(value.clone(), identifier.clone());
        let declaration = declare(self, &identifier);
        self.declarations.insert(identifier.clone(), declaration);
        identifier
    }
}

/// Returns a type as code in a documentation, with structs and enumerations by name alone.
pub(super) fn code(value: &SchemaType) -> String {
    format!("`{}`", outline(value))
}

fn outline(value: &SchemaType) -> SchemaType {
    let boxed = |of: &SchemaType| Box::new(outline(of));
    match value {
        SchemaType::Struct { name, members } if name.is_empty() => SchemaType::Struct {
            name: String::new(),
            members: members.iter().map(outline_member).collect(),
        },
        SchemaType::Struct { name, .. } | SchemaType::Enum { name, .. } => {
            SchemaType::Named(name.clone())
        }
        SchemaType::Sequence(of) => SchemaType::Sequence(boxed(of)),
        SchemaType::Array(of, length) => SchemaType::Array(boxed(of), *length),
        SchemaType::Optional(of) => SchemaType::Optional(boxed(of)),
        SchemaType::Map(key, of) => SchemaType::Map(boxed(key), boxed(of)),
        SchemaType::Set(of) => SchemaType::Set(boxed(of)),
        SchemaType::Collection { name, parts } => SchemaType::Collection {
            name: name.clone(),
            parts: parts.iter().map(outline).collect(),
        },
        SchemaType::Encoded {
            codec,
            parameters,
            value,
        } => SchemaType::Encoded {
            codec: codec.clone(),
            parameters: parameters.clone(),
            value: boxed(value),
        },
        other => other.clone(),
    }
}

fn outline_member(member: &SchemaMember) -> SchemaMember {
    SchemaMember {
        names: member.names.clone(),
        value: outline(&member.value),
    }
}

/// Returns a line of documentation inside an interface.
pub(super) fn doc(parts: &[String]) -> String {
    let text = parts.join(", ").replace("*/", "* /");
    format!("  /** {text}. */\n")
}
