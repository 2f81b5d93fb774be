//! Callbacks that fail: reported, and nothing else.

use syncvar::prelude::*;
use syncvar::{behaviour::LifecycleCallback, error::CallbackFailure};

use super::actor::{Actor, Partner, events, expect_panics, network, noted_of, play, server_events};

/// The callbacks that are reported as failed: name of the behaviour, callback, message.
fn failures(events: Vec<ClientEvent>) -> Vec<(NetId, &'static str, LifecycleCallback, String)> {
    let failed = events.into_iter().filter_map(|event| match event {
        ClientEvent::CallbackFailed(failure) => {
            let CallbackFailure {
                object,
                behaviour,
                callback,
                message,
                ..
            } = *failure;
            Some((object, behaviour, callback, message))
        }
        _ => None,
    });
    failed.collect()
}

fn server_failures(
    net: &mut MemoryNetwork,
) -> Vec<(NetId, &'static str, LifecycleCallback, String)> {
    let failed = server_events(net)
        .into_iter()
        .filter_map(|event| match event {
            ServerEvent::CallbackFailed {
                object,
                behaviour,
                callback,
                message,
            } => Some((object, behaviour, callback, message)),
            _ => None,
        });
    failed.collect()
}

// checklist: T56
#[test]
fn failing_callback_does_not_stop_other_callbacks() {
    for panics in [false, true] {
        let mut net = network(1);
        expect_panics();
        play(if panics {
            |told, _, _| {
                if told.name == "Actor" {
                    panic!("it broke")
                } else {
                    Ok(())
                }
            }
        } else {
            |told, _, _| {
                if told.name == "Actor" {
                    Err("it broke".into())
                } else {
                    Ok(())
                }
            }
        });
        let id = net.server.spawn((Actor::default(), Partner::default()));
        let other = net.server.spawn(Partner::default());
        net.settle();
        net.server.despawn(id).unwrap();
        net.settle();
        let expected = LifecycleCallback::all_of_a_life()
            .map(|callback| (id, "Actor", callback, String::from("it broke")));
        assert_eq!(server_failures(&mut net), expected);
        assert_eq!(failures(events(&mut net, 0)), expected);
        let partners = noted_of("#1 Partner");
        assert_eq!(
            partners.len(),
            8,
            "four callbacks on each side: {partners:?}"
        );
        assert!(net.client(0).get::<Partner>(other).is_some());
        assert!(net.client(0).get::<Actor>(id).is_none());
        assert_eq!(net.server.object_count(), 1);
    }
}

trait Life {
    fn all_of_a_life() -> [LifecycleCallback; 4];
}

impl Life for LifecycleCallback {
    fn all_of_a_life() -> [Self; 4] {
        [Self::PreSpawn, Self::Spawn, Self::PostSpawn, Self::Despawn]
    }
}

// checklist: T56
#[test]
fn object_with_failing_callbacks_is_replicated() {
    let mut net = network(1);
    expect_panics();
    play(|told, callback, ctx| {
        if callback == LifecycleCallback::Spawn && ctx.is_server() {
            told.value.set(4);
            panic!("after writing {}", told.value);
        }
        Err("no".into())
    });
    let id = net.server.spawn(Actor::default());
    net.settle();
    let value = |net: &MemoryNetwork| *net.client(0).get::<Actor>(id).unwrap().value;
    assert_eq!(value(&net), 4, "what it wrote counts");
    net.server.get_mut::<Actor>(id).unwrap().value.set(6);
    net.settle();
    assert_eq!(value(&net), 6);
    let failed = server_failures(&mut net);
    assert_eq!(failed[1].3, "after writing 4");
}

#[test]
fn the_other_callbacks_are_named_as_well() {
    let mut net = network(0);
    let id = net.server.spawn(Actor::default());
    net.connect();
    net.settle();
    play(|_, _, _| Err("no".into()));
    let connection = net.connection(0);
    net.server.set_owner(id, Some(connection)).unwrap();
    net.settle();
    net.server.set_owner(id, None).unwrap();
    net.settle();
    let named = |failed: Vec<(NetId, &'static str, LifecycleCallback, String)>| {
        let names = failed
            .into_iter()
            .map(|(_, _, callback, _)| callback.name());
        names.collect::<Vec<_>>()
    };
    let told = server_failures(&mut net);
    assert_eq!(named(told), ["on_lost_ownership", "on_gained_ownership"]);
    let told = failures(events(&mut net, 0));
    assert_eq!(named(told), ["on_gained_ownership", "on_lost_ownership"]);
}
