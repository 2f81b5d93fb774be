//! Codecs of numbers and vectors: random ones, and the values that they hold.

use syncvar::schema::SchemaType;
use syncvar::testing::Random;
use syncvar::untyped::Value;

use super::types::{INTEGERS, named};

/// Least and greatest value, and steps per unit, of a quantised float.
const RANGE: (i64, i64, i64) = (-10, 10, 100);

/// Returns a type with a codec.
pub(super) fn random_encoded(random: &mut Random) -> SchemaType {
    let of = match random.below(4) {
        0 => named("f32"),
        1 => named("f64"),
        2 => named("Vector3"),
        // A sequence of bytes is `Bytes`, and a sequence of bytes with a codec a list.
        _ => named(random.pick(&INTEGERS[1..]).unwrap()),
    };
    encoded(random, &of)
}

/// Returns a type with a random codec; types without codecs stay.
pub(super) fn encoded(random: &mut Random, of: &SchemaType) -> SchemaType {
    let SchemaType::Named(name) = of else {
        return of.clone();
    };
    let (codec, parameters) = match name.as_str() {
        "f32" | "f64" | "Vector3" if random.chance(500) => ("Half", Vec::new()),
        "f32" | "f64" | "Vector3" => ("Quantized", vec![RANGE.0, RANGE.1, RANGE.2]),
        name if INTEGERS[1..].contains(&name) => {
            let bits: u32 = name[1..].parse().expect("a width");
            match random.below(4) {
                0 => ("Fixed", Vec::new()),
                1 if name.starts_with('i') => ("ZigZag", Vec::new()),
                _ => ("Bits", vec![i64::from(1 + random.below(bits))]),
            }
        }
        _ => return of.clone(),
    };
    SchemaType::Encoded {
        codec: codec.into(),
        parameters,
        value: Box::new(of.clone()),
    }
}

/// Returns a type without its codecs: the client shows the state in this form.
pub(crate) fn plain(of: &SchemaType) -> SchemaType {
    let boxed = |of: &SchemaType| Box::new(plain(of));
    match of.clone() {
        SchemaType::Encoded { value, codec, .. }
            if !matches!(codec.as_str(), "Fixed" | "ZigZag") =>
        {
            plain(&value)
        }
        SchemaType::Optional(of) => SchemaType::Optional(boxed(&of)),
        SchemaType::Sequence(of) => SchemaType::Sequence(boxed(&of)),
        SchemaType::Array(of, count) => SchemaType::Array(boxed(&of), count),
        SchemaType::Set(of) => SchemaType::Set(boxed(&of)),
        SchemaType::Map(key, of) => SchemaType::Map(boxed(&key), boxed(&of)),
        SchemaType::Struct { name, mut members } => {
            for member in &mut members {
                member.value = plain(&member.value);
            }
            SchemaType::Struct { name, members }
        }
        SchemaType::Enum { name, mut variants } => {
            for member in variants.iter_mut().flat_map(|it| &mut it.members) {
                member.value = plain(&member.value);
            }
            SchemaType::Enum { name, variants }
        }
        SchemaType::Collection { name, parts } => SchemaType::Collection {
            name,
            parts: parts.iter().map(plain).collect(),
        },
        other => other,
    }
}

/// Returns the type of the value behind a codec.
pub(super) fn uncoded(of: &SchemaType) -> &SchemaType {
    match of {
        SchemaType::Encoded { value, .. } => value,
        _ => of,
    }
}

/// Returns the least and the greatest number of an integer with a codec.
pub(super) fn bits_range(name: &str, bits: i64) -> (i128, i128) {
    if name.starts_with('u') {
        (0, (1 << bits) - 1)
    } else {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    }
}

/// Returns the value that a type holds after a value was set: rounded by its codec. `None` for a value out of the range.
pub(super) fn held(of: &SchemaType, value: &Value) -> Option<Value> {
    let SchemaType::Encoded {
        codec,
        parameters,
        value: inner,
    } = of
    else {
        return Some(value.clone());
    };
    let SchemaType::Named(name) = &**inner else {
        unreachable!("a codec of these tests");
    };
    if name == "Vector3" {
        let part = |name| Some((name, rounded(codec, false, value.get(name)?)?));
        return Some(Value::structure([part("x")?, part("y")?, part("z")?]));
    }
    if matches!(codec.as_str(), "Fixed" | "ZigZag") {
        return Some(value.clone());
    }
    if codec == "Bits" {
        let (low, high) = bits_range(name, parameters[0]);
        let Value::Integer(number) = value else {
            return None;
        };
        return (low..=high).contains(number).then(|| value.clone());
    }
    rounded(codec, name == "f64", value)
}

fn rounded(codec: &str, is_wide: bool, value: &Value) -> Option<Value> {
    let number = value.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "a float of 32 bits")]
    let narrow = |number: f64| number as f32;
    if codec == "Half" {
        let narrow = narrow(number);
        return (narrow.is_finite()).then(|| half::f16::from_f32(narrow).to_f64().into());
    }
    let (low, high, per_unit) = RANGE;
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let (low, high, per_unit) = (low as f64, high as f64, per_unit as f64);
    let step = ((number - low) * per_unit).round();
    let last = (high - low) * per_unit;
    (0.0..=last).contains(&step).then(|| {
        let number = low + step / per_unit;
        if is_wide {
            number.into()
        } else {
            Value::from(narrow(number))
        }
    })
}
