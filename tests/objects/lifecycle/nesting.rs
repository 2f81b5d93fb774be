//! Callbacks that do things to objects: their own, others, and those whose callbacks are under way.

use syncvar::behaviour::LifecycleCallback;
use syncvar::prelude::*;
use syncvar_testing::ClientMessages as _;

use super::actor::{Actor, Partner, events, network, note, noted, noted_of, play, server_events};

// checklist: T49
#[test]
fn self_despawn_runs_its_callback_after_the_current_ones() {
    let mut net = network(1);
    play(|told, callback, ctx| {
        let id = ctx.net_id();
        if callback == LifecycleCallback::Spawn && told.name == "Actor" {
            let server = ctx.server().expect("no client ever sees it");
            server.despawn(id).unwrap();
            assert!(server.despawn(id).is_err(), "it has been done");
        }
        Ok(())
    });
    let id = net.server.spawn((Actor::default(), Partner::default()));
    let told = noted();
    assert_eq!(
        told.len(),
        8,
        "each behaviour is told of its whole life: {told:?}"
    );
    assert_eq!(
        told[6..],
        [
            "server #1 Actor on_network_despawn",
            "server #1 Partner on_network_despawn"
        ]
    );
    assert!(net.server.identity(id).is_none());
    assert_eq!(net.server.object_count(), 0);
    net.settle();
    assert_eq!(events(&mut net, 0), []);
    let third = net.server.spawn(Partner::default());
    net.settle();
    assert!(
        net.client(0).get::<Partner>(third).is_some(),
        "its place is free again"
    );
}

#[test]
fn spawn_in_a_callback_runs_callbacks_at_once_and_replicates() {
    let mut net = network(1);
    play(|told, callback, ctx| {
        if callback == LifecycleCallback::Spawn && told.name == "Actor" && ctx.is_server() {
            let server = ctx.server().expect("the server");
            let id = server.spawn(Partner::default());
            server.get_mut::<Partner>(id).unwrap().value.set(8);
            note("spawned");
        }
        Ok(())
    });
    net.server.spawn(Actor::default());
    let told = noted();
    assert_eq!(
        told[1..6],
        [
            "server #1 Actor on_network_spawn",
            "server #2 Partner on_network_pre_spawn",
            "server #2 Partner on_network_spawn",
            "server #2 Partner on_network_post_spawn",
            "spawned",
        ]
    );
    net.settle();
    assert_eq!(*net.client(0).get::<Partner>(NetId(2)).unwrap().value, 8);
}

#[test]
fn changes_to_a_checked_out_object_are_deferred() {
    let mut net = network(1);
    // The first object spawns a second, which gives the first away and despawns it.
    play(|_, callback, ctx| {
        if callback == LifecycleCallback::Spawn && ctx.is_server() {
            let id = ctx.net_id();
            let server = ctx.server().expect("the server");
            match id {
                NetId(1) => {
                    server.spawn(Actor::default());
                }
                _ => {
                    let owner = server.connections().next();
                    assert!(
                        server.get::<Actor>(NetId(1)).is_none(),
                        "it is being called"
                    );
                    server.set_owner(NetId(1), owner).unwrap();
                    assert_eq!(server.owner(NetId(1)), owner, "done at once");
                    server.despawn(NetId(1)).unwrap();
                }
            }
        }
        Ok(())
    });
    net.server.spawn(Actor::default());
    let told = noted_of("#1");
    assert_eq!(
        told,
        [
            "server #1 Actor on_network_pre_spawn",
            "server #1 Actor on_network_spawn",
            "server #1 Actor on_network_post_spawn",
            "server #1 Actor on_lost_ownership",
            "server #1 Actor on_network_despawn",
        ]
    );
    net.settle();
    assert_eq!(net.server.object_count(), 1);
    assert!(net.client(0).get::<Actor>(NetId(2)).is_some());
    let first = net.connection(0);
    assert!(
        net.server.set_owner(NetId(2), Some(first)).is_ok(),
        "and goes on"
    );
}

#[test]
fn objects_that_despawn_each_other_are_both_despawned_once() {
    let mut net = network(1);
    let ids = [1, 2].map(|_| net.server.spawn(Actor::default()));
    net.settle();
    noted();
    play(|_, callback, ctx| {
        let other = NetId(3 - ctx.net_id().0);
        if let (LifecycleCallback::Despawn, Some(server)) = (callback, ctx.server()) {
            server.despawn(other).ok();
        }
        Ok(())
    });
    net.server.despawn(ids[0]).unwrap();
    assert_eq!(
        noted(),
        [
            "server #1 Actor on_network_despawn",
            "server #2 Actor on_network_despawn"
        ]
    );
    assert_eq!(net.server.object_count(), 0);
    net.settle();
    assert_eq!(net.client(0).object_count(), 0);
}

#[test]
fn update_in_a_callback_omits_no_change() {
    let mut net = network(1);
    let other = net.server.spawn(Partner::default());
    net.settle();
    net.connect();
    net.settle();
    play(|told, callback, ctx| {
        if callback == LifecycleCallback::Spawn && told.name == "Actor" && ctx.is_server() {
            told.value.set(1);
            let now = ctx.now();
            let server = ctx.server().expect("the server");
            server.get_mut::<Partner>(NetId(1)).unwrap().value.set(5);
            server.update(now + std::time::Duration::from_secs(1));
            told.value.set(2);
            told.items.push(9);
        }
        Ok(())
    });
    let id = net.server.spawn(Actor::default());
    net.settle();
    for client in 0..2 {
        let actor = net
            .client(client)
            .get::<Actor>(id)
            .expect("announced after all");
        assert_eq!((*actor.value, &actor.items[..]), (2, &[9][..]));
        assert_eq!(*net.client(client).get::<Partner>(other).unwrap().value, 5);
    }
}

