//! The game, on the server: a fighter for everybody who comes, and an end.

use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::prelude::*;

use crate::crown::Crown;
use crate::fighter::Fighter;
use crate::say;

/// The server's side of the game. All that the fighters do is in their commands.
pub(crate) struct Game {
    /// When it is over.
    length: Duration,
}

impl Game {
    /// Puts the crown into the arena.
    pub(crate) fn new(server: &mut NetworkServer, length: Duration) -> Self {
        server.spawn(Crown::default());
        Self { length }
    }

    /// Called once per tick; what it changes is sent when it returns.
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

/// Somebody has come: they own a fighter from now on.
fn enter(server: &mut NetworkServer, connection: ConnectionId) {
    let options = SpawnOptions {
        owner: Some(connection),
        ..SpawnOptions::default()
    };
    if let Err(error) = server.spawn_with(Fighter::new(), options) {
        say("server", error);
    }
}
