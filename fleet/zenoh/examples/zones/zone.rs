//! Process of a zone.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::{NetworkIdentity, NetworkTime, ServerConfig};
use syncvar_fleet::zone::{VoterId, Zone, ZoneConfig, ZoneEvent, ZoneId, ZoneProgram};
use syncvar_fleet::{NodeId, Role};

use crate::carriers::Links;
use crate::process::Fallible;
use crate::world::{GameRule, Hiker, OBJECTS, RATE, STEP, clock, prefabs};

/// Objects that are sent away in a tick: at least 1 000 a second leave both zones. An object on its way counts, and does not leave again.
const LEAVING: usize = 19;

/// Pause between two looks at the carrier.
const LOOK: Duration = Duration::from_millis(1);

/// Runs a zone that listens for nodes at an address, and dials the others.
pub(crate) fn run<L: Links>(number: u32, game: &str, own: &str, others: &[&str]) -> Fallible<()> {
    let start = clock()?;
    let mut config = ZoneConfig::new(ZoneId(number));
    config.server = ServerConfig {
        tick_rate: RATE,
        incarnation: start,
        ..ServerConfig::default()
    };
    config.voter = Some(VoterId(number));
    config.voters = (1..=crate::PROCESSES).map(VoterId).collect();
    config.lease = Duration::from_secs(1);
    let mut zone = Zone::new(config, prefabs, GameRule::of(game)?)?;
    let (mut links, mut carrier) = L::open(NodeId(start), Role::Zone, Some(own), others)?;
    println!("ready");
    let (orders, mut times, mut play) = (orders(), HandoverTimes::default(), Play::default());
    let started = Instant::now();
    for tick in 0.. {
        let now = NetworkTime::of_tick(tick, RATE).time;
        loop {
            links.receive(&mut carrier, started.elapsed());
            zone.receive(&mut carrier, now, &mut times);
            let left = now.saturating_sub(started.elapsed());
            if left.is_zero() {
                break;
            }
            links.transmit(&mut carrier, started.elapsed());
            std::thread::sleep(left.min(LOOK));
        }
        while let Some(event) = zone.poll_event() {
            if event == ZoneEvent::Activated {
                println!("active");
            }
        }
        while let Ok(order) = orders.try_recv() {
            match order.as_str() {
                "report" => println!("{}", times.report()),
                "count" => println!("{}", zone.server().identities().count()),
                order => play.obey(order, game, &mut zone),
            }
        }
        if let Some(server) = zone.server_mut() {
            times.note_update(server)?;
            play.tick(number, game, server)?;
        }
        zone.update(now, &mut times);
        zone.transmit(&mut carrier, now);
        links.transmit(&mut carrier, now);
    }
    Ok(())
}

/// Lets a thread read the lines of the parent.
fn orders() -> Receiver<String> {
    let (sender, orders) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
        // The parent has ended.
        std::process::exit(0);
    });
    orders
}

/// The game.
#[derive(Default)]
struct Play {
    turn: usize,
    halts: bool,
}

impl Play {
    fn obey(&mut self, order: &str, game: &str, zone: &mut Zone) {
        self.halts = order == "halt";
        let count = if game == "exchange" { OBJECTS } else { 1 };
        if let Some(server) = zone.server_mut().filter(|_| order == "go") {
            for _ in 0..count {
                server.spawn(Hiker {
                    zone: 1.into(),
                    ..Hiker::default()
                });
            }
        }
    }

    /// Runs a tick in a zone.
    fn tick(&mut self, zone: u32, game: &str, server: &mut NetworkServer) -> Fallible<()> {
        let objects = server.identities().map(NetworkIdentity::net_id);
        let objects: Vec<NetId> = objects.collect();
        if game != "exchange" {
            for object in objects {
                server.get_mut::<Hiker>(object)?.x += STEP;
            }
        } else if !self.halts {
            // Zone 1 begins with all objects.
            let share = OBJECTS as usize / 4;
            let leaving = if objects.len() > share { LEAVING } else { 0 };
            for _ in 0..leaving {
                self.turn += 1;
                let object = objects[self.turn % objects.len()];
                server.get_mut::<Hiker>(object)?.zone.set(3 - zone);
            }
        }
        Ok(())
    }
}

/// Times of the objects that have arrived: the state that moves with an object is the moment at which it left.
#[derive(Default)]
struct HandoverTimes {
    handovers: Vec<Duration>,
    /// Moments of departure of the objects that wait for their first update here.
    new: BTreeMap<NetId, u64>,
    /// Times from the last update of an object to its first one here.
    gaps: Vec<Duration>,
}

impl HandoverTimes {
    /// Notes the first updates of the objects that have arrived.
    fn note_update(&mut self, server: &NetworkServer) -> Fallible<()> {
        let (now, tick) = (clock()?, Duration::from_secs(1) / RATE);
        for (object, left) in std::mem::take(&mut self.new) {
            if server.identity(object).is_some() {
                // It left in place of an update.
                let missing = Duration::from_micros(now.saturating_sub(left));
                self.gaps.push(missing + tick);
            }
        }
        Ok(())
    }

    /// Returns the figures since the last report.
    fn report(&mut self) -> String {
        let mut handovers = std::mem::take(&mut self.handovers);
        let mut gaps = std::mem::take(&mut self.gaps);
        handovers.sort_unstable();
        gaps.sort_unstable();
        let at = |times: &[Duration], percent: usize| {
            let place = times.len().saturating_sub(1) * percent / 100;
            times.get(place).copied().unwrap_or_default()
        };
        let longest = at(&gaps, 100);
        // Two updates of one zone are a tick apart, and lack none.
        let ticks = (longest.as_secs_f64() * f64::from(RATE)).floor() - 1.0;
        format!(
            "{} handovers, p50 {:.1?}, p99 {:.1?}, longest {:.1?}; between two updates p99 {:.1?}, at most {longest:.1?}: {} ticks without the object",
            handovers.len(),
            at(&handovers, 50),
            at(&handovers, 99),
            at(&handovers, 100),
            at(&gaps, 99),
            ticks.max(0.0),
        )
    }
}

impl ZoneProgram for HandoverTimes {
    fn leave(&mut self, _: &mut NetworkServer, _: NetId) -> Vec<u8> {
        clock().unwrap_or_default().to_le_bytes().into()
    }

    fn arrive(&mut self, _: &mut NetworkServer, object: NetId, state: &[u8]) {
        let left = state.try_into().map_or(0, u64::from_le_bytes);
        let elapsed = clock().unwrap_or_default().saturating_sub(left);
        self.handovers.push(Duration::from_micros(elapsed));
        self.new.insert(object, left);
    }
}
