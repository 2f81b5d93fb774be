//! Joining, leaving, not being ready, despawns and poison, at the moment of a crossing.

use syncvar::prelude::*;
use syncvar::wire::NetworkWriter;
use syncvar_testing::ClientMessages as _;

use crate::sight::{
    ANN, HERE, THERE, forget_events, full_states, gather, hidden, in_every_dialect, move_to, spawn,
    spawned, watch,
};
use syncvar_testing::{change, drain, hooks, states};

#[test]
fn late_joiner_receives_exactly_its_areas() {
    in_every_dialect(1, |mut net| {
        let (near, far) = (spawn(&mut net, HERE, 1), spawn(&mut net, THERE, 2));
        let late = net.connect();
        watch(&mut net, late, THERE);
        net.settle();
        let events = drain(&mut net, late);
        let expected = [ClientEvent::Connected, spawned(far), ClientEvent::Ready];
        assert_eq!(events, expected);
        assert_eq!(states(&net, near), [None, None]);
        assert_eq!(states(&net, far), [None, ANN(2)]);
    });
}

#[test]
fn connection_without_a_viewer_observes_no_area() {
    in_every_dialect(1, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        net.settle();
        assert_eq!(states(&net, id), [None]);
        gather(&mut net, HERE);
        let connection = net.connection(0);
        let grid: &mut syncvar::interest::SpatialGrid = net.server.interest_mut().expect("a grid");
        grid.stop_watching(connection).unwrap();
        net.settle();
        assert_eq!(drain(&mut net, 0), [hidden(id)]);
    });
}

#[test]
fn client_that_is_not_ready_gets_its_view_at_ready() {
    in_every_dialect(2, |mut net| {
        let (near, far) = (spawn(&mut net, HERE, 1), spawn(&mut net, THERE, 2));
        gather(&mut net, HERE);
        let idle = net.connection(0);
        net.server.set_not_ready(idle);
        net.settle();
        let received = net.client(0).stats().received;
        watch(&mut net, 0, THERE);
        change(&mut net, near, |player| player.health.set(3));
        net.settle();
        assert_eq!(net.client(0).stats().received, received);
        assert_eq!(states(&net, near), [ANN(1), ANN(3)]);
        drain(&mut net, 0);
        change(&mut net, far, |player| player.health.set(4));
        net.client_mut(0).ready();
        net.settle();
        let expected = [hidden(near), spawned(far), ClientEvent::Ready];
        assert_eq!(drain(&mut net, 0), expected);
        assert_eq!(states(&net, far), [ANN(4), None]);
    });
}

#[test]
fn ready_and_crossing_in_one_update_sends_each_object_once() {
    in_every_dialect(2, |mut net| {
        let (near, far) = (spawn(&mut net, HERE, 1), spawn(&mut net, THERE, 2));
        watch(&mut net, 1, THERE);
        net.settle();
        let connection = net.connection(0);
        net.server.set_not_ready(connection);
        net.settle();
        forget_events(&mut net);
        watch(&mut net, 0, THERE);
        net.server.set_ready(connection);
        change(&mut net, far, |player| player.health.set(3));
        move_to(&mut net, near, THERE);
        net.settle();
        let expected = [spawned(near), spawned(far), ClientEvent::Ready];
        assert_eq!(drain(&mut net, 0), expected);
        assert_eq!(states(&net, far), [ANN(3), ANN(3)]);
        assert_eq!(hooks(&mut net, 0, far), [""; 0]);
        assert_eq!(hooks(&mut net, 1, far), ["health 2 -> 3 (Ann, 0)"]);
    });
}

#[test]
fn client_that_leaves_while_observing_disturbs_no_other() {
    in_every_dialect(3, |mut net| {
        let (seen, owned) = (spawn(&mut net, HERE, 1), spawn(&mut net, THERE, 2));
        let leaves = net.connection(1);
        net.server.set_owner(owned, Some(leaves)).unwrap();
        net.server.show(seen, leaves).unwrap();
        gather(&mut net, HERE);
        watch(&mut net, 1, THERE);
        net.cut(1);
        change(&mut net, seen, |player| player.health.set(5));
        net.settle();
        assert_eq!(states(&net, seen), [ANN(5), ANN(5)]);
        watch(&mut net, 2, THERE);
        net.settle();
        assert_eq!(drain(&mut net, 2).last(), Some(&spawned(owned)));
    });
}

#[test]
fn despawn_during_an_entry_is_never_seen_and_once_on_a_leave() {
    in_every_dialect(3, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        watch(&mut net, 0, HERE);
        watch(&mut net, 1, HERE);
        watch(&mut net, 2, THERE);
        net.settle();
        forget_events(&mut net);
        change(&mut net, id, |player| player.health.set(2));
        watch(&mut net, 1, THERE);
        watch(&mut net, 2, HERE);
        net.server.despawn(id).unwrap();
        net.settle();
        let gone = ClientEvent::Despawned {
            object: id,
            hidden: false,
        };
        assert_eq!(drain(&mut net, 0), std::slice::from_ref(&gone));
        assert_eq!(drain(&mut net, 1), [gone]);
        assert_eq!(drain(&mut net, 2), []);
    });
}

