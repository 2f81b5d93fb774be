//! Writes of an owner.

use syncvar::prelude::*;
use syncvar::schema::Writers;
use syncvar::testing::Random;

use std::collections::BTreeSet;

use super::World;
use super::edit::Pair;
use super::oracle::{expected, fits, zero};
use super::types::random_value;

impl World<'_> {
    /// Writes a field of the owner on the client.
    pub(super) fn write_as_owner(&mut self, random: &mut Random) {
        let id = self.objects[0];
        if !self.net.client(0).is_owner(id) {
            return;
        }
        let mut fields = Pair::fields(&self.pair.client);
        fields.retain(|(_, _, field)| field.writers != Writers::Server);
        let Some((_, name, field)) = random.pick(&fields).cloned() else {
            return;
        };
        let value = random_value(random, &field.value);
        let client = self.net.client_mut(0);
        let _ = client.set_value(id, &name, &field.names.name, value);
    }

    /// Writes all fields of the owner on the client, and compares them with the server's.
    pub(super) fn check_owner_writes(&mut self, random: &mut Random) {
        let (id, mut written) = (self.objects[0], Vec::new());
        if !self.net.client(0).is_owner(id) {
            return;
        }
        for (behaviour, name, own) in Pair::fields(&self.pair.client) {
            let Some(theirs) = self.pair.source(behaviour, &own.names.name) else {
                continue;
            };
            let is_absent = { self.net.client(0) }
                .value(id, &name, &own.names.name)
                .is_none();
            if is_absent {
                continue;
            }
            let value = random_value(random, &own.value);
            let server = self.pair.on_server(behaviour).expect("a pair");
            let server = &self.pair.server.prefabs[0].behaviours[server];
            let their_name = server.names.name.clone();
            let before = self.server_value(id, &their_name, theirs);
            let client = self.net.client_mut(0);
            let is_set = client.set_value(id, &name, &own.names.name, value.clone());
            if own.writers == Writers::Server || theirs.writers == Writers::Server {
                assert!(is_set.is_err(), "seed {}: {own}", self.seed);
                continue;
            }
            assert!(is_set.is_ok(), "seed {}: {own}: {is_set:?}", self.seed);
            let seen = expected(&own.value, &theirs.value, &value, &zero(&theirs.value));
            if is_set == Ok(true) {
                let refused = !fits(&own.value, &theirs.value, &value);
                let refused = refused.then(|| (name, own.names.name.clone()));
                let mut allowed = vec![seen.or(before.clone())];
                // The datagram with the elements that fit may be lost, and the snapshot arrives before its repair.
                allowed.extend(refused.as_ref().map(|_| before));
                written.push((their_name, theirs.clone(), allowed, refused));
            }
        }
        self.net.settle();
        let mut refused = BTreeSet::new();
        while let Some(event) = self.net.client_mut(0).poll_event() {
            if let ClientEvent::WriteRefused { fields, .. } = event {
                for field in fields.names() {
                    // An event names the type of an optional behaviour.
                    let name = fields.behaviour().trim_start_matches("Optional<");
                    let place = (name.trim_end_matches('>').to_owned(), field.to_owned());
                    refused.insert(place);
                }
            }
        }
        let expected: BTreeSet<_> = { written.iter() }
            .filter_map(|(.., refused)| refused.clone())
            .collect();
        assert_eq!(refused, expected, "seed {}: refused writes", self.seed);
        for (name, theirs, allowed, _) in written {
            let value = self.server_value(id, &name, &theirs);
            let is_right = allowed.contains(&value);
            assert!(
                is_right,
                "seed {}: {name}.{theirs} is {value:?}, not of {allowed:?}",
                self.seed
            );
        }
        self.check(0);
    }
}
