//! The registry as text. Both ends compare its hash; if the hashes differ, the server sends the text,
//! and the client searches it for the first difference.

use std::fmt;

use crate::object::{Behaviours, SlotInfo};
use crate::schema::BehaviourSchema;
use crate::schema::CallTable;
use crate::{NetworkHash128, NetworkReader, NetworkWriter, ReadError};

/// Name of the description of every message in the schema. No prefab has it.
pub(super) const MESSAGES: &str = "";

/// Description of a prefab: its name, asset id and behaviours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefabText {
    /// Name of the prefab.
    pub name: String,
    /// Asset id, the only identifier in a spawn: if the two ends had different ids, one would read the
    /// object as a different prefab.
    pub asset_id: NetworkHash128,
    /// Behaviours, in order.
    pub behaviours: Vec<BehaviourText>,
}

/// Description of a behaviour, with the fields and calls of its bases first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BehaviourText {
    /// Name of the behaviour.
    pub name: String,
    /// Channel of its changes.
    pub channel: u8,
    /// Name and type of every field, the fields of the bases first.
    pub fields: Vec<(String, String)>,
    /// Name and signature of every remote call, the calls of the bases first.
    pub calls: Vec<(String, String)>,
}

/// First difference between the registries of the two ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaDifference {
    /// Name of the prefab; empty for a message of the program.
    pub prefab: String,
    /// Name of the behaviour; `None` if the prefab is missing at one end or its asset id differs.
    pub behaviour: Option<String>,
    /// Name of the field or message on the server, or on the client if the server lacks it.
    pub field: Option<String>,
    /// Name of the remote call on the server, or on the client if the server lacks it.
    pub call: Option<String>,
    /// Description of the server's part.
    pub server: String,
    /// Description of the client's part.
    pub client: String,
}

impl fmt::Display for SchemaDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.prefab == MESSAGES {
            let (message, server, client) = (&self.field, &self.server, &self.client);
            let message = message.as_deref().unwrap_or_default();
            return write!(
                f,
                "message `{message}`: the server has {server}, this client has {client}"
            );
        }
        write!(f, "prefab `{}`", self.prefab)?;
        if let Some(behaviour) = &self.behaviour {
            write!(f, ", behaviour `{behaviour}`")?;
        }
        if let Some(field) = &self.field {
            write!(f, ", field `{field}`")?;
        }
        if let Some(call) = &self.call {
            write!(f, ", call `{call}`")?;
        }
        write!(
            f,
            ": the server has {}, this client has {}",
            self.server, self.client
        )
    }
}

impl PrefabText {
    /// Describes a prefab, given the behaviours of a sample.
    pub fn describe(name: &str, asset_id: NetworkHash128, behaviours: &Behaviours) -> Self {
        let behaviours = behaviours.slots().iter().map(|slot| BehaviourText {
            name: slot.info().schema.name.into(),
            channel: slot.info().channel,
            fields: describe(slot.info()),
            calls: describe_calls(&slot.info().calls),
        });
        Self {
            name: name.into(),
            asset_id,
            behaviours: behaviours.collect(),
        }
    }

    /// Appends the description.
    pub fn encode(&self, writer: &mut NetworkWriter) {
        writer.write_string(&self.name);
        writer.write(&self.asset_id);
        writer.write_count(self.behaviours.len());
        for behaviour in &self.behaviours {
            writer.write_string(&behaviour.name);
            writer.write_u8(behaviour.channel);
            writer.write_count(behaviour.fields.len());
            for (name, type_text) in &behaviour.fields {
                writer.write_string(name);
                writer.write_string(type_text);
            }
            writer.write_count(behaviour.calls.len());
            for (name, signature) in &behaviour.calls {
                writer.write_string(name);
                writer.write_string(signature);
            }
        }
    }

    /// Reads a description.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    pub fn decode(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let (name, asset_id) = (reader.read()?, reader.read()?);
        let mut behaviours = Vec::new();
        for _ in 0..reader.read_count()? {
            let (name, channel) = (reader.read()?, reader.read_u8()?);
            let (fields, calls) = (decode_pairs(reader)?, decode_pairs(reader)?);
            behaviours.push(BehaviourText {
                name,
                channel,
                fields,
                calls,
            });
        }
        Ok(Self {
            name,
            asset_id,
            behaviours,
        })
    }
}

/// Entry for the data of `on_synchronize`, behind the fields: its name and type.
const SYNCHRONIZE: (&str, &str) = ("on_synchronize()", "data");

fn describe(info: &SlotInfo) -> Vec<(String, String)> {
    let mut fields = describe_fields(&info.schema);
    if info.synchronize {
        let (name, data) = SYNCHRONIZE;
        fields.push((name.into(), data.into()));
    }
    fields
}

fn decode_pairs(reader: &mut NetworkReader<'_>) -> Result<Vec<(String, String)>, ReadError> {
    let mut pairs = Vec::new();
    for _ in 0..reader.read_count()? {
        pairs.push((reader.read()?, reader.read()?));
    }
    Ok(pairs)
}

fn describe_calls(calls: &CallTable) -> Vec<(String, String)> {
    let calls = calls.all();
    calls.map(|call| (call.name.into(), call.text())).collect()
}

fn describe_fields(schema: &BehaviourSchema) -> Vec<(String, String)> {
    let mut fields = schema.base.map(describe_fields).unwrap_or_default();
    let own = schema.fields.iter();
    fields.extend(own.map(|field| (field.name.to_string(), field.to_string())));
    fields
}

