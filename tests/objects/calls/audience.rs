//! Whom a call goes to.

use syncvar::prelude::*;
use syncvar::{Framing, calls::CallError};
use syncvar_testing::client;

use super::world::{DIALECTS, Unit, network, raised, ran, seen, spawn};

/// Which of the clients have heard something, and whether the server has.
fn heard(net: &mut MemoryNetwork, id: NetId) -> (Vec<usize>, bool) {
    net.settle();
    let clients = 0..net.client_count();
    let clients = clients.filter(|client| !seen(net, *client, id).is_empty());
    (clients.collect(), !ran(net, id).is_empty())
}

// checklist: T63
#[test]
fn each_target_reaches_its_receivers_with_any_owner() {
    /// The target, who owns the object, and who hears it: clients, and the server.
    type Case = (
        Option<fn(&[ConnectionId]) -> Target>,
        Option<usize>,
        &'static [usize],
        bool,
    );

    let cases: [Case; 15] = [
        (None, None, &[0, 1, 2], true),
        (None, Some(1), &[0, 1, 2], true),
        (Some(|_| Target::Observers), None, &[0, 1, 2], false),
        (Some(|_| Target::Observers), Some(1), &[0, 1, 2], false),
        (Some(|_| Target::Everyone), Some(0), &[0, 1, 2], true),
        (Some(|_| Target::Owner), Some(1), &[1], false),
        (Some(|_| Target::NotOwner), Some(1), &[0, 2], false),
        (Some(|_| Target::NotOwner), None, &[0, 1, 2], false),
        (Some(|ids| Target::One(ids[2])), None, &[2], false),
        (Some(|ids| Target::One(ids[2])), Some(1), &[2], false),
        (
            Some(|ids| Target::Set(vec![ids[2], ids[0], ids[2]])),
            None,
            &[0, 2],
            false,
        ),
        (Some(|_| Target::Set(vec![])), None, &[], false),
        (Some(|ids| Target::AllBut(ids[0])), None, &[1, 2], false),
        (Some(|ids| Target::AllBut(ids[1])), Some(1), &[0, 2], false),
        (
            Some(|_| Target::AllBut(ConnectionId(99))),
            None,
            &[0, 1, 2],
            false,
        ),
    ];
    for dialect in DIALECTS {
        for (number, (target, owner, clients, server)) in cases.iter().enumerate() {
            let mut net = network(dialect, 3);
            let id = spawn(&mut net, *owner);
            let ids: Vec<_> = (0..3).map(|client| net.connection(client)).collect();
            let mut calls = net.server.calls::<Unit>(id);
            if let Some(target) = target {
                calls = calls.to(target(&ids));
            }
            calls.explode(1.0).unwrap();
            assert_eq!(
                heard(&mut net, id),
                (clients.to_vec(), *server),
                "case {number}"
            );
        }
    }
}

// checklist: T63
#[test]
fn the_targets_that_calls_declare() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 3);
        let id = spawn(&mut net, Some(1));
        net.server.calls::<Unit>(id).reload().unwrap();
        assert_eq!(heard(&mut net, id).0, [1]);
        let id = spawn(&mut net, Some(1));
        net.server.calls::<Unit>(id).notice(1).unwrap();
        assert_eq!(heard(&mut net, id).0, [0, 2]);
        let id = spawn(&mut net, Some(1));
        let third = net.connection(2);
        net.server
            .calls::<Unit>(id)
            .whisper(third, "you".into())
            .unwrap();
        assert_eq!(heard(&mut net, id).0, [2]);
    }
}

// checklist: T63
#[test]
fn call_without_an_owner_and_repeated_receivers_are_errors() {
    let mut net = network(Framing::Compact, 2);
    let (id, one) = (spawn(&mut net, None), net.connection(0));
    let error = net.server.calls::<Unit>(id).reload();
    assert_eq!(error, Err(CallError::NoOwner(id)));
    let calls = net.server.calls::<Unit>(id).to(Target::Observers);
    assert_eq!(
        calls.whisper(one, String::new()),
        Err(CallError::TargetGiven)
    );
    assert_eq!(heard(&mut net, id), (vec![], false));
}

