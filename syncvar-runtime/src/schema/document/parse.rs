//! Reader of the text of a schema: lines by their depth, then types.
//!
//! ```text
//! depth 0   message, prefab
//! depth 1     behaviour
//! depth 2       class
//! depth 3         field, call
//! ```

mod cursor;
mod types;

use super::{
    MAX_SCHEMA_TEXT, Schema, SchemaBehaviour, SchemaCall, SchemaClass, SchemaError, SchemaField,
    SchemaMessage, SchemaPrefab, SchemaType,
};
use crate::ids::NetworkHash128;
use crate::schema::{CallKind, MAX_BEHAVIOURS, MAX_SYNC_VARS, Readers, Writers};
use cursor::Cursor;

impl SchemaType {
    /// Reads the text of a type.
    ///
    /// # Errors
    ///
    /// When the text does not follow the grammar, or exceeds the limits of a schema.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        check_length(text)?;
        let mut line = Cursor::new(1, text);
        let value = line.value(0)?;
        line.end()?;
        Ok(value)
    }
}

fn check_length(text: &str) -> Result<(), SchemaError> {
    if text.len() <= MAX_SCHEMA_TEXT {
        return Ok(());
    }
    let length = text.len();
    let message = format!("a schema of {length} bytes: at most {MAX_SCHEMA_TEXT} are read");
    Err(SchemaError::new(0, 0, message))
}

pub(super) fn schema(text: &str) -> Result<Schema, SchemaError> {
    check_length(text)?;
    let mut schema = Schema::default();
    // Lines of the prefabs and messages, for errors about two of one name.
    let (mut prefabs, mut messages) = (Vec::new(), Vec::new());
    for (number, text) in (1..).zip(text.lines()) {
        let mut line = Cursor::new(number, text);
        if text.trim().is_empty() {
            continue;
        }
        match line.depth() {
            0 if line.accept("message ") => {
                schema.messages.push(message(&mut line)?);
                messages.push(number);
            }
            0 if line.accept("prefab ") => {
                schema.prefabs.push(prefab(&mut line)?);
                prefabs.push(number);
            }
            0 => return Err(line.expected("`message` or `prefab`")),
            1 => {
                let prefab = schema.prefabs.last_mut();
                let prefab = prefab.ok_or_else(|| line.error("a behaviour without a prefab"))?;
                if prefab.behaviours.len() >= MAX_BEHAVIOURS {
                    return Err(line.error(format!("more than {MAX_BEHAVIOURS} behaviours")));
                }
                prefab.behaviours.push(behaviour(&mut line)?);
            }
            2 => {
                let behaviour = last_behaviour(&mut schema);
                let behaviour =
                    behaviour.ok_or_else(|| line.error("a class without a behaviour"))?;
                line.require("class ")?;
                behaviour.classes.push(SchemaClass {
                    name: line.name()?,
                    ..SchemaClass::default()
                });
            }
            3 => member(&mut line, &mut schema)?,
            _ => return Err(line.error("a line that is indented too far")),
        }
        line.end()?;
    }
    check_unique(&mut schema, &prefabs, &messages)?;
    Ok(schema)
}

fn last_behaviour(schema: &mut Schema) -> Option<&mut SchemaBehaviour> {
    schema.prefabs.last_mut()?.behaviours.last_mut()
}

fn message(line: &mut Cursor<'_>) -> Result<SchemaMessage, SchemaError> {
    let names = line.names()?;
    line.require(" = ")?;
    let number = line.number()?;
    line.require(": ")?;
    Ok(SchemaMessage {
        names,
        number,
        value: line.value(0)?,
    })
}

fn prefab(line: &mut Cursor<'_>) -> Result<SchemaPrefab, SchemaError> {
    let names = line.names()?;
    line.require(" ")?;
    let digits = line.take_while(|it| it.is_ascii_hexdigit());
    if digits.len() != 32 || digits.contains(|it: char| it.is_ascii_uppercase()) {
        return Err(line.error_before(digits, "expected 32 hexadecimal digits"));
    }
    Ok(SchemaPrefab {
        names,
        asset_id: NetworkHash128::parse(digits),
        behaviours: Vec::new(),
    })
}

fn behaviour(line: &mut Cursor<'_>) -> Result<SchemaBehaviour, SchemaError> {
    line.require("behaviour ")?;
    let names = line.names()?;
    line.require(", channel ")?;
    Ok(SchemaBehaviour {
        names,
        channel: line.number()?,
        is_optional: line.accept(", optional"),
        has_data: line.accept(", with data"),
        classes: Vec::new(),
    })
}

