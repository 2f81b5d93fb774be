//! A tick of two clients in one world: one of them predicts its object, the other one does not.

use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::{ClientConfig, NetworkTime, ServerConfig};

use super::{Move, Mover, Moves as _};

const RATE: u32 = 20;
const TICKS: u32 = 300;
const WARM_UP: usize = 60;

/// Client, its object, and the times of its ticks.
struct End {
    connection: ConnectionId,
    client: NetworkClient,
    own: NetId,
    times: Vec<Duration>,
}

fn step(mover: &mut Mover, input: &Move, _tick: u64) {
    mover.step(input.x);
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Mover>("mover").input::<Move>()
}

/// Prints the time that a client needs for a tick, with 0 and 1 predicted objects among others.
pub(super) fn print() {
    println!("| other objects | of them moving | 0 predicted | 1 predicted | difference |");
    println!("| --- | --- | --- | --- | --- |");
    for (others, moving) in [(0, 0), (9_999, 0), (9_999, 100), (9_999, 9_999)] {
        let [without, with] = run(others, moving);
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        println!(
            "| {others} | {moving} | {:.1} us | {:.1} us | {:.1} us |",
            micros(without),
            micros(with),
            micros(with) - micros(without),
        );
    }
}

/// Returns the median time of a tick of the client that predicts nothing, and of the one that predicts its object.
fn run(others: u32, moving: usize) -> [Duration; 2] {
    let config = ServerConfig {
        tick_rate: RATE,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let ids: Vec<NetId> = (0..others)
        .map(|_| server.spawn(Mover::default()))
        .collect();
    let mut ends = [0, 1].map(|_| {
        let connection = server.handle_connect();
        let options = SpawnOptions {
            owner: Some(connection),
            ..SpawnOptions::default()
        };
        let config = ClientConfig {
            tick_rate: RATE,
            ..ClientConfig::default()
        };
        let mut client = NetworkClient::with_config(prefabs(), config);
        client.handle_connect();
        End {
            connection,
            client,
            own: server
                .try_spawn(Mover::default(), options)
                .expect("a free id"),
            times: Vec::new(),
        }
    });
    for tick in 0..TICKS {
        let now = NetworkTime::of_tick(tick.into(), RATE).time;
        for tick in server.ticks_until(now) {
            for end in &ends {
                server.step(end.own, tick, step).expect("spawned");
            }
        }
        for id in &ids[..moving] {
            server.get_mut::<Mover>(*id).expect("spawned").position.x += 0.1;
        }
        server.update(now);
        let packets = take(&mut server);
        // Neither of them is always the first one.
        let first = usize::from(tick % 2 == 0);
        for index in [first, 1 - first] {
            ends[index].tick(&packets, now);
        }
        if tick == 30 {
            let [_, End { client, own, .. }] = &mut ends;
            client.predict(*own, step).expect("visible");
        }
        for end in &mut ends {
            while let Some(packet) = end.client.poll_transmit() {
                let read = server.handle_packet(end.connection, packet.channel, &packet.bytes);
                read.expect("a packet of the client");
            }
        }
    }
    assert!(ends[1].client.prediction_stats().steps > 200);
    ends.map(|mut end| {
        let times = &mut end.times[WARM_UP..];
        times.sort_unstable();
        times[times.len() / 2]
    })
}

/// Takes the packets of an update: connection, channel and bytes.
fn take(server: &mut NetworkServer) -> Vec<(ConnectionId, u8, Vec<u8>)> {
    let mut packets = Vec::new();
    while let Some(packet) = server.poll_transmit() {
        let bytes = [packet.header, &packet.chunks.concat()].concat();
        packets.push((packet.connection, packet.channel, bytes));
    }
    packets
}

impl End {
    fn tick(&mut self, packets: &[(ConnectionId, u8, Vec<u8>)], now: Duration) {
        let client = &mut self.client;
        if client.is_connected() {
            client.set_input(&Move { x: 1.0 }).expect("the input");
        }
        let started = Instant::now();
        for (connection, channel, bytes) in packets {
            if *connection == self.connection {
                client.handle_packet(*channel, bytes).expect("a packet");
            }
        }
        client.update(now);
        while client.poll_event().is_some() {}
        self.times.push(started.elapsed());
    }
}
