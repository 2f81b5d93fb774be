//! Unity's value types, and .NET's decimal.

use syncvar::values::{
    Color, Color32, Decimal, Matrix4x4, NetworkHash128, Plane, Quaternion, Ray, Rect, Vector2,
    Vector3, Vector4,
};

use super::{Recorded, float};
use crate::golden::rule::Rule;
use syncvar_testing::golden::{Json, Node};

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
