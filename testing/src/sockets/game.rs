//! The objects of a game, and its ticks.

use syncvar::prelude::*;

/// Object with reliable state.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Board {
    /// Number of the change.
    #[sync_var]
    pub count: SyncVar<u32>,
    /// Text of any length.
    #[sync_var]
    pub text: SyncVar<String>,
}

/// Object with unreliable state.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub struct Mover {
    /// Number of the change.
    #[sync_var]
    pub x: SyncVar<u32>,
    /// Text of any length.
    #[sync_var]
    pub text: SyncVar<String>,
}

/// Returns the prefabs `board` and `mover`.
#[must_use]
pub fn prefabs() -> Prefabs {
    let prefabs = Prefabs::new().register::<Board>("board");
    prefabs.register::<Mover>("mover")
}

/// Objects of a game, all of them visible to everybody.
#[derive(Clone, Debug)]
pub struct Objects {
    /// The [`Board`].
    pub board: NetId,
    /// The [`Mover`]s.
    pub movers: Vec<NetId>,
}

impl Objects {
    /// Spawns a board and a number of movers.
    #[must_use]
    pub fn spawn(server: &mut NetworkServer, movers: u32) -> Self {
        let board = server.spawn(Board::default());
        let movers = (0..movers).map(|_| server.spawn(Mover::default()));
        Self {
            board,
            movers: movers.collect(),
        }
    }
}

/// Ticks without a change.
pub fn idle(_: &mut NetworkServer, _: &Objects) {}

/// Counts on the board in each tick.
///
/// # Panics
///
/// When the server lacks the board.
pub fn counting(server: &mut NetworkServer, objects: &Objects) {
    let mut board = server.get_mut::<Board>(objects.board).expect("the board");
    board.count += 1;
}

/// Counts, and writes 30 kB of reliable state in each tick.
///
/// # Panics
///
/// When the server lacks the board.
pub fn filling(server: &mut NetworkServer, objects: &Objects) {
    let mut board = server.get_mut::<Board>(objects.board).expect("the board");
    board.count += 1;
    let text = format!("{:030000}", *board.count);
    board.text.set(text);
}
