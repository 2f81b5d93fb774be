//! Feeds: the bytes of records beside those of a client, and records that get lost on their way.

use std::collections::VecDeque;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::records::{RecordError, TickRecord};
use syncvar::testing::Conditions;
use syncvar::values::Vector3;
use syncvar::{ServerConfig, testing::Random};

use super::TICK;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Walker {
    #[sync_var]
    position: SyncVar<Vector3>,
}

/// Walkers of the world: a tick has about 80 bytes of changes.
const WALKERS: usize = 5;

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Walker>("walker")
}

fn walk(server: &mut NetworkServer, ids: &[NetId], tick: u32) {
    for (number, id) in (0_u16..).zip(ids) {
        let angle = f64::from(tick) * 0.1 + f64::from(number);
        #[expect(clippy::cast_possible_truncation, reason = "a coordinate")]
        let (x, z) = (angle.sin() as f32, angle.cos() as f32);
        let mut walker = server.get_mut::<Walker>(*id).unwrap();
        walker
            .position
            .set(Vector3::new(10.0 * x, 0.3 * x * z, 10.0 * z));
    }
}

#[test]
fn records_cost_a_quarter_more_than_the_traffic_of_a_client() {
    let config = ServerConfig {
        incarnation: 0x0123_4567_89ab_cdef,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect();
    let ids: Vec<_> = (0..WALKERS)
        .map(|_| net.server.spawn(Walker::default()))
        .collect();
    net.settle();
    let (mut now, mut server) = (net.now(), net.server);
    server.start_recording();
    let (mut live, mut recorded, mut last) = (0, 0, 0);
    for tick in 0..1000 {
        now += TICK;
        walk(&mut server, &ids, tick);
        server.update(now);
        while let Some(transmit) = server.poll_transmit() {
            live += transmit.to_bytes().len();
        }
        for record in server.records_after(last) {
            last = record.seq();
            // The snapshots of the keyframe cost as much as a client that joins.
            recorded += if record.is_keyframe() {
                0
            } else {
                record.as_bytes().len()
            };
        }
    }
    let share = recorded * 100 / live;
    assert!(live / 1000 < 90, "{} bytes in a tick", live / 1000);
    assert!(share <= 125, "{share} %: {recorded} of {live} bytes");
}

#[test]
fn feed_with_losses_is_seldom_behind() {
    /// Carrier with a delay that loses packets.
    struct Carrier<T> {
        packets: VecDeque<(Duration, T)>,
        random: Random,
    }

    impl<T> Carrier<T> {
        const DELAY: Duration = Duration::from_millis(40);

        fn new(seed: u64) -> Self {
            Self {
                packets: VecDeque::new(),
                random: Random::new(seed),
            }
        }

        /// Sends a packet; one of a hundred is lost.
        fn send(&mut self, now: Duration, packet: T) {
            if !self.random.chance(10) {
                self.packets.push_back((now + Self::DELAY, packet));
            }
        }

        fn receive(&mut self, now: Duration) -> Option<T> {
            let (at, _) = self.packets.front()?;
            (*at <= now)
                .then(|| self.packets.pop_front())?
                .map(|it| it.1)
        }
    }

    const TICKS: u32 = 10_000;
    let mut server = NetworkServer::new(prefabs());
    let ids: Vec<_> = (0..WALKERS)
        .map(|_| server.spawn(Walker::default()))
        .collect();
    server.start_recording();
    let (mut feed, mut asks) = (Carrier::new(1), Carrier::new(2));
    let mut client = NetworkClient::new(prefabs());
    let (mut now, mut sent, mut behind) = (Duration::from_secs(1), 0, 0);
    server.update(now);
    client.handle_record(server.keyframe().unwrap()).unwrap();
    for tick in 0..TICKS {
        now += TICK;
        walk(&mut server, &ids, tick);
        server.update(now);
        for record in server.records_after(sent) {
            feed.send(now, record.clone());
            sent = record.seq();
        }
        while let Some((expected, found)) = asks.receive(now) {
            let missing = server.records_after(expected - 1);
            for record in missing.take_while(|record: &&TickRecord| record.seq() < found) {
                feed.send(now, record.clone());
            }
        }
        let mut asked = false;
        let mut is_behind = false;
        while let Some(record) = feed.receive(now) {
            match client.handle_record(&record) {
                Ok(()) => is_behind = false,
                Err(RecordError::Missing { expected, found }) => {
                    is_behind = true;
                    // Once for each tick, as a lost question must be repeated.
                    if !std::mem::replace(&mut asked, true) {
                        asks.send(now, (expected, found));
                    }
                }
                Err(error) => panic!("{error}"),
            }
        }
        behind += u32::from(is_behind);
    }
    assert!(behind > 0, "no record was lost");
    assert!(
        behind * 100 <= TICKS * 5,
        "behind in {behind} of {TICKS} ticks"
    );
    let (walker, replica) = (server.get::<Walker>(ids[0]), client.get::<Walker>(ids[0]));
    let distance = walker.unwrap().position.x - replica.unwrap().position.x;
    assert!(distance.abs() < 3.0, "{distance}");
}
