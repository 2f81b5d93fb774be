//! A peer with its own clock, on tokio: for the types that own a client.

use std::io;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint};
use tokio::time::{Instant, MissedTickBehavior};

use super::{Peer, transmit};
use crate::TransportError;

/// Event that a [`Peer`] has waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PeerEvent {
    Packet,
    /// The client was updated.
    Tick,
}

impl Peer {
    /// Returns the time of the peer's clock.
    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Waits for the first connection.
    pub(crate) async fn connected(&mut self, client: &mut impl Endpoint) -> io::Result<()> {
        std::future::poll_fn(|cx| self.poll_dial(client, cx)).await?;
        self.started = Instant::now();
        client.hold_clock(true);
        Ok(())
    }

    /// Sends the client's packets, waits for a packet, and passes it to the client.
    pub(crate) async fn next_packet<E: Endpoint>(
        &mut self,
        client: &mut E,
    ) -> Result<(), TransportError<E::Error>> {
        while self.packet_or_tick(client).await? == PeerEvent::Tick {}
        Ok(())
    }

    /// Waits for an event of the client. `None` when the peer [is over](Self::is_over) and the client
    /// has no more events. Malformed packets are logged.
    pub(crate) async fn next_event<E: Endpoint>(&mut self, client: &mut E) -> Option<E::Event> {
        loop {
            if let Some(event) = client.poll_event() {
                return Some(event);
            }
            match self.packet_or_tick(client).await {
                Ok(_) => {}
                Err(TransportError::Malformed(error)) => tracing::warn!(%error, "malformed packet"),
                Err(error) => {
                    tracing::info!(%error, "the connection is over");
                    if self.is_over() {
                        return client.poll_event();
                    }
                }
            }
        }
    }

    /// Ends the connection after the client's queue, and gives the clock back.
    pub(crate) async fn disconnect(mut self, client: &mut impl Endpoint, text: &str) {
        client.update(self.now());
        client.disconnect(ConnectionId::SERVER, text);
        self.leave(client, self.now());
        std::future::poll_fn(|cx| {
            let _ = self.poll_tick(client, cx);
            self.poll_leave(self.now(), cx)
        })
        .await;
        client.handle_disconnect(ConnectionId::SERVER);
        client.hold_clock(false);
    }

    async fn packet_or_tick<E: Endpoint>(
        &mut self,
        client: &mut E,
    ) -> Result<PeerEvent, TransportError<E::Error>> {
        std::future::poll_fn(|cx| self.poll_receive(client, cx)).await
    }

    /// Ready with a tick. Otherwise the next one wakes the task.
    fn poll_tick(&mut self, client: &impl Endpoint, cx: &mut Context<'_>) -> Poll<()> {
        let ticks = self.ticks.get_or_insert_with(|| {
            let tick = Duration::from_secs(1) / client.tick_rate().max(1);
            let mut ticks = tokio::time::interval(tick);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            ticks
        });
        let ticked = ticks.poll_tick(cx).map(drop);
        if ticked.is_ready() {
            // Only a pending timer wakes the task again.
            while ticks.poll_tick(cx).is_ready() {}
        }
        ticked
    }

    fn poll_receive<E: Endpoint>(
        &mut self,
        client: &mut E,
        cx: &mut Context<'_>,
    ) -> Poll<Result<PeerEvent, TransportError<E::Error>>> {
        let ticked = self.poll_tick(client, cx).is_ready();
        let now = self.now();
        if self.leaving.is_some() {
            ready!(self.poll_leave(now, cx));
        }
        if self.link.is_none() {
            if self.is_over() {
                return Poll::Ready(Err(TransportError::Closed));
            }
            return match ready!(self.poll_dial(client, cx)) {
                Ok(()) => Poll::Ready(Ok(PeerEvent::Tick)),
                Err(_) => Poll::Ready(Err(TransportError::Closed)),
            };
        }
        if ticked {
            client.update(now);
        }
        if let Some(link) = &mut self.link {
            transmit(client, link.as_mut(), cx);
        }
        if client.poll_close().is_some() {
            self.leave(client, now);
            return self.poll_receive(client, cx);
        }
        match self.poll_packet(client, now, cx) {
            Poll::Ready(handled) => Poll::Ready(handled.map(|()| PeerEvent::Packet)),
            Poll::Pending if ticked => Poll::Ready(match self.timeout(client, now) {
                Some(timeout) => Err(self.end(client, timeout.into())),
                None => Ok(PeerEvent::Tick),
            }),
            Poll::Pending => Poll::Pending,
        }
    }
}
