//! Events with a target: from clients, to clients, both ways. Named after the lists of `bevy_replicon`.

use bevy_app::App;
use bevy_ecs::prelude::*;

use bevy_syncvar::prelude::*;

use crate::party::{Party, observe};
use crate::support::{Log, app};

#[derive(EntityEvent, NetValue, Clone, Debug, PartialEq)]
struct Hit {
    entity: Entity,
    by: Option<Entity>,
    damage: u32,
}

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Orc;

fn types(app: &mut App) {
    app.net_entity_event::<Hit>().replicate::<Orc>();
}

fn hit(entity: Entity, by: Option<Entity>) -> Hit {
    let damage = 5;
    Hit { entity, by, damage }
}

/// Two orcs of a server in a party.
fn party(clients: usize) -> (Party, [Entity; 2]) {
    let mut party = Party::new(clients, types);
    let orcs = [(); 2].map(|()| party.server.world_mut().spawn((Replicated, Orc)).id());
    party.settle();
    (party, orcs)
}

#[test]
fn client_event_regular() {
    let (mut party, orcs) = party(1);
    let client = party.connections()[0];
    let log = Log::<(Entity, Entity, u32)>::default();
    let own = log.clone();
    // The observer watches one entity.
    party
        .server
        .world_mut()
        .entity_mut(orcs[0])
        .observe(move |hit: On<FromClient<Hit>>| {
            own.push((hit.entity, hit.client, hit.event.damage));
        });
    for orc in orcs {
        let there = party.there(0, orc).unwrap();
        party.clients[0]
            .world_mut()
            .trigger(ToServer::new(hit(there, None)));
    }
    party.settle();
    assert_eq!(log.take(), [(orcs[0], client, 5)]);
}

#[test]
fn client_event_mapped() {
    let (mut party, orcs) = party(1);
    let log = observe(&mut party.server, |hit: &FromClient<Hit>| hit.event.clone());
    let there = orcs.map(|orc| party.there(0, orc).unwrap());
    let event = hit(there[0], Some(there[1]));
    party.clients[0].world_mut().trigger(ToServer::new(event));
    party.settle();
    assert_eq!(log.take(), [hit(orcs[0], Some(orcs[1]))]);
}

#[test]
fn client_event_without_plugins() {
    let mut app = app();
    app.net_entity_event::<Hit>();
    let log = observe(&mut app, |hit: &FromClient<Hit>| hit.event.damage);
    let target = app.world_mut().spawn_empty().id();
    app.world_mut().trigger(ToServer::new(hit(target, None)));
    app.update();
    assert_eq!(log.take(), []);
}

#[test]
fn client_event_local_sending() {
    let mut host = Party::host(0, types);
    let orc = host.server.world_mut().spawn((Replicated, Orc)).id();
    host.settle();
    let log = observe(&mut host.server, |hit: &FromClient<Hit>| {
        (hit.entity, hit.client)
    });
    host.server
        .world_mut()
        .trigger(ToServer::new(hit(orc, None)));
    host.settle();
    let local = host.connections()[0];
    assert_eq!(log.take(), [(orc, local)]);
}

#[test]
fn client_event_with_disconnect() {
    let (mut party, orcs) = party(1);
    let log = observe(&mut party.server, |hit: &FromClient<Hit>| hit.event.damage);
    let there = party.there(0, orcs[0]).unwrap();
    party.clients[0]
        .world_mut()
        .trigger(ToServer::new(hit(there, None)));
    party.clients[0].world_mut().remove_resource::<ClientLink>();
    party.settle();
    party.clients[0].insert_resource(ClientLink::new(party.connector.link()));
    party.settle();
    assert_eq!(log.take(), []);
}

#[test]
fn server_event_regular() {
    let (mut party, orcs) = party(2);
    let logs: Vec<_> = (0..2)
        .map(|index| {
            let log = Log::<Entity>::default();
            let own = log.clone();
            let there = party.there(index, orcs[0]).unwrap();
            let mut there = party.clients[index].world_mut().entity_mut(there);
            there.observe(move |hit: On<Hit>| own.push(hit.entity));
            log
        })
        .collect();
    for orc in orcs {
        party
            .server
            .world_mut()
            .trigger(ToClients::all(hit(orc, None)));
    }
    party.settle();
    for (index, log) in logs.iter().enumerate() {
        assert_eq!(log.take(), [party.there(index, orcs[0]).unwrap()]);
    }
}

