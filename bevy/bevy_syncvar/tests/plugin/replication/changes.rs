//! Changes of components.

use std::time::Duration;

use bevy_syncvar::syncvar::testing::Conditions;

use super::*;
use crate::party::Party;

/// A value that travels in datagrams.
#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
#[network_behaviour(channel = unreliable)]
struct Position(u32);

#[test]
fn a_component_changes() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn((Health(1), Poison(1)));
    rig.here().get_mut::<Health>(here).unwrap().0 = 2;
    let news = rig.news();
    assert_eq!((news.changed, news.spawned), (1, 0));
    assert_eq!(rig.shown(here), Some(Health(2)));
    rig.here().get_mut::<Poison>(here).unwrap().0 = 3;
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Poison(3)));
}

#[test]
fn a_value_is_larger_than_a_packet() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn(Map(Vec::new()));
    let map: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    rig.here().get_mut::<Map>(here).unwrap().0 = map.clone();
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Map(map)));
}

#[test]
fn many_components_change() {
    let mut rig = Rig::new();
    let all = (Health(1), name("orc"), Poison(1), Map(vec![1]), team(1));
    let [here, _] = rig.spawn(all);
    let mut entity = rig.here().entity_mut(here);
    entity.get_mut::<Health>().unwrap().0 = 2;
    entity.get_mut::<Name>().unwrap().0.push('!');
    entity.get_mut::<Poison>().unwrap().0 = 2;
    entity.get_mut::<Map>().unwrap().0.push(2);
    entity.insert(team(2));
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Health(2)));
    assert_eq!(rig.shown(here), Some(name("orc!")));
    assert_eq!(rig.shown(here), Some(Poison(2)));
    assert_eq!(rig.shown(here), Some(Map(vec![1, 2])));
    assert_eq!(rig.shown(here), Some(team(2)));
}

#[test]
fn many_entities_change() {
    let mut rig = Rig::new();
    let all = (0..3_000).map(|number| (Replicated, Health(number)));
    let all: Vec<Entity> = rig.here().spawn_batch(all).collect();
    rig.pair.settle();
    let mut healths = rig.here().query::<&mut Health>();
    for mut health in healths.iter_mut(rig.here()) {
        health.0 += 10;
    }
    rig.news();
    for (number, here) in (0..).zip(all) {
        assert_eq!(rig.shown(here), Some(Health(number + 10)));
    }
}

#[test]
fn a_resource_changes() {
    let mut rig = Rig::with(types_and_weather);
    rig.here().insert_resource(Weather(1));
    rig.pair.settle();
    rig.here().resource_mut::<Weather>().0 = 2;
    rig.pair.settle();
    assert_eq!(rig.there().get_resource(), Some(&Weather(2)));
    rig.here()
        .resource_scope(|_, mut weather: Mut<Weather>| weather.0 = 3);
    rig.pair.settle();
    assert_eq!(rig.there().get_resource(), Some(&Weather(3)));
    rig.here().commands().insert_resource(Weather(4));
    rig.here().flush();
    rig.pair.settle();
    assert_eq!(rig.there().get_resource(), Some(&Weather(4)));
    rig.news();
    rig.here().resource_mut::<Weather>().set_changed();
    assert_eq!(rig.news(), NOTHING);
}

#[test]
fn a_change_and_an_insertion_arrive_together() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn(Health(1));
    rig.here().get_mut::<Health>(here).unwrap().0 = 2;
    rig.here().entity_mut(here).insert(name("orc"));
    for _ in 0..12 {
        rig.pair.step();
        let entity = rig.pair.client.world().entity(there);
        let is_changed = entity.get::<Health>() == Some(&Health(2));
        assert_eq!(is_changed, entity.contains::<Name>());
    }
    assert_eq!(rig.shown(here), Some(Health(2)));
}

#[test]
fn a_change_and_a_removal_arrive_together() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn((Health(1), name("orc")));
    rig.here().get_mut::<Health>(here).unwrap().0 = 2;
    rig.here().entity_mut(here).remove::<Name>();
    for _ in 0..12 {
        rig.pair.step();
        let entity = rig.pair.client.world().entity(there);
        let is_changed = entity.get::<Health>() == Some(&Health(2));
        assert_eq!(is_changed, !entity.contains::<Name>());
    }
    assert_eq!(rig.shown(here), Some(Health(2)));
}

