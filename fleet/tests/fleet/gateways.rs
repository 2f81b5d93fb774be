//! Gateways: walks over borders, ends of zones, sessions, commands, and random schedules of faults.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar_fleet::Carrier;
use syncvar_fleet::memory::Faults;
use syncvar_fleet::zone::ZoneId;

use crate::gateway_stage::GatewayStage;
use crate::zone_stage::Process;
use crate::zone_world::Walker;
use crate::zones;

/// Starts zones with walkers, and a client for the first walker of each zone.
pub(crate) fn stage(seed: u64, zones: u32, walkers: u16) -> GatewayStage {
    let mut stage = GatewayStage::new(seed, zones, walkers);
    let objects: Vec<NetId> = stage.zones.objects.keys().copied().collect();
    for own in objects.into_iter().step_by(walkers.into()) {
        stage.join(own);
    }
    stage.run(30);
    stage
}

#[test]
fn a_client_sees_the_objects_of_all_zones() {
    let mut stage = stage(1, 2, 3);
    stage.check();
    assert_eq!(stage.players[0].known.len(), 6);
}

#[test]
fn a_walk_over_borders_ends_no_object_and_repeats_no_hook() {
    let mut stage = stage(2, 3, 2);
    for tick in 0..600 {
        if tick % 7 == 0 {
            for place in 0..stage.players.len() {
                stage.call(place);
            }
        }
        stage.step();
    }
    assert!(
        stage.gateway.stats().turns > 10,
        "{:?}",
        stage.gateway.stats()
    );
    stage.check();
    assert_eq!(stage.gateway.stats().expired, 0);
}

/// Returns the largest step of a walk that a client sees, and the borders on the way.
fn largest_step(zones: u32) -> (f32, u64) {
    let mut stage = stage(12, zones, 1);
    let own = stage.players[0].own;
    stage.run(20);
    stage.players[0].largest_step = 0.0;
    // A walk over all regions.
    let known = stage.zones.objects.get_mut(&own).expect("the walker");
    known.direction = 1.5;
    let before = stage.gateway.stats().turns;
    stage.run(if zones == 1 { 20 } else { 300 });
    (
        stage.players[0].largest_step,
        stage.gateway.stats().turns - before,
    )
}

#[test]
fn a_border_costs_at_most_two_ticks_of_a_walk() {
    let (without, _) = largest_step(1);
    let (with, borders) = largest_step(4);
    println!("largest step {without} without borders, {with} with {borders}");
    assert!(borders > 2);
    assert!(with <= without + 2.0 * 1.5, "{with} instead of {without}");
}

#[test]
fn calls_of_a_zone_reach_observers_and_the_owner_once() {
    let mut stage = stage(3, 2, 1);
    for tick in 0..300 {
        if tick % 5 == 0 {
            stage.call(0);
        }
        stage.step();
    }
    stage.check();
    let own = stage.players[0].own;
    let all: Vec<u32> = (1..=stage.players[0].called).collect();
    let walker = |place: usize| stage.players[place].client.get::<Walker>(own).unwrap();
    assert!(stage.gateway.stats().turns > 0 && all.len() == 60);
    assert_eq!((&walker(0).echoes, &walker(0).whispers), (&all, &all));
    assert_eq!(
        (&walker(1).echoes, &walker(1).whispers),
        (&all, &Vec::new())
    );
}

#[test]
fn commands_run_once_over_handovers_with_losses() {
    let mut stage = stage(4, 2, 2);
    stage.zones.fleet.set_faults(Faults {
        delay: Duration::from_millis(20),
        jitter: Duration::from_millis(60),
        loss: 0.2,
        repetition: 0.2,
        damage: 0.05,
    });
    for tick in 0..600 {
        if tick % 3 == 0 {
            stage.call(0);
            stage.call(1);
        }
        stage.step();
    }
    assert!(stage.gateway.stats().turns > 2);
    stage.zones.fleet.set_faults(Faults::default());
    stage.run(100);
    assert!(stage.players[0].called > 100);
    stage.check();
    assert_eq!(
        stage.gateway.stats().keyframes,
        2,
        "no gap was closed by a keyframe"
    );
    for player in &stage.players {
        let walker = player.client.get::<Walker>(player.own).expect("its walker");
        // Calls of the zone before a border may arrive behind those of the zone after it.
        let sorted = |calls: &[u32]| {
            let mut calls = calls.to_vec();
            calls.sort_unstable();
            calls
        };
        let all: Vec<u32> = (1..=player.called).collect();
        assert_eq!(sorted(&walker.echoes), all, "each call to observers once");
        assert_eq!(sorted(&walker.whispers), all, "each call to the owner once");
    }
}

