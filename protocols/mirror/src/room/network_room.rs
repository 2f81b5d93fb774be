//! `NetworkRoom`: the room of a server.

use syncvar_runtime::{ConnectionId, NetId};

use super::{RoomGame, RoomSettings};
use crate::message::SceneOperation;
use crate::{MirrorError, MirrorServer, MirrorServerEvent};

/// Place of a room's players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RoomStage {
    /// In the room's scene.
    Room {
        /// All players are ready, and their number suffices.
        all_ready: bool,
    },
    /// The server loads the game's scene.
    Loading,
    /// In the game's scene.
    Game,
}

const OPEN: RoomStage = RoomStage::Room { all_ready: false };

/// Room of a server. Mirror, `NetworkRoomManager`.
///
/// Connections that come during a game are disconnected, as by Mirror. The room player of a connection stays
/// spawned and owned during the game, and is its player again afterwards.
#[derive(Debug)]
pub struct NetworkRoom<G> {
    game: G,
    settings: RoomSettings,
    /// Room players, in the order of their index.
    slots: Vec<(ConnectionId, NetId)>,
    stage: RoomStage,
    /// Connections that have loaded the game's scene before the server.
    pending: Vec<ConnectionId>,
}

impl<G: RoomGame> NetworkRoom<G> {
    /// Opens a room: present and later clients load its scene.
    ///
    /// # Errors
    ///
    /// When the name of a scene is too long.
    pub fn new(
        game: G,
        settings: RoomSettings,
        server: &mut MirrorServer,
    ) -> Result<Self, MirrorError> {
        server.load_scene(&settings.room_scene, SceneOperation::Normal)?;
        Ok(Self {
            game,
            settings,
            slots: Vec::new(),
            stage: OPEN,
            pending: Vec::new(),
        })
    }

    /// Returns the game's part.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Returns the game's part, for changes.
    pub fn game_mut(&mut self) -> &mut G {
        &mut self.game
    }

    /// Returns the connections and their room players, by index. Mirror, `roomSlots`.
    pub fn slots(&self) -> &[(ConnectionId, NetId)] {
        &self.slots
    }

    /// Returns whether all players in the room are ready, and their number suffices. Mirror, `allPlayersReady`.
    pub fn all_players_ready(&self) -> bool {
        self.stage == RoomStage::Room { all_ready: true }
    }

    /// Returns whether the server is to load the game's scene: [`scene_loaded`](Self::scene_loaded) is due.
    pub fn is_loading(&self) -> bool {
        self.stage == RoomStage::Loading
    }

    /// Returns whether the players are in the room.
    pub fn is_open(&self) -> bool {
        matches!(self.stage, RoomStage::Room { .. })
    }

    /// Handles a polled event of the server. Requests for players belong to the room.
    pub fn handle_event(&mut self, server: &mut MirrorServer, event: &MirrorServerEvent) {
        match event {
            MirrorServerEvent::Connected { connection } if !self.is_open() => {
                server.disconnect(*connection);
            }
            MirrorServerEvent::AddPlayerRequested { connection } => self.admit(server, *connection),
            MirrorServerEvent::Ready { connection } => match self.stage {
                RoomStage::Loading => self.pending.push(*connection),
                RoomStage::Game => self.enter_game(server, *connection),
                RoomStage::Room { .. } => {}
            },
            MirrorServerEvent::Disconnected { connection, .. } => self.leave(server, *connection),
            _ => {}
        }
    }

    /// Looks whether all players are ready, once per tick behind the events, and begins the game then. Mirror,
    /// `ReadyStatusChanged`.
    pub fn update(&mut self, server: &mut MirrorServer) {
        let RoomStage::Room { all_ready } = self.stage else {
            return;
        };
        let players = { self.slots.iter() }.filter_map(|slot| server.get::<G::RoomPlayer>(slot.1));
        let ready = players.filter(|player| *player.as_ref().ready_to_begin);
        let ready = ready.count();
        let is_ready = ready == self.slots.len() && ready >= self.settings.min_players.max(1);
        if is_ready == all_ready {
            return;
        }
        self.stage = RoomStage::Room {
            all_ready: is_ready,
        };
        if !is_ready {
            self.game.players_not_ready(server);
        } else if self.game.players_ready(server) {
            self.start(server);
        }
    }

