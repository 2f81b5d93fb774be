//! `Door`: the way of a task to the endpoint.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use syncvar_runtime::PacketLimits;
use tokio::sync::mpsc;

use super::inbox::{Delivery, Inbox, Ready, inbox};
use super::outbox::{Outbox, Post, outbox};
use crate::TransportOptions;
use crate::admission::Admission;
use crate::peers::PeerFacts;

/// Way of a connection's task to its endpoint: open after the handshake.
#[derive(Debug)]
pub struct Door {
    options: Arc<TransportOptions>,
    admission: Arc<Admission>,
    peer: Option<SocketAddr>,
    origin: Option<String>,
    /// Number of the task in its listener.
    number: u64,
    is_open: Arc<AtomicBool>,
    opened: mpsc::UnboundedSender<Opened>,
    ready: Ready,
}

/// Task's ends of a connection's queues.
#[derive(Debug)]
pub struct Queues {
    /// Packets for the endpoint.
    pub inbox: Delivery,
    /// Packets of the endpoint.
    pub outbox: Outbox,
}

/// Endpoint's ends of a connection's queues.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) number: u64,
    pub(super) peer: Option<PeerFacts>,
    pub(super) limits: PacketLimits,
    pub(super) inbox: Inbox,
    pub(super) post: Post,
}

impl Door {
    pub(super) fn new(
        options: &Arc<TransportOptions>,
        admission: &Arc<Admission>,
        opened: mpsc::UnboundedSender<Opened>,
        ready: Ready,
    ) -> Self {
        Self {
            options: Arc::clone(options),
            admission: Arc::clone(admission),
            peer: None,
            origin: None,
            number: 0,
            is_open: Arc::default(),
            opened,
            ready,
        }
    }

    /// Sets the number of the task. Returns a flag: set when the door is open.
    pub(super) fn number(&mut self, number: u64) -> Arc<AtomicBool> {
        self.number = number;
        Arc::clone(&self.is_open)
    }

    /// Sets the address of the peer: a client learns it when it connects.
    #[must_use]
    pub fn with_peer(self, peer: SocketAddr) -> Self {
        let peer = Some(peer);
        Self { peer, ..self }
    }

    /// Sets the origin that the request of a page's script states; `None` for a native client.
    #[must_use]
    pub fn with_origin(self, origin: Option<String>) -> Self {
        Self { origin, ..self }
    }

    /// Returns the options of the host or peer.
    pub fn options(&self) -> &TransportOptions {
        &self.options
    }

    /// Tells the endpoint of the connection. `limits` are its packet sizes.
    pub fn open(self, limits: PacketLimits) -> Queues {
        let (delivery, inbox) = inbox(self.options.max_queued_packets, &self.admission, self.ready);
        let (outbox, post) = outbox(
            self.options.max_queued_bytes,
            self.options.slow_reader_bytes,
        );
        self.is_open.store(true, Ordering::Relaxed);
        // Fails when the endpoint's side is gone; the queues are closed then.
        let _ = self.opened.send(Opened {
            number: self.number,
            peer: self.peer.map(|addr| PeerFacts {
                addr,
                origin: self.origin,
            }),
            limits,
            inbox,
            post,
        });
        Queues {
            inbox: delivery,
            outbox,
        }
    }
}
