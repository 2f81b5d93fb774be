//! Players and readiness of connections.

use syncvar_runtime::{BehaviourSet, Channel, ConnectionId, NetId, ObjectError};

use crate::SpawnPolicy;
use crate::message::{NotReadyMessage, ObjectSpawnStartedMessage};
use crate::server::replication::Replication;
use crate::server::sessions::connection::Readiness;
use crate::server::{MirrorServer, MirrorSpawnError, MirrorSpawnOptions};

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
        let options = options.with_owner(connection);
        let is_connected = |owner| self.sessions.get(owner).is_some();
        let object = self.objects.prepare(behaviours, options, is_connected)?;
        let former = self.player_of(connection);
        let id = self.insert_prepared(object, |server, id| {
            let context = &mut server.context;
            if let Some(client) = server.sessions.become_ready(connection, context) {
                client.player = Some(id);
            }
            server.spawn_visible_objects(connection);
        });
        if let Some(former) = former
            && let Some(owner) = self.owner(former)
        {
            self.transfer(former, Some(owner), None);
        }
        Ok(id)
    }

    /// Gives a connection a further player. The player before stays with its owner, and the readiness of the
    /// connection as it is. Mirror's `ReplacePlayerForConnection` with `KeepAuthority`.
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
        let options = options.with_owner(connection);
        let is_connected = |owner| self.sessions.get(owner).is_some();
        let object = self.objects.prepare(behaviours, options, is_connected)?;
        Ok(self.insert_prepared(object, |server, id| {
            if let Some(client) = server.sessions.get_mut(connection) {
                client.player = Some(id);
            }
        }))
    }

    /// Makes an existing object the player of a connection, which owns it from then on. The player before stays
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
            self.replicate(|replication, rooms| replication.respawn_for(rooms, id, connection));
        }
        Ok(())
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
            let objects = self.objects.world.objects.iter();
            let observed = objects.filter(|(_, it)| self.observers.contains(it, connection));
            let kept = observed.map(|(number, _)| NetId(number));
            client.holdings.kept.extend(kept);
            self.observers.drop_deferred(connection);
            self.observers
                .remove_from_audiences(connection, &mut self.objects);
            let (reliable, context) = (Channel::Reliable, &mut self.context);
            self.sessions
                .send_message(reliable, connection, &NotReadyMessage, context);
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
    pub(crate) fn set_ready(&mut self, connection: ConnectionId) {
        let context = &mut self.context;
        let Some(client) = self.sessions.become_ready(connection, context) else {
            return;
        };
        let has_player = client.player.is_some();
        if has_player || context.config.spawn_policy == SpawnPolicy::WhenReady {
            self.spawn_visible_objects(connection);
        }
    }

    /// Sends a connection all visible objects: Mirror's `SpawnObserversForConnection`. Objects that
    /// it observes are not sent again.
    fn spawn_visible_objects(&mut self, connection: ConnectionId) {
        let Some(client) = self.sessions.get_mut(connection) else {
            return;
        };
        let former = std::mem::replace(&mut client.readiness, Readiness::Receiving);
        tracing::debug!(
            connection = connection.0,
            "sends all visible objects to a client"
        );
        let (reliable, started) = (Channel::Reliable, ObjectSpawnStartedMessage);
        self.sessions
            .send_message(reliable, connection, &started, &mut self.context);
        // View changes until now belong into this burst.
        self.replicate(Replication::apply_interest);
        self.check_objects(connection);
        // A repeated ready message of a client with all objects costs no scan.
        let scans = former != Readiness::Receiving || self.observers.rebuilds.is_some();
        self.replicate(|replication, rooms| {
            replication.send_visible_objects(rooms, connection, scans);
        });
    }
}
