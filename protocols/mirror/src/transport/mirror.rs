//! `MirrorHost` and `MirrorPeer`: the server and the client with sockets.

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{Channel, ConnectionId};
use tokio::net::ToSocketAddrs;

use super::game::{Game, Outgoing, Player};
use super::host::Host;
use super::peer::Peer;
use super::{TransportError, TransportOptions};
use crate::{Limits, MirrorClient, MirrorClientEvent, MirrorError, MirrorServer};

/// A [`MirrorServer`] that listens, on one address or on several, and updates itself at a steady rate.
///
/// ```
/// use std::ops::ControlFlow;
/// use syncvar_mirror::transport::{MirrorHost, MirrorPeer};
/// use syncvar_mirror::{
///     AssetId, MirrorClient, MirrorClientEvent, MirrorPrefab, MirrorPrefabs, MirrorServer,
///     MirrorServerEvent,
/// };
/// # use syncvar_runtime::*;
/// # #[derive(Default)] struct Player;
/// # impl NetworkBehaviour for Player {
/// #     type Previous = ();
/// #     const SCHEMA: BehaviourSchema = BehaviourSchema { name: "Player", base: None, fields: &[] };
/// #     fn sync_var_dirty_bits(&self) -> u64 { 0 }
/// #     fn visit(&mut self, _: &mut (), _: &mut impl FieldVisitor) {}
/// # }
/// fn prefabs() -> MirrorPrefabs {
///     MirrorPrefabs::new().register::<Player>(MirrorPrefab::new("player", AssetId(1001)))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// // 7777 is the port of Mirror's transports, unless they are told another; 0 is any that is free.
/// let host = MirrorHost::kcp("127.0.0.1:0", MirrorServer::new(prefabs())).await?;
/// let addr = host.local_addrs()?[0];
/// tokio::spawn(host.run(|server, _now| {
///     // The game: once per tick.
///     while let Some(event) = server.poll_event() {
///         if let MirrorServerEvent::AddPlayerRequested { connection } = event {
///             server.add_player(connection, Player::default()).unwrap();
///         }
///     }
///     ControlFlow::Continue(())
/// }));
///
/// // A client of Unity's joins now; or one of ours.
/// let mut peer = MirrorPeer::kcp(addr, MirrorClient::new(prefabs())).await?;
/// while let Some(event) = peer.next_event().await {
///     if let MirrorClientEvent::Spawned { object } = event {
///         assert_eq!(peer.client().local_player(), Some(object));
///         break;
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MirrorHost(Host<MirrorServer>);

impl MirrorHost {
    /// Listens for Telepathy (TCP) on an address. Clients can connect from now on; they are let in by
    /// [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// When the address cannot be listened on.
    #[cfg(feature = "telepathy")]
    pub async fn telepathy(addr: impl ToSocketAddrs, server: MirrorServer) -> io::Result<Self> {
        Self(Host::new(server)).and_telepathy(addr).await
    }

