//! Random schedules of faults. After each of them the spectators are equal to the origin.

use std::time::Duration;

use syncvar::testing::Random;
use syncvar_fleet::Carrier;
use syncvar_fleet::memory::Faults;

use crate::stage::{Stage, relay_config};

/// Number of schedules of a test: a quarter in `.ci/run`, as of all property tests.
fn schedules(count: u32) -> u32 {
    let cases = std::env::var("PROPTEST_CASES").ok();
    let cases = cases
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(256_u32);
    (count * cases / 256).max(1)
}

/// Runs a schedule: an origin, two relays, a relay below them, four spectators.
fn run(seed: u64) {
    let mut random = Random::new(seed);
    let mut stage = Stage::new(seed);
    let (one, two) = (
        stage.relay(&[], relay_config()),
        stage.relay(&[], relay_config()),
    );
    let leaf = stage.relay(&[one, two], relay_config());
    for (number, relay) in [one, leaf, leaf, two].into_iter().enumerate() {
        stage.spectator(relay, number % 2 == 0);
    }
    stage.datagram_loss = random.below(200);
    let (mut starts, mut has_crashed) = (0_u64, false);
    for _ in 0..random.below(12) + 4 {
        let node = *random.pick(&stage.nodes).expect("a node");
        let other = match random.below(2) {
            0 => stage.source.carrier.id(),
            _ => *random.pick(&stage.nodes).expect("a node"),
        };
        match random.below(9) {
            0 | 1 => stage.fleet.set_faults(faults(&mut random)),
            2 => stage.fleet.cut(node, other, true),
            3 => stage.fleet.cut(node, other, false),
            4 => stage.fleet.stall(node, true),
            5 => stage.fleet.stall(node, false),
            6 => {
                stage.spectator(leaf, random.chance(500));
            }
            7 => {
                starts += 1;
                stage.restart_origin(seed << 8 | 0x80 | starts, &[one, two]);
            }
            _ if !has_crashed => {
                has_crashed = true;
                stage.crash_relay(one);
                for spectator in stage.spectators.iter_mut().filter(|it| it.relay == one) {
                    spectator.relay = two;
                }
            }
            _ => {}
        }
        for _ in 0..random.below(60) {
            stage.play();
            stage.step();
        }
    }
    stage.fleet.set_faults(Faults::default());
    stage.datagram_loss = 0;
    let mut nodes = stage.nodes.clone();
    nodes.push(stage.source.carrier.id());
    for (place, node) in nodes.iter().enumerate() {
        stage.fleet.stall(*node, false);
        for other in &nodes[..place] {
            stage.fleet.cut(*node, *other, false);
        }
    }
    // A session that has ended, a source that is left, keyframes once a second on two levels.
    stage.run(300);
    stage.check();
    for spectator in &stage.spectators {
        let incarnation = spectator.client.incarnation();
        assert_eq!(incarnation, Some(stage.source.server.config().incarnation));
    }
}

/// Returns random faults of the carrier.
fn faults(random: &mut Random) -> Faults {
    let mut share = |most: f32| f64::from(random.between(0.0, most));
    let (loss, repetition, damage) = (share(0.3), share(0.3), share(0.2));
    Faults {
        delay: Duration::from_millis(random.below(40).into()),
        jitter: Duration::from_millis(random.below(100).into()),
        loss,
        repetition,
        damage,
    }
}

#[test]
fn spectators_are_equal_after_any_schedule() {
    let first = std::env::var("SYNCVAR_FLEET_SEED").ok();
    let first = first.and_then(|seed| seed.parse().ok()).unwrap_or(1);
    for seed in first..first + u64::from(schedules(200)) {
        let result = std::panic::catch_unwind(|| run(seed));
        assert!(result.is_ok(), "SYNCVAR_FLEET_SEED={seed}");
    }
}
