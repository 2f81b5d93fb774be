//! Random edits of a schema, as a developer makes them between two builds.

use syncvar::schema::{
    Names, Readers, Schema, SchemaBehaviour, SchemaClass, SchemaField, SchemaMessage, SchemaPrefab,
    SchemaType, SchemaVariant, Writers,
};
use syncvar::testing::Random;
use syncvar::values::NetworkHash128;

use super::types::{INTEGERS, member, named, random_field_type, random_leaf, random_type};

/// Schemas of two builds, and what belongs together.
pub(super) struct Pair {
    pub(super) server: Schema,
    pub(super) client: Schema,
    /// Set if an edit keeps the builds apart.
    pub(super) is_refused: bool,
    /// Behaviours of the server and the client that belong together.
    behaviours: Vec<(usize, usize)>,
    /// Fields of the server and the client that belong together: a behaviour of the server, and both names.
    fields: Vec<(usize, String, String)>,
}

/// Field in the build of the edits, with its name in the first build.
#[derive(Clone)]
struct Edited {
    field: SchemaField,
    source: Option<String>,
}

impl Pair {
    pub(super) fn random(random: &mut Random) -> Self {
        let first = first(random);
        let mut pair = Self {
            server: first.clone(),
            client: first,
            is_refused: false,
            behaviours: Vec::new(),
            fields: Vec::new(),
        };
        pair.edit(random);
        if random.chance(500) {
            pair.swap();
        }
        pair
    }

