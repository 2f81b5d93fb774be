//! Players, and connections that are ready or not.

use syncvar_runtime::{BehaviourSet, Channel, ConnectionId, NetId};

use super::{MirrorServer, MirrorServerEvent, MirrorSpawnError, MirrorSpawnOptions};
use crate::SpawnPolicy;
use crate::message::NotReadyMessage;

impl MirrorServer {
    /// Gives a connection its player: Mirror's `AddPlayerForConnection`. The connection is ready then, is
    /// shown everything that it may see, and after that its player, which it owns.
    ///
    /// One that has a player already is given another one: Mirror's `ReplacePlayerForConnection`. The
    /// former one stays, without an owner.
    ///
    /// # Errors
    ///
    /// When there is no such connection, or when nothing can be spawned; nothing is done then.
    pub fn add_player<S: BehaviourSet>(
        &mut self,
        connection: ConnectionId,
        behaviours: S,
    ) -> Result<NetId, MirrorSpawnError> {
        self.add_player_with(connection, behaviours, MirrorSpawnOptions::default())
    }

    /// The same with everything that can be said about the player. Its owner is the connection, whatever
    /// is said.
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
        let options = MirrorSpawnOptions {
            owner: Some(connection),
            ..options
        };
        let object = self.prepare(behaviours, options)?;
        let Some(client) = self.connections.get_mut(connection.0) else {
            return Err(MirrorSpawnError::UnknownOwner(connection));
        };
        let former = client.player;
        if !std::mem::replace(&mut client.ready, true) {
            self.events.push(MirrorServerEvent::Ready { connection });
        }
        self.show_everything(connection);
        let id = self.enter(object, |server, id| {
            if let Some(client) = server.connections.get_mut(connection.0) {
                client.player = Some(id);
            }
        });
        if let Some(former) = former {
            self.set_owner(former, None);
        }
        Ok(id)
    }

    /// A connection is not ready any more: it keeps what it has, is told of nothing, and can call
    /// nothing, until it says that it is ready. Mirror's `SetClientNotReady`. Returns whether it was.
    pub fn set_not_ready(&mut self, connection: ConnectionId) -> bool {
        let Some(client) = self.connections.get_mut(connection.0) else {
            return false;
        };
        let was_ready = std::mem::replace(&mut client.ready, false);
        client.shown = false;
        if was_ready {
            self.owed.retain(|(owed, _)| *owed != connection);
            self.forget_observer(connection);
            self.send_short(Channel::Reliable, connection, &NotReadyMessage);
        }
        was_ready
    }

    /// A client says that it is ready. If it has a player it is shown everything: Mirror's
    /// `SetClientReady`.
    pub(super) fn set_ready(&mut self, connection: ConnectionId) {
        let Some(client) = self.connections.get_mut(connection.0) else {
            return;
        };
        if !std::mem::replace(&mut client.ready, true) {
            self.events.push(MirrorServerEvent::Ready { connection });
        }
        if client.player.is_some() || self.config.spawn_policy == SpawnPolicy::WhenReady {
            self.show_everything(connection);
        }
    }

    /// A client asks for a player. One that has one is not heard, as in Mirror, nor one whose request is
    /// still to be polled: a game that answers every request would give it several.
    pub(super) fn request_player(&mut self, connection: ConnectionId) {
        let Some(client) = self.connections.get_mut(connection.0) else {
            return;
        };
        // The request may be among the events that were dropped.
        let missed = self.events.missed();
        if client.player.is_some() || client.asked == Some(missed) {
            tracing::debug!(%connection, "asks for a second player");
            return;
        }
        client.asked = Some(missed);
        self.events
            .push_minor(MirrorServerEvent::AddPlayerRequested { connection });
    }
}
