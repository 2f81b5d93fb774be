//! `FixedUpdate` is the tick of both ends.

use std::time::Duration;

use bevy_syncvar::syncvar::testing::Conditions;

use crate::prediction::rig::{Body, Counted, FRAME, Rig, Runs, open};

fn assert_successive(ticks: &[u64]) {
    let is_next = |pair: &[u64]| pair[1] == pair[0] + 1;
    assert!(ticks.windows(2).all(is_next), "{ticks:?}");
}

#[test]
fn each_tick_runs_once_on_both_ends() {
    let mut rig = Rig::new(Conditions::default(), 1);
    rig.play(300);
    let server = rig.server.world().resource::<Runs>().clone();
    let client = rig.clients[0].world().resource::<Runs>().clone();
    assert_eq!(server.new.first(), Some(&1));
    assert!(server.new.len() > 410);
    assert_successive(&server.new);
    assert_successive(&client.new);
    assert!(client.new.len() > 380);
    assert!(server.replays.is_empty());
    // The client is ahead.
    assert!(client.new.last() > server.new.last());
}

#[test]
fn frames_and_ticks_are_independent() {
    let mut rig = Rig::new(Conditions::default(), 1);
    rig.hold(0, 1.0);
    // Two updates in a tick, two ticks in an update, frames of a loaded machine.
    for millis in [8, 8, 8, 33, 33, 3, 50, 1, 1, 90].repeat(20) {
        rig.frame(Duration::from_millis(millis));
    }
    let server = rig.server.world().resource::<Runs>().clone();
    assert_successive(&server.new);
    assert_successive(&rig.clients[0].world().resource::<Runs>().new.clone());
    rig.rest();
    rig.assert_equal();
}

#[test]
fn a_resource_goes_back_with_the_predictions() {
    let mut rig = Rig::new(open(21), 1);
    let counts = |rig: &Rig| {
        let world = rig.clients[0].world();
        let runs = world.resource::<Runs>();
        let (new, replays) = (runs.new.len() as u64, runs.replays.len());
        (new, replays, world.resource::<Counted>().0)
    };
    let before = counts(&rig);
    rig.play(120);
    push(&mut rig);
    rig.play(60);
    let after = counts(&rig);
    assert!(after.1 > before.1 + 1);
    // Each tick counts once, although some have run twice.
    assert_eq!(after.2 - before.2, after.0 - before.0);
}

fn push(rig: &mut Rig) {
    let here = rig.here(0);
    let mut body = rig.server.world_mut().get_mut::<Body>(here).unwrap();
    body.pushes += 1;
    rig.frame(FRAME);
}
