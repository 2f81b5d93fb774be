//! Players: objects of a connection by number.

use syncvar_runtime::{ConnectionId, NetId, ObjectError};

use crate::server::NetworkServer;
use crate::server::objects::replicated::State;

impl NetworkServer {
    /// Makes an object the player of a connection with this number: UNet's
    /// `AddPlayerForConnection` and `ReplacePlayerForConnection`. The connection becomes its owner, and
    /// the client learns the number. None removes the number; the object keeps its owner.
    ///
    /// UNet's games have one player, number 0. Further numbers are for several people at one client.
    /// Programs with a single player need no numbers: an owned object is enough.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Player {
    ///     #[sync_var]
    ///     health: SyncVar<i32>,
    /// }
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
    /// net.settle();
    /// net.client_mut(0).add_player(0, &Default::default());
    /// net.settle();
    /// while let Some(event) = net.server.poll_event() {
    ///     if let ServerEvent::AddPlayer { connection, number, .. } = event {
    ///         let player = net.server.spawn(Player::default());
    ///         net.server.set_player(connection, number, Some(player))?;
    ///     }
    /// }
    /// net.settle();
    /// assert!(net.client(0).player(0).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the connection is not accepted, or the object does not exist.
    pub fn set_player(
        &mut self,
        connection: ConnectionId,
        number: i16,
        object: Option<NetId>,
    ) -> Result<(), ObjectError> {
        if let Some(id) = object
            && self.objects.world.objects.get(id.0).is_none()
        {
            return Err(ObjectError::NoSuchObject(id));
        }
        self.sessions.set_player(connection, number, object)?;
        let Some(id) = object else {
            return Ok(());
        };
        if self.owner(id) != Some(connection) {
            return self.set_owner(id, Some(connection));
        }
        if let Some(replicated) = self.objects.world.objects.get(id.0)
            && replicated.is(State::Announced)
            && let audience = self.visibility.audiences.get(replicated.audience)
            && audience.observes(connection)
        {
            self.deliver();
            self.rooms().ground.send_authority(connection, id, true);
        }
        Ok(())
    }

    /// Returns the player of a connection with a number, while the connection owns it.
    pub fn player(&self, connection: ConnectionId, number: i16) -> Option<NetId> {
        self.sessions.player(&self.objects, connection, number)
    }
}
