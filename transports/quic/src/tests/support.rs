//! A game with one board and many movers, behind a [`QuicPort`].

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar_net::ServerConfig;
use syncvar_tls::{Identity, Trust};
use syncvar_tokio::tcp::{TransportCounters, TransportOptions};
use syncvar_tokio::{Host, LinkConditions, NetworkPeer};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::{QuicClient, QuicPort};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
pub(super) struct Board {
    #[sync_var]
    pub(super) count: SyncVar<u32>,
    #[sync_var]
    pub(super) text: SyncVar<String>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable, send_interval = 0)]
pub(super) struct Mover {
    #[sync_var]
    pub(super) x: SyncVar<u32>,
}

pub(super) fn client() -> NetworkClient {
    let prefabs = Prefabs::new().register::<Board>("board");
    NetworkClient::new(prefabs.register::<Mover>("mover"))
}

type Command = Box<dyn FnOnce(&mut NetworkServer) -> ControlFlow<()> + Send>;

/// Server in a separate task, with 200 ticks per second.
pub(super) struct Running {
    pub(super) addr: SocketAddr,
    pub(super) identity: Identity,
    pub(super) board: NetId,
    pub(super) movers: Vec<NetId>,
    pub(super) counters: TransportCounters,
    pub(super) conditions: LinkConditions,
    commands: mpsc::UnboundedSender<Command>,
    events: mpsc::UnboundedReceiver<ServerEvent>,
    task: JoinHandle<NetworkServer>,
}

impl Running {
    /// Starts a server; every tick calls `game`, with the number of ticks since the first client is ready.
    pub(super) fn start(
        options: TransportOptions,
        game: impl FnMut(&mut NetworkServer, u32) + Send + 'static,
    ) -> Self {
        Self::start_on(options, game, |port| port)
    }

    /// Starts a server likewise, on a port with settings.
    pub(super) fn start_on(
        options: TransportOptions,
        mut game: impl FnMut(&mut NetworkServer, u32) + Send + 'static,
        settings: impl FnOnce(QuicPort) -> QuicPort,
    ) -> Self {
        let config = ServerConfig {
            tick_rate: 200,
            ..ServerConfig::default()
        };
        let prefabs = Prefabs::new().register::<Board>("board");
        let prefabs = prefabs.register::<Mover>("mover");
        let mut server = NetworkServer::with_config(prefabs, config);
        let board = server.spawn(Board::default());
        let movers = (0..50).map(|_| server.spawn(Mover::default())).collect();
        let identity = Identity::generated(&["localhost"]).unwrap();
        let mut host = Host::new(options);
        host.listen("127.0.0.1:0", settings(QuicPort::new(&identity)))
            .unwrap();
        let addr = host.local_addrs().unwrap()[0];
        let (counters, conditions) = (host.counters(), host.conditions());
        let (commands, mut to_do) = mpsc::unbounded_channel::<Command>();
        let (happened, events) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            let mut step = 0;
            let tick = |server: &mut NetworkServer, _| {
                while let Some(event) = server.poll_event() {
                    happened.send(event).ok();
                }
                let is_ready = server.connections().any(|one| server.is_ready(one));
                step += u32::from(is_ready);
                game(server, step);
                match to_do.try_recv() {
                    Ok(command) => command(server),
                    Err(_) => ControlFlow::Continue(()),
                }
            };
            host.run(&mut server, tick).await;
            server
        });
        Self {
            addr,
            identity,
            board,
            movers,
            counters,
            conditions,
            commands,
            events,
            task,
        }
    }

    pub(super) fn command(
        &self,
        command: impl FnOnce(&mut NetworkServer) -> ControlFlow<()> + Send + 'static,
    ) {
        self.commands.send(Box::new(command)).ok().unwrap();
    }

    /// Changes the board in the next tick.
    pub(super) fn write(&self, change: impl FnOnce(&mut Board) + Send + 'static) {
        let board = self.board;
        self.command(move |server| {
            change(&mut server.get_mut(board).unwrap());
            ControlFlow::Continue(())
        });
    }

    /// Waits for an event that `wanted` accepts.
    pub(super) async fn event<T>(&mut self, wanted: impl Fn(ServerEvent) -> Option<T>) -> T {
        soon(async {
            loop {
                let event = self.events.recv().await.expect("the server runs");
                if let Some(found) = wanted(event) {
                    return found;
                }
            }
        })
        .await
    }

    pub(super) async fn stop(self) -> NetworkServer {
        self.command(|_| ControlFlow::Break(()));
        soon(self.task).await.unwrap()
    }

    pub(super) async fn connect(
        &self,
        trust: Trust,
        client: NetworkClient,
    ) -> io::Result<NetworkPeer> {
        let server = QuicClient::new(&self.addr.to_string(), trust);
        soon(Box::pin(
            server.connect(client, TransportOptions::default()),
        ))
        .await
    }

    /// Connects a client and waits until it is ready.
    pub(super) async fn join(&self) -> NetworkPeer {
        let trust = Trust::hashes(self.identity.hashes());
        let mut peer = Box::pin(self.connect(trust, client())).await.unwrap();
        wait_for(&mut peer, |event| *event == ClientEvent::Ready).await;
        peer
    }

    /// Waits until a client's board has a state.
    pub(super) async fn see(&self, peer: &mut NetworkPeer, wanted: impl Fn(&Board) -> bool) {
        soon(async {
            while !peer.client().get(self.board).is_some_and(&wanted) {
                peer.receive().await.unwrap();
            }
        })
        .await;
    }
}

/// Waits for an event of a client.
pub(super) async fn wait_for(peer: &mut NetworkPeer, wanted: impl Fn(&ClientEvent) -> bool) {
    soon(async { while !wanted(&peer.next_event().await.expect("the connection stands")) {} })
        .await;
}

/// Fails a test that would hang.
pub(super) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future)
        .await
        .expect("too late")
}
