//! New entities.

use bevy_syncvar::SceneId;

use super::*;
use crate::party::Party;

#[test]
fn an_entity_without_components_is_spawned() {
    let mut rig = Rig::new();
    let here = rig.here().spawn(Replicated).id();
    rig.pair.settle();
    let there = rig.pair.there(here).unwrap();
    let entity = rig.pair.client.world().entity(there);
    assert!(entity.contains::<Remote>());
    let id = rig.pair.client.world().get::<Net>(there).map(Net::id);
    assert_eq!(rig.pair.server.world().get::<Net>(here).map(Net::id), id);
    assert_eq!(
        rig.pair.client.world().resource::<NetEntities>().id(there),
        id
    );
}

#[test]
fn an_entity_is_spawned_with_its_components() {
    let mut rig = Rig::new();
    let [one, _] = rig.spawn(Health(3));
    let [several, _] = rig.spawn((Health(4), name("orc"), Poison(1), Secret));
    assert_eq!(rig.shown(one), Some(Health(3)));
    assert_eq!(rig.shown::<Name>(one), None);
    assert_eq!(rig.shown(several), Some(Health(4)));
    assert_eq!(rig.shown(several), Some(name("orc")));
    assert_eq!(rig.shown(several), Some(Poison(1)));
    assert_eq!(rig.shown::<Secret>(several), None);
}

#[test]
fn observers_of_a_spawn_see_all_components() {
    let mut rig = Rig::new();
    let seen = crate::support::Log::<(u32, String)>::default();
    let log = seen.clone();
    rig.pair.client.add_observer(
        move |added: On<Add<Health>>, healths: Query<(&Health, &Remote)>| {
            log.push((healths.get(added.entity).unwrap().0.0, String::new()));
        },
    );
    rig.spawn((Health(4), name("orc")));
    assert_eq!(seen.take(), [(4, String::new())]);
}

#[test]
fn an_entity_of_before_becomes_replicated() {
    let mut rig = Rig::new();
    let here = rig.here().spawn((Health(3), Secret)).id();
    assert_eq!(rig.news(), NOTHING);
    rig.here().entity_mut(here).insert(Replicated);
    assert_eq!(rig.news().spawned, 1);
    assert_eq!(rig.shown(here), Some(Health(3)));
}

#[test]
fn entities_of_before_the_connection_arrive() {
    let mut party = Party::new(0, types_and_weather);
    let world = party.server.world_mut();
    let empty = world.spawn(Replicated).id();
    let orc = world
        .spawn((
            Replicated,
            Health(3),
            Team {
                number: 2,
                colour: "red".into(),
            },
        ))
        .id();
    world.insert_resource(Weather(7));
    for client in 0..2 {
        party.settle();
        party.add_client();
        party.settle();
        assert!(party.there(client, empty).is_some());
        let there = party.there(client, orc).unwrap();
        let world = party.clients[client].world();
        assert_eq!(world.get::<Health>(there), Some(&Health(3)));
        assert_eq!(world.get::<Team>(there), Some(&team(2)));
        assert_eq!(world.get_resource::<Weather>(), Some(&Weather(7)));
        party
            .server
            .world_mut()
            .get_mut::<Health>(orc)
            .unwrap()
            .set_changed();
    }
}

#[test]
fn an_entity_that_loses_its_marker_at_once_is_not_sent() {
    let mut rig = Rig::new();
    rig.here()
        .spawn((Replicated, Health(3)))
        .remove::<Replicated>();
    let despawned = rig.here().spawn((Replicated, Health(3))).id();
    rig.here().despawn(despawned);
    assert_eq!(rig.news(), NOTHING);
}

