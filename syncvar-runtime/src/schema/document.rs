//! `Schema`: the agreement of an end as data, with a canonical text.
//!
//! The constants of the derives ([`BehaviourSchema`](super::BehaviourSchema)) describe one class each. A `Schema` describes a
//! whole registry, and may come from a different program: from a server, a file or a recording.
//!
//! ```text
//! Prefabs -> Schema -> text -> hash           both ends compare the hash at connect
//!              ^         |
//!              +- parse -+                    from a server, a file, a recording
//! ```

mod error;
mod parse;
mod print;
#[cfg(test)]
mod tests;
mod types;

pub use error::SchemaError;
pub use types::{SchemaMember, SchemaType, SchemaVariant};

use super::{CallKind, Readers, Writers};
use crate::ids::NetworkHash128;

/// Limit of the text of a schema, in bytes.
pub const MAX_SCHEMA_TEXT: usize = 1 << 20;

/// Limit of the types inside a type.
pub const MAX_TYPE_DEPTH: usize = 64;

/// Prefabs and messages of a program: everything that decides the bytes between two ends.
///
/// Its text has one line per field, for snapshots in a repository and for reviews. The grammar stands in WIRE.md, section 5.
///
/// ```
/// use syncvar::{prelude::*, schema::Schema};
///
/// let text = "\
/// message chat = 48: Chat { text: String }
/// prefab door 5b882675757277b806e97060b8398901
///   behaviour Door, channel 0
///     class Door
///       open: bool
///       command knock = CmdKnock(times: u8)
/// ";
/// let schema = Schema::parse(text)?;
/// assert_eq!(schema.prefabs[0].behaviours[0].classes[0].fields[0].names.name, "open");
/// assert_eq!(schema.to_string(), text);
/// # Ok::<(), syncvar::error::SchemaError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Messages of the program, by name. The inputs of clients are the message `input`.
    pub messages: Vec<SchemaMessage>,
    /// Prefabs, by name.
    pub prefabs: Vec<SchemaPrefab>,
}

/// Name of a part of a schema, and its names in earlier builds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Names {
    /// Present name.
    pub name: String,
    /// Former names, the newest first.
    pub was: Vec<String>,
}

/// Message of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMessage {
    /// Name, under which the program registers the type.
    pub names: Names,
    /// Number on the wire.
    pub number: i16,
    /// Type of the message.
    pub value: SchemaType,
}

/// Prefab: a kind of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaPrefab {
    /// Name of the prefab.
    pub names: Names,
    /// Asset id.
    pub asset_id: NetworkHash128,
    /// Behaviours, in order.
    pub behaviours: Vec<SchemaBehaviour>,
}

/// Behaviour of a prefab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaBehaviour {
    /// Name of the struct. For `Optional<B>` the name of `B`.
    pub names: Names,
    /// Channel of its changes.
    pub channel: u8,
    /// Set for an `Optional` behaviour. Its last class has the field `present` alone.
    pub is_optional: bool,
    /// Set if data of `on_synchronize` follows its snapshot.
    pub has_data: bool,
    /// Classes, bases first.
    pub classes: Vec<SchemaClass>,
}

/// Class of a behaviour: the behaviour itself, or a base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaClass {
    /// Name of the struct.
    pub name: String,
    /// Fields of this class alone, in order.
    pub fields: Vec<SchemaField>,
    /// Remote calls of this class alone, in order.
    pub calls: Vec<SchemaCall>,
}

/// Field of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaField {
    /// Name of the field.
    pub names: Names,
    /// Type of the field.
    pub value: SchemaType,
    /// Connections that receive the field.
    pub readers: Readers,
    /// Sides that write the field.
    pub writers: Writers,
    /// Set if the field travels with snapshots only.
    pub initial_only: bool,
}

/// Remote call of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaCall {
    /// Kind of the call.
    pub kind: CallKind,
    /// Name of the method.
    pub names: Names,
    /// Name of the method in UNet, which decides the hash of the call.
    pub unity_name: String,
    /// Arguments, in order.
    pub arguments: Vec<SchemaMember>,
    /// Set if the call runs after the state of its tick.
    pub after_state: bool,
}

impl Schema {
    /// Reads the text of a schema. The order of prefabs and messages is free: they are sorted by name.
    ///
    /// # Errors
    ///
    /// When the text does not follow the grammar, exceeds [`MAX_SCHEMA_TEXT`], or a type exceeds [`MAX_TYPE_DEPTH`]; for two
    /// prefabs or messages of one name or number, and for a behaviour with more than 64 fields.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        parse::schema(text)
    }

    /// Returns the FNV-1a hash of 64 bits over the canonical text. Two ends with equal hashes agree about every byte.
    ///
    /// ```
    /// use syncvar::schema::Schema;
    ///
    /// assert_eq!(Schema::default().hash(), 0xcbf2_9ce4_8422_2325);
    /// ```
    pub fn hash(&self) -> u64 {
        hash_of(&self.to_string())
    }

    /// Returns the message with a name.
    pub fn message(&self, name: &str) -> Option<&SchemaMessage> {
        self.messages.iter().find(|it| it.names.name == name)
    }

    /// Returns the prefab with a name.
    pub fn prefab(&self, name: &str) -> Option<&SchemaPrefab> {
        self.prefabs.iter().find(|it| it.names.name == name)
    }

    /// Calls a function with each type, and with the types inside.
    pub(crate) fn each_type(&self, action: &mut dyn FnMut(&SchemaType)) {
        for behaviour in self.prefabs.iter().flat_map(|prefab| &prefab.behaviours) {
            for field in behaviour.fields() {
                field.value.each(action);
            }
            for argument in behaviour.calls().flat_map(|call| &call.arguments) {
                argument.value.each(action);
            }
        }
        for message in &self.messages {
            message.value.each(action);
        }
    }
}

/// Returns the hash of a canonical text.
pub fn hash_of(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl SchemaBehaviour {
    /// Returns all fields, in the order of the dirty bits: those of the bases first.
    pub fn fields(&self) -> impl Iterator<Item = &SchemaField> + Clone {
        self.classes.iter().flat_map(|class| &class.fields)
    }

    /// Returns all calls, in the order of their numbers.
    pub fn calls(&self) -> impl Iterator<Item = &SchemaCall> + Clone {
        self.classes.iter().flat_map(|class| &class.calls)
    }
}

impl Names {
    /// Names a part without former names.
    pub fn new(name: impl Into<String>) -> Self {
        let (name, was) = (name.into(), Vec::new());
        Self { name, was }
    }

    /// Names a part that has former names.
    pub(crate) fn of(name: &str, was: &[&str]) -> Self {
        let was = was.iter().map(|former| (*former).to_owned());
        Self {
            name: name.into(),
            was: was.collect(),
        }
    }

    /// Returns whether two parts of different builds are the same part: equal names, or a former name of a part is the present
    /// name of the part in the second build.
    pub fn matches(&self, other: &Self) -> bool {
        self.name == other.name || self.was.contains(&other.name) || other.was.contains(&self.name)
    }
}
