//! Fields of two builds by name, and the rules that apply to them.

use crate::schema::{FieldPolicy, PolicyBits, SchemaBehaviour, SchemaField, Writers};
use crate::translate::conversion::find;

/// Returns for each field of a behaviour the position of the same field in a second build: in the class of the same name
/// first, then in any class, because a field may have moved between a class and its base.
pub fn matches(from: &SchemaBehaviour, to: &SchemaBehaviour) -> Vec<Option<usize>> {
    let mut taken = vec![false; to.fields().count()];
    let mut matched = vec![None; from.fields().count()];
    let places = |of: &SchemaBehaviour| {
        let classes = of.classes.iter();
        let names = classes.flat_map(|class| class.fields.iter().map(|_| class.name.clone()));
        names.collect::<Vec<_>>()
    };
    let (from_classes, to_classes) = (places(from), places(to));
    for same_class in [true, false] {
        for (at, field) in from.fields().enumerate() {
            if matched.get(at).is_none_or(Option::is_some) {
                continue;
            }
            let is_free = |index: &usize| {
                let class = to_classes.get(*index) == from_classes.get(at);
                taken.get(*index) == Some(&false) && (class || !same_class)
            };
            let free: Vec<usize> = (0..taken.len()).filter(is_free).collect();
            let names = free.iter().filter_map(|index| to.fields().nth(*index));
            let theirs = from.fields().map(|it| &it.names);
            let found = find(&field.names, names.map(|it| &it.names), theirs);
            let Some(index) = found.and_then(|found| free.get(found)).copied() else {
                continue;
            };
            if let (Some(taken), Some(matched)) = (taken.get_mut(index), matched.get_mut(at)) {
                (*taken, *matched) = (true, Some(index));
            }
        }
    }
    matched
}

/// Rules of a server of a different build for the fields of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Readers and writers.
    pub policy: PolicyBits,
    /// Fields that the server lacks.
    pub missing: u64,
}

/// Returns the rules of a server for the fields of a client; `targets` are the [`matches()`] of both. A field that the server lacks keeps the rules of the client. The
/// owner writes a field if both builds let it.
pub fn rules(
    server: &SchemaBehaviour,
    client: &SchemaBehaviour,
    targets: &[Option<usize>],
) -> Rules {
    let mut rules = Rules::default();
    for (index, field) in client.fields().enumerate() {
        let bit = 1_u64 << index;
        let own = policy_of(field);
        let source = targets.iter().position(|target| *target == Some(index));
        let Some(theirs) = source.and_then(|at| server.fields().nth(at)) else {
            rules.missing |= bit;
            rules.policy.add(bit, &own);
            continue;
        };
        let mut theirs = policy_of(theirs);
        if own.writers == Writers::Server {
            theirs.writers = Writers::Server;
        }
        rules.policy.add(bit, &theirs);
    }
    rules
}

/// Returns the policy of a field, as far as its schema says it.
pub(crate) fn policy_of(field: &SchemaField) -> FieldPolicy {
    FieldPolicy {
        readers: field.readers,
        writers: field.writers,
        initial_only: field.initial_only,
        ..FieldPolicy::DEFAULT
    }
}
