//! `Peer`: a client and its connection.

use std::fmt::Debug;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::Channel;
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep};

use super::game::Player;
use super::{TransportError, TransportOptions};
use crate::Limits;

/// What a `MirrorPeer` is, for any client.
#[derive(Debug)]
pub(crate) struct Peer<C> {
    client: C,
    /// Closed as soon as the connection is over.
    wire: Option<Box<dyn Wire>>,
    /// By when the connection is to have ended, if this side ends it.
    leaving: Option<Pin<Box<Sleep>>>,
    options: TransportOptions,
    started: Instant,
    ticks: Interval,
}

/// A socket that is connected to a server.
pub(crate) trait Wire: Debug + Send {
    /// What the connection carries.
    fn limits(&self) -> Limits;

    /// The next message; `Ok(None)` when the connection has been ended.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<(Channel, Bytes)>>>;

    /// Whether too much waits already to send more.
    fn is_full(&self) -> bool;

    /// Queues a message.
    fn send(&mut self, channel: Channel, message: Bytes);

    /// Sends what was queued, as far as the socket takes it.
    fn flush(&mut self, cx: &mut Context<'_>);

    /// Ends the connection: what was queued is sent first, for as long as `linger`.
    fn close(&mut self, linger: Duration);

    /// Goes on until the connection has ended.
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
}

/// What a [`Peer`] has waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Received {
    Message,
    /// The client has been updated.
    Tick,
}

impl<C: Player> Peer<C> {
    pub(crate) fn new(mut client: C, wire: impl Wire + 'static, options: TransportOptions) -> Self {
        client.handle_connect(wire.limits());
        let mut ticks = tokio::time::interval(options.tick.max(Duration::from_micros(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        Self {
            client,
            wire: Some(Box::new(wire)),
            leaving: None,
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
    pub(crate) async fn receive(&mut self) -> Result<(), TransportError> {
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
                Err(TransportError::Malformed(error)) => tracing::warn!(%error, "malformed packet"),
                Err(TransportError::Closed) => return self.client.poll_event(),
                Err(TransportError::Io(error)) => {
                    tracing::debug!(%error, "the connection has failed");
                    return self.client.poll_event();
                }
            }
        }
    }

    /// What the client has queued is sent first.
    pub(crate) async fn disconnect(mut self) -> C {
        self.client.update(self.started.elapsed());
        self.client.disconnect();
        self.leave();
        std::future::poll_fn(|cx| self.poll_leave(cx)).await;
        // It has ended, and nobody is to close it any more.
        self.client.handle_disconnect();
        self.client
    }

    async fn message_or_tick(&mut self) -> Result<Received, TransportError> {
        std::future::poll_fn(|cx| self.poll_receive(cx)).await
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Received, TransportError>> {
        if self.leaving.is_some() {
            ready!(self.poll_leave(cx));
        }
        let Some(wire) = &mut self.wire else {
            return Poll::Ready(Err(TransportError::Closed));
        };
        let updated = self.ticks.poll_tick(cx).is_ready();
        if updated {
            self.client.update(self.started.elapsed());
        }
        transmit(&mut self.client, wire.as_mut(), cx);
        if self.client.poll_close() {
            self.leave();
            return self.poll_receive(cx);
        }
        match wire.poll_receive(cx) {
            Poll::Ready(Ok(Some((channel, message)))) => {
                let handled = self.client.handle_packet(channel, &message);
                transmit(&mut self.client, wire.as_mut(), cx);
                if self.client.poll_close() {
                    self.leave();
                }
                let handled = handled.map(|()| Received::Message);
                Poll::Ready(handled.map_err(TransportError::Malformed))
            }
            Poll::Ready(Ok(None)) => Poll::Ready(Err(self.end(TransportError::Closed))),
            Poll::Ready(Err(error)) => Poll::Ready(Err(self.end(TransportError::Io(error)))),
            Poll::Pending if updated => Poll::Ready(Ok(Received::Tick)),
            Poll::Pending => Poll::Pending,
        }
    }

    /// The other side has ended the connection.
    fn end(&mut self, error: TransportError) -> TransportError {
        self.wire = None;
        self.client.handle_disconnect();
        error
    }

    /// This side ends the connection.
    fn leave(&mut self) {
        if let Some(wire) = &mut self.wire {
            while let Some((channel, message)) = self.client.poll_transmit() {
                wire.send(channel, message);
            }
            let linger = self.options.close_timeout;
            wire.close(linger);
            self.leaving = Some(Box::pin(tokio::time::sleep(linger)));
        }
    }

    fn poll_leave(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let (Some(wire), Some(leaving)) = (&mut self.wire, &mut self.leaving) {
            match wire.poll_close(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => tracing::debug!(%error, "the end may have been missed"),
                Poll::Pending => {
                    ready!(leaving.as_mut().poll(cx));
                    tracing::debug!("the server did not take the end in time");
                }
            }
        }
        self.leaving = None;
        self.wire = None;
        Poll::Ready(())
    }
}

/// Sends what the client wants to send, unless too much waits already.
fn transmit(client: &mut impl Player, wire: &mut dyn Wire, cx: &mut Context<'_>) {
    let mut any = false;
    while !wire.is_full()
        && let Some((channel, message)) = client.poll_transmit()
    {
        wire.send(channel, message);
        any = true;
    }
    if any {
        wire.flush(cx);
    }
}
