//! Memory for peers that lie about their datagrams, or never acknowledge any.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::prelude::*;
use syncvar::{Channel, Endpoint};
use syncvar_testing::{DATAGRAMS, arrive, arrive_at_server};

/// Number of objects.
const UNITS: u32 = 200;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable, send_interval = 0)]
struct Unit {
    #[sync_var]
    x: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

/// A server and a ready client.
struct Pair {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    ids: Vec<NetId>,
    now: Duration,
}

impl Pair {
    fn new() -> Self {
        let mut server = NetworkServer::new(prefabs());
        let mut client = NetworkClient::new(prefabs());
        Endpoint::handle_connect(&mut client, DATAGRAMS);
        let connection = Endpoint::handle_connect(&mut server, DATAGRAMS);
        let ids = (0..UNITS).map(|_| server.spawn(Unit::default())).collect();
        let mut pair = Self {
            server,
            client,
            connection,
            ids,
            now: Duration::ZERO,
        };
        for step in 0..30 {
            pair.step(step, |_| true);
        }
        assert!(pair.server.is_ready(connection) && pair.client.object_count() > 0);
        pair
    }

    /// Changes all objects, and moves the packets; those of the client if `passes` holds for their
    /// delivery.
    fn step(&mut self, value: u32, passes: impl Fn(Channel) -> bool) {
        self.now += Duration::from_millis(33);
        for id in &self.ids {
            self.server.get_mut::<Unit>(*id).unwrap().x.set(value);
        }
        self.server.update(self.now);
        while let Some(packet) = self.server.poll_transmit() {
            let (way, bytes) = ((packet.delivery, packet.channel), packet.to_bytes());
            arrive(&mut self.client, way, &bytes).unwrap();
        }
        self.client.update(self.now);
        while let Some(packet) = self.client.poll_transmit() {
            if passes(packet.delivery) {
                arrive_at_server(&mut self.server, self.connection, &packet).unwrap();
            }
        }
        while self.client.poll_event().is_some() {}
        while self.server.poll_event().is_some() {}
    }
}

#[test]
fn early_datagrams_have_a_limit_at_the_client() {
    let mut pair = Pair::new();
    let client = &mut pair.client;
    let memory = measure(|| {
        for number in 0..20_000_u16 {
            // SEQ and AFTER: behind a stream packet that never arrives.
            let [low, high] = number.wrapping_add(40).to_le_bytes();
            let header = [0x05, low, high, low, high, 0x30, 0x75];
            let datagram = [&header[..], &[0x55; 1100]].concat();
            let _ = client.handle_datagram(1, &datagram);
            if number % 64 == 0 {
                while client.poll_event().is_some() {}
            }
        }
        while client.poll_event().is_some() {}
    });
    // 96 KiB of held packets.
    let kept = memory.bytes_current / 1024;
    assert!((64..=192).contains(&kept), "kept {kept} KiB of 20 MB");
}

#[test]
fn client_without_acknowledgements_costs_constant_memory() {
    let mut pair = Pair::new();
    let mut held = 0;
    // The stream of the client answers now and then: the server sends datagrams until the silence is too long again.
    let mut highest = |steps: u32| {
        let samples = (0..steps / 20).map(|_| {
            let memory = measure(|| {
                for step in 0..20 {
                    // Pings keep the connection; the acknowledgements in datagrams are lost.
                    pair.step(step, |delivery| delivery == Channel::Reliable);
                }
            });
            held += memory.bytes_current / 1024;
            held
        });
        samples.max().unwrap()
    };
    let first = highest(600);
    let later = highest(1200);
    assert!(first <= 512, "{first} KiB");
    assert!(later <= first + 32, "{first} KiB, then {later} KiB");
}