#[test]
fn a_zone_that_ends_keeps_its_objects_on_the_clients() {
    let mut stage = stage(5, 3, 2);
    stage.run(50);
    let zone = stage.zones.crash(1);
    assert_eq!(zone, ZoneId(2));
    stage.call(1);
    stage.run(60);
    stage.zones.start(zone, true);
    stage.run(200);
    stage.call(1);
    stage.check();
}

#[test]
fn an_object_that_ends_in_its_zone_ends_on_the_clients() {
    let mut stage = stage(7, 2, 2);
    let object = *stage.zones.objects.keys().nth(1).expect("an object");
    let is_there = |it: &Process| it.zone.server().identity(object).is_some();
    let process = stage
        .zones
        .processes
        .iter_mut()
        .find(|it| is_there(it))
        .expect("its zone");
    process
        .zone
        .server_mut()
        .expect("an active zone")
        .despawn(object)
        .expect("the object");
    process.program.0.remove(&object);
    stage.zones.objects.remove(&object);
    stage.run(20);
    for player in &mut stage.players {
        assert_eq!(std::mem::take(&mut player.despawned), [object]);
    }
    stage.check();
}

#[test]
fn an_object_that_spawns_later_belongs_to_its_player() {
    let mut stage = stage(10, 2, 2);
    let last = *stage
        .zones
        .objects
        .keys()
        .nth(1)
        .expect("the last of the first zone");
    let own = NetId(last.0 + 1);
    let place = stage.join(own);
    stage.run(30);
    stage.zones.spawn(0, 1);
    stage.run(30);
    stage.call(place);
    stage.check();
    assert_eq!(stage.players[place].called, 1);
}

#[test]
fn a_player_that_leaves_owns_nothing_until_it_joins_again() {
    let mut stage = stage(11, 2, 2);
    let own = stage.players[0].own;
    stage.call(0);
    stage.step();
    stage.players[0].client.disconnect("bye");
    stage.run(90);
    let server = stage.zones.real(own).expect("a zone").zone.server();
    assert_eq!(server.owner(own), None);
    let calls = *server.get::<Walker>(own).expect("the walker").calls;
    assert_eq!(calls, 1, "the last command of the player has run");
    stage.players.remove(0);
    let place = stage.join(own);
    stage.players[place].called = 1;
    stage.run(60);
    stage.call(place);
    stage.check();
}

#[test]
fn an_object_without_a_zone_ends_after_a_while_and_returns() {
    let mut stage = GatewayStage::with_hold(13, 3, 1, Duration::from_secs(1));
    for known in stage.zones.objects.values_mut() {
        known.direction = 0.0;
    }
    stage.run(10);
    let is_outside = |it: &&NetId| stage.gateway.zone_of(**it) != Some(ZoneId(2));
    let own = *stage
        .zones
        .objects
        .keys()
        .find(is_outside)
        .expect("an object");
    let is_west = stage.gateway.zone_of(own) == Some(ZoneId(1));
    let place = stage.join(own);
    stage.run(30);
    stage.call(place);
    stage.run(10);
    let zone = stage.zones.crash(1);
    // It walks into the zone that has ended.
    let known = stage.zones.objects.get_mut(&own).expect("it");
    known.direction = if is_west { 1.5 } else { -1.5 };
    for _ in 0..200 {
        stage.step();
        if stage.players[place].despawned.contains(&own) {
            break;
        }
    }
    let despawned = std::mem::take(&mut stage.players[place].despawned);
    assert_eq!(despawned, [own]);
    assert_eq!(stage.gateway.zone_of(own), None);
    stage.zones.start(zone, true);
    stage.run(200);
    stage.call(place);
    stage.check();
    assert_eq!(stage.players[place].called, 2);
}

