//! Observers of the game that fail.

use std::panic::{self, AssertUnwindSafe};

use bevy_app::App;
use bevy_ecs::error::{FallbackErrorHandler, ignore};
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

use crate::party::Party;

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Health(u32);

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Curse(u32);

fn types(app: &mut App) {
    app.replicate::<Health>().replicate::<Curse>();
}

/// Asserts that a client has the entities of the server.
fn compare(party: &mut Party, client: usize) {
    party.settle();
    let world = party.server.world_mut();
    let mut own = world.query_filtered::<(Entity, &Health, Has<Curse>), With<Replicated>>();
    let own: Vec<_> = own
        .iter(world)
        .map(|(it, health, has)| (it, *health, has))
        .collect();
    for (here, health, is_cursed) in &own {
        let there = party.there(client, *here).unwrap();
        let entity = party.clients[client].world().entity(there);
        assert_eq!(entity.get::<Health>(), Some(health));
        assert_eq!(entity.contains::<Curse>(), *is_cursed);
    }
    let world = party.clients[client].world_mut();
    let mut remote = world.query::<&Remote>();
    assert_eq!(remote.iter(world).count(), own.len());
}

/// Runs an app for a frame, and returns whether an observer has panicked.
fn panics(app: &mut App) -> bool {
    panic::catch_unwind(AssertUnwindSafe(|| app.update())).is_err()
}

#[test]
fn a_panic_of_a_client_ends_that_client_only() {
    let mut party = Party::new(2, types);
    let add = |party: &mut Party, number: u32| {
        let entity = party.server.world_mut().spawn((Replicated, Health(number)));
        entity.id()
    };
    let orc = add(&mut party, 1);
    party.settle();
    party.clients[0].add_observer(|_: On<Add<Curse>>| panic!("a mistake of the game"));
    party.server.world_mut().entity_mut(orc).insert(Curse(1));
    let mut broken = party.clients.remove(0);
    while !panics(&mut broken) {
        party.step();
    }
    drop(broken);
    add(&mut party, 2);
    compare(&mut party, 0);
    assert_eq!(party.connections().len(), 1);
    party.add_client();
    party.server.world_mut().get_mut::<Health>(orc).unwrap().0 = 7;
    compare(&mut party, 1);
}

#[test]
fn clients_of_a_server_that_has_panicked_join_the_next_server() {
    let mut party = Party::new(1, types);
    party.server.world_mut().spawn((Replicated, Health(1)));
    party.settle();
    party
        .server
        .add_observer(|_: On<Add<Curse>>| panic!("a mistake of the game"));
    party
        .server
        .add_systems(bevy_app::Update, |mut commands: Commands| {
            commands.spawn((Replicated, Curse(1)));
        });
    assert!(panics(&mut party.server));
    let mut next = Party::new(0, types);
    next.server.world_mut().spawn((Replicated, Health(9)));
    let mut client = party.clients.remove(0);
    drop(party);
    client.world_mut().remove_resource::<ClientLink>();
    client.update();
    client.insert_resource(ClientLink::new(next.connector.link()));
    next.clients.push(client);
    compare(&mut next, 0);
}

#[test]
fn failing_observers_leave_both_ends_equal() {
    let mut party = Party::new(1, types);
    let fail = |_: On<Add<Curse>>| -> Result { Err("a mistake of the game".into()) };
    for app in [&mut party.server].into_iter().chain(&mut party.clients) {
        app.insert_resource(FallbackErrorHandler(ignore));
        app.add_observer(fail);
        app.add_observer(|_: On<Received<Health>>| -> Result { Err("a mistake".into()) });
    }
    let world = party.server.world_mut();
    let orc = world.spawn((Replicated, Health(1))).id();
    let elf = world.spawn((Replicated, Health(2), Curse(1))).id();
    compare(&mut party, 0);
    let world = party.server.world_mut();
    world.entity_mut(orc).insert(Curse(2));
    world.get_mut::<Health>(orc).unwrap().0 = 5;
    world.get_mut::<Health>(elf).unwrap().0 = 5;
    compare(&mut party, 0);
}
