//! The server's time in a render loop: `network_time_at` between updates and packets.

use std::collections::VecDeque;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ServerConfig, testing::Conditions};
use syncvar_testing::prefabs;

const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 144);

/// Times of the frames of one client.
#[derive(Default)]
struct Frames {
    last: Option<Duration>,
    shown: u32,
    /// Largest distance from the server's time.
    error: Duration,
}

impl Frames {
    fn show(&mut self, client: &NetworkClient, now: Duration, server: Duration) {
        let Some(moment) = client.network_time_at(now) else {
            assert_eq!(self.last, None, "the time is lost");
            return;
        };
        if let Some(last) = self.last {
            let step = moment.time.checked_sub(last).expect("never back");
            assert!(!step.is_zero(), "repeated at {now:?}");
            assert!(step * 2 <= FRAME * 3, "a step of {step:?} at {now:?}");
        }
        self.last = Some(moment.time);
        self.shown += 1;
        self.error = self.error.max(moment.time.abs_diff(server));
    }
}

#[test]
fn every_frame_at_144_hz_advances_over_a_memory_network() {
    let links = [(0, 0, 0.0), (40, 0, 0.0), (50, 30, 0.02), (100, 100, 0.1)];
    for (delay, jitter, loss) in links {
        let link = Conditions {
            delay: Duration::from_millis(delay),
            jitter: Duration::from_millis(jitter),
            loss,
            ..Conditions::default()
        };
        let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
        net.connect_client(NetworkClient::new(prefabs()));
        let mut frames = Frames::default();
        let mut now = Duration::ZERO;
        while now < Duration::from_mins(1) {
            now += FRAME;
            while net.now() + net.tick <= now {
                net.step();
            }
            frames.show(net.client(0), now, now);
        }
        assert!(frames.shown > 8_000, "{}", frames.shown);
        // A lost packet is repeated after the delay of the link.
        let repeated = if loss > 0.0 { delay } else { 0 };
        let bound = Duration::from_millis(jitter + repeated) + net.tick;
        assert!(frames.error <= bound, "{:?} > {bound:?}", frames.error);
    }
}

/// A client of `TcpClient`: updated every 25 ms and with each packet, by the time since its connection.
/// Each 25th packet is lost, and its repetition delays the stream by 200 ms.
#[test]
fn every_frame_at_144_hz_advances_with_the_packets_of_tcp() {
    /// Bytes on the way, with their times of arrival in microseconds.
    type Way = VecDeque<(u64, Vec<u8>)>;

    let mut server = NetworkServer::new(prefabs());
    let mut client = NetworkClient::new(prefabs());
    client.handle_connect();
    let connection = server.handle_connect();
    let (mut up, mut down) = (Way::new(), Way::new());
    let (mut number, mut frames, mut next_frame) = (0, Frames::default(), 0);
    let start = Duration::from_secs(1000);
    for now in (0..60_000_000).step_by(500) {
        let time = Duration::from_micros(now);
        while up.front().is_some_and(|(arrival, _)| *arrival <= now) {
            let (_, packet) = up.pop_front().unwrap();
            server.handle_packet(connection, 0, &packet).unwrap();
        }
        if now % 16_500 == 0 {
            server.update(start + time);
        }
        while let Some(packet) = server.poll_transmit() {
            number += 1;
            let delay = if number % 25 == 0 {
                200_000
            } else {
                20_000 + number * 7_919 % 9_000
            };
            send(&mut down, now, delay, packet.to_bytes().to_vec());
        }
        while down.front().is_some_and(|(arrival, _)| *arrival <= now) {
            let (_, packet) = down.pop_front().unwrap();
            client.update(time);
            client.handle_packet(0, &packet).unwrap();
        }
        if now % 25_000 == 0 {
            client.update(time);
        }
        while let Some(packet) = client.poll_transmit() {
            send(&mut up, now, 20_000, packet.bytes.to_vec());
        }
        if now >= next_frame {
            frames.show(&client, time, start + time);
            next_frame += 6_944;
        }
    }
    assert!(frames.shown > 8_000, "{}", frames.shown);
    let bound = Duration::from_millis(40);
    assert!(frames.error <= bound, "{:?} > {bound:?}", frames.error);

    /// Sends by a stream: late packets delay the packets behind them.
    fn send(way: &mut Way, now: u64, delay: u64, packet: Vec<u8>) {
        let before = way.back().map_or(0, |(arrival, _)| *arrival);
        way.push_back((before.max(now + delay), packet));
    }
}
