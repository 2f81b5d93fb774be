//! State on unreliable channels over links that lose packets: every replica converges.

use std::time::Duration;

use bytes::Bytes;
use syncvar::prelude::*;
use syncvar::testing::{Conditions, Random};
use syncvar::{Channel, Endpoint, PacketLimits, ServerConfig};

/// Object whose fields travel in datagrams.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Mover {
    #[sync_var]
    x: SyncVar<u32>,
    #[sync_var]
    y: SyncVar<u32>,
    #[sync_var(read = owner)]
    secret: SyncVar<u32>,
    #[sync_var]
    path: SyncList<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Mover>("mover")
        .register::<Plain>("plain")
}

#[test]
fn lost_values_arrive_after_the_last_write() {
    for loss_per_mille in [0_u16, 100, 300] {
        let link = Conditions {
            delay: Duration::from_millis(40),
            jitter: Duration::from_millis(30),
            loss: f64::from(loss_per_mille) / 1000.0,
            seed: u64::from(loss_per_mille),
            ..Conditions::default()
        };
        let mut net = network(link);
        net.settle();
        let ids: Vec<_> = (0..100)
            .map(|_| net.server.spawn(Mover::default()))
            .collect();
        let mut random = Random::new(7);
        for step in 0..100_u32 {
            for (number, id) in (0..).zip(&ids) {
                if step > number || random.chance(300) {
                    let mut mover = net.server.get_mut::<Mover>(*id).unwrap();
                    mover.x.set(step);
                    if random.chance(100) {
                        mover.path.push(step);
                    }
                }
            }
            net.step();
        }
        net.settle();
        net.assert_replicas_equal();
    }

    /// Returns a network with 3 clients on links of this quality.
    fn network(link: Conditions) -> MemoryNetwork {
        let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
        net.datagrams = true;
        for _ in 0..3 {
            net.connect();
        }
        net
    }
}

/// Clients that lose all datagrams of some ticks.
struct Deaf {
    server: NetworkServer,
    clients: Vec<(ConnectionId, NetworkClient)>,
    now: Duration,
}

impl Deaf {
    fn new(clients: usize) -> Self {
        let limits = PacketLimits {
            datagrams: true,
            ..PacketLimits::STREAM
        };
        let mut server = NetworkServer::new(prefabs());
        let clients = (0..clients).map(|_| {
            let mut client = NetworkClient::new(prefabs());
            Endpoint::handle_connect(&mut client, limits);
            (Endpoint::handle_connect(&mut server, limits), client)
        });
        let mut deaf = Self {
            clients: clients.collect(),
            server,
            now: Duration::ZERO,
        };
        (0..20).for_each(|_| drop(deaf.tick(false)));
        deaf
    }

    /// Returns the chunks of the datagrams to each client.
    fn tick(&mut self, loses: bool) -> Vec<Vec<Bytes>> {
        self.now += Duration::from_millis(34);
        let mut chunks = vec![Vec::new(); self.clients.len()];
        self.server.update(self.now);
        while let Some(packet) = self.server.poll_transmit() {
            let mut clients = self.clients.iter_mut().zip(&mut chunks);
            let to = clients.find(|((id, _), _)| *id == packet.connection);
            let ((_, client), chunks) = to.unwrap();
            if packet.delivery == Channel::Reliable {
                client
                    .handle_packet(packet.channel, &packet.to_bytes())
                    .unwrap();
                continue;
            }
            chunks.extend_from_slice(packet.chunks);
            if !loses {
                client
                    .handle_datagram(packet.channel, &packet.to_bytes())
                    .unwrap();
            }
        }
        for (id, client) in &mut self.clients {
            client.update(self.now);
            while let Some(packet) = client.poll_transmit() {
                let handled = match packet.delivery {
                    Channel::Reliable => {
                        self.server
                            .handle_packet(*id, packet.channel, &packet.bytes)
                    }
                    Channel::Unreliable => {
                        self.server
                            .handle_datagram(*id, packet.channel, &packet.bytes)
                    }
                };
                handled.unwrap();
            }
        }
        chunks
    }

    fn write(&mut self, id: NetId, x: u32) {
        self.server.get_mut::<Plain>(id).unwrap().x.set(x);
    }
}

/// Object without restricted fields.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Plain {
    #[sync_var]
    x: SyncVar<u32>,
    #[sync_var]
    y: SyncVar<u32>,
}

#[test]
fn clients_that_lost_a_chunk_share_its_copy() {
    let mut deaf = Deaf::new(3);
    let ids: Vec<_> = (0..20)
        .map(|_| deaf.server.spawn(Plain::default()))
        .collect();
    (0..4).for_each(|_| drop(deaf.tick(false)));
    for id in &ids {
        let mut plain = deaf.server.get_mut::<Plain>(*id).unwrap();
        plain.x.set(1);
        plain.y.set(1);
    }
    let lost = deaf.tick(true);
    deaf.write(ids[3], 2);
    deaf.server.despawn(ids[5]).unwrap();
    let mut copies = Vec::new();
    for step in 0..8 {
        deaf.write(ids[7], 3 + step);
        let mut chunks = deaf.tick(false);
        let repaired = chunks[0].iter().position(|chunk| chunk.len() > 50);
        copies.extend(repaired.map(|at| {
            chunks
                .iter_mut()
                .map(|it| it.remove(at))
                .collect::<Vec<_>>()
        }));
    }
    let [copy] = &copies[..] else {
        panic!("{} repairs", copies.len());
    };
    assert!(
        copy.iter().all(|it| it.as_ptr() == copy[0].as_ptr()),
        "written once"
    );
    // Entries of 2 bytes of header and masks, and 2 of values.
    assert!(
        copy[0].len() < lost[0][0].len() - 2 * 4,
        "without those written or gone since"
    );
    for (_, client) in &deaf.clients {
        for (number, id) in ids.iter().enumerate() {
            let found = client.get::<Plain>(*id).map(|it| (*it.x, *it.y));
            let expected = match number {
                3 => Some((2, 1)),
                5 => None,
                7 => Some((10, 1)),
                _ => Some((1, 1)),
            };
            assert_eq!(found, expected, "object {number}");
        }
    }
}
