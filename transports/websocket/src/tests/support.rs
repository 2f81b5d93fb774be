//! A game with one board, behind a [`WebPort`].

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar_net::ServerConfig;
use syncvar_tokio::tcp::{TransportCounters, TransportOptions};
use syncvar_tokio::{Host, NetworkPeer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::{WebPort, WebSocketClient};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
pub(super) struct Board {
    #[sync_var]
    pub(super) count: SyncVar<u32>,
    #[sync_var]
    pub(super) text: SyncVar<String>,
}

pub(super) fn prefabs() -> Prefabs {
    Prefabs::new().register::<Board>("board")
}

pub(super) fn client() -> NetworkClient {
    NetworkClient::new(prefabs())
}

type Command = Box<dyn FnOnce(&mut NetworkServer) -> ControlFlow<()> + Send>;

/// Server in a separate task, with 500 ticks per second.
pub(super) struct Running {
    pub(super) addr: SocketAddr,
    pub(super) board: NetId,
    pub(super) counters: TransportCounters,
    commands: mpsc::UnboundedSender<Command>,
    events: mpsc::UnboundedReceiver<ServerEvent>,
    task: JoinHandle<NetworkServer>,
}

impl Running {
    /// Starts a server; every tick calls `game` with the board.
    pub(super) fn start(
        options: TransportOptions,
        game: impl FnMut(&mut Board) + Send + 'static,
    ) -> Self {
        Self::start_at(([127, 0, 0, 1], 0).into(), options, game)
    }

    pub(super) fn start_at(
        addr: SocketAddr,
        options: TransportOptions,
        game: impl FnMut(&mut Board) + Send + 'static,
    ) -> Self {
        let port = WebPort::new()
            .page("/", "text/html", "<h1>page</h1>")
            .answer("/count", "text/plain", || "7".into());
        Self::serve(addr, port, options, game)
    }

    pub(super) fn serve(
        addr: SocketAddr,
        port: WebPort,
        options: TransportOptions,
        mut game: impl FnMut(&mut Board) + Send + 'static,
    ) -> Self {
        let config = ServerConfig {
            tick_rate: 500,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let board = server.spawn(Board::default());
        let mut host = Host::new(options);
        host.listen(addr, port).unwrap();
        let addr = host.local_addrs().unwrap()[0];
        let counters = host.counters();
        let (commands, mut to_do) = mpsc::unbounded_channel::<Command>();
        let (happened, events) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            let tick = |server: &mut NetworkServer, _| {
                while let Some(event) = server.poll_event() {
                    happened.send(event).ok();
                }
                game(&mut server.get_mut(board).unwrap());
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
            board,
            counters,
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

    /// Returns the events so far.
    pub(super) fn events(&mut self) -> Vec<ServerEvent> {
        std::iter::from_fn(|| self.events.try_recv().ok()).collect()
    }

    pub(super) async fn stop(self) -> NetworkServer {
        self.command(|_| ControlFlow::Break(()));
        soon(self.task).await.unwrap()
    }

    /// Aborts the server.
    pub(super) async fn abort(self) {
        self.task.abort();
        let _ = self.task.await;
    }

    /// Connects a client.
    pub(super) async fn connect(&self, options: TransportOptions) -> io::Result<NetworkPeer> {
        self.connect_again(client(), options).await
    }

    pub(super) async fn connect_again(
        &self,
        client: NetworkClient,
        options: TransportOptions,
    ) -> io::Result<NetworkPeer> {
        soon(Box::pin(self.url().connect(client, options))).await
    }

    pub(super) fn url(&self) -> WebSocketClient {
        WebSocketClient::new(&format!("ws://{}/", self.addr))
    }

    /// Connects a client and waits until it has the board.
    pub(super) async fn join(&self) -> NetworkPeer {
        let connecting = Box::pin(self.connect(TransportOptions::default()));
        let mut peer = connecting.await.unwrap();
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

    /// Waits for a count of the transport.
    pub(super) async fn reaches(
        &self,
        count: fn(&syncvar_tokio::TransportStats) -> u64,
        wanted: u64,
    ) {
        soon(async {
            while count(&self.counters.stats()) < wanted {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }

    /// Upgrades a connection by hand.
    pub(super) async fn upgrade(&self) -> TcpStream {
        upgrade(self.addr).await
    }
}

/// Upgrades a connection by hand.
pub(super) async fn upgrade(addr: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let request = "GET /any HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(soon(stream.read_u8()).await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    // The example of RFC 6455.
    assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
    stream
}

/// Waits for an event of a client.
pub(super) async fn wait_for(
    peer: &mut NetworkPeer,
    wanted: impl Fn(&ClientEvent) -> bool,
) -> ClientEvent {
    soon(async {
        loop {
            let event = peer.next_event().await.expect("the connection stands");
            if wanted(&event) {
                return event;
            }
        }
    })
    .await
}

/// Returns a frame of a client: masked with zeros.
pub(super) fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80 | opcode];
    match u8::try_from(payload.len()) {
        Ok(short) if short < 126 => bytes.push(0x80 | short),
        _ => {
            bytes.push(0xfe);
            let length = u16::try_from(payload.len()).unwrap();
            bytes.extend_from_slice(&length.to_be_bytes());
        }
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(payload);
    bytes
}

/// Messages of a client that joins: the handshake, and `Ready` behind a header.
pub(super) fn joining() -> Vec<u8> {
    let mut client = client();
    client.handle_connect();
    let connect = client.poll_transmit().unwrap().bytes;
    let connect = frame(2, &[&[0], &connect[..]].concat());
    [connect, frame(2, &[0, 2, 0, 0, 35, 0])].concat()
}

/// Reads until the server closes the connection.
pub(super) async fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    soon(stream.read_to_end(&mut bytes)).await.unwrap();
    bytes
}

/// Fails a test that would hang.
pub(super) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future)
        .await
        .expect("too late")
}