#[test]
fn an_entity_of_both_ends_takes_the_components() {
    let mut rig = Rig::new();
    let there = rig.there().spawn((SceneId(5), Secret)).id();
    let here = rig.here().spawn((SceneId(5), Health(3))).id();
    assert_eq!(rig.news(), NOTHING);
    rig.here().entity_mut(here).insert(Replicated);
    rig.pair.settle();
    assert_eq!(rig.pair.there(here), Some(there));
    assert_eq!(rig.shown(here), Some(Health(3)));
    assert_eq!(rig.shown(here), Some(Secret));
    assert_eq!(rig.count(), 1);
}

#[test]
fn an_entity_of_both_ends_is_there_before_the_connection() {
    let mut pair = Pair::new(types);
    let there = pair.client.world_mut().spawn(SceneId(5)).id();
    let world = pair.server.world_mut();
    let here = world.spawn((Replicated, SceneId(5), Health(3))).id();
    pair.settle();
    assert_eq!(pair.there(here), Some(there));
    assert_eq!(pair.client.world().get::<Health>(there), Some(&Health(3)));
}

#[test]
fn an_entity_of_both_ends_is_for_one_client_only() {
    let mut party = Party::new(2, types);
    let own = [0, 1].map(|client: usize| {
        let world = party.clients[client].world_mut();
        world.spawn(SceneId(5)).id()
    });
    let first = party.connections()[0];
    let world = party.server.world_mut();
    world.spawn((Replicated, SceneId(5), Health(3), OnlyFor(vec![first])));
    party.settle();
    let healths = [0, 1].map(|client: usize| {
        let world = party.clients[client].world();
        world.get::<Health>(own[client]).copied()
    });
    assert_eq!(healths, [Some(Health(3)), None]);
}

#[test]
fn a_hidden_entity_of_both_ends_is_matched_when_it_is_shown() {
    let mut rig = Rig::new();
    let there = rig.there().spawn(SceneId(5)).id();
    let hidden = OnlyFor(Vec::new());
    let here = rig
        .here()
        .spawn((Replicated, SceneId(5), Health(3), hidden))
        .id();
    assert_eq!(rig.news(), NOTHING);
    assert!(rig.there().get::<Remote>(there).is_none());
    rig.set_hidden(here, false);
    assert_eq!(rig.pair.there(here), Some(there));
    assert_eq!(rig.shown(here), Some(Health(3)));
}

#[test]
fn a_client_receives_nothing_until_it_is_accepted() {
    let mut party = Party::new(0, types);
    party
        .server
        .add_observer(|mut request: On<JoinRequest>| request.wait());
    let asked = crate::party::observe(&mut party.server, |request: &JoinRequest| {
        request.connection
    });
    let early = party.server.world_mut().spawn((Replicated, Health(1))).id();
    party.add_client();
    party.settle();
    let late = party.server.world_mut().spawn((Replicated, Health(2))).id();
    party.settle();
    let mut remote = party.clients[0].world_mut().query::<&Remote>();
    assert_eq!(remote.iter(party.clients[0].world()).count(), 0);
    let mut server = party.server.world_mut().resource_mut::<Server>();
    server.accept(asked.take()[0]).unwrap();
    party.settle();
    let healths = [early, late].map(|here| {
        let there = party.there(0, here).unwrap();
        party.clients[0].world().get::<Health>(there).copied()
    });
    assert_eq!(healths, [Some(Health(1)), Some(Health(2))]);
    let next = party.server.world_mut().spawn((Replicated, Health(3))).id();
    party.settle();
    assert!(party.there(0, next).is_some());
}

#[test]
fn an_entity_is_spawned_when_it_is_shown() {
    let mut rig = Rig::new();
    let here = rig
        .here()
        .spawn((Replicated, Health(3), OnlyFor(Vec::new())))
        .id();
    assert_eq!(rig.news(), NOTHING);
    rig.here().get_mut::<Health>(here).unwrap().0 = 4;
    assert_eq!(rig.news(), NOTHING);
    rig.set_hidden(here, false);
    assert_eq!(rig.shown(here), Some(Health(4)));
}
