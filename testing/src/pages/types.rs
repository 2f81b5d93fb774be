//! Random schemas of all types.

use syncvar::schema::{Names, SchemaPrefab, Writers};
use syncvar::schema::{Readers, Schema, SchemaBehaviour, SchemaClass, SchemaField, SchemaType};
use syncvar::testing::Random;
use syncvar::values::NetworkHash128;

use crate::schemas::calls;
use crate::schemas::codecs::plain;
use crate::schemas::types::{INTEGERS, named, random_field_type};

/// Types with a name beside those of the pairs of builds.
const NAMED: [&str; 32] = [
    "u128",
    "i128",
    "NonZeroU8",
    "NonZeroI16",
    "NonZeroU64",
    "char",
    "Duration",
    "Decimal",
    "Uuid",
    "NetworkHash128",
    "NetId",
    "NetRef",
    "BehaviourRef",
    "LayerMask",
    "OaDate",
    "Postcard",
    "Vector2",
    "Vector4",
    "Quaternion",
    "Color",
    "Rect",
    "Plane",
    "Ray",
    "Ray2D",
    "Color32",
    "Matrix4x4",
    "Mat2",
    "Mat3",
    "IVec2",
    "UVec3",
    "DVec3",
    "DQuat",
];

/// Returns a schema of one to three prefabs.
pub(super) fn schema(random: &mut Random) -> Schema {
    let count = 1 + random.below(3);
    let prefabs = (0..count).map(|at| {
        let name = format!("thing{at}");
        let behaviours =
            (0..=random.below(3)).map(|part| behaviour(random, &format!("B{at}{part}")));
        SchemaPrefab {
            behaviours: behaviours.collect(),
            asset_id: NetworkHash128::of(&name),
            names: Names::new(name),
        }
    });
    Schema {
        prefabs: prefabs.collect(),
        ..Schema::default()
    }
}

fn behaviour(random: &mut Random, name: &str) -> SchemaBehaviour {
    let fields = (0..=random.below(6)).map(|at| field(random, at));
    let mut fields: Vec<_> = fields.collect();
    let mut calls = calls::calls(random, name);
    // What the page sends is compared with what arrives.
    for argument in calls.iter_mut().flat_map(|it| &mut it.arguments) {
        argument.value = plain(&argument.value);
    }
    let mut classes = Vec::new();
    if random.chance(300) {
        let own = random.below(fields.len() as u32 + 1) as usize;
        classes.push(SchemaClass {
            name: "Base".into(),
            fields: fields.drain(..own).collect(),
            calls: std::mem::take(&mut calls),
        });
    }
    let name = name.to_owned();
    classes.push(SchemaClass {
        name: name.clone(),
        fields,
        calls,
    });
    SchemaBehaviour {
        names: Names::new(name),
        channel: u8::from(random.chance(400)),
        is_optional: false,
        has_data: false,
        classes,
    }
}

fn field(random: &mut Random, at: u32) -> SchemaField {
    let readers = match random.below(10) {
        0 => Readers::Owner,
        1 => Readers::Others,
        2 => Readers::Group,
        _ => Readers::Everyone,
    };
    let writers = match random.below(8) {
        0 | 1 if readers != Readers::Others => Writers::Owner,
        2 if readers != Readers::Others => Writers::OwnerAndServer,
        _ => Writers::Server,
    };
    let is_plain = readers == Readers::Everyone && writers == Writers::Server;
    SchemaField {
        names: Names::new(format!("f{at}")),
        value: field_type(random),
        readers,
        writers,
        initial_only: is_plain && random.chance(80),
    }
}

fn field_type(random: &mut Random) -> SchemaType {
    match random.below(10) {
        0..=2 => encoded(random),
        3 | 4 => named(random.pick(&NAMED).unwrap()),
        _ => {
            let plain = random_field_type(random);
            with_names(random, plain)
        }
    }
}

/// Puts other types with a name in the place of some.
fn with_names(random: &mut Random, of: SchemaType) -> SchemaType {
    let mut inner = |of: Box<SchemaType>| Box::new(with_names(random, *of));
    match of {
        SchemaType::Optional(of) => SchemaType::Optional(inner(of)),
        SchemaType::Sequence(of) => SchemaType::Sequence(inner(of)),
        SchemaType::Map(key, of) => SchemaType::Map(key, inner(of)),
        SchemaType::Struct { name, mut members } => {
            for member in &mut members {
                member.value = with_names(random, member.value.clone());
            }
            SchemaType::Struct { name, members }
        }
        SchemaType::Named(_) if random.chance(300) => named(random.pick(&NAMED).unwrap()),
        of => of,
    }
}

/// Returns a type in an encoding chosen for its field.
fn encoded(random: &mut Random) -> SchemaType {
    let floats = ["f32", "f64", "Vector2", "Vector3", "Quaternion"];
    let (codec, parameters, of) = match random.below(6) {
        0 => (
            "ZigZag",
            vec![],
            *random.pick(&["i8", "i16", "i32", "i64", "i128"]).unwrap(),
        ),
        1 if random.chance(200) => ("Fixed", vec![], "char"),
        1 => ("Fixed", vec![], *random.pick(&INTEGERS).unwrap()),
        2 => {
            let of = *random.pick(&INTEGERS).unwrap();
            let bits: u32 = of[1..].parse().unwrap();
            ("Bits", vec![i64::from(1 + random.below(bits))], of)
        }
        3 => {
            let ranges = [
                [-10, 10, 10],
                [0, 1, 255],
                [-500, 500, 100],
                [-1, 1, 2_000_000],
            ];
            let range = random.pick(&ranges).unwrap();
            ("Quantized", range.to_vec(), *random.pick(&floats).unwrap())
        }
        4 => ("Half", vec![], *random.pick(&floats).unwrap()),
        _ => ("SmallestThree", vec![], "Quaternion"),
    };
    SchemaType::Encoded {
        codec: codec.into(),
        parameters,
        value: Box::new(named(of)),
    }
}
