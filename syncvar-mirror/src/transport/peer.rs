//! `Peer`: a client and its connection.

use std::io;
use std::task::{Context, Poll};

use bytes::Bytes;
use syncvar_runtime::Channel;
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::TransportOptions;
use super::game::{Kind, Player};

/// What a `MirrorPeer` is, for any client.
#[derive(Debug)]
pub(crate) struct Peer<C> {
    client: C,
    /// Closed as soon as the connection is over.
    wire: Option<Wire>,
    options: TransportOptions,
    started: Instant,
    ticks: Interval,
}

/// A socket that is connected to a server.
#[derive(Debug)]
pub(crate) enum Wire {
    #[cfg(feature = "telepathy")]
    Telepathy(Box<super::telepathy::Wire>),
    #[cfg(feature = "kcp")]
    Kcp(Box<super::kcp::Wire>),
}

/// What a [`Peer`] has waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Received {
    Message,
    /// The client has been updated.
    Tick,
}

/// Why a [`Peer`] receives nothing any more.
#[derive(Debug)]
pub(crate) enum PeerError<E> {
    Closed,
    Io(io::Error),
    Malformed(E),
}

impl<C: Player> Peer<C> {
    pub(crate) fn new(mut client: C, wire: Wire, options: TransportOptions) -> Self {
        client.handle_connect(wire.kind());
        let mut ticks =
            tokio::time::interval(options.tick.max(std::time::Duration::from_micros(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        Self {
            client,
            wire: Some(wire),
            options,
            started: Instant::now(),
            ticks,
        }
    }

    pub(crate) fn client(&self) -> &C {
        &self.client
    }

    pub(crate) fn client_mut(&mut self) -> &mut C {
        &mut self.client
    }

    /// Cancel-safe.
    pub(crate) async fn receive(&mut self) -> Result<(), PeerError<C::Error>> {
        while self.message_or_tick().await? == Received::Tick {}
        Ok(())
    }

    /// Cancel-safe.
    pub(crate) async fn next_event(&mut self) -> Option<C::Event> {
        loop {
            if let Some(event) = self.client.poll_event() {
                return Some(event);
            }
            match self.message_or_tick().await {
                Ok(_) => {}
                Err(PeerError::Malformed(error)) => tracing::warn!(%error, "malformed packet"),
                Err(PeerError::Closed) => return self.client.poll_event(),
                Err(PeerError::Io(error)) => {
                    tracing::debug!(%error, "the connection has failed");
                    return self.client.poll_event();
                }
            }
        }
    }

    pub(crate) async fn disconnect(mut self) -> C {
        let now = self.started.elapsed();
        self.client.update(now);
        if let Some(mut wire) = self.wire.take() {
            while let Some((channel, message)) = self.client.poll_transmit() {
                wire.send(channel, message);
            }
            let linger = self.options.close_timeout;
            match tokio::time::timeout(linger, wire.close(linger)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!(%error, "the server may have missed the end"),
                Err(_) => tracing::debug!("the server did not take the end in time"),
            }
            self.client.handle_disconnect();
        }
        self.client
    }

    async fn message_or_tick(&mut self) -> Result<Received, PeerError<C::Error>> {
        std::future::poll_fn(|cx| self.poll_receive(cx)).await
    }

    fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Received, PeerError<C::Error>>> {
        let Some(wire) = &mut self.wire else {
            return Poll::Ready(Err(PeerError::Closed));
        };
        let updated = self.ticks.poll_tick(cx).is_ready();
        if updated {
            self.client.update(self.started.elapsed());
        }
        transmit(&mut self.client, wire, cx);
        if self.client.poll_close() {
            // What was to be said before has been said, as far as the socket has taken it.
            return Poll::Ready(Err(self.end(PeerError::Closed)));
        }
        match wire.poll_receive(cx) {
            Poll::Ready(Ok(Some((channel, message)))) => {
                let handled = self.client.handle_packet(channel, &message);
                transmit(&mut self.client, wire, cx);
                if self.client.poll_close() {
                    self.wire = None;
                }
                let handled = handled.map(|()| Received::Message);
                Poll::Ready(handled.map_err(PeerError::Malformed))
            }
            Poll::Ready(Ok(None)) => Poll::Ready(Err(self.end(PeerError::Closed))),
            Poll::Ready(Err(error)) => Poll::Ready(Err(self.end(PeerError::Io(error)))),
            Poll::Pending if updated => Poll::Ready(Ok(Received::Tick)),
            Poll::Pending => Poll::Pending,
        }
    }

    fn end(&mut self, error: PeerError<C::Error>) -> PeerError<C::Error> {
        self.wire = None;
        self.client.handle_disconnect();
        error
    }
}

/// Sends what the client wants to send, unless too much waits already.
fn transmit(client: &mut impl Player, wire: &mut Wire, cx: &mut Context<'_>) {
    while !wire.is_full()
        && let Some((channel, message)) = client.poll_transmit()
    {
        wire.send(channel, message);
    }
    wire.flush(cx);
}

impl Wire {
    fn kind(&self) -> Kind {
        match self {
            #[cfg(feature = "telepathy")]
            Self::Telepathy(_) => Kind::Telepathy,
            #[cfg(feature = "kcp")]
            Self::Kcp(_) => Kind::Kcp,
        }
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<(Channel, Bytes)>>> {
        match self {
            #[cfg(feature = "telepathy")]
            Self::Telepathy(wire) => wire.poll_receive(cx),
            #[cfg(feature = "kcp")]
            Self::Kcp(wire) => wire.poll_receive(cx),
        }
    }

    fn is_full(&self) -> bool {
        match self {
            #[cfg(feature = "telepathy")]
            Self::Telepathy(wire) => wire.is_full(),
            #[cfg(feature = "kcp")]
            Self::Kcp(wire) => wire.is_full(),
        }
    }

    fn send(&mut self, channel: Channel, message: Bytes) {
        match self {
            // Everything is reliable there.
            #[cfg(feature = "telepathy")]
            Self::Telepathy(wire) => wire.send(&message),
            #[cfg(feature = "kcp")]
            Self::Kcp(wire) => wire.send(channel, message),
        }
    }

    fn flush(&mut self, cx: &mut Context<'_>) {
        match self {
            #[cfg(feature = "telepathy")]
            Self::Telepathy(wire) => wire.flush(cx),
            #[cfg(feature = "kcp")]
            Self::Kcp(wire) => wire.flush(cx),
        }
    }

    async fn close(&mut self, linger: std::time::Duration) -> io::Result<()> {
        match self {
            #[cfg(feature = "telepathy")]
            Self::Telepathy(wire) => wire.close().await,
            #[cfg(feature = "kcp")]
            Self::Kcp(wire) => wire.close(linger).await,
        }
    }
}