    /// Listens for KCP (UDP) on an address. Clients can connect from now on; they are answered by
    /// [`run`](Self::run).
    ///
    /// At `[::]` IPv4 is heard too. A Unity client that is to connect to `localhost` may take IPv6 for it,
    /// and with KCP tries nothing else.
    ///
    /// # Errors
    ///
    /// When the address cannot be listened on.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn kcp(addr: impl ToSocketAddrs, server: MirrorServer) -> io::Result<Self> {
        Self(Host::new(server)).and_kcp(addr).await
    }

    /// Listens for Telepathy on one more address. It may have the same port as KCP.
    ///
    /// # Errors
    ///
    /// When the address cannot be listened on.
    #[cfg(feature = "telepathy")]
    pub async fn and_telepathy(mut self, addr: impl ToSocketAddrs) -> io::Result<Self> {
        self.0.add(super::telepathy::Port::bind(addr).await?);
        Ok(self)
    }

    /// Listens for KCP on one more address.
    ///
    /// # Errors
    ///
    /// When the address cannot be listened on.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn and_kcp(mut self, addr: impl ToSocketAddrs) -> io::Result<Self> {
        self.0.add(super::kcp::Port::bind(addr).await?);
        Ok(self)
    }

    /// With other limits and another rate than the default ones, on all addresses.
    #[must_use]
    pub fn with_options(mut self, options: TransportOptions) -> Self {
        self.0.set_options(options);
        self
    }

    /// The addresses that the host listens on, in the order in which they were given; tells the port
    /// where it was left open.
    ///
    /// # Errors
    ///
    /// When the system does not know.
    pub fn local_addrs(&self) -> io::Result<Vec<SocketAddr>> {
        self.0.local_addrs()
    }

    /// Runs the server until the game ends it.
    ///
    /// Every [tick](TransportOptions::tick), first what the clients have sent is handled; then `game` is
    /// called, with the server and the time since the start; then the server is updated, and what it
    /// has for the clients is sent. Events that `game` finds and does not poll are dropped;
    /// those that come up in it wait for the next tick.
    ///
    /// When `game` returns [`ControlFlow::Break`], its changes are sent once more, and all connections
    /// are closed; the clients have the [`close_timeout`](TransportOptions::close_timeout) to take
    /// everything that waits for them.
    ///
    /// A game that puts another server into the place of this one has done with everybody: the connections
    /// are closed, for they are not the new one's.
    ///
    /// Dropping the future cuts all connections.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without I/O or a timer.
    pub async fn run(
        self,
        game: impl FnMut(&mut MirrorServer, Duration) -> ControlFlow<()>,
    ) -> MirrorServer {
        self.0.run(game).await
    }
}

/// A [`MirrorClient`] that is connected, by Telepathy or by KCP.
///
/// Nothing happens behind the scenes: packets are read and written while
/// [`next_event`](Self::next_event) or [`receive`](Self::receive) is awaited, so one of them should be
/// awaited most of the time, and not be left alone for seconds; the client is
/// [updated](MirrorClient::update) then, once every [tick](TransportOptions::tick), by the time since it
/// was connected. Both are cancel-safe: as a branch of `tokio::select!`, neither loses anything.
/// Dropping a peer cuts its connection; [`disconnect`](Self::disconnect) sends what is left first.
///
/// ```no_run
/// # async fn play(prefabs: syncvar_mirror::MirrorPrefabs) -> std::io::Result<()> {
/// use syncvar_mirror::transport::MirrorPeer;
/// use syncvar_mirror::{MirrorClient, MirrorClientEvent};
///
/// // A bot on a server of Unity's.
/// let mut peer = MirrorPeer::telepathy("127.0.0.1:7777", MirrorClient::new(prefabs)).await?;
/// while let Some(event) = peer.next_event().await {
///     match event {
///         MirrorClientEvent::Spawned { object } => println!("{object} is there"),
///         MirrorClientEvent::Changed { object, fields, .. } => println!("{object}: {fields:?}"),
///         MirrorClientEvent::Disconnected { error } => println!("over: {error:?}"),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MirrorPeer(Peer<MirrorClient>);

impl MirrorPeer {
    /// Connects to a server by Telepathy (TCP).
    ///
    /// # Errors
    ///
    /// When there is no connection to be had.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "telepathy")]
    pub async fn telepathy(addr: impl ToSocketAddrs, client: MirrorClient) -> io::Result<Self> {
        Self::telepathy_with(addr, client, TransportOptions::default()).await
    }

    /// [`telepathy`](Self::telepathy), with other limits and another rate than the default ones.
    ///
    /// # Errors
    ///
    /// When there is no connection to be had.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "telepathy")]
    pub async fn telepathy_with(
        addr: impl ToSocketAddrs,
        client: MirrorClient,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let wire = super::telepathy::Wire::connect(addr, &options).await?;
        Ok(Self(Peer::new(client, wire, options)))
    }

