//! `syncvar`: packets as `poll_transmit` gives them out.

use std::time::Instant;

use syncvar::{ConnectionId, Framing, NetworkClient};

use crate::peer::{Join, Pair, Peer, Sent};
use crate::support::outbox::{Outbox, Packets, receive};
use crate::support::random::Random;
use crate::support::replication::{UnitServer, label};
use crate::support::workload::{Change, Server, Unit, Values};

/// Batches of objects with few bytes for each: what two ends of this library speak.
pub(crate) type SyncvarCompact = Syncvar<false>;

/// The literal bytes of UNet.
pub(crate) type SyncvarUnet = Syncvar<true>;

pub(crate) struct Syncvar<const UNET: bool> {
    server: UnitServer,
    client: NetworkClient,
    connection: ConnectionId,
    /// What the last tick sent to the real client.
    outbox: Outbox,
    /// The same, in one piece per packet.
    inbox: Packets,
}

impl<const UNET: bool> Syncvar<UNET> {
    const DIALECT: Framing = if UNET {
        Framing::Unet
    } else {
        Framing::Compact
    };
}

impl<const UNET: bool> Server for Syncvar<UNET> {
    fn change(&mut self, object: u32, change: Change) {
        self.server.change(object, change);
    }

    fn tick(&mut self) {
        self.server.tick_for(self.connection, &mut self.outbox);
    }
}

impl<const UNET: bool> Pair for Syncvar<UNET> {
    fn collect(&mut self) -> Sent {
        self.inbox = self.outbox.take_packets();
        Sent::all(self.inbox.iter().map(|(_, packet)| &packet[..]))
    }

    fn apply(&mut self) {
        receive(&mut self.client, &self.inbox);
    }
}

impl<const UNET: bool> Peer for Syncvar<UNET> {
    const NAME: &str = label(Self::DIALECT);

    fn new(objects: u32, clients: usize, random: &mut Random) -> Self {
        let mut server = UnitServer::new(objects, clients - 1, Self::DIALECT, random);
        let (connection, client) = server.connect();
        let mut this = Self {
            server,
            client,
            connection,
            outbox: Outbox::default(),
            inbox: Packets::new(),
        };
        this.tick();
        this.collect();
        this.apply();
        this
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
        (self.connection, self.client) = self.server.connect();
        let start = Instant::now();
        self.tick();
        join.send = start.elapsed();
        join.sent = self.collect();
        let start = Instant::now();
        self.apply();
        join.apply = start.elapsed();
        join
    }

    fn leave(&mut self) {
        self.server.server.handle_disconnect(self.connection);
        self.tick();
    }
}
