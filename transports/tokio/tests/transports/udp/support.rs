//! A game with boards that the server writes, and a relay that loses datagrams.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{ClientConfig, ServerConfig};
use syncvar_tokio::udp::{TransportCounters, TransportOptions, UdpClient, UdpServer};
use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

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

/// Returns a server with 200 ticks per second.
pub(crate) fn fast_server() -> NetworkServer {
    let config = ServerConfig {
        tick_rate: 200,
        ..ServerConfig::default()
    };
    NetworkServer::with_config(prefabs(), config)
}

/// Closure for the server's next tick.
type Command = Box<dyn FnOnce(&mut NetworkServer) -> ControlFlow<()> + Send>;

/// Server in a separate task.
pub(crate) struct Running {
    pub(crate) addr: SocketAddr,
    /// Object that all clients observe.
    pub(crate) board: NetId,
    pub(crate) counters: TransportCounters,
    commands: mpsc::UnboundedSender<Command>,
    events: mpsc::UnboundedReceiver<ServerEvent>,
    task: JoinHandle<NetworkServer>,
}

impl Running {
    pub(crate) async fn start(options: TransportOptions) -> Self {
        let anywhere = "127.0.0.1:0".parse().unwrap();
        Box::pin(Self::serve(anywhere, fast_server(), options)).await
    }

    pub(crate) async fn serve(
        addr: SocketAddr,
        mut server: NetworkServer,
        options: TransportOptions,
    ) -> Self {
        let board = server.spawn(Board::default());
        let server = UdpServer::bind(addr, server, options).await.unwrap();
        let (addr, counters) = (server.local_addr().unwrap(), server.counters());
        let (commands, mut to_do) = mpsc::unbounded_channel::<Command>();
        let (happened, events) = mpsc::unbounded_channel();
        let task = tokio::spawn(server.run(move |server, _| {
            while let Some(event) = server.poll_event() {
                happened.send(event).ok();
            }
            match to_do.try_recv() {
                Ok(command) => command(server),
                Err(_) => ControlFlow::Continue(()),
            }
        }));
        Self {
            addr,
            board,
            counters,
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
    }

    /// Stops the server.
    pub(crate) async fn stop(self) -> NetworkServer {
        self.command(|_| ControlFlow::Break(()));
        soon(self.task).await.unwrap()
    }

    /// Ends the server's task, and waits until its socket is closed.
    pub(crate) async fn abort(self) {
        self.task.abort();
        let _ = self.task.await;
    }

    /// Connects a client and waits until it has the board.
    pub(crate) async fn join(&self) -> UdpClient {
        join(self.addr, TransportOptions::default()).await
    }

    /// Waits until a client's board has a state.
    pub(crate) async fn see(&self, client: &mut UdpClient, wanted: impl Fn(&Board) -> bool) {
        soon(async {
            while !client.client().get(self.board).is_some_and(&wanted) {
                client.receive().await.unwrap();
            }
        })
        .await;
    }
}

/// Connects a client and waits until it is ready.
pub(crate) async fn join(addr: SocketAddr, options: TransportOptions) -> UdpClient {
    let client = NetworkClient::with_config(prefabs(), ClientConfig::default());
    let connecting = UdpClient::connect_with(addr, client, options);
    let mut client = soon(Box::pin(connecting)).await.unwrap();
    wait_for(&mut client, |event| matches!(event, ClientEvent::Ready)).await;
    client
}

/// Waits for an event of a client.
pub(crate) async fn wait_for(
    client: &mut UdpClient,
    wanted: impl Fn(&ClientEvent) -> bool,
) -> ClientEvent {
    soon(async {
        loop {
            let event = client.next_event().await.expect("the connection stands");
            if wanted(&event) {
                return event;
            }
        }
    })
    .await
}

/// Awaits a future with a generous timeout.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    let limit = Duration::from_secs(30);
    timeout(limit, future).await.expect("it happens in time")
}

