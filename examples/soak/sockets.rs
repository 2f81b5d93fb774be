//! One stage for all protocols over sockets of the loopback interface.
//!
//! The server runs in a task and gets closures for its next tick; the clients run in the stage.

use syncvar::prelude::*;
use syncvar::{Endpoint, NetworkIdentity};
use syncvar_testing::mirror::Dice;
use syncvar_testing::sockets::Remote;
use tokio::runtime::Runtime;
use tokio::time::{Duration, Instant, timeout, timeout_at};

use crate::stage::{Stage, ensure};
use crate::unit::Numbers;

/// Greatest number of objects.
pub(crate) const MAX_OBJECTS: usize = 60;

const CLIENTS: usize = 4;
const TICK: Duration = Duration::from_millis(5);
const STEPS: usize = 30;
const OPERATIONS: usize = 20;

/// Time in which the replicas must become equal.
const SOON: Duration = Duration::from_secs(10);

/// Ends of a protocol, and the random operations on each.
pub(crate) trait Ends: Sized {
    /// Name of the stage.
    const NAME: &'static str;
    /// Seed of the random operations.
    const SEED: u64;

    type Server: Endpoint<Event: Send> + Send + 'static;
    type Peer;

    /// Starts a server with 200 ticks per second.
    async fn listen() -> (Self, Remote<Self::Server>);

    async fn join(&self) -> Result<Self::Peer, String>;

    async fn leave(peer: Self::Peer);

    /// Waits for an event; an event that reports a failure is an error.
    async fn next_event(peer: &mut Self::Peer) -> Result<(), String>;

    /// Does a random operation on the server.
    fn operate(server: &mut Self::Server, dice: &mut Dice);

    /// Does the writes and a command of a client.
    fn write(peer: &mut Self::Peer, numbers: [u32; 2]);

    /// Returns the objects of the server with the fields that everybody reads, as text.
    fn objects(server: &Self::Server) -> Vec<(NetId, String)>;

    /// Returns the replicas of a client likewise.
    fn replicas(peer: &Self::Peer) -> Vec<(NetId, String)>;

    fn despawn(server: &mut Self::Server, id: NetId);

    /// Checks the counters of the transport.
    fn check(&self) -> Result<(), String>;
}

pub(crate) struct Sockets<E: Ends> {
    runtime: Runtime,
    game: Game<E>,
}

struct Game<E: Ends> {
    ends: E,
    server: Remote<E::Server>,
    peers: Vec<Option<E::Peer>>,
    dice: Dice,
    newest: NetId,
}

impl<E: Ends> Sockets<E> {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build();
        let runtime = runtime.expect("a system with sockets");
        let (ends, server) = runtime.block_on(E::listen());
        let game = Game {
            ends,
            server,
            peers: (0..CLIENTS).map(|_| None).collect(),
            dice: Dice(E::SEED),
            newest: NetId(0),
        };
        Self { runtime, game }
    }
}

impl<E: Ends> Game<E> {
    /// Lets each client receive for a time.
    async fn receive(&mut self, time: Duration) -> Result<(), String> {
        let end = Instant::now() + time;
        for peer in self.peers.iter_mut().flatten() {
            while let Ok(event) = timeout_at(end, E::next_event(peer)).await {
                event?;
            }
            // The remaining clients have at least the packets that wait.
            while let Ok(event) = timeout(Duration::ZERO, E::next_event(peer)).await {
                event?;
            }
        }
        Ok(())
    }

    async fn step(&mut self) -> Result<(), String> {
        let index = self.dice.index(CLIENTS).unwrap_or_default();
        match self.dice.below(4) {
            0 => {
                if let Some(peer) = self.peers[index].take() {
                    E::leave(peer).await;
                }
            }
            1 if self.peers[index].is_none() => self.peers[index] = Some(self.ends.join().await?),
            _ => {
                let numbers = [self.dice.number(), self.dice.number()];
                if let Some(peer) = &mut self.peers[index] {
                    E::write(peer, numbers);
                }
            }
        }
        let mut dice = Dice(u64::from(self.dice.number()) | 1);
        let newest = self.server.try_ask(move |server| {
            (0..OPERATIONS).for_each(|_| E::operate(server, &mut dice));
            E::objects(server).last().map_or(NetId(0), |(id, _)| *id)
        });
        self.newest = newest.await?.max(self.newest);
        self.receive(TICK).await
    }

    /// Waits until all clients have the server's fields. A former owner keeps writes that the server has refused.
    async fn compare(&mut self) -> Result<(), String> {
        for index in 0..CLIENTS {
            if self.peers[index].is_none() {
                self.peers[index] = Some(self.ends.join().await?);
            }
        }
        let end = Instant::now() + SOON;
        loop {
            let wanted = self.server.try_ask(|server| E::objects(server)).await?;
            self.receive(4 * TICK).await?;
            let mut replicas = self.peers.iter().flatten().map(E::replicas);
            let Some(different) = replicas.find(|replicas| *replicas != wanted) else {
                return self.ends.check();
            };
            ensure(Instant::now() < end, || {
                format!("a client has {different:?}, the server {wanted:?}")
            })?;
        }
    }

    async fn clear(&mut self) -> Result<(), String> {
        let despawn = |server: &mut E::Server| {
            for (id, _) in E::objects(server) {
                E::despawn(server, id);
            }
        };
        self.server.try_ask(despawn).await?;
        self.compare().await
    }
}

impl<E: Ends> Stage for Sockets<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn churn(&mut self) -> Result<u64, String> {
        for _ in 0..STEPS {
            self.runtime.block_on(self.game.step())?;
        }
        Ok((STEPS * OPERATIONS) as u64)
    }

    fn check(&mut self) -> Result<(), String> {
        self.runtime.block_on(self.game.compare())
    }

    fn clear(&mut self) -> Result<(), String> {
        self.runtime.block_on(self.game.clear())
    }

    fn ids(&self) -> u64 {
        self.game.newest.0.into()
    }
}

/// Returns a random object of a list.
pub(crate) fn any<'a>(
    mut objects: impl Iterator<Item = NetworkIdentity<'a>>,
    count: usize,
    dice: &mut Dice,
) -> Option<NetId> {
    let object = objects.nth(dice.index(count)?)?;
    Some(object.net_id())
}