    /// Connects to a server by KCP (UDP), and waits until it has answered.
    ///
    /// # Errors
    ///
    /// When it has not for 10 s ([`kcp_timeout`](TransportOptions::kcp_timeout)), or there is nobody.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn kcp(addr: impl ToSocketAddrs, client: MirrorClient) -> io::Result<Self> {
        Self::kcp_with(addr, client, TransportOptions::default()).await
    }

    /// [`kcp`](Self::kcp), with other limits and another rate than the default ones.
    ///
    /// # Errors
    ///
    /// When the server has not answered in time, or there is nobody.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn kcp_with(
        addr: impl ToSocketAddrs,
        client: MirrorClient,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let wire = super::kcp::Wire::connect(addr, &options).await?;
        Ok(Self(Peer::new(client, wire, options)))
    }

    /// The client.
    pub fn client(&self) -> &MirrorClient {
        self.0.client()
    }

    /// The client, for commands and events. What it wants to send is sent with its next update.
    pub fn client_mut(&mut self) -> &mut MirrorClient {
        self.0.client_mut()
    }

    /// Something that has happened, oldest first; does not wait.
    pub fn poll_event(&mut self) -> Option<MirrorClientEvent> {
        self.0.client_mut().poll_event()
    }

    /// Sends what the client wants to send, waits for a packet, and hands it to the client.
    ///
    /// Cancel-safe.
    ///
    /// # Errors
    ///
    /// When the connection is over, this time and every time after. The client has been told: its last
    /// events say so. After [`TransportError::Malformed`] it is being closed.
    pub async fn receive(&mut self) -> Result<(), TransportError> {
        self.0.receive().await
    }

    /// Waits for something to happen. `None` when the connection is over and all events have been given
    /// out.
    ///
    /// Cancel-safe.
    pub async fn next_event(&mut self) -> Option<MirrorClientEvent> {
        self.0.next_event().await
    }

    /// Ends the connection; what the client has queued is sent first. Returns the client, without its
    /// objects: it can be connected again.
    pub async fn disconnect(self) -> MirrorClient {
        self.0.disconnect().await
    }
}

impl Game for MirrorServer {
    fn handle_connect(&mut self, limits: Limits) -> ConnectionId {
        self.handle_connect(limits)
    }

    fn handle_packet(
        &mut self,
        connection: ConnectionId,
        channel: Channel,
        message: &[u8],
    ) -> Result<(), MirrorError> {
        self.handle_packet(connection, channel, message)
    }

    fn handle_disconnect(&mut self, connection: ConnectionId) {
        self.handle_disconnect(connection);
    }

    fn disconnect_all(&mut self) {
        let connections: Vec<ConnectionId> = self.connections().collect();
        for connection in connections {
            self.disconnect(connection);
        }
    }

    fn update(&mut self, now: Duration) {
        self.update(now);
    }

    fn poll_transmit(&mut self) -> Option<Outgoing<'_>> {
        let transmit = self.poll_transmit()?;
        Some(Outgoing {
            connection: transmit.connection,
            channel: transmit.channel,
            chunks: transmit.chunks(),
        })
    }

    fn poll_close(&mut self) -> Option<ConnectionId> {
        self.poll_close()
    }

    fn is_connected(&self, connection: ConnectionId) -> bool {
        self.is_connected(connection)
    }

    fn event_count(&self) -> u64 {
        self.event_count()
    }

    fn forget_events(&mut self, count: u64) {
        self.forget_events(count);
    }
}

impl Player for MirrorClient {
    type Event = MirrorClientEvent;

    fn handle_connect(&mut self, limits: Limits) {
        self.handle_connect(limits);
    }

    fn handle_packet(&mut self, channel: Channel, message: &[u8]) -> Result<(), MirrorError> {
        self.handle_packet(channel, message)
    }

    fn handle_disconnect(&mut self) {
        self.handle_disconnect();
    }

    fn disconnect(&mut self) {
        self.disconnect();
    }

    fn update(&mut self, now: Duration) {
        self.update(now);
    }

    fn poll_transmit(&mut self) -> Option<(Channel, Bytes)> {
        let packet = self.poll_transmit()?;
        Some((packet.channel, packet.bytes))
    }

    fn poll_close(&mut self) -> bool {
        self.poll_close()
    }

    fn poll_event(&mut self) -> Option<MirrorClientEvent> {
        self.poll_event()
    }
}
