//! Mirror's protocol over KCP on the loopback interface.

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::NetworkIdentity;
use syncvar::mirror::{
    MirrorClient, MirrorClientEvent, MirrorHost, MirrorPeer, MirrorServer, MirrorServerConfig,
    SpawnPolicy, TransportCounters,
};
use syncvar::prelude::*;
use syncvar_testing::mirror::Dice;
use tokio::runtime::Runtime;
use tokio::time::{Instant, timeout};

use crate::piece::{Aim, Piece, Wallet, prefabs};
use crate::socket::{Queue, Remote, SOON, run_commands, runtime};
use crate::stage::{Stage, ensure};
use crate::unit::Numbers;

const CLIENTS: usize = 4;
const MAX_OBJECTS: usize = 60;
const TICK: Duration = Duration::from_millis(5);
const STEPS: usize = 30;
const OPERATIONS: usize = 20;

pub(crate) struct Kcp {
    runtime: Runtime,
    game: Game,
}

/// Clients, and the way to their server.
struct Game {
    addr: SocketAddr,
    counters: TransportCounters,
    server: Remote<MirrorServer>,
    peers: Vec<Option<MirrorPeer>>,
    dice: Dice,
    newest: NetId,
}

impl Kcp {
    pub(crate) fn new() -> Self {
        let runtime = runtime();
        let (server, queue) = Remote::new();
        let listening = runtime.block_on(listen(queue));
        let (addr, counters) = listening.expect("a free port");
        let game = Game {
            addr,
            counters,
            server,
            peers: (0..CLIENTS).map(|_| None).collect(),
            dice: Dice(19),
            newest: NetId(0),
        };
        Self { runtime, game }
    }
}

impl Game {
    /// Lets each client receive for a time.
    async fn receive(&mut self, time: Duration) -> Result<(), String> {
        let end = Instant::now() + time;
        for peer in self.peers.iter_mut().flatten() {
            loop {
                let event = match tokio::time::timeout_at(end, peer.next_event()).await {
                    Err(_) => break,
                    Ok(event) => event.ok_or("a client has lost its connection")?,
                };
                ensure(!is_failure(&event), || {
                    format!("a client reports {event:?}")
                })?;
            }
            // The others have at least the packets that wait.
            while let Ok(Some(_)) = timeout(Duration::ZERO, peer.next_event()).await {}
        }
        Ok(())
    }

    async fn join(&mut self, index: usize) -> Result<(), String> {
        let client = MirrorClient::new(prefabs());
        let peer = MirrorPeer::kcp(self.addr, client).await;
        self.peers[index] = Some(peer.map_err(|error| error.to_string())?);
        Ok(())
    }

    async fn step(&mut self) -> Result<(), String> {
        let index = self.dice.index(CLIENTS).unwrap_or_default();
        match self.dice.below(4) {
            0 => {
                if let Some(peer) = self.peers[index].take() {
                    peer.disconnect().await;
                }
            }
            1 if self.peers[index].is_none() => self.join(index).await?,
            _ => {
                let numbers = [self.dice.number(), self.dice.number()];
                if let Some(peer) = &mut self.peers[index] {
                    write(peer.client_mut(), numbers);
                }
            }
        }
        let mut dice = Dice(self.dice.number().into());
        dice.0 |= 1;
        let newest = self.server.ask(move |server| {
            (0..OPERATIONS).for_each(|_| operate(server, &mut dice));
            let last = server.identities().last();
            last.map_or(NetId(0), NetworkIdentity::net_id)
        });
        self.newest = newest.await?.max(self.newest);
        self.receive(TICK).await
    }

