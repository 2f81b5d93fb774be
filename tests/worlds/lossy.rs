//! State on unreliable channels over links that lose packets: every replica converges.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::testing::{Conditions, Random};

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
    Prefabs::new().register::<Mover>("mover")
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
}
