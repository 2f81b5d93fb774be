//! The server's time on a client: estimated from pings, smooth, and never going back.

use std::collections::VecDeque;
use std::time::Duration;
use syncvar_testing::{ClientMessages as _, ServerMessages as _};

use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{
    ClientConfig, NetworkTime, ServerConfig, stats::MessageType, testing::Conditions,
    wire::ReadErrorKind,
};
use syncvar_testing::{Player, frame, prefabs};

const PING: i16 = 27;
const PONG: i16 = 28;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A server and a client, each with a clock of its own, over links with delay. Times are in
/// milliseconds; both links keep the order.
struct Clocks {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    now: u64,
    /// What the clocks of server and client say beyond `now`.
    ahead: [u64; 2],
    /// Every how many milliseconds server and client are updated.
    periods: [u64; 2],
    /// What is on its way to server and client, and when it arrives.
    ways: [VecDeque<(u64, Vec<u8>)>; 2],
    delay: Box<dyn FnMut() -> u64>,
    /// Whether what goes up is lost.
    lost: bool,
    last: Option<NetworkTime>,
}

impl Clocks {
    fn new(ahead: [u64; 2], delay: impl FnMut() -> u64 + 'static) -> Self {
        let mut server = NetworkServer::new(prefabs());
        let mut client = NetworkClient::new(prefabs());
        client.handle_connect();
        let connection = server.handle_connect();
        Self {
            server,
            client,
            connection,
            now: 0,
            ahead,
            periods: [33, 16],
            ways: Default::default(),
            delay: Box::new(delay),
            lost: false,
            last: None,
        }
    }

    fn send(&mut self, way: usize, packet: Vec<u8>) {
        let arrival = self.now + (self.delay)();
        let before = self.ways[way].back().map_or(0, |(arrival, _)| *arrival);
        self.ways[way].push_back((arrival.max(before), packet));
    }

    fn arrived(&mut self, way: usize) -> Option<Vec<u8>> {
        let way = &mut self.ways[way];
        way.front().filter(|(arrival, _)| *arrival <= self.now)?;
        way.pop_front().map(|(_, packet)| packet)
    }

    /// One millisecond.
    fn step(&mut self) {
        self.now += 1;
        while let Some(packet) = self.arrived(0) {
            let handled = self.server.handle_packet(self.connection, 0, &packet);
            handled.expect("a client's packets make sense");
        }
        if self.now.is_multiple_of(self.periods[0]) {
            self.server.update(millis(self.now + self.ahead[0]));
            while let Some(transmit) = self.server.poll_transmit() {
                let packet = transmit.to_bytes().to_vec();
                self.send(1, packet);
            }
        }
        while let Some(packet) = self.arrived(1) {
            let handled = self.client.handle_packet(0, &packet);
            handled.expect("a server's packets make sense");
        }
        if self.now.is_multiple_of(self.periods[1]) {
            self.client.update(millis(self.now + self.ahead[1]));
            let time = self.client.network_time();
            assert!(time >= self.last, "{time:?} after {:?}", self.last);
            self.last = time;
        }
        while let Some(packet) = self.client.poll_transmit() {
            if !self.lost {
                self.send(0, packet.bytes.to_vec());
            }
        }
    }

    fn run(&mut self, milliseconds: u64) {
        (0..milliseconds).for_each(|_| self.step());
        // Up to an update of both at the same moment.
        while !self.now.is_multiple_of(self.periods[0] * self.periods[1]) {
            self.step();
        }
    }

    /// By how much the client is wrong, in milliseconds.
    fn error(&self) -> u64 {
        let time = self.client.network_time().expect("it is known");
        let error = time.time.abs_diff(self.server.now());
        u64::try_from(error.as_millis()).unwrap()
    }
}

