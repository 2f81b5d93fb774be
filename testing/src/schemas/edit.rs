//! Random edits of a schema, as a developer makes them between two builds.

use syncvar::schema::{
    Names, Readers, Schema, SchemaBehaviour, SchemaCall, SchemaClass, SchemaField, SchemaMessage,
    SchemaPrefab, Writers,
};
use syncvar::testing::Random;
use syncvar::values::NetworkHash128;

use super::calls::{calls, edit_calls};
use super::retype::{edit_type, readers, rename, shuffle, writers};
use super::typed;
use super::types::{named, random_field_type, random_leaf, random_type};

/// Schemas of two builds, and what belongs together.
pub(super) struct Pair {
    pub(super) server: Schema,
    pub(super) client: Schema,
    /// Set if the server has compiled types.
    pub(super) is_typed: bool,
    /// Set if an edit keeps the builds apart.
    pub(super) is_refused: bool,
    /// Behaviours of the server and the client that belong together.
    behaviours: Vec<(usize, usize)>,
    /// Fields of the server and the client that belong together: a behaviour of the server, and both names.
    fields: Vec<(usize, String, String)>,
    /// Calls that belong together, likewise.
    pub(super) calls: Vec<(usize, String, String)>,
}

/// Field or call in the build of the edits, with its name in the first build.
#[derive(Clone)]
pub(super) struct Edited<T> {
    pub(super) item: T,
    pub(super) source: Option<String>,
}

impl Pair {
    pub(super) fn random(random: &mut Random) -> Self {
        let is_typed = random.chance(200);
        let first = if is_typed {
            typed::prefabs().schema()
        } else {
            first(random)
        };
        let mut pair = Self {
            server: first.clone(),
            client: first,
            is_typed,
            is_refused: false,
            behaviours: Vec::new(),
            fields: Vec::new(),
            calls: Vec::new(),
        };
        pair.edit(random);
        if !is_typed && random.chance(500) {
            pair.swap();
        }
        pair
    }

    /// Returns the fields of a build: the position and name of the behaviour, and the field.
    pub(super) fn fields(of: &Schema) -> Vec<(usize, String, SchemaField)> {
        let behaviours = of.prefabs[0].behaviours.iter().enumerate();
        let fields = behaviours.flat_map(|(at, behaviour)| {
            behaviour
                .fields()
                .map(move |field| (at, behaviour.names.name.clone(), field.clone()))
        });
        fields.collect()
    }

    /// Returns the client's field for a field of the server, with its position.
    pub(super) fn partner(&self, behaviour: usize, name: &str) -> Option<(usize, &SchemaField)> {
        let own = self.on_client(behaviour)?;
        let (_, _, partner) = self
            .fields
            .iter()
            .find(|(at, theirs, _)| *at == behaviour && theirs == name)?;
        let mut fields = self.client.prefabs[0].behaviours[own].fields().enumerate();
        fields.find(|(_, field)| field.names.name == *partner)
    }

    /// Returns the server's field for a field of the client.
    pub(super) fn source(&self, behaviour: usize, name: &str) -> Option<&SchemaField> {
        let server = self.on_server(behaviour)?;
        let mut pairs = self.fields.iter();
        let (_, theirs, _) = pairs.find(|(at, _, own)| *at == server && own == name)?;
        let mut fields = self.server.prefabs[0].behaviours[server].fields();
        fields.find(|field| field.names.name == *theirs)
    }

    pub(super) fn on_client(&self, behaviour: usize) -> Option<usize> {
        let mut pairs = self.behaviours.iter();
        pairs
            .find(|(server, _)| *server == behaviour)
            .map(|(_, client)| *client)
    }

    pub(super) fn name_on_client(&self, behaviour: usize) -> &str {
        let own = self
            .on_client(behaviour)
            .expect("a behaviour of both builds");
        &self.client.prefabs[0].behaviours[own].names.name
    }

    /// Returns whether only the client has a field.
    pub(super) fn is_alone(&self, behaviour: usize, name: &str) -> bool {
        let server = self.on_server(behaviour);
        let mut fields = self.fields.iter();
        !fields.any(|(at, _, own)| Some(*at) == server && own == name)
    }

    /// Returns the server's behaviour for a behaviour of the client.
    pub(super) fn on_server(&self, behaviour: usize) -> Option<usize> {
        let mut pairs = self.behaviours.iter();
        pairs
            .find(|(_, client)| *client == behaviour)
            .map(|(server, _)| *server)
    }

