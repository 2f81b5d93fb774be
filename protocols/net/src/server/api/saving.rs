//! Saves: the state of the server as bytes, and players by key.

use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::unstable::world::NetIds;
use syncvar_runtime::{ConnectionId, DisconnectReason, NetId, ObjectError};

use crate::TickRecord;
use crate::save::{PendingSave, Save, SaveError};
use crate::server::NetworkServer;
use crate::server::api::rooms::Rooms;
use crate::server::outbound::journal::Journal;
use crate::server::outbound::save::SaveInProgress;
use crate::server::saving::apply;
use crate::server::saving::gathered::write_keyframe;
use crate::server::saving::journal::write_record;

/// Most records of a recording between a save and the end of its server: 9 hours at 30 ticks a second.
const UNSAVED_RECORDS: u64 = 1 << 20;

impl NetworkServer {
    /// Returns the state of the server: all objects with every field, also of restricted readers and with `read = server`, and
    /// the facts beside the fields:
    ///
    /// * ids, permits, places, parents, scene ids, groups, owners, connections to which an object is shown or hidden;
    /// * sessions: a client returns to the loaded server, see [`load`](Self::load);
    /// * objects of players with a [key](Self::set_player_key);
    /// * [notes](Self::set_note) of the program.
    ///
    /// It lacks members of behaviours without `#[sync_var]`, the state of the interest management, queued calls and
    /// messages, and the local client. A field with a codec has the value that travels. Costs as much as a client that joins.
    ///
    /// # Errors
    ///
    /// For a value without a form, for example a text above 32 767 bytes, and inside of a callback of an object.
    pub fn save(&mut self) -> Result<Save, SaveError> {
        let schema = self.objects.world.prefabs.schema_text().clone();
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        let (keyframe, _) = write_keyframe(&mut ground, visibility, 1)?;
        Ok(Save::of_server(schema, keyframe))
    }

    /// Begins a save in slices: each update from the next one on adds at most `objects` objects, at least 1, so that no
    /// update takes as long as a [`save`](Self::save). The update with the last slice completes it:
    /// [`PendingSave::poll`].
    ///
    /// The state is that of the end of this last update, for all fields and facts of a [save](Self::save): changes of the
    /// objects so far are added to it, as to a [journal](Self::start_journal). The position of an object by
    /// [`set_transform`](Self::set_transform) and its data beside the fields are those of its slice, or of a later
    /// update. A save with more than 64 MiB of changes takes the rest in one update. With a journal, the records behind
    /// the last update continue the save.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Tree {
    ///     #[sync_var]
    ///     height: SyncVar<u32>,
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Tree>("tree");
    /// let mut server = NetworkServer::new(prefabs());
    /// let trees: Vec<_> = (0..3000).map(|_| server.spawn(Tree::default())).collect();
    /// let pending = server.begin_save(1000)?;
    /// let mut updates = 0;
    /// let save = loop {
    ///     updates += 1;
    ///     *server.get_mut::<Tree>(trees[0]).unwrap().height += 1;
    ///     server.update(updates * Duration::from_millis(100));
    ///     if let Some(save) = pending.poll() {
    ///         break save?;
    ///     }
    /// };
    ///
    /// let mut server = NetworkServer::new(prefabs());
    /// server.load(&save)?;
    /// assert_eq!((server.object_count(), updates), (3000, 3));
    /// assert_eq!(server.get::<Tree>(trees[0]).unwrap().height, 3); // of the last update
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// While an earlier save is [pending](PendingSave). The save itself has the errors of [`save`](Self::save).
    pub fn begin_save(&mut self, objects: usize) -> Result<PendingSave, SaveError> {
        let save = self.outbound.save.as_ref();
        if save.is_some_and(|save| save.is_awaited()) {
            return Err(SaveError::InProgress);
        }
        if !self.objects.tracks_journal() {
            self.objects.track_journal(true);
        }
        let (save, pending) = SaveInProgress::new(&self.objects, objects);
        self.outbound.save = Some(Box::new(save));
        Ok(pending)
    }

