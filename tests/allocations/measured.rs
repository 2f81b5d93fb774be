//! `Measured`: a server and clients whose allocations are counted in each tick.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use allocation_counter::measure;
use bytes::Bytes;
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{Channel, Endpoint, PacketLimits};
use syncvar_testing::{arrive, arrive_at_server};

/// Ticks for which a transport holds packets.
const HOLD: usize = 2;

/// A packet on its way to a client, as a transport keeps it.
struct Kept {
    receiver: usize,
    delivery: Channel,
    channel: u8,
    header: ([u8; 24], usize),
    chunks: Range<usize>,
}

/// Packets of one tick.
struct Packets {
    packets: Vec<Kept>,
    chunks: Vec<Bytes>,
}

impl Packets {
    fn new() -> Self {
        Self {
            packets: Vec::with_capacity(10_000),
            chunks: Vec::with_capacity(10_000),
        }
    }
}

/// A server and its clients. The memory of the packets between them does not count.
pub(crate) struct Measured {
    pub(crate) server: NetworkServer,
    /// Clients by connection. Packets to further connections are dropped.
    pub(crate) clients: Vec<(ConnectionId, NetworkClient)>,
    pub(crate) random: Random,
    /// Percent of the datagrams that are lost.
    pub(crate) loss: u32,
    limits: PacketLimits,
    now: Duration,
    /// Packets of the last ticks, which a transport may hold still.
    held: VecDeque<Packets>,
}

impl Measured {
    pub(crate) fn new(server: NetworkServer, limits: PacketLimits) -> Self {
        Self {
            server,
            clients: Vec::new(),
            random: Random::new(5),
            loss: 0,
            limits,
            now: Duration::ZERO,
            held: (0..=HOLD).map(|_| Packets::new()).collect(),
        }
    }

    pub(crate) fn connect(&mut self, mut client: NetworkClient) -> ConnectionId {
        Endpoint::handle_connect(&mut client, self.limits);
        let connection = Endpoint::handle_connect(&mut self.server, self.limits);
        self.clients.push((connection, client));
        connection
    }

    /// Runs a tick. Returns the allocations of the server and of the clients.
    pub(crate) fn tick(&mut self) -> (u64, u64) {
        self.now += Duration::from_millis(40);
        let mut packets = self.held.pop_front().unwrap();
        packets.packets.clear();
        let sent = self.send(&mut packets);
        let mut received = 0;
        for packet in &packets.packets {
            let is_datagram = packet.delivery == Channel::Unreliable;
            if is_datagram && self.random.chance(10 * self.loss) {
                continue;
            }
            let (header, length) = &packet.header;
            let mut bytes = header[..*length].to_vec();
            for chunk in &packets.chunks[packet.chunks.clone()] {
                bytes.extend_from_slice(chunk);
            }
            let client = &mut self.clients[packet.receiver].1;
            let handled = measure(|| {
                arrive(client, (packet.delivery, packet.channel), &bytes).unwrap();
                while client.poll_event().is_some() {}
            });
            received += handled.count_total;
        }
        self.held.push_back(packets);
        (sent + self.answer(), received)
    }

    /// Updates the server and takes its packets. Returns the allocations.
    fn send(&mut self, packets: &mut Packets) -> u64 {
        let (server, clients) = (&mut self.server, &self.clients);
        let sent = measure(|| {
            // The transport drops the packets of a former tick.
            packets.chunks.clear();
            server.update(self.now);
            while let Some(packet) = server.poll_transmit() {
                let Some(receiver) = clients.iter().position(|(id, _)| *id == packet.connection)
                else {
                    continue;
                };
                let mut header = [0; 24];
                header[..packet.header.len()].copy_from_slice(packet.header);
                let start = packets.chunks.len();
                packets.chunks.extend_from_slice(packet.chunks);
                packets.packets.push(Kept {
                    receiver,
                    delivery: packet.delivery,
                    channel: packet.channel,
                    header: (header, packet.header.len()),
                    chunks: start..packets.chunks.len(),
                });
            }
        });
        sent.count_total
    }

    /// Moves the packets of the clients. Returns the allocations of the server.
    fn answer(&mut self) -> u64 {
        let mut allocated = 0;
        for (connection, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let handled = measure(|| {
                    arrive_at_server(&mut self.server, *connection, &packet).unwrap();
                });
                allocated += handled.count_total;
            }
        }
        while self.server.poll_event().is_some() {}
        allocated
    }
}