    fn swap(&mut self) {
        std::mem::swap(&mut self.server, &mut self.client);
        let of = self.behaviours.clone();
        for (at, theirs, ours) in self.fields.iter_mut().chain(&mut self.calls) {
            std::mem::swap(theirs, ours);
            *at = of
                .iter()
                .find(|(server, _)| server == at)
                .expect("a pair")
                .1;
        }
        for (server, client) in &mut self.behaviours {
            std::mem::swap(server, client);
        }
    }

    /// Makes the client's build from the server's.
    fn edit(&mut self, random: &mut Random) {
        let is_small = random.chance(200);
        let mut edited = Vec::new();
        for (at, behaviour) in self.client.prefabs[0]
            .behaviours
            .clone()
            .into_iter()
            .enumerate()
        {
            if !is_small && random.chance(80) {
                continue;
            }
            let behaviour = if is_small {
                self.move_behaviour(random, at, behaviour)
            } else {
                self.edit_behaviour(random, at, behaviour)
            };
            edited.push((Some(at), behaviour));
        }
        if random.chance(if is_small { 30 } else { 150 }) {
            edited.push((None, behaviour(random, "Added")));
        }
        if !is_small && random.chance(200) {
            shuffle(random, &mut edited);
        }
        for (at, (source, _)) in edited.iter().enumerate() {
            self.behaviours.extend(source.map(|source| (source, at)));
        }
        self.client.prefabs[0].behaviours = edited.into_iter().map(|(_, it)| it).collect();
        if random.chance(100) {
            let prefab = &mut self.client.prefabs[0];
            rename(&mut prefab.names);
            prefab.asset_id = NetworkHash128::of(&prefab.names.name);
        }
        self.edit_messages(random);
    }

    fn edit_behaviour(
        &mut self,
        random: &mut Random,
        at: usize,
        mut behaviour: SchemaBehaviour,
    ) -> SchemaBehaviour {
        if random.chance(100) {
            rename(&mut behaviour.names);
        }
        if random.chance(100) {
            behaviour.channel ^= 1;
        }
        let present = behaviour.is_optional.then(|| behaviour.classes.pop());
        let calls: Vec<_> = behaviour.calls().cloned().collect();
        let calls = edit_calls(random, &behaviour.names.name, &calls);
        let fields = self.edit_fields(random, &behaviour);
        let mut edited = self.with_partners(random, at, behaviour, (fields, calls));
        edited.classes.extend(present.flatten());
        edited
    }

    /// Moves a behaviour to the other channel, and its commands to other numbers.
    fn move_behaviour(
        &mut self,
        random: &mut Random,
        at: usize,
        mut behaviour: SchemaBehaviour,
    ) -> SchemaBehaviour {
        if random.chance(200) {
            behaviour.channel ^= 1;
        }
        let fields = behaviour.fields().filter(|it| it.names.name != "present");
        for name in fields.map(|it| it.names.name.clone()) {
            self.fields.push((at, name.clone(), name));
        }
        for name in behaviour.calls().map(|it| it.names.name.clone()) {
            self.calls.push((at, name.clone(), name));
        }
        for class in &mut behaviour.classes {
            if random.chance(600) {
                shuffle(random, &mut class.calls);
            }
        }
        behaviour
    }

    /// Notes what belongs together.
    fn with_partners(
        &mut self,
        random: &mut Random,
        at: usize,
        behaviour: SchemaBehaviour,
        (mut fields, mut calls): (Vec<Edited<SchemaField>>, Vec<Edited<SchemaCall>>),
    ) -> SchemaBehaviour {
        let name = |names: &Names| names.name.clone();
        for it in &mut fields {
            let source = it.source.take();
            self.fields
                .extend(source.map(|source| (at, source, name(&it.item.names))));
        }
        for it in &mut calls {
            let source = it.source.take();
            self.calls
                .extend(source.map(|source| (at, source, name(&it.item.names))));
        }
        with_parts(random, behaviour, fields, calls)
    }

