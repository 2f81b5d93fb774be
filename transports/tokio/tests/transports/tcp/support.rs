//! A game with one board that the server writes.

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, ServerConfig};
use syncvar_tokio::LinkConditions;
use syncvar_tokio::tcp::{TcpClient, TcpServer, TransportCounters, TransportOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{error::Elapsed, timeout};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
pub(crate) struct Board {
    #[sync_var]
    pub(crate) count: SyncVar<u32>,
    #[sync_var]
    pub(crate) text: SyncVar<String>,
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new().register::<Board>("board")
}

/// Server in a separate task.
pub(crate) struct Running {
    pub(crate) addr: SocketAddr,
    /// Object that all clients observe.
    pub(crate) board: NetId,
    pub(crate) counters: TransportCounters,
    pub(crate) conditions: LinkConditions,
    commands: mpsc::UnboundedSender<Command>,
    events: mpsc::UnboundedReceiver<ServerEvent>,
    task: JoinHandle<NetworkServer>,
}

/// Makes a server with 500 ticks per second.
pub(crate) fn fast_server() -> NetworkServer {
    let config = ServerConfig {
        tick_rate: 500,
        ..ServerConfig::default()
    };
    NetworkServer::with_config(prefabs(), config)
}

/// Closure for the server's next tick.
type Command = Box<dyn FnOnce(&mut NetworkServer) -> ControlFlow<()> + Send>;

impl Running {
    /// Starts a server with a fast tick; every tick calls `game` with the board.
    pub(crate) async fn start(
        options: TransportOptions,
        game: impl FnMut(&mut Board) + Send + 'static,
    ) -> Self {
        Box::pin(Self::serve(fast_server(), options, game)).await
    }

    pub(crate) async fn serve(
        server: NetworkServer,
        options: TransportOptions,
        game: impl FnMut(&mut Board) + Send + 'static,
    ) -> Self {
        let anywhere = "127.0.0.1:0".parse().unwrap();
        Box::pin(Self::serve_at(anywhere, server, options, game)).await
    }

    pub(crate) async fn serve_at(
        addr: SocketAddr,
        mut server: NetworkServer,
        options: TransportOptions,
        mut game: impl FnMut(&mut Board) + Send + 'static,
    ) -> Self {
        let board = server.spawn(Board::default());
        let server = TcpServer::bind(addr, server, options).await.unwrap();
        let addr = server.local_addr().unwrap();
        let (counters, conditions) = (server.counters(), server.conditions());
        let (commands, mut to_do) = mpsc::unbounded_channel::<Command>();
        let (happened, events) = mpsc::unbounded_channel();
        let task = tokio::spawn(server.run(move |server, _| {
            while let Some(event) = server.poll_event() {
                happened.send(event).ok();
            }
            game(&mut server.get_mut(board).unwrap());
            match to_do.try_recv() {
                Ok(command) => command(server),
                Err(_) => ControlFlow::Continue(()),
            }
        }));
        Self {
            addr,
            board,
            counters,
            conditions,
            commands,
            events,
            task,
        }
    }

    /// Changes the board in the next tick.
    pub(crate) fn write(&self, change: impl FnOnce(&mut Board) + Send + 'static) {
        let board = self.board;
        self.command(move |server| {
            change(&mut server.get_mut(board).unwrap());
            ControlFlow::Continue(())
        });
    }

    pub(crate) fn command(
        &self,
        command: impl FnOnce(&mut NetworkServer) -> ControlFlow<()> + Send + 'static,
    ) {
        self.commands.send(Box::new(command)).ok().unwrap();
    }

    /// Waits for an event that `wanted` accepts.
    pub(crate) async fn event<T>(&mut self, wanted: impl Fn(ServerEvent) -> Option<T>) -> T {
        soon(async {
            loop {
                let event = self.events.recv().await.expect("the server runs");
                if let Some(found) = wanted(event) {
                    return found;
                }
            }
        })
        .await
        .expect("the event")
    }

    /// Stops the server.
    pub(crate) async fn stop(self) -> NetworkServer {
        self.command(|_| ControlFlow::Break(()));
        soon(self.task).await.expect("the server stops").unwrap()
    }

    /// Aborts the server.
    pub(crate) fn abort(&self) {
        self.task.abort();
    }

    /// Connects a client and waits until it has the board.
    pub(crate) async fn join(&self) -> TcpClient {
        self.join_with(|_| {}).await
    }

    pub(crate) async fn join_with(&self, change: impl FnOnce(&mut ClientConfig)) -> TcpClient {
        let mut client = self.connect_with(change).await;
        wait_for(&mut client, |event| matches!(event, ClientEvent::Ready)).await;
        client
    }

    pub(crate) async fn connect(&self) -> TcpClient {
        self.connect_with(|_| {}).await
    }

    pub(crate) async fn connect_with(&self, change: impl FnOnce(&mut ClientConfig)) -> TcpClient {
        let mut config = ClientConfig::default();
        change(&mut config);
        let client = NetworkClient::with_config(prefabs(), config);
        Box::pin(TcpClient::connect(self.addr, client))
            .await
            .unwrap()
    }

    /// Waits until a client's board has a state.
    pub(crate) async fn see(&self, client: &mut TcpClient, wanted: impl Fn(&Board) -> bool) {
        let seen = soon(async {
            while !client.client().get(self.board).is_some_and(&wanted) {
                client.receive().await.unwrap();
            }
        });
        seen.await.expect("the client sees it");
    }
}

/// Waits for an event of a client.
pub(crate) async fn wait_for(
    client: &mut TcpClient,
    wanted: impl Fn(&ClientEvent) -> bool,
) -> ClientEvent {
    let found = soon(async {
        loop {
            let event = client.next_event().await.expect("the connection stands");
            if wanted(&event) {
                return event;
            }
        }
    });
    found.await.expect("the event")
}

/// Reads until the server closes the connection, and returns the bytes.
pub(crate) async fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let end = stream.read_to_end(&mut bytes);
    soon(end)
        .await
        .expect("the server closes the connection")
        .unwrap();
    bytes
}

/// Awaits a future with a generous timeout.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> Result<T, Elapsed> {
    timeout(Duration::from_secs(30), future).await
}

/// Connects a socket that sends the handshake and `Ready`, and nothing more.
pub(crate) async fn ready_client(addr: SocketAddr) -> TcpStream {
    let mut client = NetworkClient::new(prefabs());
    client.handle_connect();
    let connect = client.poll_transmit().unwrap().bytes;
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let length = u8::try_from(connect.len() + 1).unwrap();
    stream.write_all(&[0, 0, 0, length, 0]).await.unwrap();
    stream.write_all(&connect).await.unwrap();
    // A header, and Ready.
    let ready = [0, 0, 0, 6, 0, 2, 0, 0, 35, 0];
    stream.write_all(&ready).await.unwrap();
    stream
}
