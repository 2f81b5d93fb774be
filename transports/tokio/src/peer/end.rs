//! End of a connection: by silence, by the server, by this side.

use std::task::{Context, Poll};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint};

use super::Peer;
use crate::link::ServerLink;
use crate::{Timeout, TransportError};

impl Peer {
    /// Ends the connection after the client's queue, and waits on the thread for at most the
    /// [`close_timeout`](crate::TransportOptions::close_timeout). Protocols without such a message ignore
    /// `text`. In a tokio runtime with one thread, KCP and streams need the runtime: there, go on with
    /// the frames until [`is_over`](Self::is_over).
    pub fn disconnect_blocking(mut self, client: &mut impl Endpoint, text: &str) {
        client.disconnect(ConnectionId::SERVER, text);
        let started = std::time::Instant::now();
        self.leave(client, Duration::ZERO);
        while self.leaving.is_some() {
            self.transmit(client, started.elapsed());
            std::thread::sleep(Duration::from_millis(1));
        }
        client.handle_disconnect(ConnectionId::SERVER);
    }

    /// Adds the time since the last call to the silence of the server. Returns the exceeded limit.
    pub(super) fn timeout(&mut self, client: &impl Endpoint, now: Duration) -> Option<Timeout> {
        let last = self.ticked.replace(now).unwrap_or(now);
        let silent = self.silence.add(now.saturating_sub(last));
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

    /// Handles the end of a connection that the server has ended.
    pub(super) fn end<E: Endpoint>(
        &mut self,
        client: &mut E,
        error: TransportError<E::Error>,
    ) -> TransportError<E::Error> {
        self.link = None;
        client.handle_disconnect(ConnectionId::SERVER);
        error
    }

    /// Begins to end the connection from this side.
    pub(super) fn leave(&mut self, client: &mut impl Endpoint, now: Duration) {
        if let Some(link) = &mut self.link {
            while let Some(packet) = client.poll_transmit() {
                link.send(&packet);
            }
            let linger = self.options.close_timeout;
            link.close(linger);
            self.leaving = Some(now.saturating_add(linger));
        }
        if !client.dials_again() {
            self.dial = None;
        }
    }

    pub(super) fn poll_leave(&mut self, now: Duration, cx: &mut Context<'_>) -> Poll<()> {
        if let (Some(link), Some(leaving)) = (&mut self.link, self.leaving) {
            match link.poll_close(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => tracing::debug!(%error, "the last packets may be lost"),
                Poll::Pending if now < leaving => return Poll::Pending,
                Poll::Pending => {
                    tracing::debug!("the server did not take the last packets in time");
                }
            }
        }
        self.leaving = None;
        self.link = None;
        Poll::Ready(())
    }
}
