//! An echo server, a client with a script, and their sockets.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId, Endpoint, PacketLimits, Transmit};
use syncvar_testing::sockets::Remote;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, UdpSocket};

use crate::datagram::{DatagramLink, DatagramListener, Mirror};
use crate::kcp::KcpConnection;
use crate::stream::{Framing, StreamLink, StreamPort};
use crate::tasks::{Port, TaskListener};
use crate::{Host, Peer, TransportCounters, TransportError, TransportOptions};

pub(super) use super::echo::Echo;
pub(super) use syncvar_testing::sockets::soon;

/// Error of a malformed packet.
#[derive(Debug, thiserror::Error)]
#[error("malformed")]
pub(super) struct Malformed;

/// Transport of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Telepathy,
    Kcp,
}

pub(super) const BOTH: [Kind; 2] = [Kind::Telepathy, Kind::Kcp];

/// Event of a [`Bot`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Connected(PacketLimits),
    Message(Channel, Bytes),
    Disconnected,
}

/// Client that sends the packets in `say`. It closes the connection after a packet that begins with
/// `!`.
#[derive(Debug, Default)]
pub(super) struct Bot {
    pub(super) say: VecDeque<(Channel, Bytes)>,
    pub(super) updates: u32,
    connected: bool,
    close: Option<ConnectionId>,
    polled: Bytes,
    events: VecDeque<Seen>,
}

impl Bot {
    fn end(&mut self) {
        if std::mem::take(&mut self.connected) {
            self.events.push_back(Seen::Disconnected);
        }
    }
}

impl Endpoint for Bot {
    type Error = Malformed;
    type Event = Seen;

    fn handle_connect(&mut self, limits: PacketLimits) -> ConnectionId {
        self.connected = true;
        self.events.push_back(Seen::Connected(limits));
        ConnectionId::SERVER
    }

    fn handle_packet(
        &mut self,
        server: ConnectionId,
        channel: u8,
        packet: &[u8],
    ) -> Result<(), Malformed> {
        if packet.starts_with(b"!") {
            self.disconnect(server, "");
            return Err(Malformed);
        }
        let channel = Channel::from_number(channel).unwrap();
        let packet = Bytes::copy_from_slice(packet);
        self.events.push_back(Seen::Message(channel, packet));
        Ok(())
    }

    fn handle_disconnect(&mut self, _: ConnectionId) {
        self.end();
    }

    fn disconnect(&mut self, server: ConnectionId, _: &str) {
        self.close = Some(server);
        self.end();
    }

    fn is_connected(&self, _: ConnectionId) -> bool {
        self.connected
    }

    fn update(&mut self, _: Duration) {
        self.updates += 1;
    }

    fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        let (channel, packet) = self.say.pop_front()?;
        self.polled = packet;
        let (server, chunks) = (ConnectionId::SERVER, std::slice::from_ref(&self.polled));
        Some(Transmit::new(server, channel.number(), channel, chunks))
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.close.take()
    }

    fn poll_event(&mut self) -> Option<Seen> {
        self.events.pop_front()
    }

    fn event_count(&self) -> u64 {
        0
    }

    fn forget_events(&mut self, _: u64) {}
}

/// Bot with its socket.
#[derive(Debug)]
pub(super) struct Player {
    bot: Bot,
    peer: Peer,
}

impl Player {
    pub(super) fn client(&self) -> &Bot {
        &self.bot
    }

    pub(super) async fn receive(&mut self) -> Result<(), TransportError<Malformed>> {
        self.peer.next_packet(&mut self.bot).await
    }

    pub(super) async fn next_event(&mut self) -> Option<Seen> {
        self.peer.next_event(&mut self.bot).await
    }

    pub(super) async fn disconnect(mut self) -> Bot {
        self.peer.disconnect(&mut self.bot, "").await;
        self.bot
    }
}

/// Runs a server until `game` ends it.
pub(super) async fn run(
    mut host: Host<Echo>,
    game: impl FnMut(&mut Echo, Duration) -> ControlFlow<()>,
) -> Echo {
    let mut server = Echo::default();
    host.run(&mut server, game).await;
    server
}

pub(super) fn listen(host: &mut Host<Echo>, kind: Kind) {
    let addr = ([127, 0, 0, 1], 0).into();
    match kind {
        Kind::Telepathy => {
            let acceptor = StreamPort(Framing::Plain).bind(&[addr]).unwrap();
            host.add(TaskListener::new(acceptor));
        }
        Kind::Kcp => host.add(DatagramListener::<Mirror>::bind(&[addr]).unwrap()),
    }
}

/// Running host.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) addrs: Vec<SocketAddr>,
    pub(super) counters: TransportCounters,
    server: Remote<Echo>,
}

impl Running {
    pub(super) fn start(kinds: &[Kind], options: TransportOptions) -> Self {
        let mut host = Host::new(options);
        for kind in kinds {
            listen(&mut host, *kind);
        }
        Self {
            addrs: host.local_addrs().unwrap(),
            counters: host.counters(),
            server: Remote::spawn(|_| {}, |tick| run(host, tick)),
        }
    }

    pub(super) fn of(kind: Kind) -> Self {
        Self::start(&[kind], TransportOptions::mirror())
    }

    /// Runs a closure on the server in a tick, and returns its result.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Echo) -> T + Send + 'static,
    ) -> T {
        self.server.ask(question).await
    }

    /// Waits for a number of connections.
    pub(super) async fn wait_for_connections(&self, count: usize) {
        soon(async {
            while self.ask(|server| server.connections.len()).await != count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }

    pub(super) fn stop(&self) {
        self.server.command(|_| ControlFlow::Break(()));
    }

    /// Drops the host, as a crash does.
    pub(super) async fn cut(self) {
        self.server.abort().await;
    }

    pub(super) async fn stopped(self) -> Echo {
        self.server.stop().await
    }

    pub(super) async fn join(&self, kind: Kind) -> Player {
        let addr = self.addrs[0];
        soon(join(kind, addr)).await.unwrap()
    }
}

pub(super) async fn join(kind: Kind, addr: SocketAddr) -> std::io::Result<Player> {
    let options = TransportOptions::mirror();
    let mut bot = Bot::default();
    let peer = match kind {
        Kind::Telepathy => {
            let link = StreamLink::connect(addr, Framing::Plain, &options).await?;
            Peer::new(&mut bot, link, options)
        }
        Kind::Kcp => {
            let link = DatagramLink::<Mirror>::connect(addr, &options).await?;
            Peer::new(&mut bot, link, options)
        }
    };
    let limits = match kind {
        Kind::Telepathy => syncvar_mirror::Limits::TELEPATHY,
        Kind::Kcp => syncvar_mirror::Limits::KCP,
    };
    let mut player = Player { bot, peer };
    let Seen::Connected(found) = next(&mut player).await else {
        panic!("connected");
    };
    assert_eq!(syncvar_mirror::Limits::from(found), limits);
    Ok(player)
}

pub(super) fn say(player: &mut Player, channel: Channel, message: impl Into<Bytes>) {
    let message = message.into();
    player.bot.say.push_back((channel, message));
}

pub(super) async fn next(player: &mut Player) -> Seen {
    soon(player.next_event()).await.unwrap()
}

/// Sends a message, and waits for the echo.
pub(super) async fn exchange(player: &mut Player, message: impl Into<Bytes>) {
    let message = message.into();
    say(player, Channel::Reliable, message.clone());
    assert_eq!(
        next(player).await,
        Seen::Message(Channel::Reliable, message)
    );
}

/// Connects a client that sends one packet and then is idle.
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
