//! `Peer`: the socket of a client, and its ticks.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint};
use tokio::net::ToSocketAddrs;
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep};

use crate::link::ServerLink;
use crate::{TransportError, TransportOptions};

/// Socket of a client, with a connection to a server.
///
/// A peer does not own the client. `TcpClient` and `MirrorPeer` do.
///
/// The peer works while [`receive`](Self::receive) or [`next_event`](Self::next_event) is awaited: it
/// reads, writes and [updates](Endpoint::update) the client once per
/// [tick](TransportOptions::tick), with the time since the connection. Both are cancel-safe. Dropping
/// a peer cuts the connection; [`disconnect`](Self::disconnect) sends the client's queue first.
#[derive(Debug)]
pub struct Peer {
    /// Closed as soon as the connection is over.
    link: Option<Box<dyn ServerLink>>,
    /// Deadline for the end of a connection that this side ends.
    leaving: Option<Pin<Box<Sleep>>>,
    options: TransportOptions,
    updates: Updates,
    started: Instant,
    ticks: Interval,
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
        let link = crate::stream::StreamLink::connect(addr, framing, &options).await?;
        let mut peer = Self::new(client, link, options);
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
        let framing = crate::stream::Framing::Plain;
        let link = crate::stream::StreamLink::connect(addr, framing, &options).await?;
        Ok(Self::new(client, link, options))
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
        let link = crate::kcp::KcpLink::connect(addr, &options).await?;
        Ok(Self::new(client, link, options))
    }

    pub(crate) fn new(
        client: &mut impl Endpoint,
        link: impl ServerLink + 'static,
        options: TransportOptions,
    ) -> Self {
        client.handle_connect(link.limits());
        let mut ticks = tokio::time::interval(options.tick.max(Duration::from_micros(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        Self {
            link: Some(Box::new(link)),
            leaving: None,
            options,
            updates: Updates::Ticks,
            started: Instant::now(),
            ticks,
        }
    }

    /// Sends the client's packets, waits for a packet, and passes it to the client.
    ///
    /// Cancel-safe.
    ///
    /// # Errors
    ///
    /// When the connection is over, this time and every time after; the last events of the client say
    /// so. Also for a malformed packet.
    pub async fn receive<E: Endpoint>(
        &mut self,
        client: &mut E,
    ) -> Result<(), TransportError<E::Error>> {
        while self.packet_or_tick(client).await? == Received::Tick {}
        Ok(())
    }

    /// Waits for an event of the client. `None` when the connection is over and the client has no more
    /// events. Malformed packets are logged.
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
                Err(TransportError::Closed) => return client.poll_event(),
                Err(TransportError::Io(error)) => {
                    tracing::debug!(%error, "the connection has failed");
                    return client.poll_event();
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
        let Some(link) = &mut self.link else {
            return Poll::Ready(Err(TransportError::Closed));
        };
        let updated = self.ticks.poll_tick(cx).is_ready();
        if updated {
            client.update(self.started.elapsed());
        }
        transmit(client, link.as_mut(), cx);
        if client.poll_close().is_some() {
            self.leave(client);
            return self.poll_receive(client, cx);
        }
        match link.poll_receive(cx) {
            Poll::Ready(Ok(Some((channel, packet)))) => {
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
            Poll::Pending if updated => Poll::Ready(Ok(Received::Tick)),
            Poll::Pending => Poll::Pending,
        }
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
