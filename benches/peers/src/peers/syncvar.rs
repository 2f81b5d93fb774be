//! `syncvar`: packets as `poll_transmit` gives them out.

use std::time::Instant;

use bytes::Bytes;
use syncvar::{ConnectionId, NetworkClient};

use crate::peer::{Join, Peer, Sent};
use crate::support::random::Random;
use crate::support::replication::{UnitServer, connected_client, receive};
use crate::support::workload::{Change, Server, Unit, Values};

pub(crate) struct Syncvar {
    server: UnitServer,
    client: NetworkClient,
    connection: ConnectionId,
    /// What the last tick sent to the real client.
    outbox: Outbox,
    /// The same, in one piece per packet.
    inbox: Vec<(u8, Bytes)>,
}

/// Packets as a transport would keep them: references to shared pieces, and where each one ends.
#[derive(Default)]
struct Outbox {
    segments: Vec<Bytes>,
    packets: Vec<(u8, usize)>,
}

impl Outbox {
    fn push(&mut self, channel: u8, segments: &[Bytes]) {
        self.segments.extend_from_slice(segments);
        self.packets.push((channel, self.segments.len()));
    }

    fn take_packets(&mut self) -> Vec<(u8, Bytes)> {
        let mut start = 0;
        let packets = self.packets.drain(..).map(|(channel, end)| {
            let segments = &self.segments[start..end];
            start = end;
            (channel, segments.concat().into())
        });
        let packets = packets.collect();
        self.segments.clear();
        packets
    }
}

impl Syncvar {
    /// A tick; what is for `connection` goes into `outbox`.
    fn tick_for(&mut self, connection: ConnectionId) {
        self.server.tick_into(|transmit| {
            if transmit.connection == connection {
                self.outbox.push(transmit.channel, transmit.segments);
            }
        });
    }
}

impl Server for Syncvar {
    fn change(&mut self, object: u32, change: Change) {
        self.server.change(object, change);
    }

    fn tick(&mut self) {
        self.tick_for(self.connection);
    }
}

impl Peer for Syncvar {
    const NAME: &str = "syncvar";

    fn new(objects: u32, clients: usize, random: &mut Random) -> Self {
        let mut server = UnitServer::new(objects, clients - 1, random);
        let connection = server.join();
        let mut this = Self {
            server,
            client: connected_client(),
            connection,
            outbox: Outbox::default(),
            inbox: Vec::new(),
        };
        this.tick();
        this.collect();
        this.apply();
        this
    }

    fn collect(&mut self) -> Sent {
        self.inbox = self.outbox.take_packets();
        let mut sent = Sent::default();
        for (_, packet) in &self.inbox {
            sent.add(packet);
        }
        sent
    }

    fn apply(&mut self) {
        let packets = self.inbox.iter();
        receive(
            &mut self.client,
            packets.map(|(channel, bytes)| (*channel, &bytes[..])),
        );
    }

    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        let pair = |&id| {
            let original = self.server.server.get::<Unit>(id).expect("it was spawned");
            let replica = self.client.get::<Unit>(id);
            (original.values(), replica.map(Unit::values))
        };
        self.server.objects.iter().map(pair).collect()
    }

    fn join(&mut self) -> Join {
        let mut join = Join::default();
        let connection = self.server.join();
        let start = Instant::now();
        self.tick_for(connection);
        join.send = start.elapsed();
        join.sent = self.collect();
        self.client = connected_client();
        let start = Instant::now();
        self.apply();
        join.apply = start.elapsed();
        join
    }
}
