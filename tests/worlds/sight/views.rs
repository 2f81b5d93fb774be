//! Owners, and what is said about single connections or all of them.

use syncvar::prelude::*;

use crate::sight::{
    ANN, HERE, THERE, forget_events, gather, hidden, in_every_dialect, move_to, options_at, owned,
    spawn, spawned, watch,
};
use syncvar_testing::{Player, drain, states};

#[test]
fn connection_observes_its_owned_object_at_any_distance() {
    in_every_dialect(2, |mut net| {
        let (first, second) = (net.connection(0), net.connection(1));
        let id = spawn(&mut net, THERE, 1);
        gather(&mut net, HERE);
        net.server.set_owner(id, Some(first)).unwrap();
        assert!(net.server.is_visible(id, first) && !net.server.is_visible(id, second));
        net.settle();
        assert_eq!(drain(&mut net, 0), [spawned(id), owned(id, true)]);
        net.server.set_owner(id, Some(second)).unwrap();
        assert!(net.server.is_visible(id, second) && !net.server.is_visible(id, first));
        net.settle();
        assert_eq!(drain(&mut net, 0), [owned(id, false), hidden(id)]);
        assert_eq!(drain(&mut net, 1), [spawned(id), owned(id, true)]);
        move_to(&mut net, id, THERE + 500.0);
        net.settle();
        assert_eq!(drain(&mut net, 1), []);
        assert_eq!(states(&net, id), [None, ANN(1)]);
        net.server.set_owner(id, None).unwrap();
        net.settle();
        assert_eq!(drain(&mut net, 1), [owned(id, false), hidden(id)]);
    });
}

#[test]
fn former_owner_in_range_keeps_observing() {
    in_every_dialect(1, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        gather(&mut net, HERE);
        let connection = net.connection(0);
        net.server.set_owner(id, Some(connection)).unwrap();
        net.settle();
        net.server.set_owner(id, None).unwrap();
        net.settle();
        assert_eq!(drain(&mut net, 0), [owned(id, true), owned(id, false)]);
    });
}

#[test]
fn object_spawned_for_its_owner_is_visible_at_any_distance() {
    in_every_dialect(2, |mut net| {
        gather(&mut net, HERE);
        let options = SpawnOptions {
            owner: Some(net.connection(1)),
            ..options_at(THERE)
        };
        let id = net.server.try_spawn(Player::new(3, "Ann"), options);
        let id = id.expect("it is registered");
        net.settle();
        assert_eq!(drain(&mut net, 0), []);
        assert_eq!(drain(&mut net, 1), [spawned(id), owned(id, true)]);
    });
}

#[test]
fn explicit_visibility_overrides_the_view_until_restored() {
    in_every_dialect(2, |mut net| {
        let (first, second) = (net.connection(0), net.connection(1));
        let id = spawn(&mut net, HERE, 1);
        watch(&mut net, 0, HERE);
        net.settle();
        forget_events(&mut net);
        net.server.hide(id, first).unwrap();
        net.server.show(id, second).unwrap();
        net.settle();
        assert_eq!(states(&net, id), [None, ANN(1)]);
        watch(&mut net, 0, THERE);
        watch(&mut net, 1, HERE);
        net.settle();
        watch(&mut net, 0, HERE);
        watch(&mut net, 1, THERE);
        net.settle();
        assert_eq!(drain(&mut net, 0), [hidden(id)]);
        assert_eq!(drain(&mut net, 1), [spawned(id)]);
        move_to(&mut net, id, THERE);
        net.settle();
        assert_eq!(states(&net, id), [None, ANN(1)], "wherever it is");
        move_to(&mut net, id, HERE);
        net.server.restore(id, first).unwrap();
        net.server.restore(id, second).unwrap();
        net.settle();
        assert_eq!(drain(&mut net, 0), [spawned(id)]);
        assert_eq!(drain(&mut net, 1), [hidden(id)]);
    });
}

