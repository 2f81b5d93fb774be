//! The scene of the clients.

use syncvar_runtime::{Channel, ConnectionId};

use crate::MirrorError;
use crate::message::{SceneMessage, SceneOperation};
use crate::server::MirrorServer;

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
        let limit = LONGEST_NAME.min(self.sessions.longest(Channel::Reliable).saturating_sub(8));
        if name.len() > limit {
            return Err(MirrorError::TooLong {
                length: name.len(),
                limit,
            });
        }
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
