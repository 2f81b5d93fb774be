//! A server that says everything back, a client that says what it is told to, and their sockets.

use std::collections::VecDeque;
use std::future::Future;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, UdpSocket};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::transport::game::{Game, Outgoing, Player};
use crate::transport::host::Host;
use crate::transport::kcp::KcpConnection;
use crate::transport::peer::Peer;
use crate::transport::{TransportOptions, kcp, telepathy};
use crate::{Limits, MirrorError};

/// Which transport a test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Telepathy,
    Kcp,
}

pub(super) const BOTH: [Kind; 2] = [Kind::Telepathy, Kind::Kcp];

/// Says everything back, in two pieces; what begins with `!` is malformed, and ends the connection.
#[derive(Debug, Default)]
pub(super) struct Echo {
    pub(super) last: u32,
    pub(super) connections: Vec<ConnectionId>,
    pub(super) limits: Vec<Limits>,
    pub(super) received: Vec<(ConnectionId, Channel, Bytes)>,
    out: VecDeque<(ConnectionId, Channel, Vec<Bytes>)>,
    polled: Vec<Bytes>,
    /// What the host and the game have done, in order.
    pub(super) log: Vec<&'static str>,
    closing: VecDeque<ConnectionId>,
    updates: Vec<Duration>,
}

impl Echo {
    pub(super) fn send(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        message: impl Into<Bytes>,
    ) {
        let message = message.into();
        let middle = message.len() / 2;
        let pieces = vec![message.slice(..middle), message.slice(middle..)];
        self.out.push_back((connection, channel, pieces));
    }

    pub(super) fn kick(&mut self, connection: ConnectionId) {
        self.connections.retain(|other| *other != connection);
        self.closing.push_back(connection);
    }
}

impl Game for Echo {
    fn handle_connect(&mut self, limits: Limits) -> ConnectionId {
        self.last += 1;
        let connection = ConnectionId(self.last);
        self.connections.push(connection);
        self.limits.push(limits);
        connection
    }

    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        message: &[u8],
    ) -> Result<(), MirrorError> {
        assert!(self.connections.contains(&connection));
        self.log.push("packet");
        if message.starts_with(b"!") {
            self.kick(connection);
            return Err(MirrorError::NoMessageId { length: 1 });
        }
        let message = Bytes::copy_from_slice(message);
        self.received.push((connection, channel, message.clone()));
        self.send(connection, channel, message);
        Ok(())
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        assert!(self.connections.contains(&connection));
        self.connections.retain(|other| *other != connection);
    }

    fn disconnect_all(&mut self) {
        for connection in self.connections.clone() {
            self.kick(connection);
        }
    }

    fn update(&mut self, now: Duration) {
        assert!(self.updates.last().is_none_or(|last| *last <= now));
        self.updates.push(now);
        self.log.push("update");
    }

    fn poll_transmit(&mut self) -> Option<Outgoing<'_>> {
        let (connection, channel, pieces) = self.out.pop_front()?;
        self.polled = pieces;
        self.log.push("transmit");
        Some(Outgoing {
            connection,
            channel,
            chunks: &self.polled,
        })
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.closing.pop_front()
    }

    fn is_connected(&self, connection: ConnectionId) -> bool {
        self.connections.contains(&connection)
    }

    fn event_count(&self) -> u64 {
        0
    }

    fn forget_events(&mut self, _: u64) {}
}

/// What a [`Bot`] has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Connected(Limits),
    Message(Channel, Bytes),
    Disconnected,
}

/// Says what it is told to; hears everything. To `!` it answers by closing.
#[derive(Debug, Default)]
pub(super) struct Bot {
    pub(super) say: VecDeque<(Channel, Bytes)>,
    pub(super) updates: u32,
    connected: bool,
    close: bool,
    events: VecDeque<Seen>,
}

impl Player for Bot {
    type Event = Seen;

    fn handle_connect(&mut self, limits: Limits) {
        self.connected = true;
        self.events.push_back(Seen::Connected(limits));
    }

    fn handle_packet(&mut self, channel: Channel, message: &[u8]) -> Result<(), MirrorError> {
        if message.starts_with(b"!") {
            self.close = true;
            self.handle_disconnect();
            return Err(MirrorError::NoMessageId { length: 1 });
        }
        let message = Bytes::copy_from_slice(message);
        self.events.push_back(Seen::Message(channel, message));
        Ok(())
    }

    fn handle_disconnect(&mut self) {
        if std::mem::take(&mut self.connected) {
            self.events.push_back(Seen::Disconnected);
        }
    }

    fn disconnect(&mut self) {
        self.close = true;
        self.handle_disconnect();
    }

    fn update(&mut self, _: Duration) {
        self.updates += 1;
    }

    fn poll_transmit(&mut self) -> Option<(Channel, Bytes)> {
        self.say.pop_front()
    }

    fn poll_close(&mut self) -> bool {
        std::mem::take(&mut self.close)
    }

