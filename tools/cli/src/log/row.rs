//! `Row`: a changed behaviour, as a line of JSON or rows of CSV.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use syncvar::NetId;
use syncvar::log::to_json;
use syncvar::untyped::UntypedBehaviour;

use super::{Change, Log, Played};

/// Row of a changed behaviour.
pub(super) struct Row<'a> {
    pub(super) played: &'a Played,
    pub(super) object: NetId,
    pub(super) prefab: &'a str,
    pub(super) behaviour: &'a UntypedBehaviour,
    /// Changed fields with their values.
    pub(super) values: Map<String, Value>,
}

impl<'a> Row<'a> {
    /// Returns the row of a change; `None` if the object is gone. A whole row has all fields.
    pub(super) fn new(
        log: &'a Log,
        played: &'a Played,
        change: &Change,
        is_whole: bool,
    ) -> Option<Self> {
        let object = change.object;
        let behaviour = { log.client.untyped_behaviours(object) }.nth(change.behaviour)?;
        let fields = change.fields.as_ref().filter(|_| !is_whole);
        let changed = |name: &str| fields.is_none_or(|fields| fields.contains(&name));
        let values = behaviour.fields().filter(|(name, _)| changed(name));
        let values = values.map(|(name, value)| (name.to_owned(), to_json(value)));
        Some(Self {
            played,
            object,
            prefab: log.prefab(object)?,
            behaviour,
            values: values.collect(),
        })
    }

    fn seconds(&self) -> f64 {
        self.played.record.time().as_secs_f64()
    }

    pub(super) fn write_json(&self, output: &mut dyn Write) -> io::Result<()> {
        let line = json!({
            "time": self.seconds(),
            "tick": self.played.record.tick(),
            "object": self.object.0,
            "prefab": self.prefab,
            "behaviour": self.behaviour.name(),
            "fields": self.values,
        });
        writeln!(output, "{line}")
    }

    pub(super) fn write_csv(&self, output: &mut dyn Write) -> io::Result<()> {
        let (time, tick) = (self.seconds(), self.played.record.tick());
        let (object, prefab) = (self.object.0, quoted(self.prefab));
        let behaviour = quoted(self.behaviour.name());
        for (field, value) in &self.values {
            for (name, number) in numbers(field, value) {
                let field = quoted(&name);
                writeln!(
                    output,
                    "{time},{tick},{object},{prefab},{behaviour},{field},{number}"
                )?;
            }
        }
        Ok(())
    }
}

/// Returns the numbers in a value, with names such as `place.x`.
fn numbers(name: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Number(number) => vec![(name.to_owned(), number.to_string())],
        Value::Bool(value) => vec![(name.to_owned(), u8::from(*value).to_string())],
        Value::Object(members) => { members.iter() }
            .flat_map(|(member, value)| numbers(&format!("{name}.{member}"), value))
            .collect(),
        Value::Array(elements) => { elements.iter().enumerate() }
            .flat_map(|(index, value)| numbers(&format!("{name}.{index}"), value))
            .collect(),
        Value::Null | Value::String(_) => Vec::new(),
    }
}

/// Returns a text as a cell of CSV.
fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}
