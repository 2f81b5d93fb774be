//! Objects and viewers that cross from cell to cell.

use syncvar::Framing;
use syncvar::interest::SpatialGrid;
use syncvar::prelude::*;

use crate::sight::{
    ANN, Clock, HERE, THERE, full_states, gather, hidden, in_every_dialect, move_to, network,
    options_at, spawn, spawned, watch,
};
use syncvar_testing::{Player, change, drain, hooks, states};

#[test]
fn entering_view_sends_current_state_and_leaving_removes_it() {
    in_every_dialect(1, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        net.settle();
        assert_eq!((states(&net, id), drain(&mut net, 0)), (vec![None], vec![]));
        change(&mut net, id, |player| player.health.set(2));
        net.settle();
        watch(&mut net, 0, HERE);
        net.settle();
        assert_eq!(states(&net, id), [ANN(2)]);
        assert_eq!(drain(&mut net, 0), [spawned(id)]);
        watch(&mut net, 0, THERE);
        net.settle();
        assert_eq!(states(&net, id), [None]);
        assert_eq!(drain(&mut net, 0), [hidden(id)]);
    });
}

#[test]
fn moving_object_enters_with_its_current_position() {
    in_every_dialect(2, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        watch(&mut net, 0, HERE);
        watch(&mut net, 1, THERE);
        net.settle();
        crate::sight::forget_events(&mut net);
        move_to(&mut net, id, THERE);
        net.settle();
        assert_eq!(states(&net, id), [None, ANN(1)]);
        assert_eq!(drain(&mut net, 0), [hidden(id)]);
        assert_eq!(drain(&mut net, 1), [spawned(id)]);
        let identity = net.client(1).identity(id).expect("it sees it");
        assert_eq!(identity.position, crate::sight::at(THERE));
    });
}

#[test]
fn a_change_at_the_very_update_of_entering_is_received_once() {
    in_every_dialect(3, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        watch(&mut net, 0, HERE);
        watch(&mut net, 1, HERE);
        net.settle();
        change(&mut net, id, |player| player.health.set(2));
        watch(&mut net, 2, HERE);
        net.settle();
        assert_eq!(states(&net, id), [ANN(2), ANN(2), ANN(2)]);
        for client in 0..2 {
            assert_eq!(hooks(&mut net, client, id), ["health 1 -> 2 (Ann, 0)"]);
        }
        assert_eq!(hooks(&mut net, 2, id), [""; 0]);
    });
}

#[test]
fn change_in_the_update_of_an_entry_is_received_once() {
    in_every_dialect(2, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        gather(&mut net, HERE);
        watch(&mut net, 1, THERE);
        net.settle();
        // The first follows it; the second is there already.
        change(&mut net, id, |player| player.health.set(2));
        move_to(&mut net, id, THERE);
        watch(&mut net, 0, THERE);
        net.settle();
        assert_eq!(states(&net, id), [ANN(2), ANN(2)]);
        assert_eq!(hooks(&mut net, 0, id), ["health 1 -> 2 (Ann, 0)"]);
        assert_eq!(hooks(&mut net, 1, id), [""; 0]);
    });
}

/// The clock's hour on a client, and the hooks that have run.
fn clock(net: &MemoryNetwork, client: usize, id: NetId) -> Option<(i32, &[i32])> {
    let clock = net.client(client).get::<Clock>(id)?;
    Some((*clock.hour, &clock.hooks))
}

fn spawn_clock(net: &mut MemoryNetwork, x: f32) -> NetId {
    let spawned = net.server.try_spawn(Clock::default(), options_at(x));
    spawned.expect("it is registered")
}

fn set_clock(net: &mut MemoryNetwork, id: NetId, hour: i32) {
    let mut clock = net.server.get_mut::<Clock>(id).expect("the clock");
    clock.hour.set(hour);
}

#[test]
fn change_delayed_by_its_interval_reaches_an_entrant_once() {
    in_every_dialect(2, |mut net| {
        let id = spawn_clock(&mut net, HERE);
        watch(&mut net, 0, HERE);
        net.settle();
        set_clock(&mut net, id, 1);
        net.step();
        assert_eq!(clock(&net, 0, id), Some((0, &[][..])), "it waits");
        watch(&mut net, 1, HERE);
        net.step();
        assert_eq!(clock(&net, 0, id), Some((1, &[0][..])));
        assert_eq!(clock(&net, 1, id), Some((1, &[][..])));
        set_clock(&mut net, id, 2);
        net.step();
        assert_eq!(clock(&net, 0, id), Some((1, &[0][..])), "it waits again");
        net.settle();
        assert_eq!(clock(&net, 0, id), Some((2, &[0, 1][..])));
        assert_eq!(clock(&net, 1, id), Some((2, &[1][..])));
    });
}