    /// Begins a journal, or a new part of it. Returns the present state, which the records of the journal continue: see
    /// [`Save::push`].
    ///
    /// Each update then writes a record with the changes since the record before: every field with its whole value, spawns,
    /// despawns, owners, sessions, and all else that a [save](Self::save) has. An update without a change writes a record 100 ms
    /// after the record before. A record has the state at the end of its update. `syncvar::log::Journal` keeps the records in
    /// files.
    ///
    /// Changes of the position by [`set_transform`](Self::set_transform) and of data beside the fields are in the states alone.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Door>("door");
    /// let mut server = NetworkServer::new(prefabs());
    /// let mut save = server.start_journal()?;
    /// let door = server.spawn(Door { open: true.into() });
    /// server.update(Duration::from_secs(1));
    /// while let Some(record) = server.poll_journal() {
    ///     save.push(record)?;
    /// }
    ///
    /// let mut server = NetworkServer::new(prefabs());
    /// server.load(&save)?;
    /// assert_eq!(server.get::<Door>(door).unwrap().open, true);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A journal in progress ends, with the records that were not taken. The records of the new journal continue its numbers: behind
    /// [`flush_journal`](Self::flush_journal) they continue its state, too.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save). A journal in progress goes on then.
    pub fn start_journal(&mut self) -> Result<Save, SaveError> {
        let schema = self.objects.world.prefabs.schema_text().clone();
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        if ground.outbound.save.is_some() {
            // It has the changes so far.
            write_record(&mut ground, visibility);
        }
        let seq = ground.outbound.journal.as_ref().map_or(1, |it| it.seq);
        let (keyframe, known) = write_keyframe(&mut ground, visibility, seq)?;
        let now = ground.context.clock.now();
        ground.outbound.journal = Some(Box::new(Journal::new(seq, now, known)));
        // The state has all earlier changes.
        ground.objects.track_journal(true);
        ground.context.notes.take_changes().for_each(drop);
        Ok(Save::of_server(schema, keyframe))
    }

    /// Returns the oldest record of the journal that was not returned before. A program takes all records after each update: the
    /// server keeps them until then.
    pub fn poll_journal(&mut self) -> Option<TickRecord> {
        let journal = self.outbound.journal.as_mut()?;
        let record = journal.records.pop_front();
        journal.is_taken |= record.is_none();
        record
    }

    /// Returns whether the program has taken all records of the journal: [`poll_journal`](Self::poll_journal) has returned `None`. `true`
    /// without a journal.
    pub fn is_journal_taken(&self) -> bool {
        let journal = self.outbound.journal.as_ref();
        journal.is_none_or(|journal| journal.is_taken)
    }

    /// Adds a record of the changes since the last update to the journal, if there are any.
    pub fn flush_journal(&mut self) {
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        write_record(&mut ground, visibility);
    }

    /// Ends the journal.
    pub fn stop_journal(&mut self) {
        self.outbound.journal = None;
        if self.outbound.save.is_none() {
            self.objects.track_journal(false);
        }
    }

    /// Takes a saved state over. The server is new: it has neither objects nor connections. An interest management and a
    /// rule about join requests stay.
    ///
    /// A save of a different build is resolved by names, as the records of a different build
    /// ([`NetworkClient::resolve_records`](crate::NetworkClient::resolve_records)).
    ///
    /// The time, the ticks and the [incarnation](crate::ServerConfig::incarnation) continue. With
    /// [`reconnect_grace`](crate::ServerConfig::reconnect_grace) and
    /// [`session_tokens`](crate::ServerConfig::session_tokens) the connections of before are [away](Self::is_away): their
    /// clients return with their tokens, keep their objects, and receive the state as after any longer absence. Without a
    /// session, the objects of a player with a [key](Self::set_player_key) wait for the key; objects of other owners are
    /// without an owner.
    ///
    /// No hook and no lifecycle callback runs.
    ///
    /// # Errors
    ///
    /// For a server that is not new, and a save that this build cannot read. The server stays empty then.
    pub fn load(&mut self, save: &Save) -> Result<(), SaveError> {
        let is_new = self.objects.world.objects.len() == 0 && self.sessions.connections.len() == 0;
        if !is_new {
            return Err(SaveError::NotEmpty);
        }
        let prefabs = std::mem::take(&mut self.objects.world.prefabs);
        let (prefabs, loaded) = apply::read(prefabs, save);
        self.objects.world.prefabs = prefabs;
        let mut loaded = loaded?;
        self.continue_numbers(save, &loaded);
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        loaded.insert_objects(&mut ground, visibility);
        loaded.insert_connections(&mut ground, visibility);
        let owners = loaded.owners(&mut ground);
        give_loaded(self, &loaded, owners);
        Ok(())
    }

