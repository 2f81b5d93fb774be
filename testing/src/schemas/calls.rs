//! Commands of random signatures: their edits, and calls by name.

use syncvar::calls::CallKind;
use syncvar::prelude::*;
use syncvar::schema::{Names, SchemaCall};
use syncvar::testing::Random;
use syncvar::untyped::Value;

use super::World;
use super::edit::{Edited, Pair};
use super::oracle::members;
use super::retype::{edit_type, rename, shuffle};
use super::types::{member, random_leaf, random_type, random_value};

/// Returns the commands of a behaviour of the first build.
pub(super) fn commands(random: &mut Random, of: &str) -> Vec<SchemaCall> {
    let count = random.below(3);
    (0..count)
        .map(|at| command(random, of, format!("c{at}")))
        .collect()
}

fn command(random: &mut Random, of: &str, name: String) -> SchemaCall {
    let count = random.below(3);
    let arguments = (0..count).map(|at| member(format!("a{at}"), random_type(random, 1)));
    SchemaCall {
        kind: CallKind::Command,
        unity_name: format!("Cmd{of}{name}"),
        names: Names::new(name),
        arguments: arguments.collect(),
        after_state: false,
    }
}

/// Returns the commands of the other build.
pub(super) fn edit_commands(
    random: &mut Random,
    of: &str,
    calls: &[SchemaCall],
) -> Vec<Edited<SchemaCall>> {
    let mut all = Vec::new();
    for call in calls {
        if random.chance(100) {
            continue;
        }
        let mut edited = Edited {
            item: call.clone(),
            source: Some(call.names.name.clone()),
        };
        let call = &mut edited.item;
        match random.below(8) {
            0 => rename(&mut call.names),
            1 => call.arguments.push(member("added", random_leaf(random))),
            2 => drop(call.arguments.pop()),
            3 => shuffle(random, &mut call.arguments),
            4 => {
                for argument in &mut call.arguments {
                    argument.value = edit_type(random, &argument.value);
                }
            }
            _ => {}
        }
        all.push(edited);
    }
    if random.chance(200) {
        let (item, source) = (command(random, of, "added".into()), None);
        all.insert(0, Edited { item, source });
    }
    all
}

impl Pair {
    /// Returns the server's command for a command of the client.
    fn command_of(&self, behaviour: usize, name: &str) -> Option<&SchemaCall> {
        let server = self.on_server(behaviour)?;
        let mut pairs = self.calls.iter();
        let (_, theirs, _) = pairs.find(|(at, _, own)| *at == server && own == name)?;
        let mut calls = self.server.prefabs[0].behaviours[server].calls();
        calls.find(|call| call.names.name == *theirs)
    }
}

impl World<'_> {
    /// Calls each command of the client on the first object, which it owns.
    pub(super) fn check_commands(&mut self, random: &mut Random) {
        let id = self.objects[0];
        if !self.net.client(0).is_owner(id) {
            return;
        }
        let (pair, mut expected) = (self.pair, Vec::new());
        for (at, behaviour) in pair.client.prefabs[0].behaviours.iter().enumerate() {
            for own in behaviour.calls() {
                let arguments: Vec<_> = { own.arguments.iter() }
                    .map(|it| random_value(random, &it.value))
                    .collect();
                let names = own.arguments.iter().map(|it| it.names.name.as_str());
                let sent = Value::structure(names.zip(arguments.iter().cloned()));
                let theirs = pair.command_of(at, &own.names.name);
                let seen = theirs.and_then(|theirs| {
                    let value = |name: &str| sent.get(name);
                    let seen = members(&own.arguments, &theirs.arguments, value, None)?;
                    Some((theirs.names.name.clone(), Value::structure(seen)))
                });
                let client = self.net.client_mut(0);
                let called = client.call(id, &behaviour.names.name, &own.names.name, &arguments);
                let is_present = theirs.is_none() || self.is_present(id, at);
                let context = format!("seed {}: {own} with {sent}: {called:?}", self.seed);
                assert_eq!(called.is_ok(), seen.is_some(), "{context}");
                expected.extend(seen.filter(|_| is_present));
            }
        }
        self.net.settle();
        let mut received = Vec::new();
        while let Some(event) = self.net.server.poll_event() {
            if let ServerEvent::Called(called) = event {
                let values = Value::structure(called.values().expect("arguments"));
                received.push((called.name().to_string(), values));
            }
        }
        assert_eq!(received, expected, "seed {}", self.seed);
    }
}
