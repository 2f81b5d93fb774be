//! Why a field is dirty in one of the two and not in the other.

use super::class::Class;
use super::field::Field;
use super::rule::Rule;
use syncvar_testing::golden::{Json, Node};

/// Why an assignment makes UNet's field dirty and ours not.
pub(crate) fn why_no_change(class: &Class, field: &Field, old: &Json, new: &Json) -> Option<Rule> {
    if let Err(rule) = class.try_show(field, old) {
        // Ours never had the old value.
        return Some(rule);
    }
    if class.show(field, old) != class.show(field, new) {
        return None;
    }
    let (old, new) = (numbers(old), numbers(new));
    if field.is_reference() {
        Some(Rule::ReferencesAreIds)
    } else if old != new && (has(&old, &Json::Null) || has(&new, &Json::Null)) {
        Some(Rule::NullIsEmpty)
    } else if has(&new, &nan()) {
        Some(Rule::FloatBits)
    } else {
        class.is_struct(field).then_some(Rule::ComparedByContent)
    }
}

/// Why an assignment makes our field dirty and UNet's not.
pub(crate) fn why_change(old: &Json, new: &Json) -> Option<Rule> {
    (old != new && numbers(old) == numbers(new)).then_some(Rule::FloatBits)
}

/// A value with its floats as numbers instead of bits: -0 is 0, and all that is not a number is
/// one and the same.
fn numbers(json: &Json) -> Json {
    match json {
        Json::Object(entries) => {
            let entries = entries.iter().filter(|(key, _)| key != "text");
            let entries = entries.map(|(key, value)| match (key.as_str(), value) {
                ("bits", Json::Text(bits)) => (key.clone(), number(bits)),
                ("f32", Json::List(floats)) => {
                    let floats = floats.iter().map(|bits| number(bits.text()));
                    (key.clone(), Json::List(floats.collect()))
                }
                _ => (key.clone(), numbers(value)),
            });
            Json::Object(entries.collect())
        }
        Json::List(items) => Json::List(items.iter().map(numbers).collect()),
        other => other.clone(),
    }
}

fn number(bits: &str) -> Json {
    let value = u64::from_str_radix(bits, 16).expect("hexadecimal digits");
    let float = match u32::try_from(value) {
        Ok(value) if bits.len() == 8 => f32::from_bits(value).into(),
        _ => f64::from_bits(value),
    };
    match float {
        0.0 => Json::Text("zero".into()),
        _ if float.is_nan() => nan(),
        _ => Json::Text(bits.into()),
    }
}

fn nan() -> Json {
    Json::Text("not a number".into())
}

/// Whether a value is this one or has it anywhere inside.
fn has(json: &Json, wanted: &Json) -> bool {
    json == wanted
        || json.items().iter().any(|item| has(item, wanted))
        || json.entries().iter().any(|(_, value)| has(value, wanted))
}
