//! `Peer`: the socket of a client, and its ticks.

mod redial;

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint};
use tokio::net::ToSocketAddrs;
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep};

use self::redial::{Redial, within};
use crate::link::ServerLink;
use crate::silence::Silence;
use crate::{Timeout, TransportError, TransportOptions};

/// Socket of a client, with a connection to a server.
///
/// A peer does not own the client. `TcpClient` and `MirrorPeer` do.
///
/// The peer works while [`receive`](Self::receive) or [`next_event`](Self::next_event) is awaited: it
/// reads, writes and [updates](Endpoint::update) the client once per
/// [tick](TransportOptions::tick), with the time since the connection. Both are cancel-safe. Dropping
/// a peer cuts the connection; [`disconnect`](Self::disconnect) sends the client's queue first.
///
/// With [`TransportOptions::reconnect`], a lost connection ends as usual for the client; then the peer
/// connects again, and the client begins a new session. Each session has the events of a first one.
#[derive(Debug)]
pub struct Peer {
    /// `None` as soon as the connection is over.
    link: Option<Box<dyn ServerLink>>,
    /// `None` without further attempts.
    redial: Option<Redial>,
    /// Deadline for the end of a connection that this side ends.
    leaving: Option<Pin<Box<Sleep>>>,
    options: TransportOptions,
    updates: Updates,
    started: Instant,
    ticks: Interval,
    silence: Silence,
    /// Time of the last tick.
    ticked: Instant,
}

/// Times at which a peer updates its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Updates {
    Ticks,
    /// Before each packet, too: the client measures the server's clock by the arrival of packets.
    TicksAndPackets,
}

/// Event that a [`Peer`] has waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Received {
    Packet,
    /// The client was updated.
    Tick,
}

impl Peer {
    /// Connects a client by TCP, and updates it with each packet, too.
    ///
    /// # Errors
    ///
    /// When the connection fails.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "tcp")]
    pub async fn tcp<E: Endpoint>(
        addr: impl ToSocketAddrs,
        client: &mut E,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let framing = crate::stream::Framing::Numbered;
        let mut peer = Self::stream(addr, framing, client, options).await?;
        peer.updates = Updates::TicksAndPackets;
        Ok(peer)
    }

    /// Connects a client by Telepathy (TCP).
    ///
    /// # Errors
    ///
    /// When the connection fails.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "telepathy")]
    pub async fn telepathy<E: Endpoint>(
        addr: impl ToSocketAddrs,
        client: &mut E,
        options: TransportOptions,
    ) -> io::Result<Self> {
        Self::stream(addr, crate::stream::Framing::Plain, client, options).await
    }

    /// Connects a client by KCP (UDP), and waits for the server's answer.
    ///
    /// # Errors
    ///
    /// When the connection fails, or the server has not answered within the
    /// [`kcp_timeout`](TransportOptions::kcp_timeout).
    ///
    /// # Panics
    ///
    /// In a tokio runtime without a timer.
    #[cfg(feature = "kcp")]
    pub async fn kcp<E: Endpoint>(
        addr: impl ToSocketAddrs,
        client: &mut E,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let addrs = resolve(addr).await?;
        let connect = move |options: TransportOptions| {
            let addrs = addrs.clone();
            async move { crate::kcp::KcpLink::connect(&addrs[..], &options).await }
        };
        Self::connect(client, connect, options).await
    }

    #[cfg(any(feature = "tcp", feature = "telepathy"))]
    async fn stream(
        addr: impl ToSocketAddrs,
        framing: crate::stream::Framing,
        client: &mut impl Endpoint,
        options: TransportOptions,
    ) -> io::Result<Self> {
        let addrs = resolve(addr).await?;
        let connect = move |options: TransportOptions| {
            let addrs = addrs.clone();
            async move { crate::stream::StreamLink::connect(&addrs[..], framing, &options).await }
        };
        Self::connect(client, connect, options).await
    }

