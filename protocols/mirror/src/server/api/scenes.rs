//! Scenes: the scene of the clients, and the scenes of the server.

use syncvar_runtime::{Channel, ConnectionId, NetId, ObjectError};

use crate::MirrorError;
use crate::message::{SceneMessage, SceneOperation};
use crate::server::MirrorServer;
use crate::server::objects::scene::LoadedScene;

/// Longest string that Mirror can write.
const LONGEST_NAME: usize = 65_534;

impl MirrorServer {
    /// Loads or unloads a scene on all clients: Mirror's `SceneMessage`. [`SceneOperation::Normal`]
    /// replaces the present scenes: connections are [not ready](Self::set_not_ready) until they have
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
                self.sessions
                    .send_scene_message(connection, name, operation, &mut self.context);
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
        self.sessions
            .send_game_scene(connection, scene, &mut self.context)
    }

    /// Returns the current scene of the clients.
    pub fn scene(&self) -> Option<&str> {
        self.sessions.scene.as_deref()
    }

    /// Returns the scene that contains an object. Unity's `gameObject.scene`.
    pub fn loaded_scene(&self, id: NetId) -> Option<LoadedScene> {
        Some(self.objects.get(id)?.scene)
    }

    /// Moves an object to a scene of the server, for the interest managements of scenes.
    /// Nothing is sent for it. Unity's `SceneManager.MoveGameObjectToScene`.
    ///
    /// # Errors
    ///
    /// When the object does not exist.
    pub fn move_to_scene(&mut self, id: NetId, scene: LoadedScene) -> Result<(), ObjectError> {
        self.objects.find_mut(id)?.scene = scene;
        self.observers.note_write(id);
        Ok(())
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