/// Returns the classes of behaviours, for a client that learns the schema: for each behaviour the packed
/// number of its classes, of every class, bases first, the packed number of its own fields, and of each
/// call one byte, which is 1 if the call runs after the state of its tick.
pub fn encode_classes(behaviours: &Behaviours) -> Vec<u8> {
    let mut writer = NetworkWriter::new();
    for slot in behaviours.slots().iter() {
        let info = slot.info();
        let mut counts = vec![info.schema.fields.len()];
        let mut class = info.schema.base;
        while let Some(base) = class {
            counts.push(base.fields.len());
            class = base.base;
        }
        writer.write_packed_u64(counts.len() as u64);
        for count in counts.iter().rev() {
            writer.write_packed_u64(*count as u64);
        }
        for call in info.calls.all() {
            writer.write_bool(call.after_state);
        }
    }
    writer.as_bytes().to_vec()
}

/// Returns the first difference between two registries, both ordered by prefab name.
pub fn first_difference(server: &[PrefabText], client: &[&PrefabText]) -> Option<SchemaDifference> {
    let not_on_client = server
        .iter()
        .find(|s| client.iter().all(|c| c.name != s.name));
    let not_on_server = client
        .iter()
        .find(|c| server.iter().all(|s| s.name != c.name));
    let missing = |text: &PrefabText| match text.name.as_str() {
        MESSAGES => "no such message",
        _ => "no such prefab",
    };
    let pairs = server
        .iter()
        .filter_map(|s| Some((s, client.iter().find(|c| c.name == s.name)?)));
    let first_message = |text: &PrefabText| {
        let messages = text.behaviours.first()?;
        let first = (text.name == MESSAGES).then(|| messages.fields.first())??;
        Some(first.0.clone())
    };
    let whole = |prefab: &PrefabText, server: &str, client: &str| SchemaDifference {
        prefab: prefab.name.clone(),
        behaviour: None,
        field: first_message(prefab),
        call: None,
        server: server.into(),
        client: client.into(),
    };
    not_on_client
        .map(|text| whole(text, "it", missing(text)))
        .or_else(|| not_on_server.map(|text| whole(text, missing(text), "it")))
        .or_else(|| pairs.into_iter().find_map(|(s, c)| prefab_difference(s, c)))
}

fn prefab_difference(server: &PrefabText, client: &PrefabText) -> Option<SchemaDifference> {
    if server.asset_id != client.asset_id {
        return Some(SchemaDifference {
            prefab: server.name.clone(),
            behaviour: None,
            field: None,
            call: None,
            server: format!("asset id {}", server.asset_id),
            client: format!("asset id {}", client.asset_id),
        });
    }
    let count = server.behaviours.len().max(client.behaviours.len());
    (0..count).find_map(|index| {
        let (s, c) = (server.behaviours.get(index), client.behaviours.get(index));
        let Difference {
            field,
            call,
            server: server_has,
            client: client_has,
        } = behaviour_difference(s, c)?;
        Some(SchemaDifference {
            prefab: server.name.clone(),
            behaviour: s.or(c).map(|behaviour| behaviour.name.clone()),
            field,
            call,
            server: server_has,
            client: client_has,
        })
    })
}

/// First difference of a behaviour: its field or call, and the descriptions of the two ends.
struct Difference {
    field: Option<String>,
    call: Option<String>,
    server: String,
    client: String,
}

impl Difference {
    /// Describes a difference of the behaviour itself.
    fn whole(server: impl Into<String>, client: impl Into<String>) -> Self {
        Self {
            field: None,
            call: None,
            server: server.into(),
            client: client.into(),
        }
    }
}

fn behaviour_difference(
    server: Option<&BehaviourText>,
    client: Option<&BehaviourText>,
) -> Option<Difference> {
    let (server, client) = match (server, client) {
        (Some(server), Some(client)) => (server, client),
        (Some(_), None) => return Some(Difference::whole("it", "no such behaviour")),
        (None, Some(_)) => return Some(Difference::whole("no such behaviour", "it")),
        (None, None) => return None,
    };
    if server.name != client.name {
        let (s, c) = (&server.name, &client.name);
        return Some(Difference::whole(
            format!("`{s}` there"),
            format!("`{c}` there"),
        ));
    }
    let kind = match server.name.as_str() {
        MESSAGES => MESSAGE,
        _ => "field",
    };
    if let Some((field, server, client)) = pair_difference(&server.fields, &client.fields, kind) {
        return Some(Difference {
            field,
            ..Difference::whole(server, client)
        });
    }
    if let Some((call, server, client)) = pair_difference(&server.calls, &client.calls, "call") {
        return Some(Difference {
            call,
            ..Difference::whole(server, client)
        });
    }
    (server.channel != client.channel).then(|| {
        let (s, c) = (server.channel, client.channel);
        Difference::whole(format!("it on channel {s}"), format!("it on channel {c}"))
    })
}

/// Kind of the pairs that describe messages.
const MESSAGE: &str = "message";

type Pair = (String, String);

/// Returns the name of the first different pair, and its descriptions by the server and the client.
fn pair_difference(
    server: &[Pair],
    client: &[Pair],
    kind: &str,
) -> Option<(Option<String>, String, String)> {
    let count = server.len().max(client.len());
    let pairs = (0..count).map(|index| (server.get(index), client.get(index)));
    let (s, c) = { pairs }.find(|(s, c)| s != c)?;
    // Messages are ordered by name: one end lacks the first of two names.
    let (s, c) = match (s, c) {
        (Some(first), Some(second)) if kind == MESSAGE && first.0 != second.0 => {
            if first.0 < second.0 {
                (s, None)
            } else {
                (None, c)
            }
        }
        pair => pair,
    };
    let name = s.or(c).map(|(name, _)| name.clone());
    let describe = |pair: Option<&Pair>| match pair {
        Some((name, text)) => format!("`{name}: {text}`"),
        None => format!("no such {kind}"),
    };
    Some((name, describe(s), describe(c)))
}
