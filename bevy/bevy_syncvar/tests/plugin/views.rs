//! Entities that a client does not see, and sees again.

use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

use crate::support::{Log, Pair};

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Guard {
    post: Option<Entity>,
    alarm: u32,
}

fn pair() -> (Pair, Entity, Entity) {
    let mut pair = Pair::new(|app| {
        app.replicate::<Guard>();
    });
    let world = pair.server.world_mut();
    let gate = world
        .spawn((
            Replicated,
            Guard {
                post: None,
                alarm: 0,
            },
        ))
        .id();
    let guard = world
        .spawn((
            Replicated,
            Guard {
                post: Some(gate),
                alarm: 0,
            },
            ChildOf(gate),
        ))
        .id();
    pair.settle();
    (pair, gate, guard)
}

fn set_visible(pair: &mut Pair, entity: Entity, visible: bool) {
    let world = pair.server.world_mut();
    let id = world.resource::<NetEntities>().id(entity).unwrap();
    let mut server = world.resource_mut::<Server>();
    let connection = server.connections().next().unwrap();
    if visible {
        server.show(id, connection).unwrap();
    } else {
        server.hide(id, connection).unwrap();
    }
    pair.settle();
}

#[test]
fn a_target_that_is_shown_again_is_referred_to_again() {
    let (mut pair, gate, guard) = pair();
    let (there_gate, there_guard) = (pair.there(gate).unwrap(), pair.there(guard).unwrap());
    let seen = Log::<Option<Option<Entity>>>::default();
    let log = seen.clone();
    pair.client
        .add_observer(move |change: On<Received<Guard>>| log.push(change.previous.post));
    let shown = |pair: &Pair| {
        let world = pair.client.world();
        let parent = world.get::<ChildOf>(there_guard).map(ChildOf::parent);
        (world.get::<Guard>(there_guard).unwrap().post, parent)
    };
    assert_eq!(shown(&pair), (Some(there_gate), Some(there_gate)));
    set_visible(&mut pair, gate, false);
    assert!(pair.client.world().get_entity(there_gate).is_err());
    assert_eq!(shown(&pair).1, None, "the child stays");
    set_visible(&mut pair, gate, true);
    let again = pair.there(gate).unwrap();
    assert_ne!(again, there_gate);
    assert_eq!(shown(&pair), (Some(again), Some(again)));
    assert_eq!(seen.take(), [Some(Some(there_gate))]);
}

#[test]
fn a_target_that_comes_later_is_filled_in() {
    let (mut pair, gate, guard) = pair();
    set_visible(&mut pair, gate, false);
    set_visible(&mut pair, guard, false);
    set_visible(&mut pair, guard, true);
    let there = pair.there(guard).unwrap();
    let post = |pair: &Pair| pair.client.world().get::<Guard>(there).unwrap().post;
    assert_eq!(post(&pair), Some(Entity::PLACEHOLDER));
    set_visible(&mut pair, gate, true);
    assert_eq!(post(&pair), pair.there(gate));
}

#[test]
fn hidden_entities_change_and_return() {
    let (mut pair, gate, guard) = pair();
    set_visible(&mut pair, guard, false);
    assert!(pair.there(guard).is_none());
    pair.server
        .world_mut()
        .get_mut::<Guard>(guard)
        .unwrap()
        .alarm = 5;
    pair.settle();
    pair.server.world_mut().get_mut::<Guard>(gate).unwrap().post = Some(guard);
    pair.settle();
    set_visible(&mut pair, guard, true);
    let (there_gate, there) = (pair.there(gate).unwrap(), pair.there(guard).unwrap());
    assert_eq!(pair.client.world().get::<Guard>(there).unwrap().alarm, 5);
    assert_eq!(
        pair.client.world().get::<Guard>(there_gate).unwrap().post,
        Some(there)
    );
}