/// Waits for a count.
pub(crate) async fn reaches(count: impl Fn() -> u64, wanted: u64) {
    soon(async {
        while count() < wanted {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Misfortunes of datagrams, in percent.
#[derive(Debug, Default)]
pub(crate) struct Loss {
    pub(crate) lost: AtomicU32,
    pub(crate) twice: AtomicU32,
    /// Datagrams that arrive 30 ms later than the others.
    pub(crate) late: AtomicU32,
    /// Number of lost datagrams with a packet of an unreliable channel.
    lost_packets: AtomicU32,
}

/// Socket between clients and a server that loses, repeats and reorders datagrams in both directions.
pub(crate) struct Relay {
    pub(crate) addr: SocketAddr,
    pub(crate) loss: Arc<Loss>,
    task: JoinHandle<()>,
}

impl Relay {
    /// Starts a relay with these misfortunes: lost, repeated and late datagrams.
    pub(crate) async fn start(server: SocketAddr, percent: [u32; 3]) -> Self {
        let front = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let addr = front.local_addr().unwrap();
        let loss = Arc::new(Loss {
            lost: percent[0].into(),
            twice: percent[1].into(),
            late: percent[2].into(),
            lost_packets: 0.into(),
        });
        let task = tokio::spawn(relay(front, server, Arc::clone(&loss)));
        Self { addr, loss, task }
    }

    /// Returns the number of lost datagrams with a packet of an unreliable channel.
    pub(crate) fn lost_packets(&self) -> u32 {
        self.loss.lost_packets.load(Ordering::Relaxed)
    }

    pub(crate) fn set_lost(&self, percent: u32) {
        self.loss.lost.store(percent, Ordering::Relaxed);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn relay(front: Arc<UdpSocket>, server: SocketAddr, loss: Arc<Loss>) {
    let random = Arc::new(Mutex::new(Random::new(42)));
    let mut backs: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut buffer = [0; 2048];
    loop {
        let Ok((length, client)) = front.recv_from(&mut buffer).await else {
            continue;
        };
        let back = match backs.get(&client) {
            Some(back) => Arc::clone(back),
            None => {
                let back = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
                back.connect(server).await.unwrap();
                backs.insert(client, Arc::clone(&back));
                let (front, back) = (Arc::clone(&front), Arc::clone(&back));
                let (loss, random) = (Arc::clone(&loss), Arc::clone(&random));
                tokio::spawn(async move {
                    let mut buffer = [0; 2048];
                    loop {
                        // An error reports the closed port of a server that is away.
                        if let Ok(length) = back.recv(&mut buffer).await {
                            let datagram = &buffer[..length];
                            forward(&front, Some(client), datagram, (&loss, &random));
                        }
                    }
                });
                Arc::clone(&backs[&client])
            }
        };
        forward(&back, None, &buffer[..length], (&loss, &random));
    }
}

/// Sends a datagram on, as the misfortunes allow.
fn forward(
    socket: &Arc<UdpSocket>,
    to: Option<SocketAddr>,
    datagram: &[u8],
    (loss, random): (&Loss, &Mutex<Random>),
) {
    let mut random = random.lock().unwrap();
    let mut hits = |percent: &AtomicU32| random.chance(percent.load(Ordering::Relaxed) * 10);
    if hits(&loss.lost) {
        let is_packet = u32::from(datagram.first() == Some(&0xa3));
        loss.lost_packets.fetch_add(is_packet, Ordering::Relaxed);
        return;
    }
    let copies = 1 + u32::from(hits(&loss.twice));
    for _ in 0..copies {
        let (socket, datagram) = (Arc::clone(socket), datagram.to_vec());
        let delay = Duration::from_millis(if hits(&loss.late) { 30 } else { 0 });
        tokio::spawn(async move {
            sleep(delay).await;
            let _ = match to {
                Some(to) => socket.send_to(&datagram, to).await,
                None => socket.send(&datagram).await,
            };
        });
    }
}