#[test]
fn server_event_mapped() {
    let (mut party, orcs) = party(1);
    let log = observe(&mut party.clients[0], Hit::clone);
    let event = hit(orcs[1], Some(orcs[0]));
    party.server.world_mut().trigger(ToClients::all(event));
    party.settle();
    let there = orcs.map(|orc| party.there(0, orc).unwrap());
    assert_eq!(log.take(), [hit(there[1], Some(there[0]))]);
}

#[test]
fn server_event_without_plugins() {
    let mut app = app();
    app.net_entity_event::<Hit>();
    let log = observe(&mut app, |hit: &Hit| hit.damage);
    let target = app.world_mut().spawn_empty().id();
    app.world_mut().trigger(ToClients::all(hit(target, None)));
    app.update();
    assert_eq!(log.take(), []);
}

#[test]
fn server_event_local_sending() {
    let mut host = Party::host(0, types);
    let orc = host.server.world_mut().spawn((Replicated, Orc)).id();
    let log = observe(&mut host.server, |hit: &Hit| hit.entity);
    host.server
        .world_mut()
        .trigger(ToClients::all(hit(orc, None)));
    host.settle();
    assert_eq!(log.take(), [orc]);
}

#[test]
fn server_event_independent() {
    // An event at an entity that the client does not see is dropped; later ones arrive.
    let (mut party, orcs) = party(1);
    let log = observe(&mut party.clients[0], |hit: &Hit| hit.damage);
    let local = party.server.world_mut().spawn(Orc).id();
    for target in [local, orcs[0]] {
        party
            .server
            .world_mut()
            .trigger(ToClients::all(hit(target, None)));
    }
    party.settle();
    assert_eq!(log.take(), [5]);
}

/// Passes the hits of clients to all clients.
fn pass_on(hit: On<FromClient<Hit>>, mut commands: Commands) {
    commands.trigger(ToClients::all(hit.event.clone()));
}

#[test]
fn shared_event_regular() {
    let (mut party, orcs) = party(2);
    party.server.add_observer(pass_on);
    let log = observe(&mut party.clients[1], |hit: &Hit| hit.entity);
    let there = party.there(0, orcs[0]).unwrap();
    party.clients[0]
        .world_mut()
        .trigger(ToServer::new(hit(there, None)));
    party.settle();
    assert_eq!(log.take(), [party.there(1, orcs[0]).unwrap()]);
}

#[test]
fn shared_event_mapped() {
    let (mut party, orcs) = party(2);
    party.server.add_observer(pass_on);
    let log = observe(&mut party.clients[1], Hit::clone);
    let [first, second] = orcs.map(|orc| party.there(0, orc).unwrap());
    let event = hit(first, Some(second));
    party.clients[0].world_mut().trigger(ToServer::new(event));
    party.settle();
    let [first, second] = orcs.map(|orc| party.there(1, orc).unwrap());
    assert_eq!(log.take(), [hit(first, Some(second))]);
}

#[test]
fn shared_event_without_plugins() {
    let mut app = app();
    app.net_entity_event::<Hit>().add_observer(pass_on);
    let target = app.world_mut().spawn_empty().id();
    app.world_mut().trigger(ToServer::new(hit(target, None)));
    app.world_mut().trigger(ToClients::all(hit(target, None)));
    app.update();
}

#[test]
fn shared_event_local_sending() {
    let mut host = Party::host(0, types);
    host.server.add_observer(pass_on);
    let orc = host.server.world_mut().spawn((Replicated, Orc)).id();
    host.settle();
    let log = observe(&mut host.server, |hit: &Hit| hit.entity);
    host.server
        .world_mut()
        .trigger(ToServer::new(hit(orc, None)));
    host.settle();
    assert_eq!(log.take(), [orc]);
}

#[test]
fn shared_event_with_disconnect() {
    let (mut party, orcs) = party(1);
    let log = observe(&mut party.clients[0], |hit: &Hit| hit.damage);
    party
        .server
        .world_mut()
        .trigger(ToClients::all(hit(orcs[0], None)));
    party.stop();
    party.settle();
    assert_eq!(log.take(), []);
}

#[test]
fn bidirectional_event() {
    let (mut party, orcs) = party(1);
    let there = observe(&mut party.clients[0], |hit: &Hit| hit.entity);
    let here = observe(&mut party.server, |hit: &FromClient<Hit>| hit.entity);
    let orc = party.there(0, orcs[0]).unwrap();
    party
        .server
        .world_mut()
        .trigger(ToClients::all(hit(orcs[0], None)));
    party.clients[0]
        .world_mut()
        .trigger(ToServer::new(hit(orc, None)));
    party.settle();
    assert_eq!(there.take(), [orc]);
    assert_eq!(here.take(), [orcs[0]]);
}
