//! Objects that move to another server, with their players, and notes of the program.

use bytes::Bytes;
use syncvar_runtime::unstable::world::NetIds;
use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::TickRecord;
use crate::record::{ItemWriter, RecordHead, RecordKind};
use crate::save::{Save, SaveError};
use crate::server::NetworkServer;
use crate::server::api::rooms::Rooms;
use crate::server::api::saving::give_loaded;
use crate::server::saving::apply::{self, Loaded};
use crate::server::saving::facts::{FactsWriter, ServerFacts};
use crate::server::saving::gather::object_facts;
use crate::server::saving::objects::ObjectWriter;

impl NetworkServer {
    /// Returns the state of some objects, as a [save](Self::save) has it: every field, also with `read = server`, owner,
    /// permit, group, scene id, views, place and parent. Another server takes them over with
    /// [`import_objects`](Self::import_objects). Ids without an object are left out.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Chest {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    ///     #[sync_var(read = server)]
    ///     seed: SyncVar<u64>,
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Chest>("chest");
    /// let mut one = NetworkServer::new(prefabs());
    /// let mut two = NetworkServer::new(prefabs());
    /// two.set_next_id(NetId(1 << 24)); // the ids of two servers with common objects differ
    /// let chest = one.spawn(Chest { open: true.into(), seed: 7.into() });
    ///
    /// let state = one.export_objects(&[chest])?;
    /// one.remove_silently(chest);
    /// two.import_objects(&state, |_owner| None)?;
    /// assert_eq!(one.object_count(), 0);
    /// let chest = two.get::<Chest>(chest).unwrap();
    /// assert_eq!((*chest.open, *chest.seed), (true, 7));
    /// # Ok::<(), syncvar::saving::SaveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// For a value without a form, and inside of a callback of an object.
    pub fn export_objects(&mut self, objects: &[NetId]) -> Result<TickRecord, SaveError> {
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        let (mut writer, mut facts) = (ObjectWriter::default(), FactsWriter::default());
        facts.server(&ServerFacts::default());
        for id in objects {
            if let Some(known) = object_facts(&ground, visibility, *id) {
                writer.add(ground.context, ground.objects, *id)?;
                facts.object(*id, &known);
            }
        }
        let mut items = ItemWriter::default();
        writer.drain_into(&mut items);
        items.add_facts(facts.as_bytes());
        let origin = ground.record_origin();
        let head = ground.record_head(RecordKind::Keyframe(origin));
        let head = RecordHead { seq: 1, ..head };
        Ok(TickRecord::new(head, &items.take()))
    }

    /// Removes an object that goes on elsewhere: as [`despawn`](Self::despawn), without its callbacks. Returns whether it existed.
    pub fn remove_silently(&mut self, object: NetId) -> bool {
        !self.objects.world.checked_out.contains(object) && self.remove(object)
    }

    /// Takes objects over from another server of the same schema, with their ids. Returns the ids. No hook and no
    /// lifecycle callback runs.
    ///
    /// `connection_of` translates a connection of the other server, such as the owner, to one of this server. Without one the object
    /// has no owner. A parent that is not here, or not among the objects, is left out.
    ///
    /// # Errors
    ///
    /// For a state of a different schema, an id or a scene id in use, and malformed state. The server stays unchanged then.
    pub fn import_objects(
        &mut self,
        state: &TickRecord,
        mut connection_of: impl FnMut(ConnectionId) -> Option<ConnectionId>,
    ) -> Result<Vec<NetId>, SaveError> {
        let schema = self.objects.world.prefabs.schema_text().clone();
        let save = Save::new(&schema, state.clone())?;
        let prefabs = std::mem::take(&mut self.objects.world.prefabs);
        let (prefabs, loaded) = apply::read(prefabs, &save);
        self.objects.world.prefabs = prefabs;
        let mut loaded = loaded?;
        check_imported(self, &loaded)?;
        let ids: Vec<NetId> = loaded.objects.iter().map(|object| object.id).collect();
        let mut owners = Vec::new();
        for (id, facts) in &mut loaded.facts.objects {
            let owner = facts.owner.and_then(&mut connection_of);
            owners.extend(owner.map(|owner| (*id, owner, facts.permit)));
            let views = std::mem::take(&mut facts.exceptions).into_iter();
            facts.exceptions = views
                .filter_map(|(connection, shown)| Some((connection_of(connection)?, shown)))
                .collect();
        }
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        loaded.insert_objects(&mut ground, visibility);
        owners.retain(|(_, owner, _)| self.sessions.knows(*owner));
        give_loaded(self, &loaded, owners);
        Ok(ids)
    }

