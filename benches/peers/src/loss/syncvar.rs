//! `syncvar` with datagrams: 100 clients of this library, each on a link with its own losses.

use std::time::Duration;

use allocation_counter::measure;
use bytes::Bytes;
use syncvar::prelude::*;
use syncvar::{Channel, Endpoint, PacketLimits};

use super::{Losses, Lossy, Memory};
use crate::grid::Size;
use crate::peer::Sent;
use crate::support::random::Random;
use crate::support::workload::{Change, Server, Unit, Values};

/// The objects of the workload, with datagrams instead of the stream.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Craft {
    #[network_behaviour(base)]
    unit: Unit,
}

/// Time between two ticks.
const TICK: Duration = Duration::from_nanos(1_000_000_000 / 30);

const LIMITS: PacketLimits = PacketLimits {
    datagrams: true,
    ..PacketLimits::STREAM
};

/// Packet in the hands of a transport.
struct Packet {
    connection: ConnectionId,
    delivery: Channel,
    channel: u8,
    header: Bytes,
    /// Range of its chunks.
    chunks: (usize, usize),
}

/// Packets of one end.
#[derive(Default)]
struct Packets {
    chunks: Vec<Bytes>,
    packets: Vec<Packet>,
}

/// Packet of a client.
struct Answer {
    connection: ConnectionId,
    delivery: Channel,
    channel: u8,
    bytes: Bytes,
}

pub(crate) struct Syncvar {
    server: NetworkServer,
    objects: Vec<NetId>,
    now: Duration,
    clients: Vec<(ConnectionId, NetworkClient)>,
    outbox: Packets,
    answers: Vec<Answer>,
    memory: Memory,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Craft>("craft")
}

impl Packets {
    fn push(&mut self, transmit: &syncvar::Transmit<'_>) {
        let start = self.chunks.len();
        self.chunks.extend_from_slice(transmit.chunks);
        self.packets.push(Packet {
            connection: transmit.connection,
            delivery: transmit.delivery,
            channel: transmit.channel,
            header: Bytes::copy_from_slice(transmit.header),
            chunks: (start, self.chunks.len()),
        });
    }

    fn bytes(&self, packet: &Packet) -> Vec<u8> {
        let (start, end) = packet.chunks;
        [&packet.header[..], &self.chunks[start..end].concat()].concat()
    }
}

/// Hands a packet to an end.
fn arrive<E: Endpoint>(
    end: &mut E,
    from: ConnectionId,
    (delivery, channel): (Channel, u8),
    packet: &[u8],
) {
    let handled = match delivery {
        Channel::Reliable => end.handle_packet(from, channel, packet),
        Channel::Unreliable => end.handle_datagram(from, channel, packet),
    };
    handled.expect("packets of this library make sense");
}

impl Syncvar {
    /// Runs a call of the server, and counts the memory that it takes or gives back.
    fn counted(&mut self, call: impl FnOnce(&mut Self)) {
        let info = measure(|| call(self));
        self.memory.connections += info.bytes_current;
    }

    fn settle(&mut self) {
        let mut losses = Losses::new(0);
        for _ in 0..10 {
            self.tick();
            self.carry(&mut losses);
            self.acknowledge();
        }
    }
}

impl Server for Syncvar {
    fn change(&mut self, object: u32, change: Change) {
        let id = self.objects[object as usize];
        let craft = self.server.get_mut::<Craft>(id);
        craft.expect("the object was spawned").unit.apply(change);
    }

    fn tick(&mut self) {
        self.counted(|this| {
            this.now += TICK;
            this.server.update(this.now);
            while let Some(transmit) = this.server.poll_transmit() {
                this.outbox.push(&transmit);
            }
        });
    }
}

impl Lossy for Syncvar {
    const NAME: &str = "syncvar";

    fn new(size: Size, random: &mut Random) -> Self {
        let (mut server, mut objects) = (NetworkServer::new(prefabs()), Vec::new());
        let held = measure(|| {
            for _ in 0..size.objects {
                let unit = Unit::from(Values::random(random));
                objects.push(server.spawn(Craft { unit }));
            }
        });
        let mut this = Self {
            server,
            objects,
            now: Duration::ZERO,
            clients: Vec::new(),
            outbox: Packets::default(),
            answers: Vec::new(),
            memory: Memory {
                objects: Some(held.bytes_current),
                connections: 0,
            },
        };
        for _ in 0..size.clients {
            let mut client = NetworkClient::new(prefabs());
            Endpoint::handle_connect(&mut client, LIMITS);
            let mut connection = ConnectionId::SERVER;
            this.counted(|this| {
                connection = Endpoint::handle_connect(&mut this.server, LIMITS);
            });
            this.clients.push((connection, client));
        }
        this.settle();
        this
    }

    fn carry(&mut self, losses: &mut Losses) -> Sent {
        let mut sent = Sent::default();
        let outbox = std::mem::take(&mut self.outbox);
        let first = self.clients[0].0;
        for packet in &outbox.packets {
            let bytes = outbox.bytes(packet);
            if packet.connection == first {
                sent.add(&bytes);
            }
            let lost = packet.delivery == Channel::Unreliable && losses.loses();
            let known = |(connection, _): &(ConnectionId, _)| *connection == packet.connection;
            if !lost && let Some(at) = self.clients.iter().position(known) {
                let place = (packet.delivery, packet.channel);
                arrive(&mut self.clients[at].1, ConnectionId::SERVER, place, &bytes);
            }
        }
        // The server made these chunks: the memory comes back to it.
        self.outbox = outbox;
        self.counted(|this| {
            this.outbox.packets.clear();
            this.outbox.chunks.clear();
        });
        for (connection, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = Endpoint::poll_transmit(client) {
                if packet.delivery == Channel::Unreliable && losses.loses() {
                    continue;
                }
                self.answers.push(Answer {
                    connection: *connection,
                    delivery: packet.delivery,
                    channel: packet.channel,
                    bytes: packet.to_bytes(),
                });
            }
            while client.poll_event().is_some() {}
        }
        sent
    }

    fn acknowledge(&mut self) {
        let answers = std::mem::take(&mut self.answers);
        self.counted(|this| {
            for answer in &answers {
                let place = (answer.delivery, answer.channel);
                arrive(&mut this.server, answer.connection, place, &answer.bytes);
            }
            while this.server.poll_event().is_some() {}
        });
    }

    fn replicas(&mut self) -> Vec<(Values, Option<Values>)> {
        let server = &self.server;
        let original = |id| {
            server
                .get::<Craft>(id)
                .expect("it was spawned")
                .unit
                .values()
        };
        let replica = |client: &NetworkClient, id| {
            let craft = client.get::<Craft>(id);
            craft.map(|craft| craft.unit.values())
        };
        let differs = |(_, client): &&(ConnectionId, NetworkClient)| {
            let mut ids = self.objects.iter();
            ids.any(|id| replica(client, *id) != Some(original(*id)))
        };
        let (_, client) = self
            .clients
            .iter()
            .find(differs)
            .unwrap_or(&self.clients[0]);
        let pair = |id: &NetId| (original(*id), replica(client, *id));
        self.objects.iter().map(pair).collect()
    }

    fn memory(&self) -> Option<Memory> {
        Some(self.memory)
    }
}
