//! Reading the recordings.

use serde_json::Value;

pub(crate) use syncvar_testing::golden::Node as Json;

/// Returns JSON without types: numbers as text, and floats by their bits alone.
pub(crate) fn loose(json: &Value) -> Value {
    match json {
        Value::Number(number) => Value::String(number.to_string()),
        Value::Array(elements) => elements.iter().map(loose).collect(),
        Value::Object(members) => {
            let is_float = members.contains_key("bits");
            let members = members
                .iter()
                .filter(|(name, _)| !is_float || *name == "bits");
            members
                .map(|(name, value)| (name.clone(), loose(value)))
                .collect()
        }
        other => other.clone(),
    }
}
