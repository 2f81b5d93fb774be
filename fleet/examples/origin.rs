//! A world of wanderers, and a port where relays follow it.
//!
//! ```sh
//! cargo run -p syncvar-fleet --example origin
//! cargo run -p syncvar-cli -- relay tcp://127.0.0.1:7700 --listen tcp://127.0.0.1:7777
//! cargo run -p syncvar-fleet --example spectators -- 127.0.0.1:7777
//! ```

use std::time::{Duration, Instant};

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar_fleet::link::LinkCarrier;
use syncvar_fleet::sockets::FleetSockets;
use syncvar_fleet::{NodeId, Origin, Role};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Wanderer {
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    y: SyncVar<f32>,
    #[sync_var]
    steps: SyncVar<u32>,
}

const TICK: Duration = Duration::from_millis(100);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:7700".into());
    // A game takes random numbers: `rand::random()`.
    let start = std::time::UNIX_EPOCH.elapsed()?.subsec_nanos();
    let config = ServerConfig {
        tick_rate: 10,
        incarnation: u64::from(start) | 1,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let ids: Vec<_> = (0..100)
        .map(|_| server.spawn(Wanderer::default()))
        .collect();

    let mut origin = Origin::begin(&mut server)?;
    let mut carrier = LinkCarrier::new(NodeId(start.into()), Role::Origin, "");
    let mut sockets = FleetSockets::new();
    println!("relays: {}", sockets.listen_tcp(address)?);

    let (started, mut random) = (Instant::now(), Random::new(1));
    loop {
        let now = started.elapsed();
        for _ in 0..20 {
            let id = random.pick(&ids).copied().unwrap_or_default();
            let mut wanderer = server.get_mut::<Wanderer>(id)?;
            wanderer.x.set(random.between(0.0, 100.0));
            wanderer.y.set(random.between(0.0, 100.0));
            wanderer.steps += 1;
        }
        sockets.receive(&mut carrier, now);
        server.update(now);
        origin.pump(&mut server, &mut carrier, now);
        sockets.transmit(&mut carrier, now);
        std::thread::sleep(TICK.saturating_sub(started.elapsed().saturating_sub(now)));
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Wanderer>("wanderer")
}