// checklist: T59
#[test]
fn only_observers_are_called_and_naming_another_is_an_error() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 3);
        let id = spawn(&mut net, Some(0));
        let ids: Vec<_> = (0..3).map(|client| net.connection(client)).collect();
        net.server.hide(id, ids[1]).unwrap();
        net.settle();
        let not_observed = |connection| {
            Err(CallError::NotObserved {
                object: id,
                connection,
            })
        };
        for target in [Target::One(ids[1]), Target::Set(vec![ids[0], ids[1]])] {
            let error = net.server.calls::<Unit>(id).to(target).hear("x".into());
            assert_eq!(error, not_observed(ids[1]));
        }
        let error = net.server.calls::<Unit>(id).whisper(ids[1], "x".into());
        assert_eq!(error, not_observed(ids[1]));
        assert_eq!(heard(&mut net, id), (vec![], false));
        net.server.calls::<Unit>(id).hear("x".into()).unwrap();
        net.server.calls::<Unit>(id).passed().unwrap();
        assert_eq!(heard(&mut net, id).0, [0, 2]);
        assert_eq!(raised(&mut net, 1), []);

        // The owner need not observe what it owns.
        net.server.hide(id, ids[0]).unwrap();
        net.settle();
        assert_eq!(net.server.calls::<Unit>(id).reload(), not_observed(ids[0]));
        // Nobody that is not there is called.
        let gone = ConnectionId(99);
        assert_eq!(
            net.server.calls::<Unit>(id).whisper(gone, "x".into()),
            not_observed(gone)
        );
    }
}

// checklist: T59
#[test]
fn respawned_object_has_fresh_observers() {
    let mut net = network(Framing::Compact, 2);
    let id = spawn(&mut net, None);
    let second = net.connection(1);
    net.server.hide(id, second).unwrap();
    net.settle();
    net.server.despawn(id).unwrap();
    net.settle();
    let error = net.server.calls::<Unit>(id).hear("x".into());
    assert_eq!(error, Err(CallError::UnknownObject(id)));
    let id = spawn(&mut net, None);
    net.server
        .calls::<Unit>(id)
        .whisper(second, "again".into())
        .unwrap();
    assert_eq!(heard(&mut net, id).0, [1]);
}

#[test]
fn each_client_is_called_in_its_framing() {
    let mut net = network(Framing::Compact, 1);
    let other = client(super::world::prefabs(), Framing::Unet);
    net.connect_client(other);
    net.settle();
    let id = spawn(&mut net, None);
    let ids = [net.connection(0), net.connection(1)];
    for (number, target) in [
        Target::Observers,
        Target::Set(ids.to_vec()),
        Target::One(ids[0]),
        Target::One(ids[1]),
        Target::AllBut(ids[0]),
    ]
    .into_iter()
    .enumerate()
    {
        let calls = net.server.calls::<Unit>(id).to(target);
        calls.hear(number.to_string()).unwrap();
    }
    net.settle();
    assert_eq!(seen(&net, 0, id), ["hear 0", "hear 1", "hear 2"]);
    assert_eq!(seen(&net, 1, id), ["hear 0", "hear 1", "hear 3", "hear 4"]);
    for client in 0..2 {
        net.client_mut(client).calls::<Unit>(id).open().unwrap();
    }
    net.settle();
    assert_eq!(ran(&net, id), ["open by Some(1)", "open by Some(2)"]);
}

#[test]
fn call_is_encoded_once_for_all_receivers() {
    let mut net = network(Framing::Compact, 5);
    let id = spawn(&mut net, None);
    let before = net
        .server
        .stats()
        .encoded(syncvar::stats::MessageType::Call)
        .messages;
    net.server.calls::<Unit>(id).hear("all".into()).unwrap();
    net.settle();
    let calls = net
        .server
        .stats()
        .encoded(syncvar::stats::MessageType::Call)
        .messages;
    assert_eq!(calls - before, 1);
    assert_eq!(heard(&mut net, id).0, [0, 1, 2, 3, 4]);
    assert_eq!(
        net.client(4)
            .stats()
            .decoded(syncvar::stats::MessageType::Call)
            .messages,
        1
    );
}