#[test]
fn new_observer_does_not_shorten_later_intervals() {
    in_every_dialect(1, |mut net| {
        let (stays, comes) = (spawn_clock(&mut net, HERE), spawn_clock(&mut net, THERE));
        net.settle();
        watch(&mut net, 0, HERE);
        move_to(&mut net, comes, HERE);
        net.step();
        for id in [stays, comes] {
            assert_eq!(clock(&net, 0, id), Some((0, &[][..])));
            set_clock(&mut net, id, 1);
        }
        net.step();
        assert_eq!(clock(&net, 0, stays), Some((0, &[][..])));
        assert_eq!(clock(&net, 0, comes), Some((0, &[][..])));
        net.settle();
        assert_eq!(clock(&net, 0, stays), Some((1, &[0][..])));
        assert_eq!(clock(&net, 0, comes), Some((1, &[0][..])));
    });
}

#[test]
fn unaffected_objects_keep_their_interval_on_an_entry() {
    in_every_dialect(2, |mut net| {
        let id = spawn_clock(&mut net, HERE);
        net.settle();
        net.server.show_to_all(id).unwrap();
        net.step();
        set_clock(&mut net, id, 1);
        watch(&mut net, 1, HERE);
        net.step();
        assert_eq!(clock(&net, 0, id), Some((0, &[][..])));
        assert_eq!(clock(&net, 1, id), Some((0, &[][..])));
    });
}

#[test]
fn object_and_viewer_crossing_together_stay_in_view() {
    in_every_dialect(2, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        gather(&mut net, HERE);
        let before = full_states(&net);
        // Nobody sees both places; one steps over with it, the other one follows it.
        let connection = net.connection(1);
        let grid: &mut SpatialGrid = net.server.interest_mut().expect("a grid");
        grid.follow(connection, id).unwrap();
        for x in [THERE, HERE, 15.0, THERE] {
            move_to(&mut net, id, x);
            watch(&mut net, 0, x);
            net.settle();
        }
        assert_eq!((drain(&mut net, 0), drain(&mut net, 1)), (vec![], vec![]));
        assert_eq!(full_states(&net), before);
        change(&mut net, id, |player| player.health.set(2));
        net.settle();
        assert_eq!(states(&net, id), [ANN(2), ANN(2)]);
    });
}

#[test]
fn leave_and_return_between_updates_has_no_effect() {
    in_every_dialect(1, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        gather(&mut net, HERE);
        let sent = net.server.stats().sent;
        watch(&mut net, 0, THERE);
        watch(&mut net, 0, HERE);
        move_to(&mut net, id, THERE);
        move_to(&mut net, id, HERE);
        net.settle();
        assert_eq!(net.server.stats().sent, sent);
        assert_eq!(drain(&mut net, 0), []);
    });
}

#[test]
fn common_entrants_of_an_area_share_one_encoding() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let mut net = network(&[dialect], 4, SpatialGrid::xz(10.0, 10.0));
        let ids: Vec<_> = (0..5).map(|i| spawn(&mut net, HERE, i)).collect();
        // Whoever owns one of them sees it anyway; that must not keep the others apart.
        let owner = net.connection(3);
        net.server.set_owner(ids[2], Some(owner)).unwrap();
        net.settle();
        let before = full_states(&net);
        for client in 0..3 {
            watch(&mut net, client, HERE);
        }
        net.settle();
        assert_eq!(full_states(&net), before + 5);
        for id in ids {
            assert!(states(&net, id)[..3].iter().all(Option::is_some));
        }
    }
}

#[test]
fn near_objects_come_first() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let mut net = network(&[dialect], 1, SpatialGrid::xz(10.0, 10.0));
        let far = spawn(&mut net, HERE + 15.0, 1);
        let near = spawn(&mut net, HERE, 1);
        net.settle();
        watch(&mut net, 0, HERE);
        net.settle();
        assert_eq!(drain(&mut net, 0), [spawned(near), spawned(far)]);
    }
}

#[test]
fn area_objects_are_hidden_and_shown_with_any_owner() {
    in_every_dialect(3, |mut net| {
        let ids: Vec<_> = (0..6).map(|i| spawn(&mut net, HERE, i)).collect();
        for (client, id) in ids.iter().enumerate().take(3) {
            let connection = net.connection(client);
            net.server.set_owner(*id, Some(connection)).unwrap();
        }
        gather(&mut net, HERE);
        for x in [THERE, HERE] {
            watch(&mut net, 1, x);
            net.settle();
            let events = drain(&mut net, 1);
            let others = ids.iter().filter(|id| **id != ids[1]);
            let expected: Vec<_> = others
                .map(|id| if x == HERE { spawned(*id) } else { hidden(*id) })
                .collect();
            assert_eq!(events, expected);
            assert!(net.client(1).is_owner(ids[1]));
        }
        assert!(net.client(0).get::<Player>(ids[5]).is_some());
        assert_eq!((drain(&mut net, 0), drain(&mut net, 2)), (vec![], vec![]));
    });
}
