//! The scene of the clients.

use syncvar_runtime::{Channel, ConnectionId};

use crate::MirrorError;
use crate::message::{SceneMessage, SceneOperation};
use crate::server::MirrorServer;
use crate::server::replication::encode::write_message;

/// Longest string that Mirror can write.
const LONGEST_NAME: usize = 65_534;

impl MirrorServer {
    /// Loads or unloads a scene on all clients: Mirror's `SceneMessage`. [`SceneOperation::Normal`]
    /// replaces all other scenes: connections are [not ready](Self::set_not_ready) until they have
    /// loaded it, and later connections load it first. Mirror's `NetworkManager.ServerChangeScene`.
    /// Objects stay until they are despawned.
    ///
    /// # Errors
    ///
    /// Fails if the name is longer than 65 534 bytes, or than the transport of a connection
    /// carries; no message is sent then.
    pub fn load_scene(&mut self, name: &str, operation: SceneOperation) -> Result<(), MirrorError> {
        check_name(name, self.sessions.longest(Channel::Reliable))?;
        let connections: Vec<_> = self.connections().collect();
        if operation == SceneOperation::Normal {
            self.sessions.scene = Some(name.into());
            for connection in &connections {
                self.set_not_ready(*connection);
            }
        }
        for connection in connections {
            let client = self.sessions.get(connection);
            if client.is_some_and(|client| client.authenticated) {
                self.send_scene_message(connection, name, operation);
            }
        }
        Ok(())
    }

    /// Loads or unloads a scene on one client, such as the instance of a dungeon: its readiness and the scene of
    /// later connections stay. The client handles no message until it is done. With
    /// [`custom_handling`](SceneMessage::custom_handling) its game loads the scene by itself. Mirror's
    /// `conn.Send(new SceneMessage { ... })`.
    ///
    /// # Errors
    ///
    /// For an unknown connection, and for a name that is longer than 65 534 bytes or than the transport of the
    /// connection carries.
    pub fn load_scene_on(
        &mut self,
        connection: ConnectionId,
        scene: &SceneMessage<'_>,
    ) -> Result<(), MirrorError> {
        check_name(scene.scene_name.unwrap_or_default(), LONGEST_NAME + 8)?;
        write_message(&mut self.replication.scratch.head, scene);
        self.queue_head(connection, Channel::Reliable)
    }

    /// Returns the current scene of the clients.
    pub fn scene(&self) -> Option<&str> {
        self.sessions.scene.as_deref()
    }

    /// Sends the scene to an accepted connection.
    pub(in crate::server) fn send_scene(&mut self, connection: ConnectionId) {
        if let Some(name) = self.sessions.scene.clone() {
            self.send_scene_message(connection, &name, SceneOperation::Normal);
        }
    }

    fn send_scene_message(
        &mut self,
        connection: ConnectionId,
        name: &str,
        operation: SceneOperation,
    ) {
        let message = SceneMessage {
            scene_name: Some(name),
            operation,
            custom_handling: false,
        };
        self.send_message(Channel::Reliable, connection, &message);
    }
}

/// Fails for a name that does not fit into a message of this length.
fn check_name(name: &str, longest: usize) -> Result<(), MirrorError> {
    let (length, limit) = (name.len(), LONGEST_NAME.min(longest.saturating_sub(8)));
    if length > limit {
        return Err(MirrorError::TooLong { length, limit });
    }
    Ok(())
}