    /// Returns the fields of a build: the position and name of the behaviour, and the field.
    pub(super) fn fields(&self, of: &Schema) -> Vec<(usize, String, SchemaField)> {
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

    fn on_client(&self, behaviour: usize) -> Option<usize> {
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
        let server = self
            .behaviours
            .iter()
            .find(|(_, client)| *client == behaviour);
        let Some((server, _)) = server else {
            return true;
        };
        !self
            .fields
            .iter()
            .any(|(at, _, own)| at == server && own == name)
    }

    fn swap(&mut self) {
        std::mem::swap(&mut self.server, &mut self.client);
        for (_, theirs, ours) in &mut self.fields {
            std::mem::swap(theirs, ours);
        }
        let of = self.behaviours.clone();
        for (at, ..) in &mut self.fields {
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
        let mut edited = Vec::new();
        for (at, behaviour) in self.client.prefabs[0]
            .behaviours
            .clone()
            .into_iter()
            .enumerate()
        {
            if random.chance(80) {
                continue;
            }
            let fields = self.edit_fields(random, &behaviour);
            for it in &fields {
                if let Some(source) = &it.source {
                    self.fields
                        .push((at, source.clone(), it.field.names.name.clone()));
                }
            }
            edited.push((Some(at), with_fields(random, behaviour, fields)));
        }
        if random.chance(150) {
            edited.push((None, behaviour(random, "Added")));
        }
        if random.chance(200) {
            shuffle(random, &mut edited);
        }
        for (at, (source, _)) in edited.iter().enumerate() {
            self.behaviours.extend(source.map(|source| (source, at)));
        }
        self.client.prefabs[0].behaviours = edited.into_iter().map(|(_, it)| it).collect();
        self.edit_messages(random);
    }

    fn edit_fields(&mut self, random: &mut Random, behaviour: &SchemaBehaviour) -> Vec<Edited> {
        let mut fields = Vec::new();
        for field in behaviour.fields() {
            if random.chance(100) {
                continue;
            }
            let mut edited = Edited {
                field: field.clone(),
                source: Some(field.names.name.clone()),
            };
            if random.chance(100) {
                rename(&mut edited.field.names);
            }
            // Two edits of one type may lead to types that no rule converts.
            if random.chance(500) {
                edited.field.value = edit_type(random, &edited.field.value);
            }
            if random.chance(4) {
                edited.field.value = named("Uuid");
                self.is_refused = true;
            }
            if random.chance(100) {
                edited.field.readers = readers(random);
            }
            if random.chance(100) {
                edited.field.writers = writers(random);
            }
            fields.push(edited);
        }
        for at in 0..random.below(3) {
            let mut field = field(random, format!("added{at}"));
            field.writers = Writers::Server;
            fields.push(Edited {
                field,
                source: None,
            });
        }
        if random.chance(300) {
            shuffle(random, &mut fields);
        }
        fields
    }

    fn edit_messages(&mut self, random: &mut Random) {
        let message = &mut self.client.messages[0];
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
    let fields = (0..1 + random.below(4)).map(|at| Edited {
        field: field(random, format!("f{at}")),
        source: None,
    });
    let fields = fields.collect();
    let empty = SchemaBehaviour {
        names: Names::new(name),
        channel: u8::from(random.chance(300)),
        is_optional: false,
        has_data: false,
        classes: Vec::new(),
    };
    with_fields(random, empty, fields)
}

/// Divides fields among a class and its base.
fn with_fields(
    random: &mut Random,
    behaviour: SchemaBehaviour,
    fields: Vec<Edited>,
) -> SchemaBehaviour {
    let mut all: Vec<_> = fields.into_iter().map(|it| it.field).collect();
    let count = if random.chance(300) {
        random.below(all.len() as u32 + 1)
    } else {
        0
    };
    let own = all.split_off(count as usize);
    let class = |name: &str, fields| SchemaClass {
        name: name.into(),
        fields,
        calls: Vec::new(),
    };
    let base = (count > 0).then(|| class("Base", all));
    let own = class(&behaviour.names.name, own);
    SchemaBehaviour {
        classes: base.into_iter().chain([own]).collect(),
        ..behaviour
    }
}

fn field(random: &mut Random, name: String) -> SchemaField {
    SchemaField {
        names: Names::new(name),
        value: random_field_type(random),
        readers: readers(random),
        writers: writers(random),
        initial_only: false,
    }
}

fn readers(random: &mut Random) -> Readers {
    match random.below(10) {
        0 => Readers::Owner,
        1 => Readers::Others,
        _ => Readers::Everyone,
    }
}

fn writers(random: &mut Random) -> Writers {
    if random.chance(150) {
        Writers::Owner
    } else {
        Writers::Server
    }
}

fn shuffle<T>(random: &mut Random, all: &mut [T]) {
    for at in (1..all.len()).rev() {
        all.swap(at, random.below(at as u32 + 1) as usize);
    }
}

fn rename(names: &mut Names) {
    let former = std::mem::take(&mut names.name);
    names.name = format!("{former}_new");
    names.was.insert(0, former);
}

/// Returns a type after an edit that keeps its values readable.
fn edit_type(random: &mut Random, of: &SchemaType) -> SchemaType {
    let boxed = |random: &mut Random, of: &SchemaType| Box::new(edit_type(random, of));
    match of {
        SchemaType::Named(name) => match random.below(5) {
            0 if name != "Uuid" => SchemaType::Optional(Box::new(of.clone())),
            1 if name != "Uuid" => SchemaType::Sequence(Box::new(of.clone())),
            _ if INTEGERS.contains(&name.as_str()) => named(random.pick(&INTEGERS).unwrap()),
            _ => match name.as_str() {
                "f32" => named("f64"),
                "f64" => named("f32"),
                "String" => SchemaType::Array(Box::new(named("FixedString")), 8),
                _ => of.clone(),
            },
        },
        SchemaType::Optional(value) => match random.below(2) {
            0 => (**value).clone(),
            _ => SchemaType::Optional(boxed(random, value)),
        },
        SchemaType::Sequence(element) => match random.below(4) {
            0 if is_key(element) => SchemaType::Set(element.clone()),
            1 => SchemaType::Array(element.clone(), 2),
            _ => SchemaType::Sequence(boxed(random, element)),
        },
        SchemaType::Array(element, _) if **element == named("FixedString") => named("String"),
        SchemaType::Array(element, count) => match random.below(2) {
            0 => SchemaType::Sequence(element.clone()),
            _ => SchemaType::Array(boxed(random, element), *count),
        },
        SchemaType::Set(element) => match random.below(2) {
            0 => SchemaType::Sequence(element.clone()),
            _ => SchemaType::Set(Box::new(edit_key(random, element))),
        },
        SchemaType::Map(key, value) => {
            SchemaType::Map(Box::new(edit_key(random, key)), boxed(random, value))
        }
        SchemaType::Struct { name, members } => {
            let mut members = members.clone();
            match random.below(5) {
                0 => members.push(member("added", random_leaf(random))),
                1 if members.len() > 1 => drop(members.pop()),
                2 => shuffle(random, &mut members),
                3 => members.iter_mut().for_each(|it| rename(&mut it.names)),
                _ => {
                    for it in &mut members {
                        it.value = edit_type(random, &it.value);
                    }
                }
            }
            // Two additions would have one name.
            members.dedup_by(|a, b| a.names.name == b.names.name);
            SchemaType::Struct {
                name: name.clone(),
                members,
            }
        }
        SchemaType::Enum { name, variants } => {
            let mut variants = variants.clone();
            match random.below(5) {
                0 if variants.iter().all(|it| it.names.name != "Added") => {
                    variants.push(SchemaVariant {
                        names: Names::new("Added"),
                        number: 99,
                        is_other: false,
                        members: Vec::new(),
                    })
                }
                1 if variants.len() > 1 => drop(variants.pop()),
                2 => shuffle(random, &mut variants),
                3 => variants.iter_mut().for_each(|it| rename(&mut it.names)),
                _ => {
                    let is_marked = variants.iter().any(|it| it.is_other);
                    variants[0].is_other = !is_marked;
                }
            }
            SchemaType::Enum {
                name: name.clone(),
                variants,
            }
        }
        SchemaType::Collection { name, parts } => {
            let mut parts = parts.clone();
            match (name.as_str(), random.below(3)) {
                ("SyncList", 0) => return SchemaType::Sequence(Box::new(parts.remove(0))),
                ("SyncList", _) => parts[0] = edit_type(random, &parts[0]),
                ("SyncDictionary", 0) => parts[0] = edit_key(random, &parts[0]),
                ("SyncDictionary", _) => parts[1] = edit_type(random, &parts[1]),
                (_, 0) => return SchemaType::Set(Box::new(parts.remove(0))),
                _ => parts[0] = edit_key(random, &parts[0]),
            }
            SchemaType::Collection {
                name: name.clone(),
                parts,
            }
        }
        _ => of.clone(),
    }
}

fn is_key(of: &SchemaType) -> bool {
    matches!(of, SchemaType::Named(name) if INTEGERS.contains(&name.as_str()) || name == "String")
}

fn edit_key(random: &mut Random, of: &SchemaType) -> SchemaType {
    match of {
        SchemaType::Named(name) if INTEGERS.contains(&name.as_str()) => {
            named(random.pick(&INTEGERS).unwrap())
        }
        _ => of.clone(),
    }
}
