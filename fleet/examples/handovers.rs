//! Cost of handovers and ghosts: `cargo run --release -p syncvar-fleet --example handovers`.
//!
//! Two zones in memory with 2 000 objects of 4 fields, at 30 ticks a second. In each row a number of objects moves in each tick, to and
//! fro. The times are those of a tick of both zones: compare the rows of a single run. The last table has the bytes of the border
//! records by their parts.

use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::records::TickRecord;
use syncvar::{NetworkIdentity, ServerConfig};
use syncvar_fleet::memory::{MemoryCarrier, MemoryFleet};
use syncvar_fleet::zone::{Home, Partition, VoterId, Zone, ZoneConfig, ZoneId};
use syncvar_fleet::{Carrier, CarrierEvent, Role, Topic};

const TICK: Duration = Duration::from_millis(33);
const OBJECTS: u32 = 2000;

#[derive(NetworkBehaviour, Default)]
struct Unit {
    /// Zone that the object wants to be in.
    #[sync_var]
    zone: SyncVar<u32>,
    #[sync_var]
    position: SyncVar<[f32; 3]>,
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var(read = server)]
    plan: SyncVar<[u64; 24]>,
}

/// Objects belong to the zone that they name; the first ones have ghosts.
struct Named {
    ghosts: u32,
}

impl Partition for Named {
    fn home(&self, server: &NetworkServer, object: NetId, here: ZoneId) -> Option<Home> {
        let zone = ZoneId(*server.get::<Unit>(object)?.zone);
        let is_near = object.0 % (1 << 24) < self.ghosts;
        let neighbour = ZoneId(3 - here.0);
        let ghosts = is_near.then_some(neighbour).into_iter().collect();
        Some(Home { zone, ghosts })
    }
}

struct Pair {
    fleet: MemoryFleet,
    zones: Vec<(Zone, MemoryCarrier)>,
    watcher: MemoryCarrier,
    now: Duration,
}

impl Pair {
    fn new(ghosts: u32) -> Result<Self, Box<dyn std::error::Error>> {
        let fleet = MemoryFleet::new(1);
        let mut zones = Vec::new();
        for number in 1..=2 {
            let mut config = ZoneConfig::new(ZoneId(number));
            config.server = ServerConfig {
                incarnation: number.into(),
                send_interval: Some(Duration::ZERO),
                ..ServerConfig::default()
            };
            config.voter = Some(VoterId(number));
            config.voters = vec![VoterId(1), VoterId(2)];
            let prefabs = || Prefabs::new().register::<Unit>("unit");
            let zone = Zone::new(config, prefabs, Named { ghosts })?;
            zones.push((zone, fleet.node(Role::Zone, "")));
        }
        let mut watcher = fleet.node(Role::Relay, "");
        fleet.connect(zones[0].1.id(), zones[1].1.id());
        fleet.connect(watcher.id(), zones[0].1.id());
        watcher.subscribe(zones[0].1.id(), Topic(3));
        let now = Duration::ZERO;
        let mut pair = Self {
            fleet,
            zones,
            watcher,
            now,
        };
        while !pair.zones.iter().all(|(zone, _)| zone.is_active()) {
            pair.tick(|_| {});
        }
        let server = pair.zones[0]
            .0
            .server_mut()
            .ok_or("a zone without its lease")?;
        for _ in 0..OBJECTS {
            server.spawn(Unit {
                zone: 1.into(),
                ..Unit::default()
            });
        }
        for _ in 0..90 {
            pair.tick(|_| {});
        }
        Ok(pair)
    }

    /// Runs a tick. Returns the time of both zones.
    fn tick(&mut self, mut play: impl FnMut(&mut NetworkServer)) -> Duration {
        self.now += TICK;
        self.fleet.update(self.now);
        let started = Instant::now();
        for (zone, carrier) in &mut self.zones {
            zone.receive(carrier, self.now, &mut ());
            if let Some(server) = zone.server_mut() {
                play(server);
            }
            zone.update(self.now, &mut ());
            zone.transmit(carrier, self.now);
            while zone.poll_event().is_some() {}
        }
        started.elapsed()
    }
}

