//! Literals and constructors of Rust.

use std::fmt::Write as _;

use crate::model::ValueType;

/// A value that Rust's `Default` has, or an expression.
pub(super) type Initial = Option<String>;

/// Returns `Vector3::new(1.0, 2.0, 3.0)`.
pub(super) fn constructor(ty: &ValueType, numbers: &[f64], is_float: bool) -> Initial {
    if numbers.iter().all(|number| number.to_bits() == 0) {
        return None;
    }
    let mut text = format!("{}::new(", ty.rust);
    for (index, number) in numbers.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        let _ = write!(
            text,
            "{comma}{}",
            if is_float {
                float(*number)
            } else {
                number.to_string()
            }
        );
    }
    Some(text + ")")
}

/// Returns `Vec::from([..])`.
pub(super) fn collected(ty: &ValueType, elements: &[String]) -> Initial {
    let container = ty.rust.split('<').next().unwrap_or_default();
    (!elements.is_empty()).then(|| format!("{container}::from([{}])", elements.join(", ")))
}

/// Returns the numbers of an array of integers, which Unity writes as the hexadecimal digits of their bytes.
pub(super) fn packed(rust: &str, text: &str) -> Option<Vec<String>> {
    let bits: usize = rust
        .get(1..)?
        .parse()
        .ok()
        .filter(|_| rust.starts_with(['u', 'i']))?;
    let digits = bits / 4;
    if !text.is_ascii() || !text.len().is_multiple_of(digits) {
        return None;
    }
    let number = |start| {
        let bytes = (0..digits / 2)
            .rev()
            .map(|byte| &text[start + 2 * byte..start + 2 * byte + 2]);
        let value = u64::from_str_radix(&bytes.collect::<String>(), 16).ok()?;
        let unused = u64::BITS - u32::try_from(bits).ok()?;
        Some(if rust.starts_with('i') {
            ((value << unused).cast_signed() >> unused).to_string()
        } else {
            value.to_string()
        })
    };
    (0..text.len()).step_by(digits).map(number).collect()
}

/// Returns a number that the type can hold.
pub(super) fn fits(rust: &str, number: i128) -> Option<i128> {
    let bits = rust[1..].parse::<u32>().ok()?;
    let (low, high) = match rust.as_bytes()[0] {
        b'u' => (0, (1_i128 << bits) - 1),
        _ => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
    };
    (low..=high).contains(&number).then_some(number)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the type of the field has 32 bits"
)]
pub(super) fn float(number: f64) -> String {
    match number as f32 {
        f32::INFINITY => "f32::INFINITY".to_owned(),
        f32::NEG_INFINITY => "f32::NEG_INFINITY".to_owned(),
        number if number.is_nan() => "f32::NAN".to_owned(),
        number => format!("{number:?}"),
    }
}

pub(super) fn double(number: f64) -> String {
    match number {
        f64::INFINITY => "f64::INFINITY".to_owned(),
        f64::NEG_INFINITY => "f64::NEG_INFINITY".to_owned(),
        number if number.is_nan() => "f64::NAN".to_owned(),
        number => format!("{number:?}"),
    }
}
