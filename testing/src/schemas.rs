//! Random pairs of schemas in random worlds: a server of one build and clients of the other, over lossy links.
//!
//! The second schema of a pair is the first one after random edits. The oracle (`expected`) is the table of the guide,
//! written for values: it knows neither bytes nor plans, and learns from the edits which fields belong together.

#![allow(
    clippy::cast_possible_truncation,
    reason = "what is short is easier to read here"
)]

pub(crate) mod calls;
pub(crate) mod codecs;
mod edit;
mod oracle;
mod owners;
mod retype;
pub(crate) mod typed;
pub(crate) mod types;

use std::collections::BTreeMap;

use edit::Pair;
use oracle::{expected, shown, zero};
use syncvar::prelude::*;
use syncvar::schema::{Readers, Schema, SchemaField, SchemaType, Writers};
use syncvar::testing::{Conditions, Random};
use syncvar::untyped::Value;
use syncvar::{Framing, ServerConfig, SpawnOptions};
use types::random_value;

/// Values that a field of the client may have: the result for each value of the server so far.
type Possible = BTreeMap<(usize, usize), Vec<Value>>;

struct World<'a> {
    seed: u64,
    pair: &'a Pair,
    net: MemoryNetwork,
    objects: Vec<NetId>,
    possible: Vec<Possible>,
}

/// Plays a pair.
///
/// # Errors
///
/// With the message of the first failure.
pub fn check(seed: u64) -> Result<(), String> {
    let played = std::panic::catch_unwind(|| run(seed));
    played.map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        text.unwrap_or_else(|| "a panic without a text".into())
    })
}

