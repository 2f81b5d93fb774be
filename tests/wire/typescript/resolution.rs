//! Cases of two builds, which the client in TypeScript runs, too: `clients/typescript/tests/resolution.json`.

use serde_json::Value;
use syncvar::schema::Schema;

/// Returns the cases, each with its name.
fn cases() -> Vec<(String, Value)> {
    let text = include_str!("../../../clients/typescript/tests/resolution.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("JSON");
    let name = |case: &Value| case["name"].as_str().expect("a name").to_owned();
    cases.into_iter().map(|case| (name(&case), case)).collect()
}

fn schema(case: &Value, end: &str) -> Schema {
    let text = case[end].as_str().expect("the text of a schema");
    Schema::parse(text).expect("a schema")
}

#[test]
fn differences_are_those_of_the_client_in_typescript() {
    for (name, case) in cases() {
        let (server, client) = (schema(&case, "server"), schema(&case, "client"));
        let changes = client.compare(&server).old_client;
        let texts: Vec<_> = changes.iter().map(ToString::to_string).collect();
        let expected = case["differences"].as_array().expect("differences");
        assert_eq!(texts, *expected, "{name}");
        let is_refused = changes
            .iter()
            .any(syncvar::schema::SchemaChange::is_refused);
        assert_eq!(is_refused, case["refused"] == true, "{name}");
    }
}