    /// Continues the time, the ticks and the numbers of a save.
    fn continue_numbers(&mut self, save: &Save, loaded: &apply::Loaded) {
        let rate = u64::from(self.context.config.tick_rate);
        // At a lower rate the ticks would come again.
        let next = Duration::from_secs((save.tick() + 1).div_ceil(rate.max(1)));
        let is_ahead = |now: Duration| now.as_nanos() * u128::from(rate) / 1_000_000_000;
        let mut now = save.resumes_at();
        if is_ahead(now) <= u128::from(save.tick()) {
            now = next;
        }
        self.context.clock.resume(now);
        if let Some(origin) = save.keyframe().keyframe() {
            self.context.config.incarnation = origin.start.incarnation;
            self.context.ticks.restart(origin.start.first_tick);
        }
        let tick = self.context.ticks.number(save.tick());
        self.outbound.store.tick = tick.unwrap_or(1);
        let notes = loaded.facts.notes.clone();
        self.context.notes.restore(notes);
        let facts = &loaded.facts.server;
        self.objects.world.net_ids = NetIds::starting_at(facts.next_object);
        self.objects.continue_permits(facts.last_permit);
        self.sessions.continue_ids(facts.next_connection);
        if facts.recorded > 0 {
            // Readers may have records that were written behind the save.
            let last = facts.recorded.saturating_add(UNSAVED_RECORDS);
            self.outbound.recorder.continue_after(last);
        }
    }

    /// Names the player of a connection by a key of the program, such as an account. The objects that wait for the key become
    /// those of the connection, and are returned.
    ///
    /// When a connection with a key closes, its objects are without an owner, as always, and wait for the key: in this run
    /// and in saves. A connection that is [away](Self::is_away) and has the key ends, for its player has come without its
    /// session. A program that despawns the objects of a player who leaves needs no key for them.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Hero {
    ///     #[sync_var]
    ///     level: SyncVar<u32>,
    /// }
    ///
    /// let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Hero>("hero"));
    /// let first = net.connect();
    /// net.settle();
    /// let hero = net.server.spawn(Hero { level: 7.into() });
    /// net.server.set_player_key(net.connection(first), "ann")?;
    /// net.server.set_owner(hero, Some(net.connection(first)))?;
    /// net.client_mut(first).disconnect("bye");
    /// net.settle();
    /// assert_eq!(net.server.owner(hero), None);
    ///
    /// let second = net.connect();
    /// net.settle();
    /// let objects = net.server.set_player_key(net.connection(second), "ann")?;
    /// assert_eq!(objects, [hero]);
    /// assert_eq!(net.server.owner(hero), Some(net.connection(second)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn set_player_key(
        &mut self,
        connection: ConnectionId,
        key: impl Into<Bytes>,
    ) -> Result<Vec<NetId>, ObjectError> {
        self.sessions.expect(connection)?;
        let key = key.into();
        let former = self.sessions.returns.players.connection(&key);
        if let Some(former) = former.filter(|it| *it != connection && self.is_away(*it)) {
            self.close(former, DisconnectReason::ConnectionLost);
            self.sessions.connections.remove(former.0);
        }
        self.sessions.returns.players.set(connection, key.clone());
        let mut objects = self.sessions.returns.players.take(&key);
        let entries = &self.objects.world.objects;
        objects.retain(|id| entries.get(id.0).is_some_and(|it| it.owner.is_none()));
        for id in &objects {
            self.set_owner(*id, Some(connection))?;
        }
        Ok(objects)
    }

    /// Returns the key of the player of a connection.
    pub fn player_key(&self, connection: ConnectionId) -> Option<&[u8]> {
        self.sessions
            .returns
            .players
            .key(connection)
            .map(|key| &key[..])
    }
}

/// Gives loaded objects to their owners, with their permits, and shows and hides objects by name.
pub(super) fn give_loaded(
    server: &mut NetworkServer,
    loaded: &apply::Loaded,
    owners: Vec<(NetId, ConnectionId, u32)>,
) {
    for (id, owner, permit) in owners {
        server.give(id, Some(owner));
        if let Some(replicated) = server.objects.world.objects.get_mut(id.0) {
            replicated.permit = permit;
        }
    }
    let Rooms {
        mut ground,
        visibility,
        ..
    } = server.rooms();
    loaded.apply_views(&mut ground, visibility);
}