/// Reads a field or a call of the last class.
fn member(line: &mut Cursor<'_>, schema: &mut Schema) -> Result<(), SchemaError> {
    let behaviour = last_behaviour(schema);
    let behaviour = behaviour.ok_or_else(|| line.error("a field without a class"))?;
    let count = behaviour.fields().count();
    let class = behaviour.classes.last_mut();
    let class = class.ok_or_else(|| line.error("a field without a class"))?;
    if let Some(kind) = call_kind(line) {
        class.calls.push(call(line, kind)?);
        return Ok(());
    }
    if count >= usize::try_from(MAX_SYNC_VARS).unwrap_or(usize::MAX) {
        return Err(line.error(format!("more than {MAX_SYNC_VARS} fields in a behaviour")));
    }
    class.fields.push(field(line)?);
    Ok(())
}

/// Reads the kind of a call; `None` for a field, behind whose names a colon follows.
fn call_kind(line: &mut Cursor<'_>) -> Option<CallKind> {
    let kinds = [
        CallKind::Command,
        CallKind::ClientRpc,
        CallKind::TargetRpc,
        CallKind::SyncEvent,
    ];
    let of_field = |rest: &str| rest.starts_with("was ") && !rest.starts_with("was = ");
    kinds.into_iter().find(|kind| {
        let before = line.clone();
        // A field may have the name of a kind, and a former name behind it.
        let is_call = line.accept(&format!("{kind} ")) && !of_field(line.rest());
        if !is_call {
            *line = before;
        }
        is_call
    })
}

fn call(line: &mut Cursor<'_>, kind: CallKind) -> Result<SchemaCall, SchemaError> {
    let names = line.names()?;
    line.require(" = ")?;
    let unity_name = line.name()?;
    line.require("(")?;
    let arguments = line.members(")", 0)?;
    Ok(SchemaCall {
        kind,
        names,
        unity_name,
        arguments,
        after_state: line.accept(", after the state"),
    })
}

fn field(line: &mut Cursor<'_>) -> Result<SchemaField, SchemaError> {
    let names = line.names()?;
    line.require(": ")?;
    let value = line.value(0)?;
    let readers = if line.accept(", read by the owner and its group") {
        Readers::Group
    } else if line.accept(", read by the owner") {
        Readers::Owner
    } else if line.accept(", read by all but the owner") {
        Readers::Others
    } else if line.accept(", read by the server") {
        Readers::Server
    } else {
        Readers::Everyone
    };
    if matches!(readers, Readers::Others | Readers::Server) && line.accept(", written by") {
        let message = "the owner does not read the field, so it cannot write it";
        return Err(line.error_before(", written by", message));
    }
    let writers = if line.accept(", written by the owner and the server") {
        Writers::OwnerAndServer
    } else if line.accept(", written by the owner") {
        Writers::Owner
    } else {
        Writers::Server
    };
    Ok(SchemaField {
        names,
        value,
        readers,
        writers,
        initial_only: line.accept(", sent once"),
    })
}

/// Sorts prefabs and messages by name, and refuses two of one name, number or asset id.
fn check_unique(
    schema: &mut Schema,
    prefabs: &[usize],
    messages: &[usize],
) -> Result<(), SchemaError> {
    let twice = |line: usize, part: &str| Err(SchemaError::new(line, 1, format!("{part} twice")));
    let names = schema.prefabs.iter().map(|it| it.names.name.clone());
    if let Some(at) = repeated(names) {
        return twice(line_of(prefabs, at), "a prefab of this name");
    }
    let names = schema.messages.iter().map(|it| it.names.name.clone());
    if let Some(at) = repeated(names) {
        return twice(line_of(messages, at), "a message of this name");
    }
    if let Some(at) = repeated(schema.messages.iter().map(|it| it.number.to_string())) {
        return twice(line_of(messages, at), "a message of this number");
    }
    let ids = schema.prefabs.iter().enumerate().map(|(at, it)| {
        // Prefabs without an asset id have zero.
        let number = if it.asset_id.is_zero() { at } else { 0 };
        format!("{} {number}", it.asset_id)
    });
    if let Some(at) = repeated(ids) {
        return twice(line_of(prefabs, at), "a prefab of this asset id");
    }
    let classless = |it: &SchemaPrefab| it.behaviours.iter().any(|it| it.classes.is_empty());
    if let Some(at) = schema.prefabs.iter().position(classless) {
        let message = "a behaviour of this prefab has no class";
        return Err(SchemaError::new(line_of(prefabs, at), 1, message));
    }
    schema
        .prefabs
        .sort_unstable_by(|a, b| a.names.name.cmp(&b.names.name));
    schema
        .messages
        .sort_unstable_by(|a, b| a.names.name.cmp(&b.names.name));
    Ok(())
}

fn line_of(lines: &[usize], at: usize) -> usize {
    lines.get(at).copied().unwrap_or_default()
}

/// Returns the position of the first part that an earlier part equals. Numbers come as texts: a set of each type costs
/// the build of the crate a tenth of a second.
fn repeated(parts: impl Iterator<Item = String>) -> Option<usize> {
    let mut known = std::collections::BTreeSet::new();
    { parts }.position(|part| !known.insert(part))
}