#[test]
fn a_change_before_the_despawn_is_not_missed_by_others() {
    let mut rig = Rig::new();
    let [gone, _] = rig.spawn(Health(1));
    let [stays, _] = rig.spawn(Health(1));
    rig.here().get_mut::<Health>(gone).unwrap().0 = 2;
    rig.here().get_mut::<Health>(stays).unwrap().0 = 2;
    rig.here().despawn(gone);
    let news = rig.news();
    assert_eq!((news.despawned, news.changed), (1, 1));
    assert_eq!(rig.shown(stays), Some(Health(2)));
}

#[test]
fn a_change_of_an_entity_that_the_client_has_despawned_is_ignored() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn((Health(1), team(1)));
    let [other, _] = rig.spawn(Health(1));
    rig.there().despawn(there);
    rig.here().get_mut::<Health>(here).unwrap().0 = 2;
    rig.here().entity_mut(here).insert(team(2));
    rig.here().get_mut::<Health>(other).unwrap().0 = 2;
    rig.pair.settle();
    assert_eq!(rig.count(), 1);
    assert_eq!(rig.shown(other), Some(Health(2)));
}

#[test]
fn a_change_goes_on_after_a_disconnect() {
    let mut party = Party::new(2, types);
    let here = party.server.world_mut().spawn((Replicated, Health(1))).id();
    party.settle();
    party.server.world_mut().get_mut::<Health>(here).unwrap().0 = 2;
    let first = party.connections()[0];
    party.server.world_mut().despawn(first);
    party.settle();
    let there = party.there(1, here).unwrap();
    assert_eq!(
        party.clients[1].world().get::<Health>(there),
        Some(&Health(2))
    );
}

#[test]
fn a_change_of_the_time_without_marker_arrives_with_it() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn(Health(1));
    rig.here().entity_mut(here).remove::<Replicated>();
    rig.here().get_mut::<Health>(here).unwrap().0 = 2;
    assert_eq!(rig.news().changed, 0);
    assert!(rig.there().get_entity(there).is_err());
    rig.here().entity_mut(here).insert(Replicated);
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Health(2)));
}

#[test]
fn a_change_of_a_hidden_entity_is_not_sent() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn(Health(1));
    rig.set_hidden(here, true);
    rig.news();
    rig.here().get_mut::<Health>(here).unwrap().0 = 2;
    assert_eq!(rig.news(), NOTHING);
}

#[test]
fn a_late_datagram_does_not_take_a_value_back() {
    let conditions = Conditions {
        delay: Duration::from_millis(30),
        jitter: Duration::from_millis(30),
        reorder: 0.5,
        duplicate: 0.2,
        loss: 0.2,
        seed: 9,
        ..Conditions::default()
    };
    let mut pair = Pair::with(conditions, |app| {
        app.replicate::<Position>();
    });
    let here = pair
        .server
        .world_mut()
        .spawn((Replicated, Position(0)))
        .id();
    (0..30).for_each(|_| pair.step());
    let there = pair.there(here).unwrap();
    let mut last = 0;
    for value in 1..500 {
        pair.server.world_mut().get_mut::<Position>(here).unwrap().0 = value;
        pair.step();
        let shown = pair.client.world().get::<Position>(there).unwrap().0;
        assert!(shown >= last, "{shown} behind {last}");
        last = shown;
    }
    (0..60).for_each(|_| pair.step());
    assert_eq!(
        pair.client.world().get::<Position>(there),
        Some(&Position(499))
    );
}

#[test]
fn the_client_counts_what_it_receives() {
    use bevy_syncvar::syncvar::stats::MessageType;

    let mut rig = Rig::new();
    let [here, _] = rig.spawn(Health(1));
    let [still, _] = rig.spawn(Health(1));
    let counts = |rig: &Rig| {
        let stats = rig.pair.client.world().resource::<Client>().stats();
        let [spawns, updates] = [MessageType::SpawnBatch, MessageType::UpdateBatch]
            .map(|kind| stats.decoded(kind).messages);
        (spawns, updates, stats.received.bytes)
    };
    let before = counts(&rig);
    rig.here().get_mut::<Health>(here).unwrap().0 = 2;
    rig.here().get_mut::<Health>(still).unwrap().set_changed();
    rig.pair.settle();
    let after = counts(&rig);
    assert_eq!((after.0, after.1), (before.0, before.1 + 1));
    assert!(after.2 > before.2);
}
