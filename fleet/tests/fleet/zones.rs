//! Zones: handovers, ghosts, leases, restarts, and random schedules of faults.

use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::{NetworkIdentity, SpawnOptions};
use syncvar_fleet::memory::Faults;
use syncvar_fleet::zone::{ZoneEvent, ZoneId};
use syncvar_fleet::{Carrier, CarrierEvent, Role, Topic};

use crate::socket_zone::SocketZone;
use crate::zone_stage::{Process, TICK, ZoneStage};
use crate::zone_world::Walker;

/// Starts zones with walkers.
fn stage(seed: u64, zones: u32, walkers: u16) -> ZoneStage {
    let mut stage = ZoneStage::new(seed, zones);
    stage.run(40);
    for place in 0..zones as usize {
        stage.spawn(place, walkers);
    }
    // The journals have the objects.
    stage.step();
    stage
}

#[test]
fn objects_walk_through_zones_with_all_their_state() {
    let mut stage = stage(1, 3, 4);
    for tick in 0..400 {
        if tick % 10 == 0 {
            for object in stage.objects.keys().copied().collect::<Vec<_>>() {
                stage.command(object);
            }
        }
        stage.step();
    }
    assert!(stage.handovers > 20, "{}", stage.handovers);
    stage.run(20);
    stage.check();
}

#[test]
fn a_handover_takes_two_ticks_without_faults() {
    let mut stage = stage(2, 2, 1);
    let object = *stage.objects.keys().next().expect("an object");
    let (mut gaps, mut longest) = (0, 0);
    for _ in 0..400 {
        stage.step();
        gaps = if stage.real(object).is_some() {
            0
        } else {
            gaps + 1
        };
        longest = longest.max(gaps);
    }
    assert!(stage.handovers > 2);
    assert!(longest <= 2, "{longest} ticks without a real copy");
}

#[test]
fn an_ended_zone_goes_on_from_its_journal() {
    let mut stage = stage(3, 3, 3);
    stage.run(50);
    let zone = stage.crash(1);
    assert_eq!(zone, ZoneId(2));
    stage.run(30);
    stage.start(zone, true);
    stage.run(120);
    stage.check();
    assert_eq!(stage.objects.len(), 9);
}

#[test]
fn a_zone_without_its_journal_begins_anew() {
    let mut stage = stage(17, 3, 3);
    stage.run(150);
    let objects: Vec<NetId> = stage.objects.keys().copied().collect();
    // Nothing is on its way at the end of the process.
    let directions = objects.iter().map(|it| (*it, stage.objects[it].direction));
    let directions: Vec<(NetId, f32)> = directions.collect();
    for known in stage.objects.values_mut() {
        known.direction = 0.0;
    }
    stage.run(30);
    let is_moved = |object: &NetId| {
        let zone = stage.real(*object).expect("a real object").zone.id();
        object.0 >> 24 == 2 && zone != ZoneId(2)
    };
    assert!(
        objects.iter().any(is_moved),
        "an object of zone 2 is elsewhere"
    );
    let process = &stage.processes[1];
    let lost: Vec<NetId> = process
        .zone
        .server()
        .identities()
        .map(NetworkIdentity::net_id)
        .collect();
    assert!(!lost.is_empty());
    let zone = stage.crash(1);
    stage.journals.remove(&zone);
    stage.objects.retain(|object, _| !lost.contains(object));
    stage.start(zone, true);
    stage.run(120);
    let place = stage.processes.len() - 1;
    assert!(stage.processes[place].zone.is_active());
    stage.spawn(place, 3);
    let new = stage
        .objects
        .keys()
        .filter(|it| !objects.contains(it))
        .count();
    assert_eq!(new, 3, "no id comes twice");
    for (object, direction) in directions {
        if let Some(known) = stage.objects.get_mut(&object) {
            known.direction = direction;
        }
    }
    let handovers = stage.handovers;
    stage.run(300);
    assert!(
        stage.handovers > handovers + 5,
        "objects leave and arrive again"
    );
    stage.check();
}

#[test]
fn a_standby_takes_the_zone_of_a_stalled_process() {
    let mut stage = stage(4, 3, 3);
    stage.run(30);
    stage.start(ZoneId(1), false);
    stage.run(30);
    assert!(!stage.processes[3].zone.is_active(), "its lease is held");
    stage.stall(0, true);
    stage.run(60);
    assert!(stage.processes[3].zone.is_active());
    stage.stall(0, false);
    stage.run(20);
    let former = &stage.processes[0].zone;
    assert!(former.is_superseded() && !former.is_active());
    stage.crash(0);
    stage.check();
}

