//! Clients of ours that are given what the server of a session sends: they must have what it has.

use std::collections::BTreeMap;

use serde_json::Value;
use syncvar::Channel;
use syncvar::mirror::{Limits, MirrorClient, MirrorClientConfig, MirrorPrefabs, MirrorServer};
use syncvar::prelude::*;

use super::subject::{Class, Subject};
use super::world;
use syncvar_testing::golden::same;

/// The components of an object: the class of each, and whether only the owner is given it.
pub(crate) type Components = Vec<(&'static Class, bool)>;

/// The clients, by the connections that the server has of them.
#[derive(Default)]
pub(crate) struct Followers(BTreeMap<ConnectionId, MirrorClient>);

impl Followers {
    pub(crate) fn join(
        &mut self,
        connection: ConnectionId,
        prefabs: MirrorPrefabs,
        limits: Limits,
    ) {
        let config = MirrorClientConfig {
            auto_add_player: false,
            ..MirrorClientConfig::default()
        };
        let mut client = MirrorClient::with_config(prefabs, config);
        client.handle_connect(limits);
        self.0.insert(connection, client);
    }

    pub(crate) fn leave(&mut self, connection: ConnectionId) {
        self.0.remove(&connection);
    }

    pub(crate) fn receive(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        batch: &[u8],
    ) -> Result<(), String> {
        let client = self.0.get_mut(&connection).ok_or("sent to nobody")?;
        let handled = client.handle_packet(channel, batch);
        handled.map_err(|error| format!("our own client: {error}"))?;
        while let Some(event) = client.poll_event() {
            let text = format!("{event:?}");
            if ["Failed", "Mismatch"]
                .iter()
                .any(|word| text.contains(word))
            {
                return Err(format!("our own client: {text}"));
            }
        }
        Ok(())
    }

    /// Every client that is ready has every component that it may see as the server has it.
    pub(crate) fn same_as(
        &mut self,
        server: &mut MirrorServer,
        objects: &[(NetId, Components)],
    ) -> Result<usize, String> {
        let mut compared = 0;
        for (connection, client) in &mut self.0 {
            if !server.is_ready(*connection) || server.player_of(*connection).is_none() {
                continue;
            }
            for (id, components) in objects {
                if server.identity(*id).is_none() {
                    same("it is gone", &client.identity(*id).is_none(), &true)?;
                    continue;
                }
                let owned = server.owner(*id) == Some(*connection);
                same("owned", &client.is_owned(*id), &owned)?;
                for (index, (class, owner_only)) in components.iter().enumerate() {
                    if *owner_only && !owned || class.name == "Aim" && owned {
                        continue;
                    }
                    let name = class.name;
                    let mut ours = Values::default();
                    let mut theirs = Values::default();
                    let at = (*id, index);
                    world::on_server(server, name, at, |subject| ours.note(subject));
                    class
                        .reach
                        .on_client(client, at, &mut |subject| theirs.note(subject));
                    same(&format!("{connection} has {id} {name}"), &theirs.0, &ours.0)?;
                    compared += 1;
                }
            }
        }
        Ok(compared)
    }
}

/// What all fields of a component show.
#[derive(Default)]
struct Values(Vec<Value>);

impl Values {
    fn note(&mut self, subject: &mut dyn Subject) {
        let members = subject.members().into_iter();
        self.0 = members.map(|(_, member)| member.shown()).collect();
    }
}
