//! A client that lies about its datagrams, and a server that lies about its ticks.

mod clients;
mod servers;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::testing::{Random, compare_replicas};
use syncvar::{Channel, ClientPacket, Endpoint};
use syncvar_testing::{DATAGRAMS, arrive, arrive_at_server};

/// Number of objects.
const UNITS: u32 = 40;

/// Time between two ticks.
const TICK: Duration = Duration::from_millis(33);

/// Lost datagrams of honest clients, per mille.
const LOSS: u32 = 150;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable, send_interval = 0)]
struct Unit {
    #[sync_var]
    x: SyncVar<u32>,
    #[sync_var]
    y: SyncVar<u32>,
    #[sync_var(write = owner)]
    aim: SyncVar<u32>,
    #[sync_var]
    path: SyncList<u32>,
}

#[network_calls]
impl Unit {
    #[command(unreliable)]
    fn shoot(&mut self, number: u32) {
        self.y.set(number);
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

/// Client, its connection and its packets of the last steps.
struct End {
    client: NetworkClient,
    connection: ConnectionId,
    /// Hash of all packets from the server.
    heard: DefaultHasher,
    /// Bytes from the server in this step.
    bytes: usize,
    sent: Vec<ClientPacket>,
    random: Random,
}

/// A server, two honest clients on lossy links, and a client that may lie.
struct World {
    server: NetworkServer,
    honest: [End; 2],
    liar: End,
    ids: Vec<NetId>,
    now: Duration,
    random: Random,
    loss: u32,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut server = NetworkServer::new(prefabs());
        let ids = (0..UNITS).map(|_| server.spawn(Unit::default())).collect();
        let mut end = |seed| {
            let mut client = NetworkClient::new(prefabs());
            Endpoint::handle_connect(&mut client, DATAGRAMS);
            End {
                client,
                connection: Endpoint::handle_connect(&mut server, DATAGRAMS),
                heard: DefaultHasher::new(),
                bytes: 0,
                sent: Vec::new(),
                random: Random::new(seed),
            }
        };
        let (honest, liar) = ([end(seed), end(seed ^ 1)], end(seed ^ 2));
        let mut world = Self {
            server,
            honest,
            liar,
            ids,
            now: Duration::ZERO,
            random: Random::new(seed ^ 3),
            loss: 0,
        };
        for _ in 0..30 {
            world.step();
            world.deliver_of_liar();
        }
        assert!(world.server.is_ready(world.liar.connection));
        world.loss = LOSS;
        world
    }

    /// Writes to some objects, as if no client existed.
    fn write(&mut self) {
        for id in self.ids.clone() {
            if self.random.chance(300) {
                let value = self.random.below(1_000_000);
                let mut unit = self.server.get_mut::<Unit>(id).unwrap();
                match value % 8 {
                    0 if unit.path.len() < 10 => unit.path.push(value),
                    0 => unit.path.clear(),
                    1..4 => *unit.y = value,
                    _ => *unit.x = value,
                }
            }
        }
    }

    /// Updates all ends, and moves the packets of the honest ones.
    fn step(&mut self) {
        self.now += TICK;
        self.server.update(self.now);
        let [first, second] = &mut self.honest;
        let mut ends = [first, second, &mut self.liar];
        for end in &mut ends {
            end.bytes = 0;
        }
        while let Some(packet) = self.server.poll_transmit() {
            let (delivery, channel, bytes) = (packet.delivery, packet.channel, packet.to_bytes());
            let mut receivers = ends.iter_mut();
            let end = receivers.find(|end| end.connection == packet.connection);
            let end = end.expect("a connection of the test");
            (channel, &bytes[..]).hash(&mut end.heard);
            end.bytes += bytes.len();
            if delivery == Channel::Reliable || !end.random.chance(self.loss) {
                // A client decides by itself about a malformed packet.
                let _ = arrive(&mut end.client, (delivery, channel), &bytes);
            }
        }
        for end in ends {
            end.client.update(self.now);
            end.sent.clear();
            end.sent
                .extend(std::iter::from_fn(|| end.client.poll_transmit()));
            while end.client.poll_event().is_some() {}
        }
        for end in &mut self.honest {
            for packet in &end.sent {
                let lost = end.random.chance(self.loss);
                if packet.delivery == Channel::Reliable || !lost {
                    arrive_at_server(&mut self.server, end.connection, packet).unwrap();
                }
            }
        }
    }

    /// Runs without writes and without loss, until honest clients must have all state. The last packets
    /// of the liar are handled long before.
    fn settle(&mut self) {
        self.loss = 0;
        for step in 0..150 {
            self.step();
            if step < 100 {
                self.deliver_of_liar();
            }
        }
    }

    /// Delivers the packets of the liar's client.
    fn deliver_of_liar(&mut self) {
        for packet in &self.liar.sent {
            // The server may have ended the connection.
            let _ = arrive_at_server(&mut self.server, self.liar.connection, packet);
        }
    }

    fn assert_honest_are_equal(&mut self) {
        for end in &mut self.honest {
            let connection = end.connection;
            assert!(self.server.is_ready(connection) && end.client.is_connected());
            let differences = compare_replicas(&mut self.server, connection, &mut end.client);
            assert!(differences.is_empty(), "{differences:?}");
        }
    }
}

/// Returns the bytes of a datagram's header; without SEQ it has no numbers.
fn header(flags: u8, numbers: [u16; 3], parts: [u8; 2], ack: &[u8]) -> Vec<u8> {
    let [sequence, tick, after] = numbers.map(u16::to_le_bytes);
    let mut bytes = vec![flags];
    if flags & 0x01 != 0 {
        bytes.extend([sequence, tick].concat());
        if flags & 0x02 != 0 {
            bytes.extend(after);
        }
    }
    if flags & 0x04 != 0 {
        bytes.extend(after);
    }
    if flags & 0x08 != 0 {
        bytes.extend(parts);
    }
    if flags & 0x10 != 0 {
        bytes.extend(ack);
    }
    bytes
}

/// Returns the bytes of an acknowledgement.
fn ack(newest: u16, handled: u16, missing: &[u8]) -> Vec<u8> {
    let length = u8::try_from(missing.len()).unwrap();
    let numbers = [newest.to_le_bytes(), handled.to_le_bytes()].concat();
    [&numbers[..], &[length], missing].concat()
}

/// Numbers of a forged header: flags, sequence, tick, AFTER, and the parts.
fn numbers() -> impl Strategy<Value = (u8, [u16; 3], [u8; 2])> {
    let small = prop_oneof![0_u16..300, any::<u16>()];
    let number = [small.clone(), small.clone(), small];
    (
        any::<u8>(),
        number,
        prop_oneof![Just([0, 1]), any::<[u8; 2]>()],
    )
}
