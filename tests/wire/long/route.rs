//! An object that may be large, and a network in which to look at the packets.

use std::time::Duration;

use syncvar::prelude::*;

use syncvar_testing::drain;

/// A way of many points.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Route {
    #[sync_var]
    pub(crate) points: SyncVar<Vec<u64>>,
    #[sync_var]
    pub(crate) bytes: SyncVar<Vec<u8>>,
}

impl Route {
    pub(crate) fn of(points: Vec<u64>) -> Self {
        Self {
            points: points.into(),
            ..Self::default()
        }
    }
}

/// So many numbers of ten bytes each in `Compact`, and nine in `Unet`.
pub(crate) fn numbers(count: usize, seed: u32) -> Vec<u64> {
    let first = u64::MAX - u64::from(seed);
    (0..count as u64).map(|place| first - 3 * place).collect()
}

pub(crate) fn prefabs() -> Prefabs {
    syncvar_testing::prefabs().register::<Route>("route")
}

/// A network with this many clients, all of them ready.
pub(crate) fn network(clients: usize) -> MemoryNetwork {
    let mut net = MemoryNetwork::new(prefabs);
    for _ in 0..clients {
        net.connect();
    }
    net.settle();
    for client in 0..clients {
        drain(&mut net, client);
    }
    net
}

/// Updates the server and hands its packets to the clients. Returns how long they are: a packet is no
/// longer than it may be, or a single message.
pub(crate) fn exchange(net: &mut MemoryNetwork) -> Vec<usize> {
    net.server.update(net.now() + Duration::from_millis(1));
    let packet_size = net.server.config().packet_size;
    let mut packets = Vec::new();
    while let Some(transmit) = net.server.poll_transmit() {
        packets.push((transmit.connection, transmit.channel, transmit.to_bytes()));
    }
    let mut lengths = Vec::new();
    for (connection, channel, packet) in packets {
        let clients = 0..net.client_count();
        let client = clients
            .into_iter()
            .find(|c| net.connection(*c) == connection);
        let client = net.client_mut(client.expect("its client"));
        client
            .handle_packet(channel, &packet)
            .expect("it makes sense");
        assert!(
            packet.len() <= packet_size
                || messages(syncvar_testing::messages(channel, &packet)) == 1
        );
        lengths.push(packet.len());
    }
    // Time passes, so that what changes next is due.
    net.step();
    lengths
}

/// How many messages a packet has, told as WIRE.md says.
fn messages(mut packet: &[u8]) -> usize {
    let mut count = 0;
    while !packet.is_empty() {
        let (short, long) = (&packet[..2], packet[2..4] == [24, 0]);
        let size = if long {
            let length = u32::from_le_bytes(packet[4..8].try_into().unwrap());
            10 + usize::try_from(length).unwrap()
        } else {
            4 + usize::from(u16::from_le_bytes(short.try_into().unwrap()))
        };
        packet = &packet[size..];
        count += 1;
    }
    count
}

/// The points of a route as a client has them.
pub(crate) fn points(net: &MemoryNetwork, client: usize, id: NetId) -> &[u64] {
    &net.client(client).get::<Route>(id).unwrap().points
}

/// Whether every client has a route as the server has it.
pub(crate) fn settled(net: &MemoryNetwork, id: NetId) -> bool {
    let route = net.server.get::<Route>(id).unwrap();
    net.replicas::<Route>(id).all(|replica| {
        replica
            .is_some_and(|replica| replica.points == route.points && replica.bytes == route.bytes)
    })
}

/// The objects that a client was told have changed, in order.
pub(crate) fn changed(net: &mut MemoryNetwork, client: usize) -> Vec<NetId> {
    let events = drain(net, client).into_iter();
    let objects = events.filter_map(|event| match event {
        ClientEvent::Changed { object, .. } => Some(object),
        _ => None,
    });
    objects.collect()
}
