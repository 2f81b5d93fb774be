//! `Marker`: a moment with a name.

use std::time::Duration;

use serde_json::json;

use crate::header::nanos;

/// Schema of a marker, for tools that show JSON.
pub(crate) const SCHEMA: &str = r#"{"type":"object","properties":{"name":{"type":"string"},"tick":{"type":"integer"},"value":{}},"required":["name","tick","value"]}"#;

/// Moment of a log file with a name and a value, such as a goal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Marker {
    /// Time of the server.
    pub time: Duration,
    /// Name.
    pub name: String,
    /// Tick of the network time.
    pub tick: u64,
    /// Value, in JSON.
    pub value: serde_json::Value,
}

impl Marker {
    /// Returns a marker.
    pub fn new(time: Duration, tick: u64, name: &str, value: serde_json::Value) -> Self {
        let name = name.to_owned();
        Self {
            time,
            name,
            tick,
            value,
        }
    }

    /// Returns the message: its time, and its JSON.
    pub(crate) fn to_message(&self) -> (u64, String) {
        let Self {
            name, tick, value, ..
        } = self;
        let data = json!({ "name": name, "tick": tick, "value": value });
        (nanos(self.time), data.to_string())
    }

    /// Reads a message.
    pub(crate) fn from_message(log_time: u64, data: &[u8]) -> Option<Self> {
        let mut data: serde_json::Value = serde_json::from_slice(data).ok()?;
        Some(Self {
            time: Duration::from_nanos(log_time),
            name: data.get("name")?.as_str()?.to_owned(),
            tick: data.get("tick")?.as_u64()?,
            value: data.get_mut("value")?.take(),
        })
    }
}
