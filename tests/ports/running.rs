//! A game with a board and many movers, behind any port.

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::tcp::TransportOptions;
use syncvar::transport::{Host, NetworkPeer, TransportCounters, TransportStats};
use syncvar::{ClientConfig, DisconnectReason, ServerConfig};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::way::Way;

/// Number of movers.
pub(crate) const MOVERS: u32 = 40;

/// Object with reliable state.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Board {
    #[sync_var]
    pub(crate) count: SyncVar<u32>,
    #[sync_var]
    pub(crate) text: SyncVar<String>,
}

/// Object with unreliable state.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(crate) struct Mover {
    #[sync_var]
    pub(crate) x: SyncVar<u32>,
    #[sync_var]
    pub(crate) text: SyncVar<String>,
}

pub(crate) fn prefabs() -> Prefabs {
    let prefabs = Prefabs::new().register::<Board>("board");
    prefabs.register::<Mover>("mover")
}

pub(crate) fn client() -> NetworkClient {
    let config = ClientConfig {
        ping_interval: Duration::from_millis(200),
        ..ClientConfig::default()
    };
    NetworkClient::with_config(prefabs(), config)
}

type Command = Box<dyn FnOnce(&mut NetworkServer) -> ControlFlow<()> + Send>;

/// Server in a task, with 200 ticks per second.
pub(crate) struct Running {
    pub(crate) way: Way,
    pub(crate) addr: SocketAddr,
    pub(crate) board: NetId,
    pub(crate) movers: Vec<NetId>,
    counters: TransportCounters,
    commands: mpsc::UnboundedSender<Command>,
    events: mpsc::UnboundedReceiver<ServerEvent>,
    task: JoinHandle<NetworkServer>,
}

impl Running {
    /// Returns the settings of a server.
    pub(crate) fn config() -> ServerConfig {
        ServerConfig {
            tick_rate: 200,
            ..ServerConfig::default()
        }
    }

    /// Starts a server; `game` runs in each tick, with the board and the movers.
    pub(crate) fn start(
        way: Way,
        options: TransportOptions,
        game: impl FnMut(&mut NetworkServer, NetId, &[NetId]) + Send + 'static,
    ) -> Self {
        Self::with(way, (Self::config(), options), game)
    }

    /// Starts a server with its settings.
    pub(crate) fn with(
        way: Way,
        (config, options): (ServerConfig, TransportOptions),
        mut game: impl FnMut(&mut NetworkServer, NetId, &[NetId]) + Send + 'static,
    ) -> Self {
        let mut server = NetworkServer::with_config(prefabs(), config);
        let board = server.spawn(Board::default());
        let movers: Vec<_> = (0..MOVERS)
            .map(|_| server.spawn(Mover::default()))
            .collect();
        let mut host = Host::new(options);
        way.listen(&mut host);
        let addr = host.local_addrs().unwrap()[0];
        let counters = host.counters();
        let (commands, mut to_do) = mpsc::unbounded_channel::<Command>();
        let (happened, events) = mpsc::unbounded_channel();
        let all = movers.clone();
        let task = tokio::spawn(async move {
            let tick = |server: &mut NetworkServer, _| {
                while let Some(event) = server.poll_event() {
                    happened.send(event).ok();
                }
                game(server, board, &all);
                match to_do.try_recv() {
                    Ok(command) => command(server),
                    Err(_) => ControlFlow::Continue(()),
                }
            };
            host.run(&mut server, tick).await;
            server
        });
        Self {
            way,
            addr,
            board,
            movers,
            counters,
            commands,
            events,
            task,
        }
    }

    /// Starts a server that counts on the board.
    pub(crate) fn counting(way: Way, options: TransportOptions) -> Self {
        Self::start(way, options, |server, board, _| {
            server.get_mut::<Board>(board).unwrap().count += 1;
        })
    }

    /// Starts a server that writes 30 kB of reliable state in each tick.
    pub(crate) fn filling(way: Way, options: TransportOptions) -> Self {
        Self::start(way, options, |server, board, _| {
            let mut board = server.get_mut::<Board>(board).unwrap();
            board.count += 1;
            let text = format!("{:030000}", *board.count);
            board.text.set(text);
        })
    }

    pub(crate) fn stats(&self) -> TransportStats {
        self.counters.stats()
    }

    pub(crate) fn command(
        &self,
        command: impl FnOnce(&mut NetworkServer) -> ControlFlow<()> + Send + 'static,
    ) {
        self.commands.send(Box::new(command)).ok().unwrap();
    }

    /// Waits for an event.
    pub(crate) async fn event(&mut self, wanted: impl Fn(&ServerEvent) -> bool) -> ServerEvent {
        soon(async {
            loop {
                let event = self.events.recv().await.expect("the server runs");
                if wanted(&event) {
                    return event;
                }
            }
        })
        .await
    }

    /// Waits for a disconnected client.
    pub(crate) async fn disconnected(&mut self) -> DisconnectReason {
        let wanted = |event: &ServerEvent| matches!(event, ServerEvent::Disconnected { .. });
        match self.event(wanted).await {
            ServerEvent::Disconnected { reason, .. } => reason,
            event => panic!("{event:?}"),
        }
    }

    /// Returns whether a client has been disconnected so far.
    pub(crate) fn has_disconnected(&mut self) -> bool {
        let mut events = std::iter::from_fn(|| self.events.try_recv().ok());
        events.any(|event| matches!(event, ServerEvent::Disconnected { .. }))
    }

    pub(crate) async fn stop(self) -> NetworkServer {
        self.command(|_| ControlFlow::Break(()));
        self.stopped().await
    }

    pub(crate) async fn stopped(self) -> NetworkServer {
        soon(self.task).await.unwrap()
    }

    pub(crate) async fn connect(&self) -> io::Result<NetworkPeer> {
        self.connect_by(self.addr, TransportOptions::default())
            .await
    }

    async fn connect_by(
        &self,
        addr: SocketAddr,
        options: TransportOptions,
    ) -> io::Result<NetworkPeer> {
        let client = client();
        let peer = self.way.peer(addr, &client, options)?;
        soon(Box::pin(NetworkPeer::of(peer, client))).await
    }

    /// Connects a client and waits until it is ready.
    pub(crate) async fn join(&self) -> NetworkPeer {
        self.join_by(self.addr, TransportOptions::default()).await
    }

    /// Connects a client by an address, and waits until it is ready.
    pub(crate) async fn join_by(&self, addr: SocketAddr, options: TransportOptions) -> NetworkPeer {
        let mut peer = self.connect_by(addr, options).await.unwrap();
        soon(async {
            while peer.next_event().await.expect("the connection stands") != ClientEvent::Ready {}
        })
        .await;
        peer
    }

    /// Waits until a client's board has a state.
    pub(crate) async fn see(&self, peer: &mut NetworkPeer, wanted: impl Fn(&Board) -> bool) {
        soon(async {
            while !peer.client().get(self.board).is_some_and(&wanted) {
                peer.receive().await.unwrap();
            }
        })
        .await;
    }

    /// Waits until a client has received a number of further counts.
    pub(crate) async fn see_counts(&self, peer: &mut NetworkPeer, counts: u32) {
        let start = *peer.client().get::<Board>(self.board).unwrap().count;
        self.see(peer, |board| board.count > start + counts).await;
    }

    /// Waits for a count of the transport.
    pub(crate) async fn reaches(&self, count: fn(&TransportStats) -> u64, wanted: u64) {
        soon(async {
            while count(&self.stats()) < wanted {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }
}

/// Fails a test that would hang.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(40), future)
        .await
        .expect("too late")
}