    /// Returns the id of the next spawned object; `None` after 2^32 - 1 objects.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// server.set_next_id(NetId(1 << 24));
    /// assert_eq!(server.next_id(), Some(NetId(1 << 24)));
    /// ```
    pub fn next_id(&self) -> Option<NetId> {
        self.objects.world.net_ids.peek().map(NetId)
    }

    /// Sets the id of the next spawned object, if it is free and above the ids so far. Servers that exchange objects have ranges of ids:
    /// a range of 2^24 ids stays apart from ids of other ranges that arrive.
    pub fn set_next_id(&mut self, id: NetId) {
        if self
            .objects
            .world
            .net_ids
            .peek()
            .is_some_and(|next| next < id.0)
        {
            self.objects.world.net_ids = NetIds::starting_at(id.0);
        }
    }

    /// Returns the [key](Self::set_player_key) of the player of an object: of its owner, or of the player for whom it waits.
    pub fn player_of(&self, object: NetId) -> Option<Bytes> {
        let players = &self.sessions.returns.players;
        if let Some(owner) = self.owner(object) {
            return players.key(owner).cloned();
        }
        let mut waiting = players.waiting();
        let (key, _) = waiting.find(|(_, objects)| objects.contains(&object))?;
        Some(key.clone())
    }

    /// Gives an object to the connection of a player, or lets it wait for the player, as the objects of a player who has left.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn give_to_player(
        &mut self,
        object: NetId,
        key: impl Into<Bytes>,
    ) -> Result<(), ObjectError> {
        self.objects.world.expect_object(object)?;
        let key = key.into();
        match self.sessions.returns.players.connection(&key) {
            Some(connection) => self.set_owner(object, Some(connection)),
            None => {
                self.set_owner(object, None)?;
                self.sessions.returns.players.wait(key, &[object]);
                Ok(())
            }
        }
    }

    /// Sets a value of the program that saves and journals contain, or removes it with an empty value. The value is in the same
    /// record of a journal as the changes of the same update.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// server.set_note("next wave", "3");
    /// let save = server.save()?;
    ///
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// server.load(&save)?;
    /// assert_eq!(server.note("next wave").unwrap(), "3");
    /// # Ok::<(), syncvar::saving::SaveError>(())
    /// ```
    pub fn set_note(&mut self, key: impl Into<Bytes>, value: impl Into<Bytes>) {
        self.context.notes.set(key.into(), value.into());
    }

    /// Returns a [note](Self::set_note) of the program.
    pub fn note(&self, key: impl AsRef<[u8]>) -> Option<&Bytes> {
        self.context.notes.get(key.as_ref())
    }

    /// Returns all [notes](Self::set_note) with their keys, by ascending key.
    pub fn notes(&self) -> impl Iterator<Item = (&Bytes, &Bytes)> {
        self.context.notes.iter()
    }
}

/// Checks that the ids of objects are free.
fn check_imported(server: &NetworkServer, loaded: &Loaded) -> Result<(), SaveError> {
    let world = &server.objects.world;
    for object in &loaded.objects {
        let facts = loaded.facts.objects.get(&object.id);
        let scene_id = facts.and_then(|facts| facts.scene_id);
        let is_taken = world.contains(object.id)
            || world.checked_out.contains(object.id)
            || scene_id.is_some_and(|scene_id| server.scene_object(scene_id).is_some());
        if is_taken {
            return Err(SaveError::IdTaken(object.id));
        }
    }
    Ok(())
}
