//! Fields that are held back: CHECKLIST T26; LESSONS 10, 27.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;

use syncvar_testing::Crowd;

use crate::ownership::{DIALECTS, crowd};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Probe {
    #[sync_var(threshold = moved_far, max_interval = 2.0)]
    place: SyncVar<f32>,
    #[sync_var(min_interval = 0.5)]
    heat: SyncVar<u32>,
    #[sync_var(threshold = crate::ownership::intervals::grown, min_interval = 0.5, max_interval = 2.0)]
    size: SyncVar<u32>,
    #[sync_var]
    free: SyncVar<u32>,
    #[sync_var(min_interval = 0.5)]
    list: SyncList<u32>,
}

impl Probe {
    fn moved_far(last_sent: &f32, now: &f32) -> bool {
        (last_sent - now).abs() > 1.0
    }
}

pub(super) fn grown(last_sent: &u32, now: &u32) -> bool {
    now.abs_diff(*last_sent) >= 10
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Probe>("probe")
}

/// A world one second old, with a probe that one client sees.
fn world(dialect: syncvar::Framing) -> (Crowd, ConnectionId, NetId) {
    let mut world = crowd(prefabs, dialect);
    let client = world.join();
    let id = world.server.spawn(Probe::default());
    world.steps(20);
    (world, client, id)
}

// checklist: T26
#[test]
fn change_below_the_threshold_waits_for_the_longest_interval() {
    for dialect in DIALECTS {
        let (mut world, client, id) = world(dialect);
        let place = |world: &Crowd| *world.replica::<Probe>(client, id).place;
        world.server.get_mut::<Probe>(id).unwrap().place.set(5.0);
        world.step();
        assert_eq!(place(&world), 5.0, "(b) above");
        world.server.get_mut::<Probe>(id).unwrap().place.set(5.5);
        world.steps(30);
        assert_eq!(place(&world), 5.0, "(a) below");
        let waited = steps_until(&mut world, |world| place(world) == 5.5);
        assert_eq!(
            waited,
            Duration::from_millis(550),
            "(c) more than 2 s after the last"
        );
        // Small steps add up.
        for _ in 0..3 {
            let mut probe = world.server.get_mut::<Probe>(id).unwrap();
            *probe.place += 0.4;
            drop(probe);
            world.step();
        }
        assert!(place(&world) > 6.6);
    }

    fn steps_until(world: &mut Crowd, mut done: impl FnMut(&Crowd) -> bool) -> Duration {
        let begin = world.now;
        for _ in 0..200 {
            if done(world) {
                break;
            }
            world.step();
        }
        world.now.checked_sub(begin).unwrap()
    }
}

// checklist: T26
#[test]
fn change_above_the_threshold_waits_for_the_shortest_interval() {
    let (mut world, client, id) = world(DIALECTS[1]);
    let size = |world: &Crowd| *world.replica::<Probe>(client, id).size;
    world.server.get_mut::<Probe>(id).unwrap().size.set(20);
    world.step();
    assert_eq!(size(&world), 20);
    world.server.get_mut::<Probe>(id).unwrap().size.set(40);
    world.steps(10);
    assert_eq!(size(&world), 20, "0.5 s are not over");
    world.step();
    assert_eq!(size(&world), 40);
}

// checklist: T26
#[test]
fn e_f_a_field_waits_for_its_interval_and_its_siblings_do_not() {
    for dialect in DIALECTS {
        let (mut world, client, id) = world(dialect);
        let state = |world: &Crowd| {
            let probe = world.replica::<Probe>(client, id);
            (*probe.heat, *probe.free, probe.list.to_vec())
        };
        for round in 1..=5 {
            let mut probe = world.server.get_mut::<Probe>(id).unwrap();
            probe.heat.set(round);
            probe.free.set(round);
            probe.list.push(round);
            drop(probe);
            world.step();
            assert_eq!(state(&world), (1, round, vec![1]));
        }
        world.steps(6);
        assert_eq!(state(&world), (1, 5, vec![1]));
        world.step();
        assert_eq!(state(&world), (5, 5, vec![1, 2, 3, 4, 5]));
        assert_eq!(
            world.server.get::<Probe>(id).unwrap().sync_var_dirty_bits(),
            0
        );
        assert!(world.server.is_idle());
    }
}

/// What is held back is sent before somebody is given the full state, so all have the same, and the
/// threshold counts from there.
// Lesson 12.
#[test]
fn new_observer_and_all_others_have_the_current_value() {
    for dialect in DIALECTS {
        let (mut world, client, id) = world(dialect);
        let mut probe = world.server.get_mut::<Probe>(id).unwrap();
        probe.place.set(0.8);
        probe.list.push(1);
        drop(probe);
        world.step();
        world.server.get_mut::<Probe>(id).unwrap().list.push(2);
        world.step();
        assert_eq!(*world.replica::<Probe>(client, id).place, 0.0);
        let late = world.join();
        for connection in [client, late] {
            let probe = world.replica::<Probe>(connection, id);
            assert_eq!((*probe.place, probe.list.to_vec()), (0.8, vec![1, 2]));
        }
        world.server.get_mut::<Probe>(id).unwrap().place.set(1.7);
        world.step();
        assert_eq!(
            *world.replica::<Probe>(client, id).place,
            0.8,
            "less than 1 from 0.8"
        );
    }
}
