//! The native protocol over TCP on the loopback interface.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::tcp::{TcpClient, TcpServer, TransportOptions};
use syncvar::{NetRef, NetworkIdentity};
use syncvar_testing::mirror::Dice;
use tokio::runtime::Runtime;
use tokio::time::{Instant, timeout};

use crate::socket::{Queue, Remote, SOON, run_commands, runtime};
use crate::stage::{Stage, ensure};
use crate::unit::{Numbers, State, Unit, prefabs};

const CLIENTS: usize = 4;
const MAX_OBJECTS: usize = 60;
const TICK: Duration = Duration::from_millis(5);
const STEPS: usize = 30;
const OPERATIONS: usize = 20;

type Objects = BTreeMap<NetId, State>;

pub(crate) struct Tcp {
    runtime: Runtime,
    game: Game,
}

/// Clients, and the way to their server.
struct Game {
    addr: SocketAddr,
    server: Remote<NetworkServer>,
    clients: Vec<Option<TcpClient>>,
    dice: Dice,
    newest: NetId,
}

impl Tcp {
    pub(crate) fn new() -> Self {
        let runtime = runtime();
        let (server, queue) = Remote::new();
        let addr = runtime.block_on(listen(queue)).expect("a free port");
        let game = Game {
            addr,
            server,
            clients: (0..CLIENTS).map(|_| None).collect(),
            dice: Dice(17),
            newest: NetId(0),
        };
        Self { runtime, game }
    }
}

impl Game {
    /// Lets each client receive for a time.
    async fn receive(&mut self, time: Duration) -> Result<(), String> {
        let end = Instant::now() + time;
        for client in &mut self.clients {
            let Some(tcp) = client else { continue };
            loop {
                match tokio::time::timeout_at(end, tcp.next_event()).await {
                    Err(_) => break,
                    Ok(None) => return Err("a client has lost its connection".into()),
                    Ok(Some(
                        event @ (ClientEvent::SpawnFailed { .. }
                        | ClientEvent::Poisoned { .. }
                        | ClientEvent::HookFailed(_)
                        | ClientEvent::CallFailed(_)),
                    )) => return Err(format!("a client reports {event:?}")),
                    Ok(Some(_)) => {}
                }
            }
            // The others have at least the packets that wait.
            while let Ok(Some(_)) = timeout(Duration::ZERO, tcp.next_event()).await {}
        }
        Ok(())
    }

    async fn join(&self) -> io::Result<TcpClient> {
        TcpClient::connect(self.addr, NetworkClient::new(prefabs())).await
    }

    async fn step(&mut self) -> Result<(), String> {
        let index = self.dice.index(CLIENTS).unwrap_or_default();
        match self.dice.below(4) {
            0 => {
                if let Some(tcp) = self.clients[index].take() {
                    tcp.disconnect("bye").await;
                }
            }
            1 if self.clients[index].is_none() => {
                let client = self.join().await.map_err(|error| error.to_string())?;
                self.clients[index] = Some(client);
            }
            _ => {
                let numbers = [self.dice.number(), self.dice.number()];
                if let Some(tcp) = &mut self.clients[index] {
                    write(tcp.client_mut(), numbers);
                }
            }
        }
        let mut dice = Dice(self.dice.number().into());
        dice.0 |= 1;
        self.newest = self
            .server
            .ask(move |server| {
                (0..OPERATIONS).for_each(|_| operate(server, &mut dice));
                let last = server.identities().last();
                last.map_or(NetId(0), NetworkIdentity::net_id)
            })
            .await?
            .max(self.newest);
        self.receive(TICK).await
    }

    async fn compare(&mut self) -> Result<(), String> {
        for index in 0..CLIENTS {
            if self.clients[index].is_none() {
                let client = self.join().await.map_err(|error| error.to_string())?;
                self.clients[index] = Some(client);
            }
        }
        let end = Instant::now() + SOON;
        loop {
            let wanted = self
                .server
                .ask(|server| objects(server.iter::<Unit>()))
                .await?;
            self.receive(4 * TICK).await?;
            let clients = self.clients.iter().flatten();
            let mut found = clients.map(|tcp| objects(tcp.client().iter::<Unit>()));
            let different = found.find(|found| *found != wanted);
            let Some(different) = different else {
                return Ok(());
            };
            ensure(Instant::now() < end, || {
                format!("a client has {different:?}, the server {wanted:?}")
            })?;
        }
    }

    async fn clear(&mut self) -> Result<(), String> {
        let despawn = |server: &mut NetworkServer| {
            let all: Vec<NetId> = server.identities().map(NetworkIdentity::net_id).collect();
            for id in all {
                let _ = server.despawn(id);
            }
        };
        self.server.ask(despawn).await?;
        self.compare().await
    }
}

/// Starts a server.
async fn listen(mut queue: Queue<NetworkServer>) -> io::Result<SocketAddr> {
    let config = ServerConfig {
        tick_rate: 200,
        ..ServerConfig::default()
    };
    let server = NetworkServer::with_config(prefabs(), config);
    let server = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default()).await?;
    let addr = server.local_addr()?;
    tokio::spawn(server.run(move |server, _| {
        run_commands(&mut queue, server);
        ControlFlow::Continue(())
    }));
    Ok(addr)
}

fn objects<'a>(units: impl Iterator<Item = (NetId, &'a Unit)>) -> Objects {
    units.map(|(id, unit)| (id, unit.state())).collect()
}

/// Operation of the server.
fn operate(server: &mut NetworkServer, dice: &mut Dice) {
    let count = server.object_count();
    let object = dice
        .index(count)
        .and_then(|index| server.identities().nth(index));
    let object = object.map(NetworkIdentity::net_id);
    match (dice.below(10), object) {
        (0 | 1, _) if count < MAX_OBJECTS => {
            server.spawn(Unit::default());
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
            let _ = server.calls::<Unit>(id).cheer("hurray".into());
        }
        (_, Some(id)) => {
            if let Ok(mut unit) = server.get_mut::<Unit>(id) {
                unit.write(dice, NetRef::from(id));
            }
        }
        _ => {}
    }
}

/// Writes of a client, and a command.
fn write(client: &mut NetworkClient, numbers: [u32; 2]) {
    let owned = client.identities().map(NetworkIdentity::net_id);
    let owned = owned.filter(|id| client.is_owner(*id)).collect::<Vec<_>>();
    for id in owned {
        if let Ok(mut unit) = client.get_mut::<Unit>(id) {
            unit.aim.set(numbers[0]);
        }
    }
    let count = client.object_count().max(1);
    let any = client.identities().nth(numbers[1] as usize % count);
    if let Some(id) = any.map(NetworkIdentity::net_id) {
        let _ = client.calls::<Unit>(id).strike(1);
    }
}

impl Stage for Tcp {
    fn name(&self) -> &'static str {
        "tcp"
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
