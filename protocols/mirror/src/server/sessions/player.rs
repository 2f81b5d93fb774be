//! Players and readiness of connections.

use syncvar_runtime::{BehaviourSet, Channel, ConnectionId, NetId, ObjectError};

use crate::SpawnPolicy;
use crate::message::NotReadyMessage;
use crate::server::sessions::connection::Readiness;
use crate::server::{MirrorServer, MirrorServerEvent, MirrorSpawnError, MirrorSpawnOptions};

impl MirrorServer {
    /// Gives a connection its player: Mirror's `AddPlayerForConnection`. The connection becomes
    /// ready, receives all visible objects, and then the player, which it owns.
    ///
    /// A second player replaces the first: Mirror's `ReplacePlayerForConnection`. The first one
    /// stays, without an owner.
    ///
    /// # Errors
    ///
    /// Fails for an unknown connection and for an invalid spawn; the server is unchanged then.
    pub fn add_player<S: BehaviourSet>(
        &mut self,
        connection: ConnectionId,
        behaviours: S,
    ) -> Result<NetId, MirrorSpawnError> {
        self.add_player_with(connection, behaviours, MirrorSpawnOptions::default())
    }

    /// Like [`add_player`](Self::add_player), with options. The owner is always the connection.
    ///
    /// # Errors
    ///
    /// As [`add_player`](Self::add_player).
    pub fn add_player_with<S: BehaviourSet>(
        &mut self,
        connection: ConnectionId,
        behaviours: S,
        options: MirrorSpawnOptions,
    ) -> Result<NetId, MirrorSpawnError> {
        let object = self.prepare(behaviours, options.with_owner(connection))?;
        let former = self.player_of(connection);
        let id = self.insert_prepared(object, |server, id| {
            server.make_player(connection, id);
            server.spawn_visible_objects(connection);
        });
        if let Some(former) = former {
            self.take_from_owner(former);
        }
        Ok(id)
    }

    /// Gives a connection another player. The former one stays with its owner, and the readiness of the connection as
    /// it is. Mirror's `ReplacePlayerForConnection` with `KeepAuthority`.
    ///
    /// # Errors
    ///
    /// As [`add_player`](Self::add_player).
    pub fn replace_player<S: BehaviourSet>(
        &mut self,
        connection: ConnectionId,
        behaviours: S,
    ) -> Result<NetId, MirrorSpawnError> {
        self.replace_player_with(connection, behaviours, MirrorSpawnOptions::default())
    }

    /// Like [`replace_player`](Self::replace_player), with options. The owner is always the connection.
    ///
    /// # Errors
    ///
    /// As [`add_player`](Self::add_player).
    pub fn replace_player_with<S: BehaviourSet>(
        &mut self,
        connection: ConnectionId,
        behaviours: S,
        options: MirrorSpawnOptions,
    ) -> Result<NetId, MirrorSpawnError> {
        let object = self.prepare(behaviours, options.with_owner(connection))?;
        Ok(self.insert_prepared(object, |server, id| {
            if let Some(client) = server.sessions.get_mut(connection) {
                client.player = Some(id);
            }
        }))
    }

    /// Makes an existing object the player of a connection, which owns it from then on. The former player stays
    /// with its owner. A client that observes the object receives it again, as its player. Mirror's
    /// `ReplacePlayerForConnection` with `KeepAuthority`.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the connection is not connected.
    pub fn set_player(&mut self, connection: ConnectionId, id: NetId) -> Result<(), ObjectError> {
        self.set_owner(id, Some(connection))?;
        let Some(client) = self.sessions.get_mut(connection) else {
            return Ok(());
        };
        let former = client.player.replace(id);
        if former != Some(id) && self.is_observer(id, connection) {
            self.replication.scratch.cached_spawn = None;
            self.send_spawn(id, connection);
        }
        Ok(())
    }

    /// Makes an object the player of a connection, which becomes ready.
    fn make_player(&mut self, connection: ConnectionId, id: NetId) {
        let Some(client) = self.sessions.get_mut(connection) else {
            return;
        };
        client.player = Some(id);
        let is_new = client.become_ready();
        self.sessions.lobby.place(connection);
        if is_new {
            self.events.push(MirrorServerEvent::Ready { connection });
        }
    }

    /// Makes a connection not ready: it keeps its objects, receives no updates, and can call no
    /// commands until it is ready again. Mirror's `SetClientNotReady`. Objects that are despawned or
    /// hidden meanwhile leave it after its next burst; a server of Mirror leaves them with the client.
    /// Without effect on a connection that is not ready.
    pub fn set_not_ready(&mut self, connection: ConnectionId) {
        let Some(client) = self.sessions.get_mut(connection) else {
            return;
        };
        let former = std::mem::take(&mut client.readiness);
        if former != Readiness::NotReady {
            let objects = self.world.objects.iter();
            let observed = objects.filter(|(_, it)| self.observers.contains(it, connection));
            client
                .kept
                .extend(observed.map(|(number, _)| NetId(number)));
            self.observers.drop_deferred(connection);
            self.remove_from_audiences(connection);
            self.send_message(Channel::Reliable, connection, &NotReadyMessage);
        }
    }

    /// Lets a connection take a [reserved place](syncvar_runtime::Limits::reserved_places) when it
    /// becomes ready. The game calls it for a returning session, which it recognises before: by a
    /// message of its authenticator, or by the address.
    ///
    /// # Errors
    ///
    /// When the connection is not connected.
    pub fn set_returning(&mut self, connection: ConnectionId) -> Result<(), ObjectError> {
        self.sessions.lobby.set_returning(connection)
    }

    /// Handles a ready client. One with a player receives all visible objects: Mirror's
    /// `SetClientReady`.
    pub(in crate::server) fn set_ready(&mut self, connection: ConnectionId) {
        let Some(client) = self.sessions.get_mut(connection) else {
            return;
        };
        let (is_new, has_player) = (client.become_ready(), client.player.is_some());
        self.sessions.lobby.place(connection);
        if is_new {
            self.events.push(MirrorServerEvent::Ready { connection });
        }
        if has_player || self.config.spawn_policy == SpawnPolicy::WhenReady {
            self.spawn_visible_objects(connection);
        }
    }

    /// Handles a request for a player. Ignores it if the client has a player, as in Mirror, or an
    /// unpolled request: a game that answers all of them would add several players.
    pub(in crate::server) fn request_player(&mut self, connection: ConnectionId) {
        let Some(client) = self.sessions.get_mut(connection) else {
            return;
        };
        let unread = self.events.first_unread();
        let waits = client.player_request.is_some_and(|it| it >= unread);
        if client.player.is_some() || waits {
            tracing::debug!(%connection, "ignoring a request for a second player");
            return;
        }
        let number = self.events.total();
        let event = MirrorServerEvent::AddPlayerRequested { connection };
        client.player_request = self.events.push_minor(event).then_some(number);
    }
}
