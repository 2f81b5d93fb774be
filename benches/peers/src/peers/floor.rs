//! The hand-written floor of `benches/support`.

use std::time::Instant;

use crate::peer::{Join, Pair, Peer, Sent};
use crate::support::floor::{FloorClient, FloorServer};
use crate::support::random::Random;
use crate::support::workload::{Change, Server, Values};

pub(crate) struct Floor {
    server: FloorServer,
    client: FloorClient,
}

impl Server for Floor {
    fn change(&mut self, object: u32, change: Change) {
        self.server.change(object, change);
    }

    fn tick(&mut self) {
        self.server.tick();
    }
}

impl Pair for Floor {
    fn collect(&mut self) -> Sent {
        let mut sent = Sent::default();
        let outbox = &self.server.outboxes()[0];
        if !outbox.is_empty() {
            sent.add(outbox);
        }
        sent
    }

    fn apply(&mut self) {
        let applied = self.client.apply(&self.server.outboxes()[0]);
        applied.expect("the floor reads itself");
    }
}

impl Peer for Floor {
    const NAME: &str = "floor";

    fn new(objects: u32, clients: usize, random: &mut Random) -> Self {
        let server = FloorServer::new(objects, clients, random);
        let mut snapshot = Vec::new();
        server.write_snapshot(&mut snapshot);
        let mut client = FloorClient::default();
        client.apply(&snapshot).expect("the floor reads itself");
        Self { server, client }
    }

    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        let originals = self.server.values().cloned();
        let replicas = self.client.replicas.iter().cloned();
        originals.zip(replicas.map(Some)).collect()
    }

    fn join(&mut self) -> Join {
        let mut join = Join::default();
        let mut snapshot = Vec::new();
        let start = Instant::now();
        self.server.write_snapshot(&mut snapshot);
        join.send = start.elapsed();
        join.sent.add(&snapshot);
        self.client = FloorClient::default();
        let start = Instant::now();
        let applied = self.client.apply(&snapshot);
        applied.expect("the floor reads itself");
        join.apply = start.elapsed();
        join
    }
}
