//! The cost of a recorder for the tick: 10 000 objects, of which a tenth changes in each tick, and 100 clients.
//!
//! ```text
//! for way in plain records recorder; do
//!     valgrind --tool=callgrind --separate-threads=yes --toggle-collect='*tick_cost::measured*' tick_cost $way
//! done
//! ```
//!
//! The first thread is the tick. `records` lets the server write the records, and drops them.

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use syncvar::log::{Recorder, RecorderOptions};
use syncvar::prelude::*;

const OBJECTS: u32 = 10_000;
const CLIENTS: usize = 100;
const TICKS: u32 = 20;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    y: SyncVar<f32>,
    #[sync_var]
    health: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

struct World {
    server: NetworkServer,
    units: Vec<NetId>,
    recorder: Option<Recorder>,
    tick: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let way = std::env::args().nth(1).unwrap_or_default();
    let mut server = NetworkServer::new(prefabs());
    let units = (0..OBJECTS).map(|_| server.spawn(Unit::default()));
    let units = units.collect();
    for _ in 0..CLIENTS {
        join(&mut server)?;
    }
    let recorder = match way.as_str() {
        "recorder" => {
            let options = RecorderOptions::default();
            let storage = |_| Ok(std::io::sink());
            Some(Recorder::with_storage(&mut server, options, storage)?)
        }
        "records" => {
            server.start_recording();
            None
        }
        _ => None,
    };
    let mut world = World {
        server,
        units,
        recorder,
        tick: 0,
    };
    // The joins and the first keyframe.
    for _ in 0..4 {
        world.run()?;
    }
    measured(&mut world)
}

#[inline(never)]
fn measured(world: &mut World) -> Result<(), Box<dyn Error>> {
    for _ in 0..TICKS {
        world.run()?;
    }
    Ok(())
}

impl World {
    fn run(&mut self) -> Result<(), Box<dyn Error>> {
        self.tick += 1;
        let tick = self.tick;
        for id in self.units.iter().skip(tick as usize % 10).step_by(10) {
            let mut unit = self.server.get_mut::<Unit>(*id)?;
            *unit.health += tick;
            unit.x += 0.5;
        }
        self.server.update(tick * Duration::from_millis(34));
        if let Some(recorder) = &mut self.recorder {
            recorder.update(&mut self.server);
        }
        while let Some(transmit) = self.server.poll_transmit() {
            black_box((transmit.header, transmit.chunks));
        }
        Ok(())
    }
}

/// Adds a client after its handshake.
fn join(server: &mut NetworkServer) -> Result<(), Box<dyn Error>> {
    let mut client = NetworkClient::new(prefabs());
    let connection = server.handle_connect();
    client.handle_connect();
    for _ in 0..4 {
        while let Some(packet) = client.poll_transmit() {
            server.handle_packet(connection, packet.channel, &packet.bytes)?;
        }
        while let Some(transmit) = server.poll_transmit() {
            client.handle_packet(transmit.channel, &transmit.to_bytes())?;
        }
    }
    assert!(client.is_connected());
    Ok(())
}