    /// Begins the game: all clients load its scene. Without effect during a game.
    pub fn start(&mut self, server: &mut MirrorServer) {
        if self.is_open() && load(server, &self.settings.game_scene) {
            self.stage = RoomStage::Loading;
            self.pending.clear();
        }
    }

    /// Continues when the server has loaded the game's scene: the clients that have loaded it get their
    /// players, the remaining clients after their loads. Mirror, `OnServerSceneChanged`.
    pub fn scene_loaded(&mut self, server: &mut MirrorServer) {
        if self.stage == RoomStage::Loading {
            self.stage = RoomStage::Game;
            for connection in std::mem::take(&mut self.pending) {
                self.enter_game(server, connection);
            }
        }
    }

    /// Ends the game: the players of the game are despawned, and all clients load the room's scene. Without
    /// effect in the room. Mirror, `ServerChangeScene(RoomScene)`.
    pub fn return_to_room(&mut self, server: &mut MirrorServer) {
        if self.is_open() {
            return;
        }
        self.stage = OPEN;
        for (connection, room_player) in &self.slots {
            let player = server.player_of(*connection);
            if let Some(player) = player.filter(|player| player != room_player) {
                // It exists.
                let _ = server.despawn(player);
            }
            let result = server.set_player(*connection, *room_player);
            if let Err(error) = result {
                tracing::error!(%connection, %error, "no room player");
            }
            set_not_ready::<G>(server, *room_player);
        }
        load(server, &self.settings.room_scene);
    }

    /// Adds the room player of a connection. Mirror, `OnServerAddPlayer`.
    fn admit(&mut self, server: &mut MirrorServer, connection: ConnectionId) {
        let is_full = self.slots.len() >= self.settings.max_players;
        if !self.is_open() || is_full {
            server.disconnect(connection);
            return;
        }
        match self.game.add_room_player(server, connection) {
            Ok(player) => {
                self.slots.push((connection, player));
                self.number(server);
            }
            Err(error) => {
                tracing::error!(%connection, %error, "cannot spawn a room player");
                server.disconnect(connection);
            }
        }
    }

    /// Gives a connection its player of the game, in place of its room player. Mirror, `SceneLoadedForPlayer`.
    fn enter_game(&mut self, server: &mut MirrorServer, connection: ConnectionId) {
        let slot = self.slots.iter().find(|(known, _)| *known == connection);
        let Some((_, room_player)) = slot.copied() else {
            return;
        };
        if server.player_of(connection) != Some(room_player) {
            // A repeated ready message.
            return;
        }
        if let Err(error) = self.game.add_game_player(server, connection, room_player) {
            tracing::error!(%connection, %error, "cannot spawn a player");
            server.disconnect(connection);
        }
    }

    /// Handles the end of a connection: nobody is ready any more. Mirror, `OnServerDisconnect`.
    fn leave(&mut self, server: &mut MirrorServer, connection: ConnectionId) {
        self.slots.retain(|(known, _)| *known != connection);
        self.pending.retain(|known| *known != connection);
        for (_, player) in &self.slots {
            set_not_ready::<G>(server, *player);
        }
        if self.is_open() {
            self.number(server);
        }
    }

    /// Writes the indices of the room players.
    fn number(&self, server: &mut MirrorServer) {
        for (index, (_, player)) in (0..).zip(&self.slots) {
            if let Ok(mut player) = server.get_mut::<G::RoomPlayer>(*player) {
                player.as_mut().index.set(index);
            }
        }
    }
}

fn set_not_ready<G: RoomGame>(server: &mut MirrorServer, player: NetId) {
    if let Ok(mut player) = server.get_mut::<G::RoomPlayer>(player) {
        player.as_mut().ready_to_begin.set(false);
    }
}

/// Loads a scene on all clients. Returns whether its name fits into a message.
fn load(server: &mut MirrorServer, scene: &str) -> bool {
    let loaded = server.load_scene(scene, SceneOperation::Normal);
    if let Err(error) = &loaded {
        tracing::error!(%error, scene, "cannot load a scene");
    }
    loaded.is_ok()
}