    fn edit_fields(
        &mut self,
        random: &mut Random,
        behaviour: &SchemaBehaviour,
    ) -> Vec<Edited<SchemaField>> {
        let mut fields = Vec::new();
        for field in behaviour.fields() {
            if random.chance(100) {
                continue;
            }
            let mut edited = unchanged(field);
            if random.chance(100) {
                rename(&mut edited.item.names);
            }
            // Two edits of one type may lead to types that no rule converts.
            if random.chance(500) {
                edited.item.value = edit_type(random, &edited.item.value);
            }
            if random.chance(4) {
                edited.item.value = named("Uuid");
                self.is_refused = true;
            }
            if random.chance(100) {
                edited.item.readers = readers(random);
            }
            let item = &mut edited.item;
            let owner_reads = !matches!(item.readers, Readers::Others | Readers::Server);
            if random.chance(100) || !owner_reads {
                item.writers = writers(random, item.readers);
            }
            fields.push(edited);
        }
        for at in 0..random.below(3) {
            let mut field = field(random, format!("added{at}"));
            field.writers = Writers::Server;
            fields.push(Edited {
                item: field,
                source: None,
            });
        }
        if random.chance(300) {
            shuffle(random, &mut fields);
        }
        fields
    }

    fn edit_messages(&mut self, random: &mut Random) {
        let Some(message) = self.client.messages.first_mut() else {
            return;
        };
        if random.chance(400) {
            message.value = edit_type(random, &message.value);
        }
        if random.chance(200) {
            // The number of `news` moves.
            message.number += 1;
            let value = random_leaf(random);
            let (names, number) = (Names::new("alert"), 48);
            let added = SchemaMessage {
                names,
                number,
                value,
            };
            self.client.messages.insert(0, added);
        }
    }
}

/// Returns the first build.
fn first(random: &mut Random) -> Schema {
    let value = random_type(random, 1);
    let count = 1 + random.below(3);
    let behaviours = (0..count).map(|at| behaviour(random, &format!("B{at}")));
    Schema {
        messages: vec![SchemaMessage {
            names: Names::new("news"),
            number: 48,
            value,
        }],
        prefabs: vec![SchemaPrefab {
            names: Names::new("thing"),
            asset_id: NetworkHash128::of("thing"),
            behaviours: behaviours.collect(),
        }],
    }
}

fn behaviour(random: &mut Random, name: &str) -> SchemaBehaviour {
    let fields = (0..=random.below(4)).map(|at| Edited {
        item: field(random, format!("f{at}")),
        source: None,
    });
    let fields = fields.collect();
    let calls = calls(random, name).into_iter();
    let calls = calls.map(|item| Edited { item, source: None }).collect();
    let empty = SchemaBehaviour {
        names: Names::new(name),
        channel: u8::from(random.chance(300)),
        is_optional: false,
        has_data: false,
        classes: Vec::new(),
    };
    let mut behaviour = with_parts(random, empty, fields, calls);
    if random.chance(150) {
        behaviour.is_optional = true;
        behaviour.classes.push(presence());
    }
    behaviour
}

/// Returns the last class of an optional behaviour.
fn presence() -> SchemaClass {
    let present = SchemaField {
        names: Names::new("present"),
        value: named("bool"),
        readers: Readers::Everyone,
        writers: Writers::Server,
        initial_only: false,
    };
    SchemaClass {
        name: "present".into(),
        fields: vec![present],
        calls: Vec::new(),
    }
}

fn unchanged(field: &SchemaField) -> Edited<SchemaField> {
    Edited {
        item: field.clone(),
        source: Some(field.names.name.clone()),
    }
}

/// Divides fields and commands among a class and its base.
fn with_parts(
    random: &mut Random,
    behaviour: SchemaBehaviour,
    fields: Vec<Edited<SchemaField>>,
    calls: Vec<Edited<SchemaCall>>,
) -> SchemaBehaviour {
    let mut fields: Vec<_> = fields.into_iter().map(|it| it.item).collect();
    let mut calls: Vec<_> = calls.into_iter().map(|it| it.item).collect();
    let has_base = random.chance(300);
    let count = |random: &mut Random, all: usize| {
        if has_base {
            random.below(all as u32 + 1) as usize
        } else {
            0
        }
    };
    let own_fields = fields.split_off(count(random, fields.len()));
    let own_calls = calls.split_off(count(random, calls.len()));
    let class = |name: &str, fields, calls| SchemaClass {
        name: name.into(),
        fields,
        calls,
    };
    let base = has_base.then(|| class("Base", fields, calls));
    let own = class(&behaviour.names.name, own_fields, own_calls);
    SchemaBehaviour {
        classes: base.into_iter().chain([own]).collect(),
        ..behaviour
    }
}

fn field(random: &mut Random, name: String) -> SchemaField {
    let readers = readers(random);
    SchemaField {
        names: Names::new(name),
        value: random_field_type(random),
        readers,
        writers: writers(random, readers),
        initial_only: false,
    }
}