    /// Compares the fields of the server. A former owner keeps writes that the server has refused.
    async fn compare(&mut self) -> Result<(), String> {
        for index in 0..CLIENTS {
            if self.peers[index].is_none() {
                self.join(index).await?;
            }
        }
        let end = Instant::now() + SOON;
        loop {
            let wanted = self
                .server
                .ask(|server| objects(server.iter::<Piece>()))
                .await?;
            self.receive(4 * TICK).await?;
            let mut peers = self.peers.iter().flatten();
            let is_equal = peers.all(|peer| objects(peer.client().iter::<Piece>()) == wanted);
            if is_equal {
                break;
            }
            ensure(Instant::now() < end, || {
                format!(
                    "the clients of KCP lack {} objects of the server",
                    wanted.len()
                )
            })?;
        }
        let stats = self.counters.stats();
        let is_honest = stats.refused_hellos + stats.queue_full + stats.silence_timeouts == 0;
        ensure(is_honest, || format!("the host reports {stats:?}"))
    }

    async fn clear(&mut self) -> Result<(), String> {
        let despawn = |server: &mut MirrorServer| {
            let all: Vec<NetId> = server.identities().map(NetworkIdentity::net_id).collect();
            for id in all {
                let _ = server.despawn(id);
            }
        };
        self.server.ask(despawn).await?;
        self.compare().await
    }
}

fn is_failure(event: &MirrorClientEvent) -> bool {
    matches!(
        event,
        MirrorClientEvent::SpawnFailed { .. }
            | MirrorClientEvent::Mismatch(_)
            | MirrorClientEvent::HookFailed(_)
            | MirrorClientEvent::CallFailed(_)
    )
}

/// Starts a server.
async fn listen(mut queue: Queue<MirrorServer>) -> io::Result<(SocketAddr, TransportCounters)> {
    let config = MirrorServerConfig {
        spawn_policy: SpawnPolicy::WhenReady,
        tick_rate: 200,
        ..MirrorServerConfig::default()
    };
    let server = MirrorServer::with_config(prefabs(), config);
    let host = MirrorHost::kcp("127.0.0.1:0", server).await?;
    let (addrs, counters) = (host.local_addrs()?, host.counters());
    tokio::spawn(host.run(move |server, _| {
        run_commands(&mut queue, server);
        while server.poll_event().is_some() {}
        ControlFlow::Continue(())
    }));
    Ok((addrs[0], counters))
}

/// Returns the fields of each object, as text.
fn objects<'a>(pieces: impl Iterator<Item = (NetId, &'a Piece)>) -> Vec<(NetId, String)> {
    let mut objects: Vec<_> = pieces.map(|(id, piece)| (id, piece.text())).collect();
    objects.sort_unstable();
    objects
}

/// Operation of the server.
fn operate(server: &mut MirrorServer, dice: &mut Dice) {
    let count = server.object_count();
    let object = dice
        .index(count)
        .and_then(|index| server.identities().nth(index));
    let object = object.map(NetworkIdentity::net_id);
    match (dice.below(10), object) {
        (0 | 1, _) if count < MAX_OBJECTS => {
            server.spawn((Piece::default(), Wallet::default(), Aim::default()));
        }
        (0 | 1, Some(id)) => {
            let _ = server.despawn(id);
        }
        (2, Some(id)) => {
            let connections = server.connections().collect::<Vec<_>>();
            let owner = dice
                .index(connections.len())
                .map(|index| connections[index]);
            let _ = server.set_owner(id, owner);
        }
        (3, Some(id)) => {
            let _ = server.calls::<Piece>(id).cheer("hurray".into());
        }
        (_, Some(id)) => {
            if let Ok(mut piece) = server.get_mut::<Piece>(id) {
                piece.write(dice);
            }
        }
        _ => {}
    }
}

/// Writes of a client, and a command.
fn write(client: &mut MirrorClient, numbers: [u32; 2]) {
    let owned = client.identities().map(NetworkIdentity::net_id);
    let owned = owned.filter(|id| client.is_owned(*id)).collect::<Vec<_>>();
    for id in owned {
        if let Ok(mut aim) = client.get_mut::<Aim>(id) {
            aim.yaw.set(numbers[0]);
        }
    }
    let count = client.object_count().max(1);
    let any = client.identities().nth(numbers[1] as usize % count);
    if let Some(id) = any.map(NetworkIdentity::net_id) {
        let _ = client.calls::<Piece>(id).strike(1);
    }
}

impl Stage for Kcp {
    fn name(&self) -> &'static str {
        "kcp"
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
