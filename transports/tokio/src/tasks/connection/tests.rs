//! Shares of one tick.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use syncvar_net::{NetworkServer, ServerConfig};
use syncvar_runtime::Prefabs;
use tokio::task::JoinSet;

use super::super::inbox::{Delivery, inbox};
use super::super::outbox::outbox;
use super::*;
use crate::TransportCounters;
use crate::admission::Admission;
use crate::link::Arrival;
use crate::turn::Turns;

/// Server, and connections without sockets.
struct Ends {
    server: NetworkServer,
    admission: Arc<Admission>,
    options: TransportOptions,
    connections: BTreeMap<ConnectionId, Connection>,
    tasks: JoinSet<()>,
    next: ConnectionId,
}

impl Ends {
    fn new(options: TransportOptions) -> Self {
        let config = ServerConfig {
            compare_schemas: false,
            ..ServerConfig::default()
        };
        Self {
            server: NetworkServer::with_config(Prefabs::new(), config),
            admission: Admission::new(
                &options,
                TransportCounters::default(),
                crate::PeerAddrs::default(),
            ),
            options,
            connections: BTreeMap::new(),
            tasks: JoinSet::new(),
            next: ConnectionId(0),
        }
    }

    fn connect(&mut self) -> (ConnectionId, Delivery) {
        let id = self.server.handle_connect();
        let (ready, _) = tokio::sync::mpsc::unbounded_channel();
        let (delivery, inbox) = inbox(1000, &self.admission, ready);
        let task = self.tasks.spawn(std::future::pending());
        let (_, post) = outbox(usize::MAX, usize::MAX);
        let connection = Connection::new(inbox, post, self.options.max_packet, task);
        self.connections.insert(id, connection);
        (id, delivery)
    }

    /// Runs a tick. Returns the number of packets so far, and whether input waits.
    fn tick(&mut self) -> (u64, bool) {
        let mut faults = Vec::new();
        let active: Vec<ConnectionId> = self.connections.keys().copied().collect();
        let turns = Turns {
            connections: &mut self.connections,
            active: &active,
            next: self.next,
        };
        let next = turns.take(&mut self.server, &self.options, &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
        self.next = next.unwrap_or(self.next);
        (self.server.stats().received.messages, next.is_some())
    }
}

/// As many `Ready` messages on channel 0.
fn ready(messages: usize) -> Arrival {
    Arrival::by_stream(0, Bytes::from([0, 0, 35, 0].repeat(messages)))
}

async fn fill(delivery: &Delivery, packets: usize, messages: usize) {
    for _ in 0..packets {
        assert!(delivery.send(ready(messages)).await.is_ok());
    }
}

#[tokio::test]
async fn a_tick_handles_a_share_of_the_input() {
    let mut ends = Ends::new(TransportOptions {
        max_packet: 18,
        ..TransportOptions::mirror()
    });
    let (id, delivery) = ends.connect();
    fill(&delivery, 10, 1).await;
    for handled in [4, 8, 10, 10] {
        assert_eq!(ends.tick(), (handled, false));
    }
    drop(delivery);
    let lost = ends.connections.get_mut(&id).unwrap().begin(&ends.options);
    assert!(matches!(lost, Err(Fault::Lost)));
}

#[tokio::test]
async fn small_packets_do_not_wait_for_long_ones() {
    let mut ends = Ends::new(TransportOptions {
        max_packet: 4096,
        max_tick_bytes: 10_000,
        max_queued_packets: 1000,
        ..TransportOptions::mirror()
    });
    let flooders: Vec<_> = (0..8).map(|_| ends.connect()).collect();
    for (_, delivery) in &flooders {
        fill(delivery, 10, 1000).await;
    }
    // The last in order.
    let (healthy, delivery) = ends.connect();
    for _ in 0..10 {
        fill(&delivery, 2, 1).await;
        let before = ends.server.stats().received.messages;
        let (after, waits) = ends.tick();
        assert!(waits);
        assert!(!ends.connections[&healthy].inbox.waits());
        // The small packets, and long ones of 4065 bytes up to the bytes of a tick.
        assert_eq!(after - before, 2 + 3);
    }
    let left: Vec<usize> = flooders
        .iter()
        .map(|(id, _)| {
            let connection = ends.connections.get_mut(id).unwrap();
            std::iter::from_fn(|| {
                connection.inbox.first().unwrap();
                connection.inbox.pop()
            })
            .count()
        })
        .collect();
    // All had the same number of turns.
    let (least, most) = (left.iter().min().unwrap(), left.iter().max().unwrap());
    assert!(most - least <= 1, "{left:?}");
}

#[tokio::test]
async fn half_of_a_tick_leaves_no_input() {
    let mut ends = Ends::new(TransportOptions {
        max_tick_bytes: 20_000,
        ..TransportOptions::mirror()
    });
    let connections: Vec<_> = (0..10).map(|_| ends.connect()).collect();
    for round in 1..=10 {
        for (_, delivery) in &connections {
            fill(delivery, 5, 34).await;
        }
        assert_eq!(ends.tick(), (round * 50, false));
    }
}

#[tokio::test]
async fn an_inbox_is_limited_in_bytes() {
    let mut ends = Ends::new(TransportOptions {
        max_inbox_bytes: 1000,
        ..TransportOptions::mirror()
    });
    let (id, delivery) = ends.connect();
    // 401 bytes each.
    fill(&delivery, 2, 100).await;
    let mut third = std::pin::pin!(delivery.send(ready(100)));
    assert!(poll_once(third.as_mut()).await.is_none());
    let counters = ends.admission.counters().clone();
    assert_eq!(counters.stats().inbox_full, 1);
    let inbox = &mut ends.connections.get_mut(&id).unwrap().inbox;
    assert_eq!(inbox.first().unwrap(), Some(401));
    inbox.pop();
    assert!(third.await.is_ok());
}

#[tokio::test]
async fn a_packet_longer_than_the_inbox_waits_alone() {
    let mut ends = Ends::new(TransportOptions {
        max_inbox_bytes: 1000,
        max_packet: 4096,
        ..TransportOptions::mirror()
    });
    let (_, delivery) = ends.connect();
    fill(&delivery, 1, 1000).await;
    assert_eq!(ends.tick(), (1, false));
}

/// Polls a future once.
async fn poll_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|cx| {
        std::task::Poll::Ready(match future.as_mut().poll(cx) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}
