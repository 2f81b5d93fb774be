//! Commands and calls of clients with random signatures: their edits, and calls by name.

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

/// Returns the calls of a behaviour of the first build.
pub(crate) fn calls(random: &mut Random, of: &str) -> Vec<SchemaCall> {
    let count = random.below(3);
    (0..count)
        .map(|at| call(random, of, format!("c{at}")))
        .collect()
}

fn call(random: &mut Random, of: &str, name: String) -> SchemaCall {
    let (kind, prefix) = if random.chance(500) {
        (CallKind::Command, "Cmd")
    } else {
        (CallKind::ClientRpc, "Rpc")
    };
    let count = random.below(3);
    let arguments = (0..count).map(|at| member(format!("a{at}"), random_type(random, 1)));
    SchemaCall {
        kind,
        unity_name: format!("{prefix}{of}{name}"),
        names: Names::new(name),
        arguments: arguments.collect(),
        after_state: false,
    }
}

/// Returns the calls of the other build.
pub(super) fn edit_calls(
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
        let (item, source) = (call(random, of, "added".into()), None);
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

    /// Returns the client's call for a call of the server.
    fn call_on_client(&self, behaviour: usize, name: &str) -> Option<&SchemaCall> {
        let client = self.on_client(behaviour)?;
        let mut pairs = self.calls.iter();
        let (_, _, own) = pairs.find(|(at, theirs, _)| *at == behaviour && theirs == name)?;
        let mut calls = self.client.prefabs[0].behaviours[client].calls();
        calls.find(|call| call.names.name == *own)
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
            for own in { behaviour.calls() }.filter(|it| it.kind == CallKind::Command) {
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
    /// Calls each method of clients on the first object.
    pub(super) fn check_rpcs(&mut self, random: &mut Random) {
        let (id, pair) = (self.objects[0], self.pair);
        if pair.is_typed {
            return;
        }
        let mut expected = Vec::new();
        while self.net.client_mut(0).poll_event().is_some() {}
        for (at, behaviour) in pair.server.prefabs[0].behaviours.iter().enumerate() {
            for theirs in { behaviour.calls() }.filter(|it| it.kind == CallKind::ClientRpc) {
                let arguments: Vec<_> = { theirs.arguments.iter() }
                    .map(|it| random_value(random, &it.value))
                    .collect();
                let names = theirs.arguments.iter().map(|it| it.names.name.as_str());
                let sent = Value::structure(names.zip(arguments.iter().cloned()));
                let seen = pair.call_on_client(at, &theirs.names.name).and_then(|own| {
                    let value = |name: &str| sent.get(name);
                    let seen = members(&theirs.arguments, &own.arguments, value, None)?;
                    Some((own.names.name.clone(), Value::structure(seen)))
                });
                let (class, call) = (&behaviour.names.name, &theirs.names.name);
                let called = self.net.server.call(id, class, call, None, &arguments);
                assert_eq!(called, Ok(()), "seed {}: {theirs} with {sent}", self.seed);
                let is_absent = behaviour.is_optional
                    && self.net.server.value(id, class, "present") != Some(&true.into());
                expected.extend(seen.filter(|_| !is_absent));
            }
        }
        self.net.settle();
        let mut received = Vec::new();
        while let Some(event) = self.net.client_mut(0).poll_event() {
            if let ClientEvent::Called(called) = event {
                let values = Value::structure(called.values().expect("arguments"));
                received.push((called.name().to_string(), values));
            }
        }
        assert_eq!(received, expected, "seed {}", self.seed);
    }
}
