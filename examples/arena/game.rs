//! The game on the server: a fighter for each client, and an end.

use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::NetworkIdentity;
use syncvar::prelude::*;

use crate::body::Body;
use crate::crown::Crown;
use crate::fighter::Fighter;
use crate::say;

/// Time at the end without movement, in which the last places reach all clients.
const REST: Duration = Duration::from_millis(500);

/// Server side of the game. The actions of the fighters are in their commands.
pub(crate) struct Game {
    /// Duration of the game.
    length: Duration,
    /// Time of the last tick.
    last: Duration,
    /// Fighters so far.
    fighters: u16,
}

impl Game {
    /// Creates the game and spawns the crown.
    pub(crate) fn new(server: &mut NetworkServer, length: Duration) -> Self {
        server.spawn(Crown::default());
        Self {
            length,
            last: Duration::ZERO,
            fighters: 0,
        }
    }

    /// Runs one tick; its changes are sent when it returns.
    pub(crate) fn tick(&mut self, server: &mut NetworkServer, now: Duration) -> ControlFlow<()> {
        while let Some(event) = server.poll_event() {
            match &event {
                ServerEvent::Ready { connection } => self.enter(server, *connection),
                ServerEvent::Disconnected { owned, .. } => leave(server, owned),
                _ => {}
            }
            say("server", format!("{event:?}"));
        }
        let step = now.saturating_sub(self.last);
        self.last = now;
        if now.saturating_add(REST) < self.length {
            walk(server, step);
        }
        if now > self.length {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Spawns a fighter for a client that has none.
    fn enter(&mut self, server: &mut NetworkServer, connection: ConnectionId) {
        let owner = Some(connection);
        let has_fighter = server.identities().any(|object| {
            object.behaviour::<Fighter>().is_some() && server.owner(object.net_id()) == owner
        });
        if has_fighter {
            return;
        }
        let options = SpawnOptions {
            owner,
            ..SpawnOptions::default()
        };
        let body = Body::at_place(self.fighters);
        self.fighters = self.fighters.wrapping_add(1);
        if let Err(error) = server.try_spawn((Fighter::new(), body), options) {
            say("server", error);
        }
    }
}

/// Moves all bodies.
fn walk(server: &mut NetworkServer, step: Duration) {
    let ids: Vec<NetId> = server.identities().map(NetworkIdentity::net_id).collect();
    for id in ids {
        if let Ok(mut body) = server.get_mut::<Body>(id) {
            body.walk(step);
        }
    }
}

/// Removes the fighter of a client that has left. The crown stays.
fn leave(server: &mut NetworkServer, owned: &[NetId]) {
    for id in owned {
        if server.get::<Fighter>(*id).is_some() {
            let _ = server.despawn(*id);
        }
    }
}
