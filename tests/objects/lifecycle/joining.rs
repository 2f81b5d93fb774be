//! Joining: everything is there before anything is told.

use syncvar::prelude::*;
use syncvar::{Framing, behaviour::LifecycleCallback};

use super::actor::{Actor, Partner, events, network, network_in, note, noted, noted_of, play};

// checklist: N2 B12 B13 T60
// Lesson 32.
#[test]
fn callbacks_of_a_join_see_all_of_its_objects() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let mut net = network_in(dialect, 0);
        let ids: Vec<_> = (1..=3)
            .map(|value| {
                net.server.spawn(Actor {
                    value: value.into(),
                    ..Actor::default()
                })
            })
            .collect();
        net.settle();
        noted();
        play(|_, callback, ctx| {
            let others = [1, 2, 3].map(NetId).map(|id| {
                let other = ctx.get::<Actor>(id).filter(|_| id != ctx.net_id());
                other.map_or(0, |other| *other.value)
            });
            note(format!("{} {callback} sees {others:?}", ctx.net_id()));
            Ok(())
        });
        net.connect();
        net.settle();
        let sees = |id| match id {
            1 => "[0, 2, 3]",
            2 => "[1, 0, 3]",
            _ => "[1, 2, 0]",
        };
        let spawns = (1..=3).flat_map(|id| LifecycleCallback::of_a_spawn().map(|step| (id, step)));
        let after = (1..=3).map(|id| (id, LifecycleCallback::SessionSynchronized));
        let expected: Vec<_> = spawns
            .chain(after)
            .map(|(id, step)| format!("#{id} {step} sees {}", sees(id)))
            .collect();
        assert_eq!(noted_of("sees"), expected);
        let spawned = ids
            .into_iter()
            .map(|object| ClientEvent::Spawned { object });
        let expected: Vec<_> = [ClientEvent::Connected]
            .into_iter()
            .chain(spawned)
            .chain([ClientEvent::Ready])
            .collect();
        assert_eq!(events(&mut net, 0), expected);
    }
}

/// The callbacks of a spawn.
trait OfASpawn {
    fn of_a_spawn() -> [LifecycleCallback; 3];
}

impl OfASpawn for LifecycleCallback {
    fn of_a_spawn() -> [Self; 3] {
        [Self::PreSpawn, Self::Spawn, Self::PostSpawn]
    }
}

// checklist: B5 T60
#[test]
fn session_synchronized_runs_once_on_new_clients_only() {
    let mut net = network(1);
    let id = net.server.spawn((Actor::default(), Partner::default()));
    net.settle();
    assert_eq!(
        noted_of("session"),
        [""; 0],
        "the first client joined before"
    );
    net.connect();
    net.settle();
    let both = |told: Vec<String>| {
        assert_eq!(
            told,
            [
                "client #1 Actor on_network_session_synchronized",
                "client #1 Partner on_network_session_synchronized"
            ]
        );
    };
    both(noted_of("session"));
    let connection = net.connection(1);
    net.server.set_not_ready(connection);
    net.settle();
    net.client_mut(1).ready();
    net.settle();
    assert_eq!(noted_of("session"), [""; 0], "the same connection");
    // The same client connects again.
    net.cut(1);
    let mut client = NetworkClient::new(super::actor::prefabs());
    std::mem::swap(&mut client, net.client_mut(1));
    net.connect_client(client);
    net.settle();
    both(noted_of("session"));
    assert!(net.client(2).get::<Actor>(id).is_some());
}

// checklist: B5
#[test]
fn ready_comes_after_the_session_is_synchronized() {
    let mut net = network(0);
    net.server.spawn(Actor::default());
    net.settle();
    play(|_, callback, ctx| {
        if callback == LifecycleCallback::SessionSynchronized {
            let client = ctx.client().expect("never on the server");
            let told: Vec<_> = syncvar_testing::events(client).collect();
            assert!(!told.contains(&ClientEvent::Ready));
            assert!(told.contains(&ClientEvent::Spawned { object: NetId(1) }));
            client.disconnect("everything may be done here");
        }
        Ok(())
    });
    net.connect();
    net.settle();
    let told = events(&mut net, 0);
    assert!(
        matches!(told[..], [ClientEvent::Disconnected { .. }]),
        "{told:?}"
    );
}
