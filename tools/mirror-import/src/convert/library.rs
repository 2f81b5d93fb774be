//! Types of .NET, Unity and Mirror that travel.

use crate::model::{Shape, ValueType};

/// A type of a library.
struct Library {
    /// Names in C#, without the namespace.
    names: &'static [&'static str],
    /// Full name in C#.
    csharp: &'static str,
    rust: &'static str,
    shape: Shape,
    is_value: bool,
    /// Whether it can be a key.
    is_key: bool,
}

const fn value(
    names: &'static [&'static str],
    csharp: &'static str,
    rust: &'static str,
    shape: Shape,
) -> Library {
    Library {
        names,
        csharp,
        rust,
        shape,
        is_value: true,
        is_key: false,
    }
}

impl Library {
    /// Makes it a value that can be a key.
    const fn or_key(mut self) -> Self {
        self.is_key = true;
        self
    }
}

/// An integer, which can be a key.
const fn number(
    names: &'static [&'static str],
    csharp: &'static str,
    rust: &'static str,
) -> Library {
    value(names, csharp, rust, Shape::Integer).or_key()
}

/// A value that can be a key.
const fn key(
    names: &'static [&'static str],
    csharp: &'static str,
    rust: &'static str,
    shape: Shape,
) -> Library {
    value(names, csharp, rust, shape).or_key()
}

/// An object of the network, or a text: a reference in C#, which can be a key.
const fn reference(
    names: &'static [&'static str],
    csharp: &'static str,
    rust: &'static str,
    shape: Shape,
) -> Library {
    let mut library = key(names, csharp, rust, shape);
    library.is_value = false;
    library
}

const TYPES: &[Library] = &[
    number(&["byte", "Byte"], "System.Byte", "u8"),
    number(&["sbyte", "SByte"], "System.SByte", "i8"),
    number(&["short", "Int16"], "System.Int16", "i16"),
    number(&["ushort", "UInt16"], "System.UInt16", "u16"),
    number(&["int", "Int32"], "System.Int32", "i32"),
    number(&["uint", "UInt32"], "System.UInt32", "u32"),
    number(&["long", "Int64"], "System.Int64", "i64"),
    number(&["ulong", "UInt64"], "System.UInt64", "u64"),
    key(
        &["bool", "Boolean"],
        "System.Boolean",
        "bool",
        Shape::Boolean,
    ),
    key(&["char", "Char"], "System.Char", "char", Shape::Character),
    value(&["float", "Single"], "System.Single", "f32", Shape::Float),
    value(&["double", "Double"], "System.Double", "f64", Shape::Double),
    value(
        &["decimal", "Decimal"],
        "System.Decimal",
        "Decimal",
        Shape::Opaque,
    ),
    value(&["DateTime"], "System.DateTime", "OaDate", Shape::Opaque),
    reference(
        &["string", "String"],
        "System.String",
        "String",
        Shape::Text,
    ),
    reference(&["Uri"], "System.Uri", "String", Shape::Text),
    value(
        &["Vector2"],
        "UnityEngine.Vector2",
        "Vector2",
        Shape::Floats(&["x", "y"]),
    ),
    value(
        &["Vector3"],
        "UnityEngine.Vector3",
        "Vector3",
        Shape::Floats(&["x", "y", "z"]),
    ),
    value(
        &["Vector4"],
        "UnityEngine.Vector4",
        "Vector4",
        Shape::Floats(&["x", "y", "z", "w"]),
    ),
    value(
        &["Quaternion"],
        "UnityEngine.Quaternion",
        "Quaternion",
        Shape::Floats(&["x", "y", "z", "w"]),
    ),
    value(
        &["Color"],
        "UnityEngine.Color",
        "Color",
        Shape::Floats(&["r", "g", "b", "a"]),
    ),
    value(
        &["Rect"],
        "UnityEngine.Rect",
        "Rect",
        Shape::Floats(&["x", "y", "width", "height"]),
    ),
    value(
        &["Color32"],
        "UnityEngine.Color32",
        "Color32",
        Shape::Integers(&["r", "g", "b", "a"]),
    ),
    value(
        &["Vector2Int"],
        "UnityEngine.Vector2Int",
        "Vector2Int",
        Shape::Integers(&["x", "y"]),
    ),
    value(
        &["Vector3Int"],
        "UnityEngine.Vector3Int",
        "Vector3Int",
        Shape::Integers(&["x", "y", "z"]),
    ),
    value(
        &["LayerMask"],
        "UnityEngine.LayerMask",
        "LayerMask",
        Shape::Opaque,
    ),
    value(&["Plane"], "UnityEngine.Plane", "Plane", Shape::Opaque),
    value(&["Ray"], "UnityEngine.Ray", "Ray", Shape::Opaque),
    value(
        &["Matrix4x4"],
        "UnityEngine.Matrix4x4",
        "Matrix4x4",
        Shape::Opaque,
    ),
    // 16 bytes, as `Guid.ToByteArray` returns them.
    key(&["Guid"], "System.Guid", "[u8; 16]", Shape::Opaque),
    reference(
        &["NetworkIdentity"],
        "Mirror.NetworkIdentity",
        "NetRef",
        Shape::Reference,
    ),
    reference(
        &["GameObject"],
        "UnityEngine.GameObject",
        "NetRef",
        Shape::Reference,
    ),
    reference(
        &["Transform"],
        "UnityEngine.Transform",
        "NetRef",
        Shape::Reference,
    ),
    // A component of any class.
    reference(
        &["NetworkBehaviour"],
        "Mirror.NetworkBehaviour",
        "BehaviourRef<AnyBehaviour>",
        Shape::Reference,
    ),
];

/// Returns the type with this name in C#.
pub(super) fn find(name: &str) -> Option<ValueType> {
    let found = TYPES.iter().find(|library| library.names.contains(&name))?;
    Some(ValueType {
        rust: found.rust.to_owned(),
        csharp: found.csharp.to_owned(),
        shape: found.shape.clone(),
        is_value: found.is_value,
        is_key: found.is_key,
    })
}
