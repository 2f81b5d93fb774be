//! What classes of ours have written down, and what the recorder has, in the same words.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::json::{Json, loose};
use super::log;

/// What was written down, in the words of the recorder: what, which object, of which class, with what.
pub(crate) fn described(entries: &[log::Entry]) -> Vec<Value> {
    let mut objects = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.event.starts_with("On")) {
        objects
            .entry(entry.instance)
            .or_insert(entry.arguments.clone());
    }
    let describe = |entry: &log::Entry| {
        let object = objects.get(&entry.instance).cloned().unwrap_or_default();
        let (event, arguments) = match entry.event {
            "OnStart" => ("OnStartClient", json!([])),
            "OnStop" => ("OnStopClient", json!([])),
            "list" | "dict" | "set" => return change(entry, &object),
            other if other.starts_with("On") => (other, json!([])),
            other => (other, loose(&entry.arguments)),
        };
        vec![json!([event, object, entry.class, arguments])]
    };
    entries.iter().flat_map(describe).collect()
}

/// The one callback of a change that the recorder wrote down.
fn change(entry: &log::Entry, object: &Value) -> Vec<Value> {
    let wanted = if entry.event == "list" {
        "Callback"
    } else {
        "OnChange"
    };
    let (name, events) = (&entry.arguments[0], entry.arguments[1].list());
    let events = events.iter().filter(|event| event[0] == wanted);
    let one = |event: &Value| {
        let mut arguments = vec![name.clone()];
        arguments.extend(event.list()[1..].iter().map(loose));
        json!([entry.event, object, entry.class, arguments])
    };
    events.map(one).collect()
}

/// An event of the recorded log in the same form, if it is of those kinds.
pub(crate) fn recorded_entry(event: &Value) -> Option<Value> {
    let name = event.at("ev").text();
    let kinds = ["hook", "list", "dict", "set", "rpc", "cmd"];
    if !kinds.contains(&name) && !name.starts_with("On") {
        return None;
    }
    let (object, class) = (event.at("netId"), event.at("class"));
    Some(json!([name, object, class, loose(event.at("args"))]))
}
