//! Gateways: walks over borders, ends of zones, sessions, commands, and random schedules of faults.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar_fleet::memory::Faults;
use syncvar_fleet::zone::ZoneId;

use crate::gateway_stage::GatewayStage;
use crate::zone_world::Walker;

/// Starts zones with walkers, and a client for the first walker of each zone.
fn stage(seed: u64, zones: u32, walkers: u16) -> GatewayStage {
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
fn a_client_returns_to_its_session() {
    let mut stage = stage(6, 2, 2);
    stage.run(20);
    stage.cut(0);
    stage.run(60);
    stage.connect(0);
    stage.run(30);
    stage.call(0);
    stage.check();
}