#[test]
fn despawn_after_a_move_reaches_the_former_observers() {
    in_every_dialect(2, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        watch(&mut net, 0, HERE);
        watch(&mut net, 1, THERE);
        net.settle();
        forget_events(&mut net);
        move_to(&mut net, id, THERE);
        net.server.despawn(id).unwrap();
        net.settle();
        assert_eq!(drain(&mut net, 0).len(), 1);
        assert_eq!(drain(&mut net, 1), []);
        for client in 0..2 {
            assert_eq!(net.client(client).stats().unknown_objects, 0);
        }
    });
}

#[test]
fn reused_id_is_a_new_object_at_its_position() {
    in_every_dialect(2, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        watch(&mut net, 0, HERE);
        watch(&mut net, 1, THERE);
        net.settle();
        move_to(&mut net, id, HERE + 100.0);
        net.server.despawn(id).unwrap();
        let options = SpawnOptions {
            net_id: Some(id),
            ..crate::sight::options_at(THERE)
        };
        let player = syncvar_testing::Player::new(7, "Ann");
        assert_eq!(net.server.try_spawn(player, options), Ok(id));
        net.settle();
        assert_eq!(states(&net, id), [None, ANN(7)]);
    });
}

/// An update that no server has sent, with a string cut short.
fn poison(net: &mut MemoryNetwork, client: usize, id: NetId) {
    let mut writer = NetworkWriter::new();
    let start = writer.start_message(8);
    writer.write(&id);
    writer.write_packed_u32(0b010);
    writer.write_u16(500);
    writer.finish_message(start);
    let poisoned = net.client_mut(client).handle_messages(0, writer.as_bytes());
    poisoned.expect("poison is no error");
    let events = drain(net, client);
    assert!(matches!(events[..], [ClientEvent::Poisoned { .. }]));
}

#[test]
fn unreadable_area_object_is_sent_again_on_request() {
    in_every_dialect(2, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        gather(&mut net, HERE);
        poison(&mut net, 0, id);
        change(&mut net, id, |player| player.health.set(2));
        net.settle();
        assert_eq!(drain(&mut net, 0), [ClientEvent::Restored { object: id }]);
        assert_eq!(states(&net, id), [ANN(2), ANN(2)]);
        assert_eq!(hooks(&mut net, 1, id), ["health 1 -> 2 (Ann, 0)"]);
    });
}

#[test]
fn requested_object_is_lost_when_its_area_is_left() {
    in_every_dialect(2, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        gather(&mut net, HERE);
        poison(&mut net, 0, id);
        watch(&mut net, 0, THERE);
        net.settle();
        assert_eq!(drain(&mut net, 0), [hidden(id)]);
        watch(&mut net, 0, HERE);
        net.settle();
        assert_eq!(drain(&mut net, 0), [spawned(id)]);
        assert_eq!(states(&net, id), [ANN(1), ANN(1)]);
    });
}

#[test]
fn an_object_with_a_long_text_reaches_new_observers_without_it() {
    in_every_dialect(3, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        watch(&mut net, 0, HERE);
        net.settle();
        change(&mut net, id, |player| player.name.set("x".repeat(40_000)));
        watch(&mut net, 1, HERE);
        watch(&mut net, 2, HERE);
        net.settle();
        let nameless = || Some((1, String::new(), 0));
        assert_eq!(states(&net, id), [ANN(1), nameless(), nameless()]);
        watch(&mut net, 2, THERE);
        net.settle();
        change(&mut net, id, |player| player.name.set("Ann".into()));
        net.settle();
        assert_eq!(states(&net, id), [ANN(1), ANN(1), None]);
        let (first, second) = (drain(&mut net, 1), drain(&mut net, 2));
        assert_eq!(first.first(), Some(&spawned(id)));
        assert_eq!(second, [spawned(id), hidden(id)]);
    });
}

#[test]
fn client_ready_again_receives_an_object_once() {
    in_every_dialect(2, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        watch(&mut net, 0, HERE);
        net.settle();
        change(&mut net, id, |player| player.name.set("x".repeat(40_000)));
        watch(&mut net, 1, HERE);
        net.settle();
        // It could not be written so far; and then nobody is left to write it for.
        watch(&mut net, 0, THERE);
        let connection = net.connection(1);
        net.server.set_not_ready(connection);
        net.settle();
        change(&mut net, id, |player| player.name.set("Ann".into()));
        net.settle();
        net.server.set_ready(connection);
        net.settle();
        drain(&mut net, 1);
        let full = full_states(&net);
        change(&mut net, id, |player| player.health.set(2));
        net.settle();
        assert_eq!(full_states(&net), full);
        assert_eq!(states(&net, id), [None, ANN(2)]);
    });
}