    async fn connect<F, L>(
        client: &mut impl Endpoint,
        connect: impl Fn(TransportOptions) -> F + Send + 'static,
        options: TransportOptions,
    ) -> io::Result<Self>
    where
        F: Future<Output = io::Result<L>> + Send + 'static,
        L: ServerLink + 'static,
    {
        let link = within(options.connect_timeout, Box::pin(connect(options.clone()))).await?;
        let mut peer = Self::new(client, link, options);
        peer.redial = Redial::new(connect, &peer.options);
        Ok(peer)
    }

    pub(crate) fn new(
        client: &mut impl Endpoint,
        link: impl ServerLink + 'static,
        options: TransportOptions,
    ) -> Self {
        client.handle_connect(link.limits());
        let mut ticks = tokio::time::interval(options.tick.max(Duration::from_micros(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let now = Instant::now();
        Self {
            link: Some(Box::new(link)),
            redial: None,
            leaving: None,
            options,
            updates: Updates::Ticks,
            started: now,
            ticks,
            silence: Silence::default(),
            ticked: now,
        }
    }

    /// Returns the time of the clock by which the peer updates its client: since the first connection.
    pub fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns whether the peer has a connection.
    pub fn is_connected(&self) -> bool {
        self.link.is_some()
    }

    /// Returns whether the last connection is over: the peer receives no more packets.
    pub fn is_over(&self) -> bool {
        let redial = self.redial.as_ref();
        self.link.is_none() && !redial.is_some_and(Redial::has_attempts)
    }

    /// Sends the client's packets, waits for a packet, and passes it to the client.
    ///
    /// Cancel-safe.
    ///
    /// # Errors
    ///
    /// When the connection is over; the last events of the client say so. The next call waits for the
    /// new connection, or fails with [`TransportError::Closed`] if the peer
    /// [is over](Self::is_over). Also for a malformed packet.
    pub async fn receive<E: Endpoint>(
        &mut self,
        client: &mut E,
    ) -> Result<(), TransportError<E::Error>> {
        while self.packet_or_tick(client).await? == Received::Tick {}
        Ok(())
    }

    /// Waits for an event of the client. `None` when the peer [is over](Self::is_over) and the client
    /// has no more events. Malformed packets are logged.
    ///
    /// Cancel-safe.
    pub async fn next_event<E: Endpoint>(&mut self, client: &mut E) -> Option<E::Event> {
        loop {
            if let Some(event) = client.poll_event() {
                return Some(event);
            }
            match self.packet_or_tick(client).await {
                Ok(_) => {}
                Err(TransportError::Malformed(error)) => tracing::warn!(%error, "malformed packet"),
                Err(error) => {
                    tracing::debug!(%error, "the connection is over");
                    if self.is_over() {
                        return client.poll_event();
                    }
                }
            }
        }
    }

    /// Ends the connection, after the client's queue. Protocols without such a message ignore `text`.
    pub async fn disconnect(mut self, client: &mut impl Endpoint, text: &str) {
        client.update(self.started.elapsed());
        client.disconnect(ConnectionId::SERVER, text);
        self.leave(client);
        std::future::poll_fn(|cx| self.poll_leave(cx)).await;
        client.handle_disconnect(ConnectionId::SERVER);
    }

    async fn packet_or_tick<E: Endpoint>(
        &mut self,
        client: &mut E,
    ) -> Result<Received, TransportError<E::Error>> {
        std::future::poll_fn(|cx| self.poll_receive(client, cx)).await
    }

    fn poll_receive<E: Endpoint>(
        &mut self,
        client: &mut E,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Received, TransportError<E::Error>>> {
        if self.leaving.is_some() {
            ready!(self.poll_leave(cx));
        }
        if self.link.is_none() {
            return match ready!(self.poll_redial(client, cx)) {
                Some(()) => Poll::Ready(Ok(Received::Tick)),
                None => Poll::Ready(Err(TransportError::Closed)),
            };
        }
        let updated = self.ticks.poll_tick(cx).is_ready();
        if updated {
            client.update(self.started.elapsed());
        }
        let Some(link) = &mut self.link else {
            return Poll::Ready(Err(TransportError::Closed));
        };
        transmit(client, link.as_mut(), cx);
        if client.poll_close().is_some() {
            self.leave(client);
            return self.poll_receive(client, cx);
        }
        match link.poll_receive(cx) {
            Poll::Ready(Ok(Some((channel, packet)))) => {
                self.silence.end();
                if let Some(redial) = &mut self.redial {
                    redial.succeed();
                }
                if self.updates == Updates::TicksAndPackets {
                    client.update(self.started.elapsed());
                }
                let handled = client.handle_packet(ConnectionId::SERVER, channel, &packet);
                transmit(client, link.as_mut(), cx);
                if client.poll_close().is_some() {
                    self.leave(client);
                    // The server waits for this end to close: it must not depend on the next call.
                    let _ = self.poll_leave(cx);
                }
                let handled = handled.map(|()| Received::Packet);
                Poll::Ready(handled.map_err(TransportError::Malformed))
            }
            Poll::Ready(Ok(None)) => Poll::Ready(Err(self.end(client, TransportError::Closed))),
            Poll::Ready(Err(error)) => {
                Poll::Ready(Err(self.end(client, TransportError::Io(error))))
            }
            Poll::Pending if updated => Poll::Ready(match self.timeout(client) {
                Some(timeout) => Err(self.end(client, timeout.into())),
                None => Ok(Received::Tick),
            }),
            Poll::Pending => Poll::Pending,
        }
    }

    /// Adds a tick to the silence of the server. Returns the exceeded limit.
    fn timeout(&mut self, client: &impl Endpoint) -> Option<Timeout> {
        let now = Instant::now();
        let silent = self.silence.add(now.duration_since(self.ticked));
        self.ticked = now;
        let (limit, timeout) = if self.silence.is_first() {
            (self.options.handshake_timeout, Timeout::Handshake)
        } else {
            (self.options.idle_timeout, Timeout::Idle)
        };
        if silent < limit {
            return None;
        }
        if client.expects_packets(ConnectionId::SERVER) {
            return Some(timeout);
        }
        self.silence.end();
        None
    }

    /// Ready with a new connection, or with `None` without further attempts.
    fn poll_redial(
        &mut self,
        client: &mut impl Endpoint,
        cx: &mut Context<'_>,
    ) -> Poll<Option<()>> {
        let Some(redial) = &mut self.redial else {
            return Poll::Ready(None);
        };
        let link = ready!(redial.poll_connect(&self.options, cx));
        Poll::Ready(link.map(|link| {
            client.handle_connect(link.limits());
            self.link = Some(link);
            self.silence = Silence::default();
            self.ticked = Instant::now();
        }))
    }

    /// Handles the end of a connection that the server has ended.
    fn end<E: Endpoint>(
        &mut self,
        client: &mut E,
        error: TransportError<E::Error>,
    ) -> TransportError<E::Error> {
        self.link = None;
        client.handle_disconnect(ConnectionId::SERVER);
        error
    }

    /// Begins to end the connection from this side.
    fn leave(&mut self, client: &mut impl Endpoint) {
        if let Some(link) = &mut self.link {
            while let Some(packet) = client.poll_transmit() {
                link.send(&packet);
            }
            let linger = self.options.close_timeout;
            link.close(linger);
            self.leaving = Some(Box::pin(tokio::time::sleep(linger)));
        }
        self.redial = None;
    }

    fn poll_leave(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let (Some(link), Some(leaving)) = (&mut self.link, &mut self.leaving) {
            match link.poll_close(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => tracing::debug!(%error, "the last packets may be lost"),
                Poll::Pending => {
                    ready!(leaving.as_mut().poll(cx));
                    tracing::debug!("the server did not take the last packets in time");
                }
            }
        }
        self.leaving = None;
        self.link = None;
        Poll::Ready(())
    }
}

async fn resolve(addr: impl ToSocketAddrs) -> io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host(addr).await?.collect())
}

/// Sends the client's packets until the link's queue is full.
fn transmit(client: &mut impl Endpoint, link: &mut dyn ServerLink, cx: &mut Context<'_>) {
    let mut any = false;
    while !link.is_full()
        && let Some(packet) = client.poll_transmit()
    {
        link.send(&packet);
        any = true;
    }
    if any {
        link.flush(cx);
    }
}
