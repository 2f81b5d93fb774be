//! What a callback sees around it, on each side.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{behaviour::LifecycleCallback, values::Vector3};
use syncvar_testing::spawn_for;

use super::actor::{Actor, Partner, Prop, network, note, noted_of, play, server_events};

#[test]
fn a_callback_sees_its_object_its_place_and_the_time() {
    let mut net = network(1);
    play(|_, callback, ctx| {
        if callback == LifecycleCallback::Spawn {
            let side = (ctx.is_server(), ctx.is_client());
            let place = (ctx.position().x, ctx.rotation().w);
            let behaviour = (ctx.behaviour_index(), ctx.behaviour_count());
            note(format!(
                "{} `{}` {side:?} {place:?} {behaviour:?} {:?} {}",
                ctx.net_id(),
                ctx.prefab(),
                ctx.owner(),
                ctx.is_owner()
            ));
            assert!(ctx.now() >= Duration::from_millis(50));
            assert!(format!("{ctx:?}").contains("net_id"));
        }
        Ok(())
    });
    let options = SpawnOptions {
        position: Vector3::new(3.0, 0.0, 0.0),
        ..SpawnOptions::default()
    };
    let both = (Prop::default(), Actor::default());
    net.server.try_spawn(both, options).unwrap();
    net.settle();
    assert_eq!(
        noted_of("prop"),
        [
            "#1 `beside a prop` (true, false) (3.0, 1.0) (1, 2) None true",
            "#1 `beside a prop` (false, true) (3.0, 1.0) (1, 2) None false",
        ]
    );
    assert_eq!(server_events(&mut net), [], "nothing has failed");
}

#[test]
fn a_callback_sees_the_owner_on_the_server() {
    let mut net = network(1);
    play(|_, callback, ctx| {
        note(format!(
            "{callback}: owned by {:?}, {}",
            ctx.owner(),
            ctx.is_owner()
        ));
        Ok(())
    });
    spawn_for(&mut net, Actor::default(), 0);
    let expected = [
        "on_network_pre_spawn",
        "on_network_spawn",
        "on_network_post_spawn",
    ]
    .map(|callback| format!("{callback}: owned by Some(ConnectionId(1)), false"));
    assert_eq!(noted_of("owned"), expected);
}

#[test]
fn siblings_are_found_by_type_or_position_and_are_writable() {
    let mut net = network(1);
    play(|told, callback, ctx| {
        if callback == LifecycleCallback::Spawn && ctx.is_server() && told.name == "Actor" {
            assert!(ctx.sibling::<Actor>().is_none(), "not itself");
            assert!(ctx.sibling_at::<Actor>(0).is_none(), "not itself");
            assert!(ctx.sibling_at::<Actor>(1).is_none(), "another type");
            assert!(ctx.sibling_at::<Partner>(2).is_none(), "no such position");
            ctx.sibling_mut::<Partner>()
                .expect("a partner")
                .value
                .set(5);
            *ctx.sibling_at_mut::<Partner>(1).expect("a partner").value += 1;
            let own = ctx.net_id();
            assert_eq!(*ctx.get::<Partner>(own).expect("a partner").value, 6);
            note("done");
        }
        Ok(())
    });
    let id = net.server.spawn((Actor::default(), Partner::default()));
    net.settle();
    assert_eq!(noted_of("done").len(), 1);
    assert_eq!(*net.client(0).get::<Partner>(id).unwrap().value, 6);
}

#[test]
fn siblings_written_to_later_are_sent() {
    let mut net = network(1);
    let id = net.server.spawn((Actor::default(), Partner::default()));
    net.settle();
    play(|told, _, ctx| {
        if let Some(partner) = ctx
            .sibling_mut::<Partner>()
            .filter(|_| told.name == "Actor")
        {
            partner.value.set(7);
        }
        Ok(())
    });
    let connection = net.connection(0);
    net.server.set_owner(id, Some(connection)).unwrap();
    net.settle();
    assert_eq!(*net.client(0).get::<Partner>(id).unwrap().value, 7);
}

#[test]
fn other_objects_are_found_on_both_sides() {
    let mut net = network(1);
    let prop = net.server.spawn(Prop { value: 4.into() });
    net.settle();
    play(|_, callback, ctx| {
        if callback == LifecycleCallback::Spawn {
            let other = ctx
                .identity(NetId(1))
                .expect("the prop")
                .behaviour::<Prop>();
            assert_eq!(
                *other.unwrap().value,
                *ctx.get::<Prop>(NetId(1)).unwrap().value
            );
            let own = ctx.net_id();
            assert!(ctx.identity(own).is_none(), "it is being called");
            let (server, client) = (ctx.server().is_some(), ctx.client().is_some());
            note(format!("found: {server} {client}"));
        }
        Ok(())
    });
    net.server.spawn(Actor::default());
    net.settle();
    assert_eq!(
        noted_of("found"),
        ["found: true false", "found: false true"]
    );
    assert_eq!(prop, NetId(1));
}

#[test]
fn a_side_is_found_by_its_type_too() {
    let mut net = network(1);
    play(|_, callback, ctx| {
        if callback == LifecycleCallback::Spawn {
            let server = ctx.side::<NetworkServer>().is_some();
            let client = ctx.side::<NetworkClient>().is_some();
            note(format!("side: {server} {client}"));
        }
        Ok(())
    });
    net.server.spawn(Actor::default());
    net.settle();
    assert_eq!(noted_of("side"), ["side: true false", "side: false true"]);
}
