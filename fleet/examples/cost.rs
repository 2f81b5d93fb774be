//! The cost of an origin and of a relay by the number of spectators: 1 000 objects, of which a tenth changes in each tick, at
//! 10 ticks a second in virtual time.
//!
//! ```sh
//! cargo run --release -p syncvar-fleet --example cost -- 10000
//! ```
//!
//! The argument is the largest number of spectators. Compare the rows of a single run. The spectators have streams, and are as far as
//! their relay sees them: their packets are polled and dropped.

use std::error::Error;
use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{ConnectionId, Endpoint, PacketLimits, ServerConfig};
use syncvar_fleet::memory::{MemoryCarrier, MemoryFleet};
use syncvar_fleet::{Carrier, Origin, Relay, RelayConfig, Role};

const OBJECTS: u32 = 1_000;
const CHANGED: u32 = 100;
const TICK: Duration = Duration::from_millis(100);
const TICKS: usize = 100;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    y: SyncVar<f32>,
    #[sync_var]
    turn: SyncVar<u16>,
    #[sync_var]
    health: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

struct Stage {
    now: Duration,
    fleet: MemoryFleet,
    server: NetworkServer,
    units: Vec<NetId>,
    origin: Origin,
    carrier: MemoryCarrier,
    relay: Relay<MemoryCarrier>,
    random: Random,
}

/// Times of the parts of a tick.
#[derive(Default)]
struct Times {
    update: Vec<Duration>,
    publish: Vec<Duration>,
    relay: Vec<Duration>,
    transmit: Vec<Duration>,
    packets: usize,
    bytes: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let most: usize = std::env::args().nth(1).map_or(Ok(1_000), |it| it.parse())?;
    let mut stage = Stage::new()?;
    let mut joined = 0;
    println!(
        "spectators | origin: update, publish p50 p99 | relay: play p50 p99, per spectator and tick | KB per spectator"
    );
    let (mut count, empty) = (0, memory());
    loop {
        for _ in joined..count {
            stage.join()?;
        }
        joined = count;
        for _ in 0..20 {
            stage.tick(&mut Times::default())?;
        }
        let mut times = Times::default();
        for _ in 0..TICKS {
            stage.tick(&mut times)?;
        }
        let kilobytes = memory().saturating_sub(empty) / 1024 / count.max(1);
        let each = times.transmit.iter().sum::<Duration>() / u32::try_from(TICKS * count.max(1))?;
        println!(
            "{count:>10} | {:?} {:?} {:?} | {:?} {:?}, {each:?} for {} B in {} packets | {kilobytes}",
            at(&mut times.update, 50),
            at(&mut times.publish, 50),
            at(&mut times.publish, 99),
            at(&mut times.relay, 50),
            at(&mut times.relay, 99),
            times.bytes / TICKS / count.max(1),
            times.packets / TICKS / count.max(1),
        );
        if count >= most {
            break;
        }
        count = (count * 10).max(10).min(most);
    }
    let stats = stage.relay.stats();
    println!(
        "{} records were decoded once each, {} keyframe of the origin",
        stats.records, stats.keyframes
    );
    Ok(())
}

impl Stage {
    fn new() -> Result<Self, Box<dyn Error>> {
        let config = ServerConfig {
            tick_rate: 10,
            incarnation: 1,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let units = (0..OBJECTS)
            .map(|_| server.spawn(Unit::default()))
            .collect();
        let fleet = MemoryFleet::new(1);
        let (carrier, there) = (fleet.node(Role::Origin, ""), fleet.node(Role::Relay, ""));
        fleet.connect(there.id(), carrier.id());
        let mut stage = Self {
            now: Duration::ZERO,
            origin: Origin::begin(&mut server)?,
            relay: Relay::new(there, RelayConfig::default()),
            fleet,
            server,
            units,
            carrier,
            random: Random::new(1),
        };
        while stage.relay.server().is_none() {
            stage.tick(&mut Times::default())?;
        }
        Ok(stage)
    }

    /// Lets a spectator join. Its client is of no use afterwards.
    fn join(&mut self) -> Result<(), Box<dyn Error>> {
        let mut client = NetworkClient::new(prefabs());
        let link = self.relay.handle_connect(PacketLimits::STREAM);
        client.handle_connect();
        for _ in 0..2 {
            while let Some(packet) = Endpoint::poll_transmit(&mut client) {
                self.relay
                    .handle_packet(link, packet.channel, &packet.to_bytes())?;
            }
            self.relay.update(self.now);
            while let Some(packet) = self.relay.poll_transmit() {
                let (to, channel) = (packet.connection, packet.channel);
                if to == link && !client.is_connected() {
                    let bytes = packet.to_bytes();
                    Endpoint::handle_packet(&mut client, ConnectionId::SERVER, channel, &bytes)?;
                }
            }
        }
        while self.relay.poll_event().is_some() {}
        Ok(())
    }

    fn tick(&mut self, times: &mut Times) -> Result<(), Box<dyn Error>> {
        self.now += TICK;
        for _ in 0..CHANGED {
            let id = self.random.pick(&self.units).copied().unwrap_or_default();
            let mut unit = self.server.get_mut::<Unit>(id)?;
            unit.x.set(self.random.between(0.0, 100.0));
            unit.y.set(self.random.between(0.0, 100.0));
            unit.turn.set(u16::try_from(self.random.below(360))?);
            unit.health.set(self.random.below(100));
        }
        let started = Instant::now();
        self.server.update(self.now);
        let updated = Instant::now();
        self.origin
            .pump(&mut self.server, &mut self.carrier, self.now);
        let published = Instant::now();
        self.fleet.update(self.now);
        let arrived = Instant::now();
        self.relay.update(self.now);
        let played = Instant::now();
        while let Some(packet) = self.relay.poll_transmit() {
            times.packets += 1;
            times.bytes += packet.len();
            std::hint::black_box(packet);
        }
        times.transmit.push(played.elapsed());
        times.update.push(updated - started);
        times.publish.push(published - updated);
        times.relay.push(played - arrived);
        while self.relay.poll_event().is_some() {}
        Ok(())
    }
}

/// Returns the time at a percentile.
fn at(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() - 1) * percent / 100]
}

/// Returns the resident memory of the process in bytes; 0 on systems without `/proc`.
fn memory() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1);
    pages
        .and_then(|it| it.parse::<usize>().ok())
        .unwrap_or_default()
        * 4096
}
