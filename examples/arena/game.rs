//! The game on the server: a fighter for each client, and an end.

use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::prelude::*;

use crate::crown::Crown;
use crate::fighter::Fighter;
use crate::say;

/// Server side of the game. The actions of the fighters are in their commands.
pub(crate) struct Game {
    /// Duration of the game.
    length: Duration,
}

impl Game {
    /// Creates the game and spawns the crown.
    pub(crate) fn new(server: &mut NetworkServer, length: Duration) -> Self {
        server.spawn(Crown::default());
        Self { length }
    }

    /// Runs one tick; its changes are sent when it returns.
    pub(crate) fn tick(&mut self, server: &mut NetworkServer, now: Duration) -> ControlFlow<()> {
        while let Some(event) = server.poll_event() {
            if let ServerEvent::Ready { connection } = event {
                enter(server, connection);
            }
            say("server", format!("{event:?}"));
        }
        if now > self.length {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Spawns a fighter for a new client.
fn enter(server: &mut NetworkServer, connection: ConnectionId) {
    let options = SpawnOptions {
        owner: Some(connection),
        ..SpawnOptions::default()
    };
    if let Err(error) = server.try_spawn(Fighter::new(), options) {
        say("server", error);
    }
}
