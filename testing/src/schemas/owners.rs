//! Writes of an owner.

use syncvar::prelude::*;
use syncvar::schema::Writers;
use syncvar::testing::Random;

use super::World;
use super::edit::Pair;
use super::oracle::{expected, zero};
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
        let (id, mut written, mut has_unfit) = (self.objects[0], Vec::new(), false);
        if !self.net.client(0).is_owner(id) {
            return;
        }
        for (behaviour, name, own) in Pair::fields(&self.pair.client) {
            let Some(theirs) = self.pair.source(behaviour, &own.names.name) else {
                continue;
            };
            let value = random_value(random, &own.value);
            let client = self.net.client_mut(0);
            let is_set = client.set_value(id, &name, &own.names.name, value.clone());
            if own.writers == Writers::Server || theirs.writers == Writers::Server {
                assert!(is_set.is_err(), "seed {}: {own}", self.seed);
                continue;
            }
            assert!(is_set.is_ok(), "seed {}: {own}: {is_set:?}", self.seed);
            let seen = expected(&own.value, &theirs.value, &value, &zero(&theirs.value));
            let server = self.pair.on_server(behaviour).expect("a pair");
            let name = self.pair.server.prefabs[0].behaviours[server]
                .names
                .name
                .clone();
            if is_set == Ok(true) {
                has_unfit |= seen.is_none();
                written.push((name, theirs.clone(), seen));
            }
        }
        self.net.settle();
        let events = std::iter::from_fn(|| self.net.client_mut(0).poll_event());
        let is_refused = |event: ClientEvent| matches!(event, ClientEvent::WriteRefused { .. });
        if events.map(is_refused).fold(false, |any, it| any | it) {
            // The values of the server replace all writes to the object that have not been sent.
            return;
        }
        assert!(
            !has_unfit,
            "seed {}: a refused write without an event",
            self.seed
        );
        for (name, theirs, seen) in written {
            let value = self.server_value(id, &name, &theirs);
            assert_eq!(value, seen, "seed {}: {name}.{theirs}", self.seed);
        }
    }
}
