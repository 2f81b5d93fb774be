//! Mirror's rooms: players gather, declare themselves ready, and play in the scene of the game.
//!
//! | C# | here |
//! |---|---|
//! | `NetworkRoomManager` on a server | [`NetworkRoom`] |
//! | `NetworkRoomPlayer` | [`NetworkRoomPlayer`], or a class of the game with it as its base |
//! | `OnRoomServer...` | [`RoomGame`] |
//! | `roomSlots` of a client | `client.iter::<NetworkRoomPlayer>()` |
//!
//! Clients load a scene as with every change of scene: [`MirrorClient::scene_loaded`](crate::MirrorClient::scene_loaded).
//!
//! ```
//! use syncvar::mirror::room::{NetworkRoom, NetworkRoomPlayer, RoomGame, RoomSettings};
//! use syncvar::mirror::{MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorSpawnError};
//! use syncvar::prelude::*;
//!
//! #[derive(NetworkBehaviour, Default)]
//! struct Tank {
//!     #[sync_var]
//!     color: SyncVar<i32>,
//! }
//!
//! struct Tanks;
//! impl RoomGame for Tanks {
//!     type RoomPlayer = NetworkRoomPlayer;
//!
//!     fn add_room_player(
//!         &mut self,
//!         server: &mut MirrorServer,
//!         connection: ConnectionId,
//!     ) -> Result<NetId, MirrorSpawnError> {
//!         server.add_player(connection, NetworkRoomPlayer::default())
//!     }
//!
//!     fn add_game_player(
//!         &mut self,
//!         server: &mut MirrorServer,
//!         connection: ConnectionId,
//!         room_player: NetId,
//!     ) -> Result<NetId, MirrorSpawnError> {
//!         let color = *server.get::<NetworkRoomPlayer>(room_player).unwrap().index;
//!         server.replace_player(connection, Tank { color: color.into() })
//!     }
//! }
//!
//! let prefabs = MirrorPrefabs::new()
//!     .register::<NetworkRoomPlayer>(MirrorPrefab::new("RoomPlayer", 1001.into()))
//!     .register::<Tank>(MirrorPrefab::new("Tank", 1002.into()));
//! let mut server = MirrorServer::new(prefabs);
//! let mut room = NetworkRoom::new(Tanks, RoomSettings::new("Room", "Arena"), &mut server).unwrap();
//! // In each tick:
//! while let Some(event) = server.poll_event() {
//!     room.handle_event(&mut server, &event);
//! }
//! room.update(&mut server);
//! if room.is_loading() {
//!     // Load the arena on the server, then:
//!     room.scene_loaded(&mut server);
//! }
//! ```

mod network_room;
mod player;

pub use network_room::NetworkRoom;
pub use player::{NetworkRoomPlayer, RoomPlayerCommands};

use syncvar_runtime::{ConnectionId, NetId, NetworkBehaviour};

use crate::{MirrorServer, MirrorSpawnError};

/// Settings of a [`NetworkRoom`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomSettings {
    /// Scene of the room, by the name or path that Unity knows. Mirror, `RoomScene`.
    pub room_scene: String,
    /// Scene of the game. Mirror, `GameplayScene`.
    pub game_scene: String,
    /// Smallest number of players that begin a game; 1 by default. Mirror, `minPlayers`.
    pub min_players: usize,
    /// Largest number of players in the room; 100 by default. Mirror, `maxConnections`.
    pub max_players: usize,
}

impl RoomSettings {
    /// Names the two scenes, with Mirror's defaults.
    pub fn new(room_scene: &str, game_scene: &str) -> Self {
        Self {
            room_scene: room_scene.into(),
            game_scene: game_scene.into(),
            min_players: 1,
            max_players: 100,
        }
    }
}

/// Parts of a room that belong to the game. Mirror, the overridable methods of `NetworkRoomManager`.
pub trait RoomGame {
    /// Component of the room players: [`NetworkRoomPlayer`], or a class with it as its base.
    type RoomPlayer: NetworkBehaviour + AsRef<NetworkRoomPlayer> + AsMut<NetworkRoomPlayer>;

    /// Adds the room player of a connection, with a [`RoomPlayer`](Self::RoomPlayer): by
    /// [`MirrorServer::add_player`]. Mirror, `OnRoomServerCreateRoomPlayer`.
    ///
    /// # Errors
    ///
    /// When it cannot be spawned; the connection ends then.
    fn add_room_player(
        &mut self,
        server: &mut MirrorServer,
        connection: ConnectionId,
    ) -> Result<NetId, MirrorSpawnError>;

    /// Adds the player of a connection that has loaded the game's scene: by
    /// [`MirrorServer::replace_player`]. Mirror, `OnRoomServerCreateGamePlayer` and
    /// `OnRoomServerSceneLoadedForPlayer`.
    ///
    /// # Errors
    ///
    /// When it cannot be spawned; the connection ends then.
    fn add_game_player(
        &mut self,
        server: &mut MirrorServer,
        connection: ConnectionId,
        room_player: NetId,
    ) -> Result<NetId, MirrorSpawnError>;

    /// Decides whether the game begins, when all players are ready and their number suffices; by default it does.
    /// A game that waits calls [`NetworkRoom::start`] itself. Mirror, `OnRoomServerPlayersReady`.
    fn players_ready(&mut self, server: &mut MirrorServer) -> bool {
        let _ = server;
        true
    }

    /// Handles the end of that: a player is not ready any more, left, or is new. Mirror,
    /// `OnRoomServerPlayersNotReady`.
    fn players_not_ready(&mut self, server: &mut MirrorServer) {
        let _ = server;
    }
}
