//! First steps: entities of a server in a client.

use crate::support::{self, Pair};
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Player {
    health: i32,
    name: String,
    target: Option<Entity>,
    #[sync_var(skip)]
    cooldown: u32,
}

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Burning(u32, f32);

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Frozen;

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
enum Stance {
    Idle,
    Guarding { post: Entity, radius: f32 },
    Fighting(Vec<Entity>),
}

fn pair() -> Pair {
    Pair::new(|app| {
        app.replicate::<Player>()
            .replicate::<Burning>()
            .replicate::<Frozen>()
            .replicate::<Stance>();
    })
}

fn player(name: &str) -> Player {
    Player {
        health: 100,
        name: name.into(),
        target: None,
        cooldown: 9,
    }
}

#[test]
fn entities_are_spawned_changed_and_despawned() {
    let mut pair = pair();
    let ada = pair
        .server
        .world_mut()
        .spawn((Replicated, player("Ada"), Burning(3, 0.5)))
        .id();
    pair.settle();
    let there = pair.there(ada).unwrap();
    let world = pair.client.world();
    assert_eq!(
        world.get::<Player>(there).unwrap(),
        &Player {
            cooldown: 0,
            ..player("Ada")
        }
    );
    assert_eq!(world.get::<Burning>(there), Some(&Burning(3, 0.5)));

    pair.server
        .world_mut()
        .get_mut::<Player>(ada)
        .unwrap()
        .health -= 10;
    pair.settle();
    assert_eq!(pair.client.world().get::<Player>(there).unwrap().health, 90);

    pair.server.world_mut().despawn(ada);
    pair.settle();
    assert!(pair.client.world().get_entity(there).is_err());
    assert!(pair.there(ada).is_none());
}

#[test]
fn components_come_and_go() {
    let mut pair = pair();
    let ada = pair
        .server
        .world_mut()
        .spawn((Replicated, player("Ada")))
        .id();
    pair.settle();
    let there = pair.there(ada).unwrap();
    assert!(!pair.client.world().entity(there).contains::<Frozen>());

    pair.server
        .world_mut()
        .entity_mut(ada)
        .insert((Frozen, Burning(1, 1.0)));
    pair.settle();
    let entity = pair.client.world().entity(there);
    assert!(entity.contains::<Frozen>() && entity.contains::<Burning>());

    pair.server
        .world_mut()
        .entity_mut(ada)
        .remove::<(Frozen, Player)>();
    pair.settle();
    assert!(!pair.client.world().entity(there).contains::<Frozen>());
    assert!(!pair.client.world().entity(there).contains::<Player>());
    assert!(pair.client.world().entity(there).contains::<Burning>());
}

#[test]
fn entities_of_one_frame_refer_to_each_other() {
    let mut pair = pair();
    let world = pair.server.world_mut();
    let ada = world.spawn((Replicated, player("Ada"))).id();
    let bob = world
        .spawn((
            Replicated,
            Player {
                target: Some(ada),
                ..player("Bob")
            },
        ))
        .id();
    world.get_mut::<Player>(ada).unwrap().target = Some(bob);
    world.entity_mut(ada).insert(Stance::Guarding {
        post: bob,
        radius: 2.0,
    });
    world
        .entity_mut(bob)
        .insert(Stance::Fighting(vec![ada, bob]));
    pair.settle();
    let [there_ada, there_bob] = [ada, bob].map(|entity| pair.there(entity).unwrap());
    let world = pair.client.world();
    assert_eq!(
        world.get::<Player>(there_ada).unwrap().target,
        Some(there_bob)
    );
    assert_eq!(
        world.get::<Player>(there_bob).unwrap().target,
        Some(there_ada)
    );
    assert_eq!(
        world.get::<Stance>(there_ada),
        Some(&Stance::Guarding {
            post: there_bob,
            radius: 2.0
        })
    );
    assert_eq!(
        world.get::<Stance>(there_bob),
        Some(&Stance::Fighting(vec![there_ada, there_bob]))
    );

    *pair.server.world_mut().get_mut::<Stance>(bob).unwrap() = Stance::Idle;
    pair.settle();
    assert_eq!(
        pair.client.world().get::<Stance>(there_bob),
        Some(&Stance::Idle)
    );
}

#[test]
fn observers_receive_previous_values() {
    let mut pair = pair();
    let seen = support::Log::<(Option<i32>, Option<String>, i32)>::default();
    let log = seen.clone();
    pair.client.add_observer(
        move |change: On<Received<Player>>, players: Query<&Player>| {
            let now = players.get(change.entity).unwrap().health;
            log.push((change.previous.health, change.previous.name.clone(), now));
        },
    );
    let ada = pair
        .server
        .world_mut()
        .spawn((Replicated, player("Ada")))
        .id();
    pair.settle();
    assert_eq!(seen.take(), []);
    let mut component = pair.server.world_mut().get_mut::<Player>(ada).unwrap();
    component.health = 7;
    component.cooldown = 3;
    pair.settle();
    assert_eq!(seen.take(), [(Some(100), None, 7)]);
}

#[test]
fn children_follow_their_parents() {
    let mut pair = pair();
    let world = pair.server.world_mut();
    let cart = world.spawn((Replicated, player("cart"))).id();
    let crate_ = world.spawn((Replicated, Frozen, ChildOf(cart))).id();
    pair.settle();
    let [there_cart, there_crate] = [cart, crate_].map(|entity| pair.there(entity).unwrap());
    let parent = |pair: &Pair| {
        pair.client
            .world()
            .get::<ChildOf>(there_crate)
            .map(ChildOf::parent)
    };
    assert_eq!(parent(&pair), Some(there_cart));
    pair.server
        .world_mut()
        .entity_mut(crate_)
        .remove::<ChildOf>();
    pair.settle();
    assert_eq!(parent(&pair), None);
    pair.server
        .world_mut()
        .entity_mut(crate_)
        .insert(ChildOf(cart));
    pair.settle();
    pair.server.world_mut().despawn(cart);
    pair.settle();
    assert!(pair.client.world().get_entity(there_crate).is_err());
}
