//! `Running`: a game behind a port, and its clients.

use std::io;
use std::net::SocketAddr;
use std::ops::{ControlFlow, Deref, DerefMut};

use syncvar::prelude::*;
use syncvar::tcp::TransportOptions;
use syncvar::transport::{Host, LinkConditions, NetworkPeer, TransportCounters, TransportStats};
use syncvar::{ClientConfig, DisconnectReason, ServerConfig};

use super::{Board, Objects, Remote, Transport, anywhere, prefabs, reaches, soon, wait_for};

/// Settings of a game and its clients.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address of the port.
    pub addr: SocketAddr,
    /// Settings of the server; 500 ticks per second at first.
    pub config: ServerConfig,
    /// Options of the server's transport.
    pub options: TransportOptions,
    /// Settings of the clients.
    pub client: ClientConfig,
    /// Number of movers; none at first.
    pub movers: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            addr: anywhere(),
            config: ServerConfig {
                tick_rate: 500,
                ..ServerConfig::default()
            },
            options: TransportOptions::default(),
            client: ClientConfig::default(),
            movers: 0,
        }
    }
}

impl From<TransportOptions> for Settings {
    fn from(options: TransportOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }
}

/// Game on a server in a task, behind the port of a transport.
#[derive(Debug)]
pub struct Running<T> {
    /// Transport of the server and of [`join`](Self::join).
    pub transport: T,
    /// Address of the port.
    pub addr: SocketAddr,
    /// The board.
    pub board: NetId,
    /// The movers.
    pub movers: Vec<NetId>,
    /// Counters of the transport.
    pub counters: TransportCounters,
    /// Simulated conditions of the port.
    pub conditions: LinkConditions,
    client: ClientConfig,
    remote: Remote<NetworkServer>,
}

impl<T: Transport> Running<T> {
    /// Starts a server; `game` runs in each tick.
    ///
    /// # Panics
    ///
    /// When the address is taken.
    pub fn start(
        transport: T,
        settings: impl Into<Settings>,
        game: impl FnMut(&mut NetworkServer, &Objects) + Send + 'static,
    ) -> Self {
        let settings = settings.into();
        let server = NetworkServer::with_config(prefabs(), settings.config.clone());
        Self::start_with(transport, settings, server, game)
    }

    /// Starts a server that has objects of its own.
    ///
    /// # Panics
    ///
    /// When the address is taken.
    pub fn start_with(
        transport: T,
        settings: impl Into<Settings>,
        mut server: NetworkServer,
        mut game: impl FnMut(&mut NetworkServer, &Objects) + Send + 'static,
    ) -> Self {
        let settings = settings.into();
        let objects = Objects::spawn(&mut server, settings.movers);
        let mut host = Host::new(settings.options);
        let listening = transport.listen(&mut host, settings.addr);
        listening.expect("a free port");
        let addr = host.local_addrs().expect("an open port")[0];
        let Objects { board, movers } = objects.clone();
        let (counters, conditions) = (host.counters(), host.conditions());
        let game = move |server: &mut NetworkServer| game(server, &objects);
        let remote = Remote::spawn(game, |tick| async move {
            host.run(&mut server, tick).await;
            server
        });
        Self {
            transport,
            addr,
            board,
            movers,
            counters,
            conditions,
            client: settings.client,
            remote,
        }
    }

    /// Returns a client without a connection.
    pub fn client(&self) -> NetworkClient {
        NetworkClient::with_config(prefabs(), self.client.clone())
    }

    /// Connects a client.
    ///
    /// # Errors
    ///
    /// When the connection fails.
    pub async fn connect(&self, options: TransportOptions) -> io::Result<NetworkPeer<T::Carrier>> {
        self.connect_as(self.client(), options).await
    }

    /// Connects a client of the test.
    ///
    /// # Errors
    ///
    /// When the connection fails.
    pub async fn connect_as(
        &self,
        client: NetworkClient,
        options: TransportOptions,
    ) -> io::Result<NetworkPeer<T::Carrier>> {
        let connecting = self.transport.connect(self.addr, client, options);
        soon(Box::pin(connecting)).await
    }

    /// Connects a client, and waits until it has the board.
    pub async fn join(&self) -> NetworkPeer<T::Carrier> {
        self.join_by(self.addr, TransportOptions::default()).await
    }

    /// Connects a client by the address of a relay, and waits until it has the board.
    ///
    /// # Panics
    ///
    /// When the connection fails.
    pub async fn join_by(
        &self,
        addr: SocketAddr,
        options: TransportOptions,
    ) -> NetworkPeer<T::Carrier> {
        let connecting = self.transport.connect(addr, self.client(), options);
        let mut peer = soon(Box::pin(connecting)).await.expect("a connection");
        wait_for(&mut peer, |event| *event == ClientEvent::Ready).await;
        peer
    }

    /// Returns the counts of the transport.
    pub fn stats(&self) -> TransportStats {
        self.counters.stats()
    }

    /// Waits for a count of the transport.
    pub async fn reaches(&self, count: fn(&TransportStats) -> u64, wanted: u64) {
        reaches(|| count(&self.stats()), wanted).await;
    }

    /// Changes the board in a tick.
    ///
    /// # Panics
    ///
    /// When the server has stopped.
    pub fn write(&self, change: impl FnOnce(&mut Board) + Send + 'static) {
        let board = self.board;
        self.command(move |server| {
            change(&mut server.get_mut(board).expect("the board"));
            ControlFlow::Continue(())
        });
    }

    /// Waits until a connection has ended, and returns the reason.
    pub async fn disconnected(&mut self) -> DisconnectReason {
        self.event(|event| match event {
            ServerEvent::Disconnected { reason, .. } => Some(reason),
            _ => None,
        })
        .await
    }

    /// Returns whether a connection has ended among the events so far, and removes them.
    pub fn has_disconnected(&mut self) -> bool {
        let mut events = self.events().into_iter();
        events.any(|event| matches!(event, ServerEvent::Disconnected { .. }))
    }

    /// Waits until a client's board has a state.
    ///
    /// # Panics
    ///
    /// When the connection ends first.
    pub async fn see<C>(&self, peer: &mut NetworkPeer<C>, wanted: impl Fn(&Board) -> bool) {
        soon(async {
            while !peer.client().get(self.board).is_some_and(&wanted) {
                peer.receive().await.expect("a packet");
            }
        })
        .await;
    }

    /// Waits until a client has received a number of further counts.
    ///
    /// # Panics
    ///
    /// When the client lacks the board.
    pub async fn see_counts<C>(&self, peer: &mut NetworkPeer<C>, counts: u32) {
        let board = peer.client().get::<Board>(self.board).expect("the board");
        let start = *board.count;
        self.see(peer, |board| board.count > start + counts).await;
    }

    /// Stops the server, and returns it.
    pub async fn stop(self) -> NetworkServer {
        self.remote.stop().await
    }

    /// Waits until a command has stopped the server.
    pub async fn stopped(self) -> NetworkServer {
        self.remote.stopped().await
    }

    /// Drops the server with its sockets, as a crash does.
    pub async fn abort(self) {
        self.remote.abort().await;
    }
}

impl<T> Deref for Running<T> {
    type Target = Remote<NetworkServer>;

    fn deref(&self) -> &Self::Target {
        &self.remote
    }
}

impl<T> DerefMut for Running<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.remote
    }
}