    fn poll_event(&mut self) -> Option<Seen> {
        self.events.pop_front()
    }
}

type Command = Box<dyn FnOnce(&mut Echo) -> ControlFlow<()> + Send>;

/// A host that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) addrs: Vec<SocketAddr>,
    commands: mpsc::UnboundedSender<Command>,
    task: JoinHandle<Echo>,
}

impl Running {
    pub(super) async fn start(kinds: &[Kind], options: TransportOptions) -> Self {
        let mut host = Host::new(Echo::default());
        for kind in kinds {
            match kind {
                Kind::Telepathy => {
                    host.add(telepathy::Port::bind("127.0.0.1:0").await.unwrap());
                }
                Kind::Kcp => host.add(kcp::Port::bind("127.0.0.1:0").await.unwrap()),
            }
        }
        host.set_options(options);
        let addrs = host.local_addrs().unwrap();
        let (commands, mut to_do) = mpsc::unbounded_channel::<Command>();
        let task = tokio::spawn(host.run(move |server, _| {
            while let Ok(command) = to_do.try_recv() {
                if command(server).is_break() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        }));
        Self {
            addrs,
            commands,
            task,
        }
    }

    pub(super) async fn of(kind: Kind) -> Self {
        Self::start(&[kind], TransportOptions::default()).await
    }

    /// Asks the server something, in its next tick.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Echo) -> T + Send + 'static,
    ) -> T {
        let (answer, mut answered) = mpsc::unbounded_channel();
        let command = move |server: &mut Echo| {
            let _ = answer.send(question(server));
            ControlFlow::Continue(())
        };
        self.commands.send(Box::new(command)).unwrap();
        soon(answered.recv()).await.unwrap()
    }

    /// Waits until the server has so many connections.
    pub(super) async fn wait_for_connections(&self, count: usize) {
        soon(async {
            while self.ask(|server| server.connections.len()).await != count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }

    pub(super) fn stop(&self) {
        let _ = self.commands.send(Box::new(|_| ControlFlow::Break(())));
    }

    /// Drops the host.
    pub(super) fn cut(self) {
        self.task.abort();
    }

    pub(super) async fn stopped(self) -> Echo {
        self.stop();
        soon(self.task).await.unwrap()
    }

    pub(super) async fn join(&self, kind: Kind) -> Peer<Bot> {
        let addr = self.addrs[0];
        soon(join(kind, addr)).await.unwrap()
    }
}

pub(super) async fn join(kind: Kind, addr: SocketAddr) -> std::io::Result<Peer<Bot>> {
    let options = TransportOptions::default();
    let bot = Bot::default();
    let mut peer = match kind {
        Kind::Telepathy => {
            let wire = telepathy::Wire::connect(addr, &options).await?;
            Peer::new(bot, wire, options)
        }
        Kind::Kcp => {
            let wire = kcp::Wire::connect(addr, &options).await?;
            Peer::new(bot, wire, options)
        }
    };
    let limits = match kind {
        Kind::Telepathy => Limits::TELEPATHY,
        Kind::Kcp => Limits::KCP,
    };
    assert_eq!(next(&mut peer).await, Seen::Connected(limits));
    Ok(peer)
}

pub(super) fn say(peer: &mut Peer<Bot>, channel: Channel, message: impl Into<Bytes>) {
    let message = message.into();
    peer.client_mut().say.push_back((channel, message));
}

pub(super) async fn next(peer: &mut Peer<Bot>) -> Seen {
    soon(peer.next_event()).await.unwrap()
}

/// Says something, and waits for the echo.
pub(super) async fn exchange(peer: &mut Peer<Bot>, message: impl Into<Bytes>) {
    let message = message.into();
    say(peer, Channel::Reliable, message.clone());
    assert_eq!(next(peer).await, Seen::Message(Channel::Reliable, message));
}

/// A client that has said one thing, and then does nothing whatever.
pub(super) async fn idle(kind: Kind, server: &Running) -> Box<dyn std::any::Any> {
    match kind {
        Kind::Telepathy => {
            let mut stream = TcpStream::connect(server.addrs[0]).await.unwrap();
            stream.write_all(b"\x00\x00\x00\x01x").await.unwrap();
            Box::new(stream)
        }
        Kind::Kcp => {
            let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            socket.connect(server.addrs[0]).await.unwrap();
            let now = Duration::ZERO;
            let mut connection = KcpConnection::connect(now);
            connection.update(now);
            socket
                .send(&connection.poll_transmit().unwrap())
                .await
                .unwrap();
            let mut buffer = [0; 1500];
            let length = soon(socket.recv(&mut buffer)).await.unwrap();
            connection.handle_datagram(now, &buffer[..length]);
            assert!(connection.is_connected());
            connection.update(now);
            socket
                .send(&connection.poll_transmit().unwrap())
                .await
                .unwrap();
            Box::new(socket)
        }
    }
}

/// Fails a test that would hang.
pub(super) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .expect("it takes too long")
}