// Lesson 27.
#[test]
fn the_server_counts_ticks_at_the_rate_that_is_set() {
    let mut server = NetworkServer::new(prefabs());
    assert_eq!(
        (server.network_time().time, server.network_time().tick),
        (millis(0), 0)
    );
    server.update(millis(1999));
    assert_eq!(
        (server.network_time().time, server.network_time().tick),
        (millis(1999), 59)
    );
    let config = ServerConfig {
        tick_rate: 0,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    server.update(millis(2000));
    assert_eq!(server.network_time().tick, 2, "one a second at least");
}

// Lesson 27.
#[test]
fn without_delay_the_client_has_the_time_of_the_server() {
    let config = ServerConfig {
        tick_rate: 60,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect_client(NetworkClient::new(prefabs()));
    assert_eq!(net.client(0).network_time(), None);
    assert_eq!(net.client(0).round_trip_time(), None);
    for _ in 0..100 {
        net.step();
    }
    let time = net.client(0).network_time().unwrap();
    assert_eq!(time, net.server.network_time());
    assert_eq!((time.time, time.tick), (millis(5000), 300));
    assert_eq!(net.client(0).round_trip_time(), Some(millis(0)));
}

// Lesson 27.
#[test]
fn the_round_trip_is_that_of_the_link() {
    let mut clocks = Clocks::new([0, 0], || 100);
    clocks.run(20_000);
    let client = &clocks.client;
    let (mean, deviation) = (
        client.round_trip_time().unwrap(),
        client.round_trip_deviation().unwrap(),
    );
    // There and back, and the wait for the update of the server.
    assert!((millis(184)..millis(234)).contains(&mean), "{mean:?}");
    assert!(deviation < millis(34), "{deviation:?}");
}

// Lesson 27.
#[test]
fn clocks_with_different_starts_converge() {
    for ahead in [[5_000_000, 0], [0, 5_000_000], [77, 1_000_000_000]] {
        let mut clocks = Clocks::new(ahead, || 40);
        clocks.run(10_000);
        assert!(clocks.error() <= 25, "{}", clocks.error());
    }
}

// Lesson 27.
#[test]
fn lost_pings_do_no_harm() {
    let mut clocks = Clocks::new([9_000, 0], || 40);
    clocks.run(1000);
    clocks.lost = true;
    clocks.run(60_000);
    assert!(clocks.error() <= 25, "the time goes on: {}", clocks.error());
    clocks.lost = false;
    clocks.run(10_000);
    assert!(clocks.error() <= 25);
}

/// The own time of either side stands still for the update in which its clock goes back; a client
/// finds out and follows.
// Lesson 27.
#[test]
fn clocks_that_are_started_again_are_followed() {
    for side in [0, 1] {
        let mut clocks = Clocks::new([600_000, 600_000], || 40);
        clocks.run(5000);
        assert!(clocks.error() <= 25);
        clocks.ahead[side] = 0;
        // What stands still loses the length of an update.
        clocks.run(5000);
        assert!(clocks.error() <= 60, "{}", clocks.error());
        clocks.run(60_000);
        assert!(clocks.error() <= 25, "{}", clocks.error());
    }
    // The client was stopped for a minute and started again.
    let mut clocks = Clocks::new([0, 0], || 40);
    clocks.run(5000);
    clocks.ahead[0] = 60_000;
    clocks.run(5000);
    assert!(clocks.error() <= 25, "{}", clocks.error());
}

/// A client that is ready, and the time in the ping that it has sent.
fn asked() -> (NetworkClient, Vec<u8>) {
    let mut net = MemoryNetwork::new(prefabs);
    let config = ClientConfig {
        ping_interval: Duration::ZERO,
        ..ClientConfig::default()
    };
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    net.settle();
    assert_eq!(net.client(0).stats().encoded(MessageType::Ping).messages, 0);
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(NetworkClient::new(prefabs()));
    while net.client(0).stats().encoded(MessageType::Ping).messages == 0 {
        net.client_mut(0).ready();
        net.step();
    }
    let mut client = NetworkClient::new(prefabs());
    std::mem::swap(net.client_mut(0), &mut client);
    while client.poll_transmit().is_some() {}
    client.update(Duration::from_secs(10));
    let packet = client.poll_transmit().expect("a ping").bytes;
    let packet = syncvar_testing::messages(0, &packet);
    assert_eq!(packet[2..4], PING.to_le_bytes());
    assert_eq!(
        packet[4], 250,
        "three bytes of the time follow, then the round trip"
    );
    (client, packet[4..8].to_vec())
}

fn pong(time: &[u8], server_time: &[u8], tick_rate: u8) -> Vec<u8> {
    frame(PONG, &[time, server_time, &[tick_rate]].concat())
}

// Lesson 27.
#[test]
fn unrequested_pongs_change_no_clock() {
    let (mut client, ping) = asked();
    let before = (client.network_time(), client.round_trip_time());
    let never = [0, 1, 240].map(|time| vec![time]);
    let latest = vec![255; 9];
    for time in never.iter().chain([&latest]) {
        for server_time in [&[0][..], &latest] {
            client
                .handle_messages(0, &pong(time, server_time, 30))
                .unwrap();
        }
    }
    // A time at the end of all times, in an answer to what was asked.
    client
        .handle_messages(0, &pong(&ping, &latest, 30))
        .unwrap();
    assert_eq!((client.network_time(), client.round_trip_time()), before);
    client.update(Duration::from_secs(11));
    assert!(client.network_time() >= before.0);
}

// Lesson 27.
#[test]
fn an_answer_counts_once() {
    let (mut client, ping) = asked();
    client
        .handle_messages(0, &pong(&ping, &[251, 0, 0, 0, 16], 30))
        .unwrap();
    let once = client.round_trip_time();
    client.update(Duration::from_secs(20));
    client
        .handle_messages(0, &pong(&ping, &[251, 0, 0, 0, 16], 30))
        .unwrap();
    assert_eq!(client.round_trip_time(), once);
}

// Lesson 27.
#[test]
fn a_second_without_ticks_is_refused() {
    let (mut client, ping) = asked();
    let error = client
        .handle_messages(0, &pong(&ping, &[9], 0))
        .unwrap_err();
    let (what, value) = ("ticks in a second", 0);
    assert_eq!(error.kind(), ReadErrorKind::InvalidValue { what, value });
}

// Lesson 27.
#[test]
fn pings_are_answered_twenty_times_a_second_at_most() {
    let mut net = syncvar_testing::network(1);
    let connection = net.connection(0);
    let answers = |net: &MemoryNetwork| net.server.stats().encoded(MessageType::Pong).messages;
    let (before, begin) = (answers(&net), net.now());
    net.tick = millis(10);
    for number in 0..100 {
        for part in 0..100 {
            let packet = frame(PING, &[241 + number % 8, part]);
            let handled = net.server.handle_messages(connection, 0, &packet);
            handled.expect("well-formed");
        }
        net.step();
    }
    let seconds = net.now().checked_sub(begin).unwrap().as_secs();
    assert_eq!(seconds, 1);
    assert!(answers(&net) - before <= 21, "{}", answers(&net) - before);
    assert!(net.server.stats().ignored_pings > 5000);
}

// Lesson 27.
#[test]
fn pings_need_a_ready_client_and_a_compared_schema() {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    let config = ClientConfig {
        compare_schemas: false,
        ..ClientConfig::default()
    };
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    (0..100).for_each(|_| net.step());
    assert_eq!(net.client(0).stats().encoded(MessageType::Ping).messages, 0);
    assert_eq!(net.client(0).network_time(), None);
    let connection = net.connection(0);
    assert!(
        net.server
            .handle_messages(connection, 0, &frame(PING, &[5]))
            .is_err()
    );

    let config = ClientConfig {
        auto_ready: false,
        ..ClientConfig::default()
    };
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    (0..100).for_each(|_| net.step());
    assert_eq!(net.client(0).stats().encoded(MessageType::Ping).messages, 0);
    net.client_mut(0).ready();
    (0..100).for_each(|_| net.step());
    assert_eq!(
        net.client(0).network_time(),
        Some(net.server.network_time())
    );
}

/// Five in the first second, then one every two; 10 bytes and their echo up, 17 down.
// Lesson 27.
#[test]
fn time_messages_cost_their_documented_bytes() {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(NetworkClient::new(prefabs()));
    net.settle();
    net.server.spawn(Player::default());
    (0..2400).for_each(|_| net.step());
    let (client, server) = (net.client(0).stats(), net.server.stats());
    let (asked, answered) = (
        client.encoded(MessageType::Ping),
        server.encoded(MessageType::Pong),
    );
    assert_eq!((asked.messages, answered.messages), (65, 65));
    assert!(asked.bytes <= 65 * 10 && answered.bytes <= 65 * 17);
    let echoed = client.encoded(MessageType::Echo);
    assert!(echoed.messages == 65 && echoed.bytes <= 65 * 10);
    assert_eq!(server.ignored_pings, 0);
}

#[test]
fn pings_do_not_keep_a_network_from_settling() {
    let link = Conditions {
        delay: millis(300),
        ..Conditions::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    net.connect_client(NetworkClient::new(prefabs()));
    net.settle();
    for health in 1..20 {
        let begin = net.now();
        let id = net.server.spawn(Player::new(health, "x"));
        net.settle();
        assert_eq!(
            syncvar_testing::states(&net, id)[0].as_ref().unwrap().0,
            health
        );
        assert!(net.now().checked_sub(begin).unwrap() < Duration::from_secs(4));
    }
}

/// A client that connects again begins anew: the other server may have another time.
#[test]
fn a_new_connection_knows_no_time() {
    let mut clocks = Clocks::new([1_000_000, 0], || 40);
    clocks.run(5000);
    assert!(clocks.client.network_time().is_some());
    clocks.client.handle_disconnect();
    assert!(clocks.client.network_time().is_some());
    clocks.client.handle_connect();
    assert_eq!(clocks.client.network_time(), None);
    assert_eq!(clocks.client.round_trip_time(), None);
}

proptest! {
    #![proptest_config(syncvar_testing::cases(48))]

    /// What the ways there and back differ by is jitter, the wait for the server's update, and what has
    /// passed of the client's: half of that is what the estimate is wrong by at most. It never goes back
    /// (`Clocks` sees to that).
    // Lesson 27.
    #[test]
    fn the_estimate_converges_to_within_half_of_the_jitter(
        ahead in any::<[u32; 2]>(),
        base in 0_u64..300,
        jitter in 0_u64..200,
        seed in any::<u64>(),
    ) {
        let mut state = seed | 1;
        let delay = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            base + (state >> 33) % (jitter + 1)
        };
        let mut clocks = Clocks::new(ahead.map(u64::from), delay);
        clocks.run(30_000);
        let bound = (jitter + clocks.periods[0] + clocks.periods[1]) / 2 + 1;
        prop_assert!(clocks.error() <= bound, "{} > {}", clocks.error(), bound);
    }

    #[test]
    fn no_answer_makes_a_client_panic(answers in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u32>(), 0_u64..u64::MAX), 1..40)) {
        let (mut client, ping) = asked();
        let mut last = client.network_time();
        for (time, server_time, tick_rate, now) in answers {
            let mut writer = syncvar::wire::NetworkWriter::new();
            writer.write(&time);
            writer.write(&server_time);
            writer.write(&tick_rate);
            let _ = client.handle_messages(0, &frame(PONG, writer.as_bytes()));
            let answer = [&ping, &writer.as_bytes()[writer.len().min(9)..]].concat();
            let _ = client.handle_messages(0, &frame(PONG, &answer));
            client.update(Duration::from_micros(now));
            let next = client.network_time();
            prop_assert!(next.map(|next| next.time) >= last.map(|last| last.time));
            last = next;
        }
    }
}
