//! The scene that clients are to load.

use syncvar_runtime::{Channel, ConnectionId};

use super::MirrorServer;
use crate::MirrorError;
use crate::message::{SceneMessage, SceneOperation};

/// The longest string that Mirror can write.
const LONGEST_NAME: usize = 65_534;

impl MirrorServer {
    /// Has all clients load or unload a scene: Mirror's `SceneMessage`. With
    /// [`SceneOperation::Normal`], which takes the place of all others, all connections are
    /// [not ready](Self::set_not_ready) until they have loaded it, and who connects later is told to load
    /// it first: Mirror's `NetworkManager.ServerChangeScene`. Objects stay until they are despawned.
    ///
    /// # Errors
    ///
    /// When the name is longer than 65 534 bytes, or than the transport of some connection carries:
    /// nothing is done then.
    pub fn load_scene(&mut self, name: &str, operation: SceneOperation) -> Result<(), MirrorError> {
        let limit = LONGEST_NAME.min(self.longest_state.saturating_sub(8));
        if name.len() > limit {
            return Err(MirrorError::TooLong {
                length: name.len(),
                limit,
            });
        }
        let connections: Vec<_> = self.connections().collect();
        if operation == SceneOperation::Normal {
            self.scene = Some(name.into());
            for connection in &connections {
                self.set_not_ready(*connection);
            }
        }
        for connection in connections {
            let client = self.connections.get(connection.0);
            if client.is_some_and(|client| client.authenticated) {
                self.send_scene_message(connection, name, operation);
            }
        }
        Ok(())
    }

    /// The scene that clients are told to load, if there is one.
    pub fn scene(&self) -> Option<&str> {
        self.scene.as_deref()
    }

    /// Tells a connection that has been let in which scene to load.
    pub(super) fn send_scene(&mut self, connection: ConnectionId) {
        if let Some(name) = self.scene.clone() {
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
        self.send_short(Channel::Reliable, connection, &message);
    }
}
