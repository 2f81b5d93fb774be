//! What happens when a call runs.

use syncvar::prelude::*;

use super::world::{DIALECTS, Echo, Unit, network, raised, ran, seen, server_events, spawn};

// checklist: M6
#[test]
fn event_is_raised_on_observers_with_its_arguments() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = spawn(&mut net, None);
        let calls = net.server.calls::<Unit>(id);
        calls.burst(-7, "steam".into()).unwrap();
        net.server.calls::<Unit>(id).passed().unwrap();
        net.settle();
        for client in 0..2 {
            let events = raised(&mut net, client);
            assert_eq!(events.len(), 2);
            assert_eq!((events[0].object(), events[0].name()), (id, "burst"));
            assert_eq!(events[0].behaviour(), 0);
            let arguments = events[0].arguments(Unit::BURST);
            assert_eq!(arguments, Some((-7, "steam".to_string())));
            assert_eq!(events[0].arguments(Unit::PASSED), None);
            assert_eq!(events[1].arguments(Unit::PASSED), Some(()));
            assert_eq!(seen(&net, client, id), [""; 0]);
        }
    }
}

// checklist: N25
#[test]
fn client_command_leads_to_a_call_on_all_clients() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 3);
        let id = spawn(&mut net, None);
        net.client_mut(1)
            .calls::<Unit>(id)
            .shout("hi".into())
            .unwrap();
        net.settle();
        for client in 0..3 {
            assert_eq!(seen(&net, client, id), ["hear hi"]);
        }
    }
}

#[test]
fn command_writes_reach_all_clients() {
    let mut net = network(DIALECTS[0], 2);
    let id = spawn(&mut net, Some(0));
    net.client_mut(0).calls::<Unit>(id).fire(3).unwrap();
    net.settle();
    assert_eq!(ran(&net, id), ["fire 3 by Some(1)"]);
    for client in 0..2 {
        assert_eq!(*net.client(client).get::<Unit>(id).unwrap().ammo, 9);
    }
}

#[test]
fn panicking_command_is_reported_and_the_packet_continues() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = spawn(&mut net, None);
        server_events(&mut net);
        for over in ["a stone", "a log"] {
            net.client_mut(0)
                .calls::<Unit>(id)
                .stumble(over.into())
                .unwrap();
        }
        net.settle();
        assert_eq!(
            ran(&net, id),
            ["stumble over a stone", "stumble over a log"]
        );
        let failed = ServerEvent::CallFailed {
            connection: Some(net.connection(0)),
            object: id,
            behaviour: "Unit",
            call: "stumble",
            message: "fell over a stone".into(),
        };
        assert_eq!(server_events(&mut net), [failed]);
    }
}

#[test]
fn panicking_call_is_reported_and_the_client_continues() {
    let mut net = network(DIALECTS[0], 1);
    let id = spawn(&mut net, None);
    let me = net.connection(0);
    for text in ["boo", "psst"] {
        net.server
            .calls::<Unit>(id)
            .whisper(me, text.into())
            .unwrap();
    }
    net.settle();
    assert_eq!(seen(&net, 0, id), ["whisper boo", "whisper psst"]);
    let events = syncvar_testing::events(net.client_mut(0));
    let failures = events.filter_map(|event| match event {
        ClientEvent::CallFailed(failure) => Some(failure),
        _ => None,
    });
    let failures: Vec<_> = failures.collect();
    assert_eq!(failures.len(), 1);
    assert_eq!(
        (failures[0].behaviour, failures[0].call),
        ("Unit", "whisper")
    );
    assert_eq!(failures[0].message, "it was frightening");
}

// checklist: T63
#[test]
fn for_everyone_is_the_server_itself_too_and_at_once() {
    let mut net = network(DIALECTS[0], 2);
    let id = spawn(&mut net, None);
    net.server.calls::<Unit>(id).explode(2.5).unwrap();
    assert_eq!(ran(&net, id), ["explode 2.5 on the server"]);
    net.settle();
    for client in 0..2 {
        assert_eq!(seen(&net, client, id), ["explode 2.5 on the client"]);
    }
    let everyone = net.server.calls::<Unit>(id).to(Target::Everyone);
    everyone.burst(1, String::new()).unwrap();
    let own = server_events(&mut net)
        .into_iter()
        .filter_map(|event| match event {
            ServerEvent::SyncEvent(event) => event.arguments(Unit::BURST),
            _ => None,
        });
    assert_eq!(own.collect::<Vec<_>>(), [(1, String::new())]);
}

// checklist: T63
#[test]
fn recursive_call_runs_once_for_each_update() {
    let mut net = network(DIALECTS[0], 0);
    let one = net.server.spawn(Echo::default());
    let other = net.server.spawn(Echo {
        other: one,
        ..Echo::default()
    });
    let alone = net.server.spawn(Echo::default());
    net.server.get_mut::<Echo>(one).unwrap().other = other;
    net.server.calls::<Echo>(alone).again().unwrap();
    net.server.calls::<Echo>(one).again().unwrap();
    for _ in 0..10 {
        net.step();
    }
    let times = |id| net.server.get::<Echo>(id).unwrap().times;
    assert!((5..=30).contains(&times(alone)), "{}", times(alone));
    let both = times(one) + times(other);
    assert!((5..=30).contains(&both), "{both}");
}

#[test]
fn the_other_items_of_the_block_stay_as_they_are() {
    assert_eq!(Unit::default().helper(), 0);
}
