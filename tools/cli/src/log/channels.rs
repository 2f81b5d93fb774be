//! Channels of JSON in MCAP, for tools that plot numbers.

use std::collections::BTreeMap;
use std::io::Write;

use mcap::records::MessageHeader;
use mcap::write::NoSeek;
use mcap::{McapResult, WriteOptions, Writer};
use serde_json::{Map, Value, json};

use super::row::Row;

/// Writer of a file with a channel for each object and behaviour.
pub(super) struct ExportChannels<'a> {
    mcap: Writer<NoSeek<&'a mut dyn Write>>,
    /// Numbers of the channels, by object and name of the behaviour.
    numbers: BTreeMap<(u32, &'static str), u16>,
}

impl<'a> ExportChannels<'a> {
    pub(super) fn new(output: &'a mut dyn Write) -> McapResult<Self> {
        let options = WriteOptions::new()
            .compression_threads(0)
            .disable_seeking(true);
        Ok(Self {
            mcap: options.create(NoSeek::new(output))?,
            numbers: BTreeMap::new(),
        })
    }

    pub(super) fn write(&mut self, row: &Row<'_>) -> McapResult<()> {
        let key = (row.object.0, row.behaviour.name());
        let channel = match self.numbers.get(&key) {
            Some(channel) => *channel,
            None => {
                let name = format!("{}.{}", row.prefab, row.behaviour.name());
                let schema = schema_of(&Value::Object(row.values.clone())).to_string();
                let schema =
                    { &mut self.mcap }.add_schema(&name, "jsonschema", schema.as_bytes())?;
                let topic = format!("/{}/{}/{}", row.prefab, row.object.0, key.1);
                let channel = self
                    .mcap
                    .add_channel(schema, &topic, "json", &BTreeMap::new())?;
                self.numbers.insert(key, channel);
                channel
            }
        };
        let record = &row.played.record;
        let log_time = u64::try_from(record.time().as_nanos()).unwrap_or(u64::MAX);
        let header = MessageHeader {
            channel_id: channel,
            sequence: 0,
            log_time,
            publish_time: log_time,
        };
        let data = json!(row.values).to_string();
        self.mcap.write_to_known_channel(&header, data.as_bytes())
    }

    pub(super) fn finish(mut self) -> McapResult<()> {
        self.mcap.finish().map(drop)
    }
}

/// Returns the JSON schema of a value.
fn schema_of(value: &Value) -> Value {
    match value {
        Value::Null => json!({}),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(_) => json!({ "type": "number" }),
        Value::String(_) => json!({ "type": "string" }),
        Value::Array(_) => json!({ "type": "array" }),
        Value::Object(members) => {
            let members = members.iter();
            let properties = members.map(|(name, value)| (name.clone(), schema_of(value)));
            json!({ "type": "object", "properties": properties.collect::<Map<_, _>>() })
        }
    }
}
