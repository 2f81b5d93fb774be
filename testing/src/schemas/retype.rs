//! Random edits of types, names, orders and rules.

use syncvar::schema::{Names, Readers, SchemaType, SchemaVariant, Writers};
use syncvar::testing::Random;

use super::codecs::encoded;
use super::types::{INTEGERS, member, named, random_leaf};

/// Returns a type after an edit that keeps its values readable.
pub(super) fn edit_type(random: &mut Random, of: &SchemaType) -> SchemaType {
    let boxed = |random: &mut Random, of: &SchemaType| Box::new(edit_type(random, of));
    match of {
        SchemaType::Named(name) => edit_named(random, name, of),
        SchemaType::Encoded { value, .. } => match random.below(3) {
            0 => (**value).clone(),
            1 => encoded(random, value),
            _ => edit_type(random, value),
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
            match random.below(7) {
                0 if variants.iter().all(|it| it.names.name != "Added") => {
                    variants.push(SchemaVariant {
                        names: Names::new("Added"),
                        number: 99,
                        is_other: false,
                        members: Vec::new(),
                    });
                }
                1 | 6 if variants.len() > 1 => drop(variants.pop()),
                2 => shuffle(random, &mut variants),
                3 => variants.iter_mut().for_each(|it| rename(&mut it.names)),
                4 => variants.iter_mut().for_each(|it| it.number += 1),
                _ => {
                    let is_marked = variants.iter().any(|it| it.is_other);
                    variants[0].is_other |= !is_marked;
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
                ("SyncList", 0) => return SchemaType::Sequence(boxed(random, &parts[0])),
                ("SyncList", _) => parts[0] = edit_type(random, &parts[0]),
                ("SyncDictionary", 0) => parts[0] = edit_key(random, &parts[0]),
                ("SyncDictionary", _) => parts[1] = edit_type(random, &parts[1]),
                (_, 0) => return SchemaType::Set(Box::new(edit_key(random, &parts[0]))),
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

/// Returns an optional value, a sequence, a codec or another width of a number or text.
fn edit_named(random: &mut Random, name: &str, of: &SchemaType) -> SchemaType {
    match random.below(5) {
        0 if name != "Uuid" => SchemaType::Optional(Box::new(of.clone())),
        1 if name != "Uuid" => SchemaType::Sequence(Box::new(of.clone())),
        2 if random.chance(500) => encoded(random, of),
        _ if INTEGERS.contains(&name) => named(random.pick(&INTEGERS).unwrap()),
        _ => match name {
            "f32" => named("f64"),
            "f64" => named("f32"),
            "String" => SchemaType::Array(Box::new(named("FixedString")), 8),
            _ => of.clone(),
        },
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

pub(super) fn shuffle<T>(random: &mut Random, all: &mut [T]) {
    for at in (1..all.len()).rev() {
        all.swap(at, random.below(at as u32 + 1) as usize);
    }
}

pub(super) fn rename(names: &mut Names) {
    let former = std::mem::take(&mut names.name);
    names.name = format!("{former}_new");
    names.was.insert(0, former);
}

pub(super) fn readers(random: &mut Random) -> Readers {
    match random.below(10) {
        0 => Readers::Owner,
        1 => Readers::Others,
        2 => Readers::Server,
        _ => Readers::Everyone,
    }
}

/// Returns random writers of a field: an owner writes no field that it does not read.
pub(super) fn writers(random: &mut Random, readers: Readers) -> Writers {
    let owner_reads = !matches!(readers, Readers::Others | Readers::Server);
    if random.chance(250) && owner_reads {
        Writers::Owner
    } else {
        Writers::Server
    }
}
