//! Despawning, hiding, and the end of a connection.

use syncvar::behaviour::LifecycleCallback;
use syncvar::prelude::*;

use super::actor::{Actor, Partner, events, network, note, noted, noted_of, play};

// checklist: T49
#[test]
fn despawn_callback_runs_while_the_object_exists() {
    let mut net = network(1);
    let id = net.server.spawn((
        Actor {
            value: 3.into(),
            ..Actor::default()
        },
        Partner::default(),
    ));
    net.settle();
    noted();
    play(|told, _, ctx| {
        let beside = ctx.sibling::<Partner>().is_some();
        note(format!(
            "{}: {} {beside} {}",
            told.name,
            told.value,
            ctx.position().x
        ));
        Ok(())
    });
    net.server.despawn(id).unwrap();
    assert!(net.server.despawn(id).is_err(), "it is gone");
    let on_server = noted();
    assert_eq!(
        on_server,
        [
            "server #1 Actor on_network_despawn",
            "Actor: 3 true 0",
            "server #1 Partner on_network_despawn",
            "Partner: 0 false 0"
        ]
    );
    net.settle();
    let on_client: Vec<_> = noted()
        .iter()
        .map(|told| told.replace("client", "server"))
        .collect();
    assert_eq!(on_client, on_server);
}

// checklist: T24
#[test]
fn writing_while_being_despawned_does_no_harm() {
    let mut net = network(2);
    let other = net.server.spawn(Actor::default());
    let id = net.server.spawn(Actor::default());
    net.settle();
    play(|told, callback, _| {
        if callback == LifecycleCallback::Despawn {
            *told.value += 1;
            told.items.push(1);
            told.items.clear();
        }
        Ok(())
    });
    net.server.despawn(id).unwrap();
    net.settle();
    net.server.get_mut::<Actor>(other).unwrap().value.set(9);
    net.settle();
    for client in 0..2 {
        assert!(net.client(client).get::<Actor>(id).is_none());
        assert_eq!(*net.client(client).get::<Actor>(other).unwrap().value, 9);
    }
    assert!(net.server.is_idle());
}

#[test]
fn hiding_is_a_despawn_for_the_one_and_showing_a_spawn() {
    let mut net = network(2);
    let id = net.server.spawn(Actor::default());
    net.settle();
    noted();
    let (first, _) = (net.connection(0), net.connection(1));
    net.server.hide(id, first).unwrap();
    net.settle();
    assert_eq!(noted(), ["client #1 Actor on_network_despawn"]);
    net.server.show(id, first).unwrap();
    net.settle();
    assert_eq!(noted_of("client #1 Actor").len(), 3);
    let hidden = ClientEvent::Despawned {
        object: id,
        hidden: true,
    };
    assert!(events(&mut net, 0).contains(&hidden));
}

#[test]
fn burst_despawns_gone_objects_before_new_spawns() {
    let mut net = network(1);
    let id = net.server.spawn(Actor::default());
    net.settle();
    let connection = net.connection(0);
    net.server.set_not_ready(connection);
    net.settle();
    net.server.despawn(id).unwrap();
    net.server.spawn(Actor::default());
    net.settle();
    noted();
    net.client_mut(0).ready();
    net.settle();
    let told = noted();
    assert_eq!(told[0], "client #1 Actor on_network_despawn");
    assert_eq!(told[1], "client #2 Actor on_network_pre_spawn");
    assert_eq!(told.len(), 4);
}

// checklist: T57
// Lesson 34.
#[test]
fn lost_connection_despawns_its_objects_when_cleared() {
    let mut net = network(1);
    let id = net.server.spawn(Actor {
        value: 3.into(),
        ..Actor::default()
    });
    net.settle();
    noted();
    net.client_mut(0).forget_objects();
    assert!(
        net.client(0).get::<Actor>(id).is_some(),
        "not while there is a connection"
    );
    net.cut(0);
    net.settle();
    assert_eq!(noted(), [""; 0], "they stay as they are");
    assert_eq!(*net.client(0).get::<Actor>(id).unwrap().value, 3);
    net.client_mut(0).forget_objects();
    assert_eq!(noted(), ["client #1 Actor on_network_despawn"]);
    assert!(net.client(0).get::<Actor>(id).is_none());
    let gone = ClientEvent::Despawned {
        object: id,
        hidden: false,
    };
    assert_eq!(events(&mut net, 0).pop(), Some(gone));
    net.client_mut(0).forget_objects();
    assert_eq!(noted(), [""; 0], "once");
}

// checklist: T57
// Lesson 34.
#[test]
fn next_connection_clears_and_respawns_objects() {
    let mut net = network(1);
    net.server.spawn(Actor {
        value: 3.into(),
        ..Actor::default()
    });
    net.settle();
    net.cut(0);
    let mut client = NetworkClient::new(super::actor::prefabs());
    std::mem::swap(&mut client, net.client_mut(0));
    client.get_mut::<Actor>(NetId(1)).unwrap().value.set(99);
    noted();
    net.connect_client(client);
    assert_eq!(noted(), ["client #1 Actor on_network_despawn"]);
    net.settle();
    assert_eq!(noted_of("spawn").len(), 3);
    assert_eq!(
        *net.client(1).get::<Actor>(NetId(1)).unwrap().value,
        3,
        "nothing stale"
    );
}
