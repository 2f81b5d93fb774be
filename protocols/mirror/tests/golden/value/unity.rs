//! Unity's value types, ids and references.

use serde_json::{Value, json};
use syncvar::{
    BehaviourRef, NetId, NetRef, NetworkBehaviour, SyncValue,
    values::{
        Color, Color32, Matrix4x4, Plane, Quaternion, Ray, Rect, Vector2, Vector2Int, Vector3,
        Vector3Int, Vector4,
    },
    wire::{Encoding, NetworkReader, NetworkWriter},
};

use super::Recorded;
use crate::golden::json::Json;

macro_rules! vectors {
    ($($type:ident $kind:literal [$($field:ident),+];)*) => {$(
        impl Recorded for $type {
            fn kind() -> String {
                $kind.into()
            }

            fn from_json(json: &Value) -> Self {
                let [$($field),+] = json.list() else {
                    panic!("the members of a {}, not {}", $kind, json.brief());
                };
                Self { $($field: Recorded::from_json($field)),+ }
            }

            fn to_json(&self) -> Value {
                json!([$(self.$field.to_json()),+])
            }

            fn is_equal_in_csharp(&self, other: &Self) -> bool {
                $(self.$field.is_equal_in_csharp(&other.$field))&&+
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
    Color32 "Color32" [r, g, b, a];
    Vector2Int "Vector2Int" [x, y];
    Vector3Int "Vector3Int" [x, y, z];
}

impl Recorded for Rect {
    fn kind() -> String {
        "Rect".into()
    }

    fn from_json(json: &Value) -> Self {
        let (at, size) = (json.at("position"), json.at("size"));
        let (at, size) = (Vector2::from_json(at), Vector2::from_json(size));
        Self {
            x: at.x,
            y: at.y,
            width: size.x,
            height: size.y,
        }
    }

    fn to_json(&self) -> Value {
        let members = [self.x, self.y, self.width, self.height];
        members.iter().map(Recorded::to_json).collect()
    }
}

impl Recorded for Plane {
    fn kind() -> String {
        "Plane".into()
    }

    fn from_json(json: &Value) -> Self {
        Self {
            normal: Recorded::from_json(json.at("normal")),
            distance: Recorded::from_json(json.at("distance")),
        }
    }

    fn to_json(&self) -> Value {
        json!([self.normal.to_json(), self.distance.to_json()])
    }
}

impl Recorded for Ray {
    fn kind() -> String {
        "Ray".into()
    }

    fn from_json(json: &Value) -> Self {
        Self {
            origin: Recorded::from_json(json.at("origin")),
            direction: Recorded::from_json(json.at("direction")),
        }
    }

    fn to_json(&self) -> Value {
        json!([self.origin.to_json(), self.direction.to_json()])
    }
}

impl Recorded for Matrix4x4 {
    fn kind() -> String {
        "Matrix4x4".into()
    }

    fn from_json(json: &Value) -> Self {
        let cells = json.at("column_major").list();
        assert_eq!(cells.len(), 16, "the cells of a matrix");
        let mut matrix = Self::default();
        for (index, cell) in cells.iter().enumerate() {
            matrix.rows[index % 4][index / 4] = Recorded::from_json(cell);
        }
        matrix
    }

    fn to_json(&self) -> Value {
        let cells = self.rows.as_flattened().iter();
        cells.map(Recorded::to_json).collect()
    }
}

/// A `Guid`, as .NET's `ToByteArray` orders its bytes.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guid([u8; 16]);

impl Recorded for Guid {
    fn kind() -> String {
        "Guid".into()
    }

    fn from_json(json: &Value) -> Self {
        let digits: String = json.text().chars().filter(|digit| *digit != '-').collect();
        let bytes = hex::decode(digits).expect("the digits of a Guid");
        let mut bytes: [u8; 16] = bytes.try_into().expect("16 bytes");
        bytes[..4].reverse();
        bytes[4..6].reverse();
        bytes[6..8].reverse();
        Self(bytes)
    }

    fn to_json(&self) -> Value {
        json!(hex::encode(self.0))
    }
}

/// A `Uri`, which travels as text.
#[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uri(Option<String>);

impl Recorded for Uri {
    fn kind() -> String {
        "Uri".into()
    }

    fn from_json(json: &Value) -> Self {
        Self(Recorded::from_json(json))
    }

    fn to_json(&self) -> Value {
        self.0.to_json()
    }
}

impl Recorded for NetRef {
    fn kind() -> String {
        "NetworkIdentity".into()
    }

    fn from_json(json: &Value) -> Self {
        let id = json.get("netId").filter(|id| !id.is_null());
        id.map_or(Self::NONE, |id| NetId(id.number()).into())
    }

    fn to_json(&self) -> Value {
        if self.is_none() {
            return Value::Null;
        }
        json!({ "netId": self.id().0 })
    }
}

impl<B: NetworkBehaviour> Recorded for BehaviourRef<B> {
    fn kind() -> String {
        "NetworkBehaviour".into()
    }

    /// A reference is made on the server that has the object, or read: here it is read.
    fn from_json(json: &Value) -> Self {
        if json.is_null() {
            return Self::NONE;
        }
        let (id, index): (u32, u8) = (
            json.at("netId").number(),
            json.at("componentIndex").number(),
        );
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        writer.write_bytes(&id.to_le_bytes());
        writer.write_bytes(&[index]);
        let bytes = writer.take_bytes();
        let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
        reader.read().expect("a reference to a component")
    }

    fn to_json(&self) -> Value {
        if self.is_none() {
            return Value::Null;
        }
        json!({ "netId": self.id().0, "componentIndex": self.index() })
    }
}
