//! A saved state becomes that of a new server.

use std::collections::BTreeMap;

use syncvar_runtime::schema::Schema;
use syncvar_runtime::{Callbacks, Channel, ConnectionId, Limits, NetId, Prefabs};

use crate::client::LoadedObject;
use crate::save::{Save, SaveError};
use crate::server::ServerConfig;
use crate::server::ground::Ground;
use crate::server::objects::spawn::NewObject;
use crate::server::saving::facts::{ConnectionFacts, DefaultView, Facts, ObjectFacts};
use crate::server::sessions::connection::{Connection, ConnectionState};
use crate::server::sessions::session::Session;
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::Audiences;
use crate::{ClientConfig, ClientEvent, NetworkClient};

/// Memory of the objects that each byte of a save may take, beyond the usual limit of a client.
const MEMORY_PER_BYTE: usize = 256;

/// A state that was read.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// Objects, by ascending id.
    pub(crate) objects: Vec<LoadedObject>,
    pub(crate) facts: Facts,
}

/// Reads a save. Returns the prefabs in any case.
pub(crate) fn read(prefabs: Prefabs, save: &Save) -> (Prefabs, Result<Loaded, SaveError>) {
    let mut client = NetworkClient::with_config(prefabs, client_config(save));
    let played = play(&mut client, save);
    let (prefabs, objects) = LoadedObject::all_of(client);
    let loaded = played.and_then(|facts| {
        check(&objects, &facts)?;
        Ok(Loaded { objects, facts })
    });
    (prefabs, loaded)
}

/// Returns the settings of a client that plays a save: without callbacks, and with limits by its length.
fn client_config(save: &Save) -> ClientConfig {
    let lengths = save.all_records().map(|record| record.as_bytes().len());
    let length = lengths.fold(0_usize, usize::saturating_add);
    let mut config = ClientConfig::default();
    let memory = length.saturating_mul(MEMORY_PER_BYTE);
    config.max_object_memory = config.max_object_memory.max(memory);
    config.max_objects = config.max_objects.max(length);
    config.max_events = usize::MAX;
    config.callbacks = Callbacks::Events;
    // All fields are of one record, in its order: no tick decides between two values.
    config.channels = vec![Channel::Reliable; 64];
    config.limits = Limits {
        max_memory: config.limits.max_memory.max(memory),
        max_work: usize::MAX,
        max_total_work: usize::MAX,
        ..config.limits
    };
    config
}

/// Plays the records, and gathers the facts.
fn play(client: &mut NetworkClient, save: &Save) -> Result<Facts, SaveError> {
    let schema = Schema::parse(save.schema())?;
    client
        .resolve_records(&schema)
        .map_err(SaveError::Unresolved)?;
    let mut facts = Facts::default();
    for record in save.all_records() {
        client.handle_record(record)?;
        while let Some(event) = client.poll_event() {
            match event {
                ClientEvent::Poisoned { object, error } => {
                    return Err(SaveError::Object { object, error });
                }
                ClientEvent::SpawnFailed { object, reason, .. } => {
                    return Err(SaveError::Spawn { object, reason });
                }
                ClientEvent::Despawned { object, .. } => {
                    facts.objects.remove(&object);
                }
                _ => {}
            }
        }
        // Behind the removals: a new object may have the id of a removed one.
        facts.read(record.facts().unwrap_or_default())?;
    }
    Ok(facts)
}

/// Checks that the facts fit each other.
fn check(objects: &[LoadedObject], facts: &Facts) -> Result<(), SaveError> {
    let mut scene = BTreeMap::new();
    for (id, known) in &facts.objects {
        if let Some(scene_id) = known.scene_id
            && scene.insert(scene_id, *id).is_some()
        {
            return Err(SaveError::Contradiction(*id));
        }
    }
    let parents: BTreeMap<NetId, NetId> = objects
        .iter()
        .filter_map(|object| Some((object.id, object.parent?)))
        .collect();
    // Each step goes one level up, so a path without a circle is not longer than the number of children.
    let mut settled = BTreeMap::new();
    for first in parents.keys() {
        let mut at = *first;
        while !settled.contains_key(&at) {
            settled.insert(at, *first);
            match parents.get(&at) {
                Some(parent) if settled.get(parent) == Some(first) => {
                    return Err(SaveError::Contradiction(*first));
                }
                Some(parent) => at = *parent,
                None => break,
            }
        }
    }
    Ok(())
}

