//! Who owns what: the right side is told.

use syncvar::prelude::*;
use syncvar_testing::spawn_for;

use super::actor::{Actor, Partner, events, network, note, noted, noted_of, play};

/// Which client: the one that a callback runs on knows by what it owns.
fn settled(net: &mut MemoryNetwork) -> Vec<String> {
    net.settle();
    noted()
}

// checklist: T50
#[test]
fn ownership_is_lost_on_the_server_before_the_client_gains_it() {
    let mut net = network(2);
    let id = net.server.spawn((Actor::default(), Partner::default()));
    net.settle();
    noted();
    play(|_, _, ctx| {
        note(format!("owns it: {}", ctx.is_owner()));
        Ok(())
    });
    let (first, second) = (net.connection(0), net.connection(1));
    net.server.set_owner(id, Some(first)).unwrap();
    assert_eq!(
        settled(&mut net),
        [
            "server #1 Actor on_lost_ownership",
            "owns it: false",
            "server #1 Partner on_lost_ownership",
            "owns it: false",
            "client #1 Actor on_gained_ownership",
            "owns it: true",
            "client #1 Partner on_gained_ownership",
            "owns it: true",
        ]
    );
    net.server.set_owner(id, Some(second)).unwrap();
    let told = settled(&mut net);
    assert_eq!(told[0], "client #1 Actor on_lost_ownership");
    assert_eq!(told[4], "client #1 Actor on_gained_ownership");
    assert_eq!(
        told.len(),
        8,
        "the server is told nothing: it did not own it"
    );
    net.server.set_owner(id, None).unwrap();
    let told = settled(&mut net);
    assert_eq!(told[0], "server #1 Actor on_gained_ownership");
    assert_eq!(told[1], "owns it: true");
    assert_eq!(told[4], "client #1 Actor on_lost_ownership");
    let of_first = events(&mut net, 0);
    let owned = |owned| ClientEvent::OwnerChanged { object: id, owned };
    assert_eq!(of_first[1..], [owned(true), owned(false)]);
}

// checklist: T50
#[test]
fn equal_owner_is_no_change() {
    let mut net = network(1);
    let id = net.server.spawn(Actor::default());
    let connection = net.connection(0);
    net.server.set_owner(id, Some(connection)).unwrap();
    net.settle();
    noted();
    net.server.set_owner(id, Some(connection)).unwrap();
    assert!(
        net.server.set_owner(id, Some(ConnectionId(99))).is_err(),
        "no such connection"
    );
    assert_eq!(settled(&mut net), [""; 0]);
}

// checklist: T50
#[test]
fn initial_ownership_is_gained_after_spawn_on_the_client_only() {
    let mut net = network(2);
    let id = spawn_for(&mut net, Actor::default(), 1);
    assert_eq!(
        noted_of("ownership"),
        [""; 0],
        "the server has never owned it"
    );
    let told = settled(&mut net);
    assert_eq!(told.last().unwrap(), "client #1 Actor on_gained_ownership");
    assert_eq!(
        told.iter()
            .filter(|told| told.contains("ownership"))
            .count(),
        1
    );
    let expected = [
        ClientEvent::Spawned { object: id },
        ClientEvent::OwnerChanged {
            object: id,
            owned: true,
        },
    ];
    assert_eq!(events(&mut net, 1), expected);
}

// checklist: T50
#[test]
fn joining_client_knows_its_ownership_in_the_spawn_callback() {
    let mut net = network(0);
    let id = net.server.spawn(Actor::default());
    net.connect();
    let connection = net.connection(0);
    net.server.set_owner(id, Some(connection)).unwrap();
    noted();
    play(|_, _, ctx| {
        note(format!("owns it: {}", ctx.is_owner()));
        Ok(())
    });
    let told = settled(&mut net);
    assert_eq!(
        told.iter().filter(|told| *told == "owns it: true").count(),
        5
    );
    assert_eq!(told[6], "client #1 Actor on_gained_ownership");
    assert_eq!(told[8], "client #1 Actor on_network_session_synchronized");
}

// checklist: T50
#[test]
fn server_gains_objects_of_a_leaving_owner() {
    let mut net = network(2);
    let ids = [1, 2, 3].map(|_| net.server.spawn(Actor::default()));
    let leaver = net.connection(0);
    net.server.set_owner(ids[0], Some(leaver)).unwrap();
    net.server.set_owner(ids[2], Some(leaver)).unwrap();
    net.settle();
    noted();
    play(|_, _, ctx| {
        let id = ctx.net_id();
        let server = ctx.server().expect("the server");
        assert!(
            server
                .poll_event()
                .is_some_and(|event| matches!(event, ServerEvent::Disconnected { .. }))
                || id.0 > 1
        );
        assert_eq!(server.owner(id), None);
        Ok(())
    });
    while net.server.poll_event().is_some() {}
    net.cut(0);
    assert_eq!(
        settled(&mut net),
        [
            "server #1 Actor on_gained_ownership",
            "server #3 Actor on_gained_ownership"
        ]
    );
    let expected: Vec<ServerEvent> = Vec::new();
    assert_eq!(
        super::actor::server_events(&mut net),
        expected,
        "nothing failed"
    );
}
