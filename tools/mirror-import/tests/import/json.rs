//! Recordings, and values in them.

use std::path::Path;
use std::{env, fs};

use serde_json::Value;
use syncvar::values::Vector3;

/// Returns a recording. Another folder, named by `SYNCVAR_GOLDEN_DIR`, may lack it.
pub(crate) fn recording(name: &str) -> Option<Value> {
    let other = env::var_os("SYNCVAR_GOLDEN_DIR");
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let in_the_tree = package.join("../../protocols/mirror/tests/golden/data");
    let folder = other.clone().map_or(in_the_tree, Into::into);
    let text = fs::read_to_string(folder.join(format!("{name}.json")));
    assert!(text.is_ok() || other.is_some(), "no recording `{name}`");
    Some(serde_json::from_str(&text.ok()?).expect("JSON"))
}

pub(crate) fn list(json: &Value) -> &[Value] {
    json.as_array().expect("a list")
}

pub(crate) fn number(json: &Value) -> u64 {
    json.as_u64().expect("a number")
}

pub(crate) fn index(json: &Value) -> usize {
    number(json).try_into().expect("an index")
}

pub(crate) fn int(json: &Value) -> i32 {
    json.as_i64()
        .and_then(|number| number.try_into().ok())
        .expect("an int")
}

pub(crate) fn text(json: &Value) -> String {
    json.as_str().expect("a text").to_owned()
}

pub(crate) fn float(json: &Value) -> f32 {
    f32::from_bits(u32::from_str_radix(&text(&json["bits"]), 16).expect("digits"))
}

pub(crate) fn vector(json: &Value) -> Vector3 {
    Vector3::new(float(&json[0]), float(&json[1]), float(&json[2]))
}