#[test]
fn a_gateway_refuses_a_write_of_an_owner() {
    let mut stage = stage(8, 2, 1);
    let (own, mood) = (stage.players[0].own, |walker: &Walker| *walker.mood);
    let client = &mut stage.players[0].client;
    client
        .get_mut::<Walker>(own)
        .expect("its walker")
        .mood
        .set(5);
    stage.run(60);
    let client = &stage.players[0].client;
    assert_eq!(
        client.get::<Walker>(own).map(mood),
        Some(0),
        "the client returns to the value of the zone"
    );
    let zone = &stage.zones.real(own).expect("a zone").zone;
    assert_eq!(zone.server().get::<Walker>(own).map(mood), Some(0));
    stage.check();
}

#[test]
fn players_go_on_at_a_second_gateway() {
    let mut stage = stage(9, 2, 2);
    for _ in 0..10 {
        stage.call(0);
        stage.step();
    }
    // The end of a gateway loses the commands that no zone has.
    stage.run(10);
    stage.replace_gateway();
    stage.run(60);
    for player in &mut stage.players {
        // A new gateway is a new world for its clients.
        player.despawned.clear();
    }
    for _ in 0..10 {
        stage.call(0);
        stage.step();
    }
    stage.check();
    assert_eq!(stage.players[0].called, 20);
}

/// Changes the faults, a process, or a client.
fn disturb(stage: &mut GatewayStage, random: &mut Random) {
    let count = u32::try_from(stage.players.len()).expect("few clients");
    let player = random.below(count) as usize;
    let gateway = stage.gateway.carrier().id();
    let zones = u32::try_from(stage.zones.processes.len()).expect("few processes");
    let zone = stage.zones.processes[random.below(zones) as usize]
        .carrier
        .id();
    match random.below(15) {
        0 => stage.zones.fleet.cut(gateway, zone, true),
        1 => stage.zones.fleet.cut(gateway, zone, false),
        2 => stage.stall(true),
        3 => stage.stall(false),
        4 if stage.is_linked(player) => stage.cut(player),
        5 if !stage.is_linked(player) && !stage.is_stalled => stage.connect(player),
        6 => stage.datagram_loss = random.below(300),
        _ => zones::disturb(&mut stage.zones, random),
    }
}

/// Ends all faults. Each zone has a process then, and each client a link.
fn settle(stage: &mut GatewayStage) {
    stage.stall(false);
    stage.datagram_loss = 0;
    let gateway = stage.gateway.carrier().id();
    stage.zones.fleet.set_faults(Faults::default());
    for place in 0..stage.zones.processes.len() {
        stage.zones.stall(place, false);
        let node = stage.zones.processes[place].carrier.id();
        stage.zones.fleet.cut(gateway, node, false);
        for other in 0..place {
            let other = stage.zones.processes[other].carrier.id();
            stage.zones.fleet.cut(node, other, false);
        }
    }
    for place in 0..stage.players.len() {
        if !stage.is_linked(place) {
            stage.connect(place);
        }
    }
    for _round in 0..4 {
        stage.run(80);
        zones::end_superseded(&mut stage.zones);
    }
    stage.run(120);
}

/// Runs a schedule of faults over three zones, a gateway and three clients.
fn run(seed: u64) -> u64 {
    let mut random = Random::new(seed);
    let mut stage = stage(seed, 3, 2);
    for _ in 0..random.below(10) + 6 {
        disturb(&mut stage, &mut random);
        for _ in 0..random.below(30) {
            if random.below(3) == 0 {
                let place = random.below(3) as usize;
                if stage.is_linked(place) {
                    stage.call(place);
                }
            }
            stage.step();
        }
    }
    settle(&mut stage);
    stage.check();
    stage.gateway.stats().turns
}

#[test]
fn clients_of_a_gateway_are_equal_after_any_schedule() {
    let first = std::env::var("SYNCVAR_FLEET_SEED").ok();
    let first = first.and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut turns = 0;
    for seed in first..first + zones::schedules(8) {
        let result = std::panic::catch_unwind(|| run(seed));
        turns += result.unwrap_or_else(|_| panic!("SYNCVAR_FLEET_SEED={seed}"));
    }
    println!("{turns} turns");
    assert!(turns > 0);
}