#[test]
fn a_zone_without_a_majority_freezes_its_objects() {
    let mut stage = stage(5, 3, 2);
    stage.run(10);
    let nodes: Vec<_> = stage.processes.iter().map(|it| it.carrier.id()).collect();
    for other in &nodes[1..] {
        stage.fleet.cut(nodes[0], *other, true);
    }
    stage.run(30);
    assert!(stage.processes[0].zone.server_mut().is_none());
    let object = stage.processes[0]
        .zone
        .server()
        .identities()
        .next()
        .expect("an object")
        .net_id();
    let writes = |stage: &ZoneStage| {
        *stage.processes[0]
            .zone
            .server()
            .get::<Walker>(object)
            .expect("it")
            .writes
    };
    let frozen = writes(&stage);
    stage.run(30);
    assert_eq!(writes(&stage), frozen);
    assert!(stage.processes[1].zone.is_active() && stage.processes[2].zone.is_active());
    for other in &nodes[1..] {
        stage.fleet.cut(nodes[0], *other, false);
    }
    stage.run(30);
    assert!(writes(&stage) > frozen);
    stage.check();
}

#[test]
fn a_program_learns_of_an_id_of_a_neighbour() {
    let mut stage = stage(6, 2, 1);
    let server = stage.processes[0].zone.server_mut().unwrap();
    let options = SpawnOptions {
        net_id: Some(NetId(99)),
        ..SpawnOptions::default()
    };
    let foreign = server.try_spawn(Walker::default(), options).unwrap();
    let Process { zone, program, .. } = &mut stage.processes[0];
    let mut events = Vec::new();
    for _ in 0..3 {
        zone.update(stage.now, program);
        events.extend(std::iter::from_fn(|| zone.poll_event()));
    }
    events.retain(|event| matches!(event, ZoneEvent::ForeignId(_)));
    assert_eq!(events, [ZoneEvent::ForeignId(foreign)]);
}

#[test]
fn messages_wait_for_the_journal() {
    let mut stage = stage(7, 2, 1);
    let mut watcher = stage.fleet.node(Role::Relay, "");
    let node = stage.processes[0].carrier.id();
    stage.fleet.connect(watcher.id(), node);
    watcher.subscribe(node, Topic::WORLD);
    stage.now += TICK;
    let now = stage.now;
    let mut records = |stage: &ZoneStage, later| {
        stage.fleet.update(now + later);
        let events = std::iter::from_fn(|| watcher.poll());
        { events }
            .filter(|event| matches!(event, CarrierEvent::Record { .. }))
            .count()
    };
    let object = *stage.objects.keys().next().unwrap();
    let place = &mut stage.processes[0];
    let server = place.zone.server_mut().unwrap();
    server.get_mut::<Walker>(object).unwrap().x.set(42.0);
    place.zone.update(now, &mut place.program);
    assert!(
        place.zone.poll_journal().is_some(),
        "one record, and perhaps more"
    );
    place.zone.transmit(&mut place.carrier, now);
    assert_eq!(records(&stage, TICK), 0);
    let place = &mut stage.processes[0];
    while place.zone.poll_journal().is_some() {}
    place.zone.transmit(&mut place.carrier, now);
    assert!(records(&stage, TICK * 2) > 0);
}

