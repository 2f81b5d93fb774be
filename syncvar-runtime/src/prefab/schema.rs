//! The registry as a [`Schema`], made from the constants of the classes.

use std::sync::Arc;

use super::{Prefab, Prefabs};
use crate::behaviour::Presence;
use crate::object::SlotInfo;
use crate::schema::document::hash_of;
use crate::schema::{
    BehaviourSchema, CallSchema, CallTable, FieldSchema, Names, Schema, SchemaBehaviour,
    SchemaCall, SchemaClass, SchemaField, SchemaMessage, SchemaPrefab,
};

/// Canonical text of a registry, and its hash.
#[derive(Clone, Debug)]
pub(super) struct SchemaText {
    text: Arc<str>,
    hash: u64,
}

impl Prefabs {
    /// Returns the schema: the prefabs with their behaviours, fields and calls, and the messages, by name. The order
    /// of registration does not matter.
    ///
    /// Its text has one line per field. A snapshot of it in the repository shows in a review what a change of a struct
    /// means for clients and recordings of earlier builds.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var(was = "unlocked")]
    ///     open: SyncVar<bool>,
    ///     #[sync_var(read = owner)]
    ///     keys: SyncList<u32>,
    /// }
    ///
    /// #[network_calls]
    /// impl Door {
    ///     #[command]
    ///     fn knock(&mut self, times: u8) {}
    /// }
    ///
    /// let prefabs = Prefabs::new().register::<Door>("door").message::<String>("chat");
    /// assert_eq!(
    ///     prefabs.schema().to_string(),
    ///     "\
    /// message chat = 48: String
    /// prefab door 695b882675757277b806e97060b83989
    ///   behaviour Door, channel 0
    ///     class Door
    ///       open was unlocked: bool
    ///       keys: SyncList<u32>, read by the owner
    ///       command knock = CmdKnock(times: u8)
    /// "
    /// );
    /// ```
    pub fn schema(&self) -> Schema {
        let messages = self.messages.kinds.iter().map(|kind| SchemaMessage {
            names: names(&kind.name, &kind.was),
            number: kind.number,
            value: (&kind.schema).into(),
        });
        Schema {
            messages: messages.collect(),
            prefabs: self.by_rank().map(|entry| self.describe(entry)).collect(),
        }
    }

    /// Returns the [hash](Schema::hash) of the schema. Two ends with equal hashes agree about every byte.
    pub fn schema_hash(&self) -> u64 {
        self.described().hash
    }

    /// Returns the canonical text of the schema.
    pub fn schema_text(&self) -> &Arc<str> {
        &self.described().text
    }

    fn describe(&self, entry: &Prefab) -> SchemaPrefab {
        let behaviours = entry.infos.iter().map(|info| {
            let id = info.inner.map_or(info.class.id, |inner| inner.id);
            behaviour(info, self.behaviour_names.get(&id).map(String::as_str))
        });
        SchemaPrefab {
            names: names(&entry.name, &entry.was),
            asset_id: entry.asset_id,
            behaviours: behaviours.collect(),
        }
    }

    fn described(&self) -> &SchemaText {
        self.schema_text.get_or_init(|| {
            let text: Arc<str> = self.schema().to_string().into();
            let hash = hash_of(&text);
            SchemaText { text, hash }
        })
    }
}

fn names(name: &str, was: &[String]) -> Names {
    Names {
        name: name.into(),
        was: was.to_vec(),
    }
}

fn behaviour(info: &SlotInfo, renamed: Option<&str>) -> SchemaBehaviour {
    let mut classes = Vec::new();
    add_classes(&info.schema, Some(&info.calls), &mut classes);
    let mut name = info.schema.name;
    let is_optional = info.presence == Presence::Optional;
    if is_optional && let Some(own) = classes.last_mut() {
        // The schema of `Optional<B>` has `B` as its base, and a name that contains that of `B`.
        own.name = "present".into();
        name = info.schema.base.map_or(name, |base| base.name);
    }
    if let Some(renamed) = renamed {
        name = renamed;
    }
    SchemaBehaviour {
        names: Names::of(name, info.was),
        channel: info.channel,
        is_optional,
        has_data: info.synchronize,
        classes,
    }
}

/// Adds a class behind its bases. Each class has a table of calls; the table of the last base contains the calls of
/// classes that the schema does not name.
fn add_classes(
    schema: &BehaviourSchema,
    calls: Option<&CallTable>,
    classes: &mut Vec<SchemaClass>,
) {
    let inherited = calls.and_then(CallTable::base);
    let mut class = SchemaClass {
        name: schema.name.into(),
        fields: schema.fields.iter().map(field).collect(),
        calls: Vec::new(),
    };
    match schema.base {
        Some(base) => {
            add_classes(base, inherited, classes);
            class.calls = own_calls(calls).map(call).collect();
        }
        None => {
            class.calls = { calls.into_iter() }
                .flat_map(CallTable::all)
                .map(call)
                .collect();
        }
    }
    classes.push(class);
}

fn own_calls(calls: Option<&CallTable>) -> impl Iterator<Item = &'static CallSchema> {
    calls.into_iter().flat_map(CallTable::own)
}

fn field(field: &FieldSchema) -> SchemaField {
    SchemaField {
        names: Names::of(field.name, field.was),
        value: (&field.schema).into(),
        readers: field.policy.readers,
        writers: field.policy.writers,
        initial_only: field.policy.initial_only,
    }
}

fn call(call: &'static CallSchema) -> SchemaCall {
    SchemaCall {
        kind: call.kind,
        names: Names::of(call.name, call.was),
        unity_name: call.unity_name.into(),
        arguments: call.arguments.iter().map(Into::into).collect(),
        after_state: call.after_state,
    }
}