fn run(seed: u64) {
    let mut random = Random::new(seed);
    let pair = Pair::random(&mut random);
    let comparison = pair.server.compare(&pair.client);
    let refused: Vec<_> = { comparison.old_server.iter() }
        .filter(|change| change.is_refused())
        .map(ToString::to_string)
        .collect();
    assert_eq!(!refused.is_empty(), pair.is_refused, "{refused:#?}");
    let server = pair.server.clone();
    let is_typed = pair.is_typed;
    let prefabs = move || {
        if is_typed {
            typed::prefabs()
        } else {
            registry(&server)
        }
    };
    let [is_unet, is_lossy] = [random.chance(250), random.chance(500)];
    let mut config = ServerConfig::default();
    if is_unet {
        config.framing = Framing::Unet;
    }
    let link = Conditions {
        // UNet's messages are not repaired.
        loss: if is_lossy && !is_unet { 0.15 } else { 0.0 },
        seed,
        ..Conditions::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    net.connect_client(NetworkClient::new(registry(&pair.client)));
    net.settle();
    assert_eq!(
        net.client(0).is_connected(),
        !pair.is_refused,
        "seed {seed}"
    );
    if pair.is_refused {
        return;
    }
    net.server.start_recording();
    let mut world = World {
        seed,
        pair: &pair,
        net,
        objects: Vec::new(),
        possible: Vec::new(),
    };
    world.play(&mut random);
    world.check(0);
    if world.net.client_count() > 1 {
        world.check(1);
        world.check_equal(2);
    }
    world.check_owner_writes(&mut random);
    world.check_commands(&mut random);
    world.check_rpcs(&mut random);
    world.check_messages(&mut random);
    world.check_recording();
}

fn registry(schema: &Schema) -> Prefabs {
    Prefabs::from_schema(schema).expect("a schema without types by hand")
}

impl World<'_> {
    fn play(&mut self, random: &mut Random) {
        for _ in 0..=random.below(2) {
            let id = self
                .net
                .server
                .spawn_prefab(
                    &self.pair.server.prefabs[0].names.name,
                    SpawnOptions::default(),
                )
                .unwrap();
            self.objects.push(id);
            self.possible.push(Possible::new());
            let object = self.objects.len() - 1;
            for (behaviour, name, field) in Pair::fields(&self.pair.server) {
                self.note(object, behaviour, &name, &field);
            }
        }
        if random.chance(700) {
            let owner = Some(self.net.connection(0));
            self.net.server.set_owner(self.objects[0], owner).unwrap();
        }
        let (count, others) = (random.below(12), random.chance(150));
        for step in 0..count {
            for _ in 0..random.below(4) {
                self.write(random);
            }
            if others && step == count / 2 {
                // A client of the same build as the first, and one of the build of the server.
                let late = NetworkClient::new(registry(&self.pair.client));
                self.net.connect_client(late);
                let equal = NetworkClient::new(registry(&self.pair.server));
                self.net.connect_client(equal);
            }
            if random.chance(20) && !self.net.client(0).is_owner(self.objects[0]) {
                self.net.cut(0);
                self.write(random);
                self.net.step();
                self.net.reconnect(0);
            }
            if random.chance(200) {
                self.write_as_owner(random);
            }
            self.net.step();
        }
        self.net.settle();
    }

    /// Writes a random value to a random field of the server.
    fn write(&mut self, random: &mut Random) {
        let object = random.below(self.objects.len() as u32) as usize;
        let id = self.objects[object];
        let fields = Pair::fields(&self.pair.server);
        if self.pair.is_typed {
            for _ in 0..=random.below(6) {
                typed::change(random, &mut self.net.server, id);
            }
            for (behaviour, name, field) in fields {
                self.note(object, behaviour, &name, &field);
            }
            return;
        }
        let Some((behaviour, name, field)) = random.pick(&fields).cloned() else {
            return;
        };
        let value = random_value(random, &field.value);
        // The owner's fields are not the server's.
        let _ = self
            .net
            .server
            .set_value(id, &name, &field.names.name, value);
        // The presence changes all fields of its behaviour.
        for (at, name, field) in fields {
            if at == behaviour {
                self.note(object, behaviour, &name, &field);
            }
        }
    }

    /// Returns the value of a field of the server; `None` for an absent behaviour.
    fn server_value(&self, id: NetId, behaviour: &str, field: &SchemaField) -> Option<Value> {
        if self.pair.is_typed {
            return typed::value(&self.net.server, id, &field.names.name);
        }
        let value = self.net.server.value(id, behaviour, &field.names.name);
        value.cloned()
    }

    /// Returns whether the server has the behaviour of a client's behaviour now.
    fn is_present(&self, id: NetId, behaviour: usize) -> bool {
        let server = self.pair.on_server(behaviour).expect("a pair");
        let server = &self.pair.server.prefabs[0].behaviours[server];
        let present = self.net.server.value(id, &server.names.name, "present");
        !server.is_optional || present == Some(&true.into())
    }

    /// Notes the value of a field of the server.
    fn note(&mut self, object: usize, behaviour: usize, name: &str, field: &SchemaField) {
        let Some(value) = self.server_value(self.objects[object], name, field) else {
            return;
        };
        let Some((at, own)) = self.pair.partner(behaviour, &field.names.name) else {
            return;
        };
        let present = zero(&own.value);
        if let Some(seen) = shown(&field.value, &own.value, &value, &present) {
            let possible = self.possible[object].entry((behaviour, at)).or_default();
            possible.push(seen);
        }
    }

    /// Compares each field of a client with the server's.
    fn check(&mut self, client: usize) {
        while let Some(event) = self.net.client_mut(client).poll_event() {
            let is_bad = matches!(
                event,
                ClientEvent::Poisoned { .. } | ClientEvent::SpawnFailed { .. }
            );
            assert!(!is_bad, "seed {}: {event:?}", self.seed);
        }
        for (object, id) in self.objects.iter().enumerate() {
            for (behaviour, name, field) in Pair::fields(&self.pair.server) {
                let Some((at, own)) = self.pair.partner(behaviour, &field.names.name) else {
                    continue;
                };
                let theirs = self.server_value(*id, &name, &field);
                let own_name = self.pair.name_on_client(behaviour);
                let ours = self
                    .net
                    .client(client)
                    .value(*id, own_name, &own.names.name);
                assert_eq!(
                    theirs.is_some(),
                    ours.is_some(),
                    "seed {}: {own}",
                    self.seed
                );
                let (Some(theirs), Some(ours)) = (&theirs, ours) else {
                    continue;
                };
                let is_owner = self.net.client(client).is_owner(*id);
                let is_hidden = field.readers == Readers::Server
                    || field.readers == Readers::Owner && !is_owner
                    || field.readers == Readers::Others && is_owner;
                let present = zero(&own.value);
                let by_owner = field.writers != Writers::Server && own.writers != Writers::Server;
                if is_owner && by_owner {
                    let written = expected(&own.value, &field.value, ours, &zero(&field.value));
                    // The owner's client may keep the values of a removed instance: a limit of `Optional`.
                    let server = &self.pair.server.prefabs[0].behaviours[behaviour];
                    if written.as_ref() == Some(theirs) || server.is_optional {
                        continue;
                    }
                }
                let is_right = if is_hidden {
                    *ours == present
                } else {
                    self.is_right(object, &field, (behaviour, at), own, [theirs, ours])
                };
                assert!(
                    is_right,
                    "seed {}: {name}.{field} is {theirs}, and {own} on the client is {ours}\n{}\n{}",
                    self.seed, self.pair.server, self.pair.client
                );
            }
            for (behaviour, name, own) in Pair::fields(&self.pair.client) {
                if self.pair.is_alone(behaviour, &own.names.name) && own.writers == Writers::Server
                {
                    let ours = self.net.client(client).value(*id, &name, &own.names.name);
                    // The fields of an absent behaviour have no values.
                    let is_first = ours.is_none_or(|ours| *ours == zero(&own.value));
                    let is_present = own.names.name == "present";
                    assert!(is_present || is_first, "seed {}: {own}", self.seed);
                }
            }
        }
    }

    /// Compares each field of a client of the server's build with the server's.
    fn check_equal(&self, client: usize) {
        for id in &self.objects {
            for (_, name, field) in Pair::fields(&self.pair.server) {
                let theirs = self.server_value(*id, &name, &field);
                let ours = self.net.client(client).value(*id, &name, &field.names.name);
                let is_hidden = matches!(field.readers, Readers::Owner | Readers::Server);
                let theirs = theirs.and_then(|theirs| {
                    shown(&field.value, &field.value, &theirs, &zero(&field.value))
                });
                assert!(
                    is_hidden || ours == theirs.as_ref(),
                    "seed {}: {field}",
                    self.seed
                );
            }
        }
    }

    /// Returns whether a client may show a value for that of the server: its own form of it, or, if it has none, the form of an
    /// earlier value.
    fn is_right(
        &self,
        object: usize,
        field: &SchemaField,
        place: (usize, usize),
        own: &SchemaField,
        [theirs, ours]: [&Value; 2],
    ) -> bool {
        let present = zero(&own.value);
        if let Some(seen) = shown(&field.value, &own.value, theirs, &present) {
            return *ours == seen;
        }
        let former = self.possible[object].get(&place);
        *ours == present || former.is_some_and(|former| former.contains(ours))
    }

    /// Sends messages in both directions.
    fn check_messages(&mut self, random: &mut Random) {
        let (server, client) = (
            self.pair.server.message("news"),
            self.pair.client.message("news"),
        );
        let (Some(theirs), Some(ours)) = (server, client) else {
            return;
        };
        let (from, to): (SchemaType, SchemaType) = (theirs.value.clone(), ours.value.clone());
        while self.net.client_mut(0).poll_event().is_some() {}
        let value = random_value(random, &to);
        let sent = self.net.client_mut(0).send_value("news", value.clone());
        let seen = expected(&to, &from, &value, &zero(&from));
        assert_eq!(
            sent.is_ok(),
            seen.is_some(),
            "seed {}: {value} of {to} as {from}",
            self.seed
        );
        self.net.settle();
        let mut received = None;
        while let Some(event) = self.net.server.poll_event() {
            if let ServerEvent::Message { message, .. } = event {
                received = message.value().cloned();
            }
        }
        assert_eq!(
            received, seen,
            "seed {}: {value} of {to} as {from}",
            self.seed
        );
        let value = random_value(random, &from);
        let seen = expected(&from, &to, &value, &zero(&to));
        let receivers = [self.net.connection(0)];
        let sent = { &mut self.net.server }.send_value_on(receivers, 0, "news", value.clone());
        assert_eq!(sent, Ok(()), "seed {}: {value} of {from}", self.seed);
        self.net.settle();
        let mut received = None;
        while let Some(event) = self.net.client_mut(0).poll_event() {
            if let ClientEvent::Message(message) = event {
                received = message.value().cloned();
            }
        }
        assert_eq!(
            received, seen,
            "seed {}: {value} of {from} as {to}",
            self.seed
        );
    }

    /// Plays the last keyframe on a client of the other build.
    fn check_recording(&mut self) {
        let mut player = NetworkClient::new(registry(&self.pair.client));
        player.resolve_records(&self.pair.server).unwrap();
        self.net.server.request_keyframe();
        self.net.step();
        let keyframe = self.net.server.keyframe().expect("a recording");
        player.handle_record(keyframe).unwrap();
        for (object, id) in self.objects.iter().enumerate() {
            for (behaviour, name, field) in Pair::fields(&self.pair.server) {
                let Some((at, own)) = self.pair.partner(behaviour, &field.names.name) else {
                    continue;
                };
                if field.readers != Readers::Everyone {
                    continue;
                }
                let theirs = self.server_value(*id, &name, &field);
                let own_name = self.pair.name_on_client(behaviour);
                let ours = player.value(*id, own_name, &own.names.name);
                let (Some(theirs), Some(ours)) = (&theirs, ours) else {
                    continue;
                };
                assert!(
                    self.is_right(object, &field, (behaviour, at), own, [theirs, ours]),
                    "seed {}: {field} is {theirs}, and {own} of the recording is {ours}",
                    self.seed
                );
            }
        }
    }
}