/// Runs two zones over TCP until a walker has arrived in the second zone. Returns whether it has.
fn walk_over_sockets() -> Result<bool, Box<dyn std::error::Error>> {
    let mut nodes = Vec::new();
    let mut first = None;
    for number in 1..=2 {
        let (node, address) = SocketZone::new(number, first)?;
        first.get_or_insert(address);
        nodes.push(node);
    }
    let (started, mut walker) = (Instant::now(), None);
    while started.elapsed() < Duration::from_mins(1) {
        let now = started.elapsed();
        for node in &mut nodes {
            node.run(now, |server, program| {
                let walker = *walker.get_or_insert_with(|| server.spawn(Walker::default()));
                program.0.entry(walker).or_insert(1);
                if let Ok(mut walker) = server.get_mut::<Walker>(walker) {
                    walker.x += 5.0;
                }
            })?;
        }
        let east = nodes[1].zone.server();
        if walker.is_some_and(|walker| east.get::<Walker>(walker).is_some()) {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(false)
}

#[test]
fn an_object_walks_over_sockets() {
    assert!(walk_over_sockets().unwrap());
}

/// Number of schedules of a test.
pub(crate) fn schedules(usual: u64) -> u64 {
    let count = std::env::var("SYNCVAR_ZONE_SCHEDULES").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Returns random faults of the carrier.
pub(crate) fn faults(random: &mut Random) -> Faults {
    let mut share = |most: f32| f64::from(random.between(0.0, most));
    let (loss, repetition, damage) = (share(0.3), share(0.4), share(0.1));
    Faults {
        delay: Duration::from_millis(random.below(30).into()),
        jitter: Duration::from_millis(random.below(120).into()),
        loss,
        repetition,
        damage,
    }
}

/// Runs a schedule of faults over three zones.
fn run(seed: u64) -> usize {
    let mut random = Random::new(seed);
    let mut stage = stage(seed, 3, 2);
    let objects: Vec<NetId> = stage.objects.keys().copied().collect();
    for _ in 0..random.below(10) + 6 {
        disturb(&mut stage, &mut random);
        for _ in 0..random.below(30) {
            if random.below(3) == 0 {
                stage.command(*random.pick(&objects).expect("an object"));
            }
            if random.below(20) == 0 {
                let object = random.pick(&objects).expect("an object");
                let known = stage.objects.get_mut(object).expect("a known object");
                known.direction = -known.direction;
            }
            stage.step();
        }
    }
    settle(&mut stage);
    stage.check();
    stage.handovers
}

/// Changes the faults, the processes, or the place of an object.
pub(crate) fn disturb(stage: &mut ZoneStage, random: &mut Random) {
    let count = u32::try_from(stage.processes.len()).expect("few processes");
    let place = random.below(count) as usize;
    let node = stage.processes[place].carrier.id();
    let other = stage.processes[random.below(count) as usize].carrier.id();
    let zone = stage.processes[place].zone.id();
    let processes = stage
        .processes
        .iter()
        .filter(|it| it.zone.id() == zone)
        .count();
    match random.below(10) {
        0 | 1 => stage.fleet.set_faults(faults(random)),
        2 => stage.fleet.cut(node, other, true),
        3 => stage.fleet.cut(node, other, false),
        4 => stage.stall(place, true),
        5 => stage.stall(place, false),
        6 if processes < 2 => stage.start(zone, false),
        7 => {
            // The end of the process, also between an update and the write of its journal.
            let torn = random.chance(500).then_some(place);
            stage.step_and_tear(torn);
            stage.restart(place);
        }
        8 => {
            let to = ZoneId(1 + random.below(3));
            let object = stage.processes[place].zone.server().identities().next();
            if let Some(object) = object.map(NetworkIdentity::net_id) {
                // The zone may be frozen or unknown.
                let _ = stage.processes[place].zone.hand_over(object, to);
            }
        }
        _ => stage.fleet.set_faults(Faults::default()),
    }
}

/// Ends all faults. Each zone has a process then.
fn settle(stage: &mut ZoneStage) {
    stage.fleet.set_faults(Faults::default());
    for place in 0..stage.processes.len() {
        stage.stall(place, false);
        for other in 0..place {
            let (one, two) = (
                stage.processes[place].carrier.id(),
                stage.processes[other].carrier.id(),
            );
            stage.fleet.cut(one, two, false);
        }
    }
    for _round in 0..4 {
        stage.run(80);
        end_superseded(stage);
    }
    stage.run(120);
}

/// Starts the processes without a lease again, as their supervisor does.
pub(crate) fn end_superseded(stage: &mut ZoneStage) {
    let superseded = |stage: &ZoneStage| {
        stage
            .processes
            .iter()
            .position(|it| it.zone.is_superseded())
    };
    while let Some(place) = superseded(stage) {
        // Its vote goes on with the next process.
        stage.restart(place);
    }
}

#[test]
fn zones_keep_their_promises_in_any_schedule() {
    let first = std::env::var("SYNCVAR_FLEET_SEED").ok();
    let first = first.and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut handovers = 0;
    for seed in first..first + schedules(25) {
        let result = std::panic::catch_unwind(|| run(seed));
        handovers += result.unwrap_or_else(|_| panic!("SYNCVAR_FLEET_SEED={seed}"));
    }
    println!("{handovers} handovers");
}
