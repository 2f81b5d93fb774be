//! Types for the client in TypeScript, from a schema.

mod names;
mod values;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use syncvar::calls::CallKind;
use syncvar::schema::{
    Readers, Schema, SchemaBehaviour, SchemaCall, SchemaField, SchemaMember, SchemaType, Writers,
};

use names::{Identifiers, key, quoted, template};
use values::{Values, code, doc};

/// Name of the message that the inputs are.
const INPUT: &str = "input";

/// Returns a module in TypeScript: the build of a page, and the types of its game.
pub(crate) fn typescript(schema: &Schema) -> String {
    let mut identifiers = Identifiers::new();
    let behaviours = behaviours(schema, &mut identifiers);
    let mut values = Values::new(identifiers);
    let interfaces: String = behaviours
        .iter()
        .map(|(behaviour, identifier)| interface(behaviour, identifier, &mut values))
        .collect();
    let game = game(schema, &behaviours, &mut values);
    let declarations: Vec<_> = values.declarations.into_values().collect();
    let declarations = declarations.join("\n");
    let text = template(&schema.to_string());
    format!(
        "// Made by `syncvar types --typescript`: the schema {:016x}. Do not edit.\n\n\
         import type {{ Build }} from \"syncvar\";\n\
         import {{ resolve }} from \"syncvar/resolution\";\n\n\
         {declarations}{}{interfaces}{game}\n\
         /** Build of this page: `new Client(url, {{ build }})`. */\n\
         export const build: Build<Game> = {{ schema: {text}, resolve }};\n",
        schema.hash(),
        if declarations.is_empty() { "" } else { "\n" },
    )
}

/// Returns the behaviours of all prefabs, each once, with its identifier.
fn behaviours<'a>(
    schema: &'a Schema,
    identifiers: &mut Identifiers,
) -> Vec<(&'a SchemaBehaviour, String)> {
    let mut found: Vec<(&SchemaBehaviour, String)> = Vec::new();
    for behaviour in schema.prefabs.iter().flat_map(|it| &it.behaviours) {
        // The channel does not change the types.
        let is_alike =
            |it: &SchemaBehaviour| it.names == behaviour.names && it.classes == behaviour.classes;
        if !found.iter().any(|(it, _)| is_alike(it)) {
            found.push((behaviour, identifiers.claim(&behaviour.names.name)));
        }
    }
    found.sort_by(|(_, a), (_, b)| a.cmp(b));
    found
}

/// Returns the interface of a behaviour: its fields, and its calls in both directions.
fn interface(behaviour: &SchemaBehaviour, identifier: &str, values: &mut Values) -> String {
    let mut text = format!("export interface {identifier} {{\n");
    let fields: Vec<_> = behaviour.fields().collect();
    write_block(
        &mut text,
        "fields",
        field_lines(behaviour, values).into_iter(),
    );
    let is_written = |it: &&&SchemaField| it.writers != Writers::Server;
    let written = fields.iter().filter(is_written);
    let written: Vec<_> = written.map(|it| quoted(&it.names.name)).collect();
    let written = match &written[..] {
        [] => "never".to_owned(),
        names => names.join(" | "),
    };
    let _ = writeln!(text, "  writes: {written};");
    let calls = |is_command: bool| {
        behaviour
            .calls()
            .filter(move |it| (it.kind == CallKind::Command) == is_command)
    };
    write_block(
        &mut text,
        "commands",
        calls(true).map(|it| call(it, values)),
    );
    write_block(&mut text, "calls", calls(false).map(|it| call(it, values)));
    text + "}\n\n"
}

/// Writes a member of an interface whose members are `lines`.
fn write_block(text: &mut String, name: &str, lines: impl Iterator<Item = String>) {
    let lines: String = lines.collect();
    let lines = lines.replace('\n', "\n  ");
    let _ = match lines.trim_end() {
        "" => writeln!(text, "  {name}: {{}};"),
        lines => writeln!(text, "  {name}: {{\n  {lines}\n  }};"),
    };
}

/// Returns the lines of all fields. A field of a class takes the place of a field of a base with its name.
fn field_lines(behaviour: &SchemaBehaviour, values: &mut Values) -> Vec<String> {
    let fields: Vec<_> = behaviour.fields().collect();
    let mut lines = Vec::new();
    let mut is_certain = !behaviour.is_optional;
    for (at, it) in fields.iter().enumerate() {
        let is_present = behaviour.is_optional && at + 1 == fields.len();
        let of = values.type_of(&it.value);
        // The client reads no field behind a field that it cannot read.
        is_certain &= of != "undefined";
        let name = &it.names.name;
        if fields[at + 1..]
            .iter()
            .all(|later| later.names.name != *name)
        {
            lines.push(field(it, of, is_certain || is_present));
        }
    }
    lines
}

fn field(field: &SchemaField, mut of: String, is_certain: bool) -> String {
    let mut notes = vec![code(&field.value)];
    let readers = match field.readers {
        Readers::Everyone => None,
        Readers::Owner => Some("read by the owner"),
        Readers::Others => Some("read by all but the owner"),
        Readers::Group => Some("read by the owner and its group"),
        Readers::Server => Some("read by the server"),
    };
    notes.extend(readers.map(str::to_owned));
    if of == "undefined" {
        notes.push("which the client cannot read".to_owned());
    } else if readers.is_some() || !is_certain {
        of.push_str(" | undefined");
    }
    format!("{}  {}: {of};\n", doc(&notes), key(&field.names.name))
}

fn call(call: &SchemaCall, values: &mut Values) -> String {
    let argument = |(at, it): (usize, &SchemaMember)| {
        let name = match key(&it.names.name) {
            name if name.starts_with('"') => format!("argument{at}"),
            name => name,
        };
        format!("{name}: {}", values.type_of(&it.value))
    };
    let arguments: Vec<_> = call.arguments.iter().enumerate().map(argument).collect();
    let key = key(&call.names.name);
    format!("  {key}({}): void;\n", arguments.join(", "))
}

/// Returns the interface of the game: the behaviours of the prefabs, and the messages.
fn game(schema: &Schema, behaviours: &[(&SchemaBehaviour, String)], values: &mut Values) -> String {
    let mut text =
        String::from("/** Objects and messages of the game. */\nexport interface Game {\n");
    let prefabs = schema.prefabs.iter().map(|prefab| {
        let names = prefab.behaviours.iter().map(|it| quoted(&it.names.name));
        let names: Vec<_> = names.collect();
        let names = if names.is_empty() {
            "never".to_owned()
        } else {
            names.join(" | ")
        };
        format!("  {}: {names};\n", key(&prefab.names.name))
    });
    write_block(&mut text, "prefabs", prefabs);
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (behaviour, identifier) in behaviours {
        by_name
            .entry(&behaviour.names.name)
            .or_default()
            .push(identifier);
    }
    let lines = by_name
        .iter()
        .map(|(name, identifiers)| format!("  {}: {};\n", key(name), identifiers.join(" | ")));
    write_block(&mut text, "behaviours", lines);
    let messages = schema.messages.iter().filter(|it| it.names.name != INPUT);
    let messages = messages.map(|it| member(&it.names.name, &it.value, values));
    let messages: Vec<_> = messages.collect();
    write_block(&mut text, "messages", messages.into_iter());
    let input = schema.message(INPUT);
    let input = input.map_or("never".to_owned(), |it| values.type_of(&it.value));
    let _ = writeln!(text, "  input: {input};");
    text + "}\n"
}

fn member(name: &str, value: &SchemaType, values: &mut Values) -> String {
    format!("  {}: {};\n", key(name), values.type_of(value))
}
