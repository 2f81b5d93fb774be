//! `ShapedLink`: a client's socket behind a simulated link.

use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, PacketLimits, Transmit};

use crate::LinkConditions;
use crate::link::{Arrival, ServerLink};
use crate::shaping::{Shaping, Wakes};

/// Bytes on their way in one direction beyond which the link is full.
const MAX_PENDING: usize = 256 * 1024;

#[derive(Debug)]
pub(crate) struct ShapedLink {
    link: Box<dyn ServerLink>,
    shaping: Shaping,
    /// End of the socket's input, reported after the packets before it.
    end: Option<io::Result<()>>,
    last: std::vec::IntoIter<Arrival>,
}

impl ShapedLink {
    pub(crate) fn new(link: Box<dyn ServerLink>, conditions: &LinkConditions) -> Self {
        Self {
            link,
            shaping: Shaping::new(conditions.clone()),
            end: None,
            last: Vec::new().into_iter(),
        }
    }

    /// Sends the packets that have left the simulated link.
    fn send_due(&mut self) -> bool {
        let mut any = false;
        while let Some(due) = self.shaping.next_sent() {
            self.link.send(&due.transmit());
            any = true;
        }
        any
    }

    /// Reads the socket. Ready with a packet that takes no simulated link, or with the end.
    fn poll_socket(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Arrival>>> {
        loop {
            let (_, bytes) = self.shaping.queued_bytes(ConnectionId::SERVER);
            if bytes >= MAX_PENDING {
                // The packets on the way wake the task.
                return Poll::Pending;
            }
            match ready!(self.link.poll_receive(cx)) {
                Ok(Some(arrival)) if self.shaping.has_links() => {
                    self.shaping.receive(ConnectionId::SERVER, arrival);
                }
                Ok(None) if self.shaping.has_links() => self.finish(Ok(())),
                Err(error) if self.shaping.has_links() => self.finish(Err(error)),
                result => return Poll::Ready(result),
            }
            if self.end.is_some() {
                return Poll::Pending;
            }
        }
    }

    /// Takes the end of the input. The packets on the way arrive at once.
    fn finish(&mut self, end: io::Result<()>) {
        self.end = Some(end);
        let last = self.shaping.end_receiving(ConnectionId::SERVER);
        self.last = last.into_iter();
    }
}

impl ServerLink for ShapedLink {
    fn limits(&self) -> PacketLimits {
        self.link.limits()
    }

    fn peer_addr(&self) -> Option<SocketAddr> {
        self.link.peer_addr()
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Arrival>>> {
        self.shaping.update();
        if self.end.is_none()
            && let Poll::Ready(result) = self.poll_socket(cx)
        {
            return Poll::Ready(result);
        }
        while self.shaping.poll_due(Wakes::Both, cx).is_ready() {
            if self.send_due() {
                self.link.flush(cx);
            }
            if let Some((_, arrival)) = self.shaping.next_received() {
                return Poll::Ready(Ok(Some(arrival)));
            }
        }
        if let Some(arrival) = self.last.next() {
            return Poll::Ready(Ok(Some(arrival)));
        }
        match &mut self.end {
            Some(end) => {
                let end = std::mem::replace(end, Ok(()));
                Poll::Ready(end.map(|()| None))
            }
            None => Poll::Pending,
        }
    }

    fn is_full(&self) -> bool {
        let (bytes, _) = self.shaping.queued_bytes(ConnectionId::SERVER);
        bytes >= MAX_PENDING || self.link.is_full()
    }

    fn send(&mut self, packet: &Transmit<'_>) {
        if !self.shaping.send(packet) {
            self.link.send(packet);
        }
    }

    fn flush(&mut self, cx: &mut Context<'_>) {
        self.send_due();
        self.link.flush(cx);
    }

    fn close(&mut self, linger: Duration) {
        for due in self.shaping.end_sending(ConnectionId::SERVER) {
            self.link.send(&due.transmit());
        }
        self.link.close(linger);
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.link.poll_close(cx)
    }
}