#[test]
fn client_that_joins_in_a_nested_update_gets_the_object_later() {
    let mut net = network(1);
    let id = net.server.spawn(Actor {
        value: 1.into(),
        ..Actor::default()
    });
    net.settle();
    events(&mut net, 0);
    play(|told, callback, ctx| {
        if callback == LifecycleCallback::LostOwnership && ctx.is_server() {
            let now = ctx.now() + std::time::Duration::from_secs(1);
            let server = ctx.server().expect("the server");
            let connections: Vec<_> = server.connections().collect();
            for connection in connections {
                server.set_not_ready(connection);
                server.set_ready(connection);
            }
            server.update(now);
            told.value.set(2);
        }
        Ok(())
    });
    let connection = net.connection(0);
    net.server.set_owner(id, Some(connection)).unwrap();
    net.settle();
    assert_eq!(*net.client(0).get::<Actor>(id).expect("owed").value, 2);
    assert!(net.client(0).is_owner(id));
    net.server.get_mut::<Actor>(id).unwrap().value.set(3);
    net.settle();
    assert_eq!(*net.client(0).get::<Actor>(id).unwrap().value, 3);
}

#[test]
fn chain_of_nested_spawns_runs_in_order() {
    let mut net = network(1);
    play(|_, callback, ctx| {
        let more = ctx.net_id().0 < 5000;
        if let (LifecycleCallback::Spawn, true, Some(server)) = (callback, more, ctx.server()) {
            server.spawn(Actor::default());
        }
        if let (LifecycleCallback::Despawn, NetId(id), Some(server)) =
            (callback, ctx.net_id(), ctx.server())
        {
            server.despawn(NetId(id + 1)).ok();
        }
        Ok(())
    });
    net.server.spawn(Actor::default());
    assert_eq!(net.server.object_count(), 5000);
    assert_eq!(
        noted_of("on_network_post_spawn").len(),
        5000,
        "before `spawn` returns"
    );
    net.settle();
    assert_eq!(net.client(0).object_count(), 5000);
    noted();
    net.server.despawn(NetId(1)).unwrap();
    assert_eq!(net.server.object_count(), 0);
    assert_eq!(noted().len(), 5000);
    assert_eq!(server_events(&mut net), []);
}

#[test]
fn disconnect_in_a_callback_does_not_stop_other_callbacks() {
    let mut net = network(0);
    for _ in 0..3 {
        net.server.spawn(Actor::default());
    }
    net.settle();
    noted();
    play(|_, callback, ctx| {
        if let (LifecycleCallback::Spawn, Some(client)) = (callback, ctx.client()) {
            client.disconnect("seen enough");
        }
        Ok(())
    });
    net.connect();
    net.settle();
    assert_eq!(noted_of("on_network_post_spawn").len(), 3);
    assert_eq!(noted_of("session"), [""; 0]);
    assert!(!events(&mut net, 0).contains(&ClientEvent::Ready));
    net.client_mut(0).forget_objects();
    assert_eq!(
        noted_of("on_network_despawn").len(),
        3,
        "each that was spawned"
    );
}

#[test]
fn a_client_may_connect_anew_in_a_callback() {
    let mut net = network(1);
    let id = net.server.spawn(Actor::default());
    play(|_, callback, ctx| {
        if let (LifecycleCallback::Spawn, Some(client)) = (callback, ctx.client()) {
            client.handle_connect();
        }
        Ok(())
    });
    net.settle();
    assert_eq!(
        noted_of("client"),
        [
            "client #1 Actor on_network_pre_spawn",
            "client #1 Actor on_network_spawn",
            "client #1 Actor on_network_post_spawn",
            "client #1 Actor on_network_despawn"
        ]
    );
    assert!(net.client(0).identity(id).is_none());
    let told = events(&mut net, 0);
    assert_eq!(told[0], ClientEvent::Spawned { object: id });
    assert_eq!(
        told[1],
        ClientEvent::Despawned {
            object: id,
            hidden: false
        }
    );
}

#[test]
fn packet_in_a_callback_is_handled_after_the_current_one() {
    let mut net = network(1);
    let id = net.server.spawn(Actor::default());
    net.settle();
    play(|_, callback, ctx| {
        if let (LifecycleCallback::GainedOwnership, Some(client)) = (callback, ctx.client()) {
            // UpdateVars #1: `value = 9`, its list not changed.
            let packet = [3, 0, 8, 0, 1, 1, 9];
            assert_eq!(client.handle_messages(0, &packet), Ok(()));
        }
        Ok(())
    });
    let connection = net.connection(0);
    net.server.set_owner(id, Some(connection)).unwrap();
    net.settle();
    assert_eq!(*net.client(0).get::<Actor>(id).unwrap().value, 9);
    let told = events(&mut net, 0);
    let [.., owned, ClientEvent::Changed { .. }] = &told[..] else {
        panic!("{told:?}");
    };
    assert_eq!(
        *owned,
        ClientEvent::OwnerChanged {
            object: id,
            owned: true
        }
    );
}