impl Loaded {
    /// Inserts the objects, without owners.
    pub(crate) fn insert_objects(&mut self, ground: &mut Ground<'_>, visibility: &mut Visibility) {
        let tick = ground.tick();
        let none = ObjectFacts::default();
        let mut children = Vec::new();
        for object in std::mem::take(&mut self.objects) {
            let id = object.id;
            let facts = self.facts.objects.get(&id).unwrap_or(&none);
            let audience = match facts.view {
                DefaultView::Nobody => Audiences::NOBODY,
                DefaultView::ByInterest | DefaultView::Everyone => Audiences::EVERYONE,
            };
            let position = object.place.position;
            let new = NewObject {
                prefab: object.prefab,
                behaviours: object.behaviours,
                audience,
                by_interest: facts.view == DefaultView::ByInterest,
                scene_id: facts.scene_id,
                place: object.place,
            };
            ground.objects.insert(ground.context, id, new);
            ground.objects.track_ticks(id, tick, &ground.context.config);
            visibility.add_object(id, audience, position);
            visibility.groups.set(id, facts.group);
            if let Some(replicated) = ground.objects.world.objects.get_mut(id.0) {
                replicated.permit = facts.permit;
            }
            children.extend(object.parent.map(|parent| (id, parent)));
        }
        for (child, parent) in children {
            // A build without the prefab of the parent has no parent.
            if ground.objects.world.contains(parent) {
                ground.objects.set_parent(child, Some(parent));
            }
        }
    }

    /// Inserts the connections whose clients can return.
    pub(crate) fn insert_connections(&self, ground: &mut Ground<'_>, visibility: &mut Visibility) {
        for (id, facts) in &self.facts.connections {
            let config = &ground.context.config;
            let session = restored_session(config, facts);
            let is_full = ground.sessions.returns.away().len() >= config.limits.max_away;
            let Some(session) = session.filter(|_| !is_full) else {
                continue;
            };
            let mut connection = Connection::new(*id, config.gathered_size());
            connection.state = ConnectionState::Connected;
            connection.framing = facts.framing;
            connection.requests.join_payload = facts.payload.clone();
            connection.ownership.players.clone_from(&facts.players);
            connection.session = Some(Box::new(session));
            ground.sessions.connections.insert(id.0, connection);
            for token in &facts.tokens {
                ground.sessions.returns.add_token(*token, *id);
            }
            ground.sessions.returns.begin_absence(*id);
            ground.sessions.lobby.place(*id);
            if !facts.key.is_empty() {
                ground.sessions.returns.players.set(*id, facts.key.clone());
            }
            for tag in &facts.groups {
                visibility.groups.members.insert(*id, *tag);
            }
            visibility.interest.management.handle_connect(*id);
        }
        for (key, objects) in &self.facts.players {
            ground.sessions.returns.players.wait(key.clone(), objects);
        }
    }

    /// Shows and hides objects by name.
    pub(crate) fn apply_views(&self, ground: &mut Ground<'_>, visibility: &mut Visibility) {
        for (id, facts) in &self.facts.objects {
            for (connection, shown) in &facts.exceptions {
                if ground.sessions.knows(*connection) && ground.objects.world.contains(*id) {
                    visibility.set_visible(ground.objects, *id, *connection, *shown);
                }
            }
        }
    }

    /// Returns the objects with their owners. Objects of a player without a connection begin to wait.
    pub(crate) fn owners(&self, ground: &mut Ground<'_>) -> Vec<(NetId, ConnectionId, u32)> {
        let mut owners = Vec::new();
        for (id, facts) in &self.facts.objects {
            let Some(owner) = facts.owner else {
                continue;
            };
            if !ground.objects.world.contains(*id) {
                continue;
            }
            if ground.sessions.knows(owner) {
                owners.push((*id, owner, facts.permit));
            } else if let Some(known) = self.facts.connections.get(&owner)
                && !known.key.is_empty()
            {
                ground
                    .sessions
                    .returns
                    .players
                    .wait(known.key.clone(), &[*id]);
            }
        }
        owners
    }
}

/// Returns the session of a connection, if the server has sessions.
fn restored_session(config: &ServerConfig, facts: &ConnectionFacts) -> Option<Session> {
    let has_sessions = config.session_tokens.is_some() && !config.reconnect_grace.is_zero();
    Session::of_earlier_run(&facts.tokens).filter(|_| has_sessions)
}
