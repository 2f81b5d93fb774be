//! Tick rates and send intervals.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, Endpoint, ServerConfig, testing::Conditions};

#[derive(NetworkBehaviour, Default)]
struct Lamp {
    #[sync_var]
    level: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.1)]
struct Clock {
    #[sync_var]
    hand: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Lamp>("lamp")
        .register::<Clock>("clock")
}

#[test]
fn send_interval_follows_the_tick_rate_unless_it_is_set() {
    let rate = |tick_rate| ServerConfig {
        tick_rate,
        ..ServerConfig::default()
    };
    // An interval ends with the first update after more than its time.
    assert_eq!(changes(rate(30)), [29, 29]);
    assert_eq!(changes(rate(60)), [58, 29]);
    let each_update = ServerConfig {
        send_interval: Some(Duration::ZERO),
        ..rate(60)
    };
    assert_eq!(changes(each_update), [3000, 29]);

    /// Returns the received changes of a lamp and a clock that change in each of 3000 ticks of 1 ms.
    fn changes(config: ServerConfig) -> [usize; 2] {
        let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
        net.tick = Duration::from_millis(1);
        net.connect();
        let ids = [
            net.server.spawn(Lamp::default()),
            net.server.spawn(Clock::default()),
        ];
        net.settle();
        let mut counts = [0; 2];
        for _ in 0..3000 {
            net.server.get_mut::<Lamp>(ids[0]).unwrap().level += 1;
            net.server.get_mut::<Clock>(ids[1]).unwrap().hand += 1;
            net.step();
            while let Some(event) = net.client_mut(0).poll_event() {
                if let ClientEvent::Changed { object, .. } = event {
                    let index = ids.iter().position(|id| *id == object).unwrap();
                    counts[index] += 1;
                }
            }
        }
        counts
    }
}

#[test]
fn tick_rate_of_zero_is_one() {
    let config = ClientConfig {
        tick_rate: 0,
        ..ClientConfig::default()
    };
    let client = NetworkClient::with_config(prefabs(), config);
    assert_eq!(client.tick_rate(), 1);
}

#[test]
fn end_in_a_loop_of_a_transport_ignores_other_updates() {
    let mut server = NetworkServer::new(prefabs());
    let second = Duration::from_secs(1);
    server.update(5 * second);
    server.hold_clock(true);
    Endpoint::update(&mut server, 100 * second);
    server.update(900 * second);
    Endpoint::update(&mut server, 101 * second);
    assert_eq!(server.now(), 6 * second);
    server.hold_clock(false);
    server.update(900 * second);
    server.update(901 * second);
    assert_eq!(server.now(), 7 * second);
}