#[test]
fn even_an_owner_can_be_kept_from_its_object() {
    in_every_dialect(1, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        let connection = net.connection(0);
        net.server.set_owner(id, Some(connection)).unwrap();
        gather(&mut net, HERE);
        net.server.hide(id, connection).unwrap();
        net.settle();
        assert_eq!(drain(&mut net, 0), [hidden(id)]);
        net.server.restore(id, connection).unwrap();
        net.settle();
        assert_eq!(drain(&mut net, 0), [spawned(id), owned(id, true)]);
    });
}

#[test]
fn object_shown_after_its_spawn_is_visible_at_any_distance() {
    in_every_dialect(2, |mut net| {
        let connection = net.connection(1);
        let id = spawn(&mut net, THERE, 1);
        net.server.show(id, connection).unwrap();
        net.settle();
        assert_eq!(states(&net, id), [None, ANN(1)]);
        move_to(&mut net, id, HERE);
        net.settle();
        assert_eq!(states(&net, id), [None, ANN(1)]);
        net.server.restore(id, connection).unwrap();
        net.settle();
        assert_eq!(states(&net, id), [None, None]);
    });
}

#[test]
fn show_then_hide_after_a_spawn_leaves_it_hidden() {
    in_every_dialect(2, |mut net| {
        let (first, second) = (net.connection(0), net.connection(1));
        let id = spawn(&mut net, THERE, 1);
        net.server.show(id, first).unwrap();
        net.server.show(id, second).unwrap();
        net.server.hide(id, first).unwrap();
        net.server.restore(id, second).unwrap();
        net.settle();
        assert_eq!(states(&net, id), [None, None]);
        let id = spawn(&mut net, THERE, 1);
        net.server.show(id, first).unwrap();
        net.server.show_to_all(id).unwrap();
        net.server.show_by_interest(id).unwrap();
        net.settle();
        assert_eq!(states(&net, id), [None, None]);
    });
}

#[test]
fn visibility_for_all_holds_until_restored() {
    in_every_dialect(2, |mut net| {
        let id = spawn(&mut net, HERE, 1);
        watch(&mut net, 0, HERE);
        net.settle();
        forget_events(&mut net);
        net.server.show_to_all(id).unwrap();
        net.settle();
        assert_eq!(states(&net, id), [ANN(1), ANN(1)]);
        move_to(&mut net, id, THERE);
        net.settle();
        assert_eq!(states(&net, id), [ANN(1), ANN(1)]);
        net.server.hide_from_all(id).unwrap();
        move_to(&mut net, id, HERE);
        net.settle();
        assert_eq!(states(&net, id), [None, None]);
        let connection = net.connection(1);
        net.server.show(id, connection).unwrap();
        net.settle();
        assert_eq!(states(&net, id), [None, ANN(1)]);
        net.server.show_by_interest(id).unwrap();
        net.settle();
        assert_eq!(states(&net, id), [ANN(1), None]);
        assert_eq!(drain(&mut net, 0), [hidden(id), spawned(id)]);
        let expected = [spawned(id), hidden(id), spawned(id), hidden(id)];
        assert_eq!(drain(&mut net, 1), expected);
    });
}

#[test]
fn object_spawned_hidden_is_unseen_until_restored() {
    in_every_dialect(2, |mut net| {
        watch(&mut net, 0, HERE);
        watch(&mut net, 1, THERE);
        let options = SpawnOptions {
            hidden: true,
            owner: Some(net.connection(1)),
            ..options_at(HERE)
        };
        let id = net.server.try_spawn(Player::new(1, "Ann"), options);
        let id = id.expect("it is registered");
        net.settle();
        assert_eq!(states(&net, id), [None, None]);
        net.server.show_by_interest(id).unwrap();
        net.settle();
        assert_eq!(states(&net, id), [ANN(1), ANN(1)]);
        assert!(net.client(1).is_owner(id) && !net.client(0).is_owner(id));
    });
}