/// Sends objects of a server to the zone where they are not.
fn send(server: &mut NetworkServer, count: usize, turn: &mut usize) {
    let objects: Vec<NetId> = server.identities().map(NetworkIdentity::net_id).collect();
    for _ in 0..count.min(objects.len()) {
        *turn += 1;
        let object = objects[*turn % objects.len()];
        if let Ok(mut unit) = server.get_mut::<Unit>(object) {
            let next = 3 - *unit.zone;
            unit.zone.set(next);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    measure_handovers()?;
    println!();
    measure_borders()
}

/// Prints the time of a tick for numbers of objects that move.
fn measure_handovers() -> Result<(), Box<dyn std::error::Error>> {
    println!("| objects that move in a tick | a second | tick, median | tick, 99 % | each |");
    println!("| --- | --- | --- | --- | --- |");
    let mut base = Duration::ZERO;
    for count in [0_usize, 33, 330] {
        let mut pair = Pair::new(0)?;
        let (mut turn, mut times) = (0, Vec::new());
        for _ in 0..300 {
            // Half of them from each zone.
            times.push(pair.tick(|server| send(server, count.div_ceil(2), &mut turn)));
        }
        times.sort_unstable();
        let (median, most) = (times[150], times[297]);
        if count == 0 {
            base = median;
        }
        let each = median.saturating_sub(base) / u32::try_from(count.max(1))?;
        println!(
            "| {count} | {} | {median:.1?} | {most:.1?} | {each:.1?} |",
            count * 30
        );
    }
    Ok(())
}

/// Bytes of the records of a border.
#[derive(Default)]
struct BorderBytes {
    records: usize,
    /// Heads of records, items and messages.
    heads: usize,
    /// Ids and lengths of the entries.
    ids: usize,
    contents: usize,
}

impl BorderBytes {
    /// Adds a record without objects that enter: WIRE.md, section 12.
    fn add(&mut self, bytes: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
        let record = bytes.strip_prefix(&[0]).ok_or("an object has entered")?;
        self.records += 1;
        self.heads += bytes.len();
        for item in TickRecord::from_bytes(record)?.items() {
            for part in item.parts() {
                let counter = match part.object {
                    Some(_) => &mut self.contents,
                    None => &mut self.ids,
                };
                // A message has a head of 4 bytes.
                let length = part.length - if part.object.is_some() { 0 } else { 4 };
                *counter += length;
                self.heads -= length;
            }
        }
        Ok(())
    }

    /// Returns all bytes in relation to the entries of the changed objects.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn ratio(&self) -> f64 {
        let entries = self.ids + self.contents;
        (self.heads + entries) as f64 / entries.max(1) as f64
    }
}

/// Prints the bytes of border records by their parts. The entry of a changed object has its id, its length and its contents.
fn measure_borders() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "| ghosts | changed in a tick | field | records | heads, bytes a record | ids and lengths | contents | all / entries |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (changed, moves) in [
        (0_u32, false),
        (10, false),
        (100, false),
        (500, false),
        (10, true),
        (100, true),
        (500, true),
    ] {
        let mut pair = Pair::new(500)?;
        pair.fleet.update(pair.now + TICK);
        while pair.watcher.poll().is_some() {}
        for tick in 0..100_u16 {
            pair.tick(|server| {
                for number in 0..changed {
                    let id = NetId((1 << 24) + number);
                    if let Ok(mut unit) = server.get_mut::<Unit>(id) {
                        if moves {
                            unit.position.set([f32::from(tick); 3]);
                        } else {
                            unit.health.set(i32::from(tick) * 7 + 1_000);
                        }
                    }
                }
                // Elsewhere in the zone there is a change in each tick.
                if let Ok(mut unit) = server.get_mut::<Unit>(NetId((1 << 24) + 600)) {
                    unit.health.set(i32::from(tick));
                }
            });
        }
        pair.fleet.update(pair.now + TICK);
        let mut bytes = BorderBytes::default();
        while let Some(event) = pair.watcher.poll() {
            if let CarrierEvent::Record { bytes: record, .. } = event {
                bytes.add(&record)?;
            }
        }
        let records = bytes.records.max(1);
        println!(
            "| 500 | {changed} | {} | {} | {} | {} | {} | {:.2} |",
            if moves { "position" } else { "health" },
            bytes.records,
            bytes.heads / records,
            bytes.ids / records,
            bytes.contents / records,
            bytes.ratio()
        );
    }
    Ok(())
}
