//! `syncvar` with datagrams. The first client is real; the others have joined as real ones, and then only
//! acknowledge, each on a link with its own losses: 100 worlds in memory between two ticks would empty the caches
//! of the server, whose clients are elsewhere.

use std::time::Duration;

use allocation_counter::measure;
use bytes::Bytes;
use syncvar::prelude::*;
use syncvar::{Channel, Endpoint, PacketLimits};

use super::{Losses, Lossy, Memory, WARM_UP_TICKS};
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

/// Ticks of a join.
const SETTLE_TICKS: usize = 10;

const LIMITS: PacketLimits = PacketLimits {
    datagrams: true,
    ..PacketLimits::STREAM
};

/// Packet in the hands of a transport.
struct Packet {
    connection: ConnectionId,
    delivery: Channel,
    channel: u8,
    header: Header,
    /// Range of its chunks.
    chunks: (usize, usize),
}

/// Copy of a header, of at most 24 bytes.
struct Header([u8; 24], usize);

impl Header {
    fn new(bytes: &[u8]) -> Self {
        let mut header = [0; 24];
        header[..bytes.len()].copy_from_slice(bytes);
        Self(header, bytes.len())
    }

    fn bytes(&self) -> &[u8] {
        &self.0[..self.1]
    }
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

/// Client that only acknowledges.
#[derive(Default)]
struct Acknowledger {
    /// Packets of the stream after the answer to Connect.
    handled: u16,
    newest: u16,
    /// Bit i is set if the sequence `newest - 1 - i` has arrived.
    arrived: u64,
    has_news: bool,
}

struct Link {
    connection: ConnectionId,
    acknowledger: Acknowledger,
    /// `None` for a client that only acknowledges.
    client: Option<NetworkClient>,
}

pub(crate) struct Syncvar {
    server: NetworkServer,
    objects: Vec<NetId>,
    now: Duration,
    ticks: usize,
    links: Vec<Link>,
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
            header: Header::new(transmit.header),
            chunks: (start, self.chunks.len()),
        });
    }

    fn bytes(&self, packet: &Packet) -> Vec<u8> {
        let (start, end) = packet.chunks;
        [packet.header.bytes(), &self.chunks[start..end].concat()].concat()
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

impl Acknowledger {
    /// Takes the header of a packet.
    fn take(&mut self, delivery: Channel, header: &[u8]) {
        if delivery == Channel::Reliable {
            self.handled = self.handled.wrapping_add(1);
            return;
        }
        let [flags, low, high, ..] = *header else {
            return;
        };
        // Datagrams arrive in order; those without a sequence only acknowledge.
        if flags & 1 == 1 {
            let sequence = u16::from_le_bytes([low, high]);
            let step = u32::from(sequence.wrapping_sub(self.newest));
            let before = u64::from(self.newest > 0);
            self.arrived = self.arrived.checked_shl(step).unwrap_or(0);
            self.arrived |= before.checked_shl(step - 1).unwrap_or(0);
            self.newest = sequence;
            self.has_news = true;
        }
    }

    /// Returns a datagram with an acknowledgement, if anything has arrived since the last one.
    fn answer(&mut self) -> Option<Bytes> {
        if !std::mem::take(&mut self.has_news) {
            return None;
        }
        let sent = self.newest.saturating_sub(1).min(64);
        let sent = u64::MAX.checked_shr(64 - u32::from(sent)).unwrap_or(0);
        let missing = (!self.arrived & sent).to_le_bytes();
        let length = missing
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        let mut bytes = vec![0x10];
        bytes.extend(self.newest.to_le_bytes());
        bytes.extend(self.handled.to_le_bytes());
        bytes.push(u8::try_from(length).expect("at most 8"));
        bytes.extend(&missing[..length]);
        Some(bytes.into())
    }
}

impl Link {
    fn take(&mut self, packet: &Packet, outbox: &Packets) {
        let counts = self.client.as_ref().is_none_or(NetworkClient::is_connected);
        if counts {
            self.acknowledger
                .take(packet.delivery, packet.header.bytes());
        }
        if let Some(client) = &mut self.client {
            let place = (packet.delivery, packet.channel);
            arrive(client, ConnectionId::SERVER, place, &outbox.bytes(packet));
        }
    }

    fn answer(&mut self, now: Duration, answers: &mut Vec<Answer>) {
        let connection = self.connection;
        let Some(client) = &mut self.client else {
            let answer = self.acknowledger.answer().map(|bytes| Answer {
                connection,
                delivery: Channel::Unreliable,
                channel: 1,
                bytes,
            });
            return answers.extend(answer);
        };
        client.update(now);
        while let Some(packet) = Endpoint::poll_transmit(client) {
            answers.push(Answer {
                connection,
                delivery: packet.delivery,
                channel: packet.channel,
                bytes: packet.to_bytes(),
            });
        }
        while client.poll_event().is_some() {}
    }
}

impl Syncvar {
    /// Runs a call of the server. Until the warm-up is over, counts the memory that it takes or gives back.
    fn counted(&mut self, call: impl FnOnce(&mut Self)) {
        if self.ticks > SETTLE_TICKS + WARM_UP_TICKS {
            return call(self);
        }
        let info = measure(|| call(self));
        self.memory.connections += info.bytes_current;
    }

    fn settle(&mut self) {
        let mut losses = Losses::new(0);
        for _ in 0..SETTLE_TICKS {
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
            this.ticks += 1;
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
            ticks: 0,
            links: Vec::new(),
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
            this.links.push(Link {
                connection,
                acknowledger: Acknowledger::default(),
                client: Some(client),
            });
        }
        this.settle();
        for link in &mut this.links[1..] {
            link.client = None;
        }
        this
    }

    fn carry(&mut self, losses: &mut Losses) -> Sent {
        let mut sent = Sent::default();
        let outbox = std::mem::take(&mut self.outbox);
        let first = self.links[0].connection;
        for packet in &outbox.packets {
            if packet.connection == first {
                sent.add(&outbox.bytes(packet));
            }
            if packet.delivery == Channel::Unreliable && losses.loses() {
                continue;
            }
            let of_packet = |link: &&mut Link| link.connection == packet.connection;
            let link = self.links.iter_mut().find(of_packet);
            link.expect("a connection of this bench")
                .take(packet, &outbox);
        }
        // The server made these chunks: the memory comes back to it.
        self.outbox = outbox;
        self.counted(|this| {
            this.outbox.packets.clear();
            this.outbox.chunks.clear();
        });
        // Their memory is that of a transport, not of the server.
        self.answers.clear();
        for link in &mut self.links {
            link.answer(self.now, &mut self.answers);
        }
        let mut is_lost =
            |answer: &Answer| answer.delivery == Channel::Unreliable && losses.loses();
        self.answers.retain(|answer| !is_lost(answer));
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
        self.answers = answers;
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
        let client = self.links[0].client.as_ref().expect("the real one");
        let replica = |id| client.get::<Craft>(id).map(|craft| craft.unit.values());
        let pair = |id: &NetId| (original(*id), replica(*id));
        self.objects.iter().map(pair).collect()
    }

    fn memory(&self) -> Option<Memory> {
        Some(self.memory)
    }
}
