//! Components that are removed.

use super::*;

#[test]
fn components_are_removed() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn((Health(1), name("orc"), Poison(1), team(1)));
    rig.here().entity_mut(here).remove::<Health>();
    rig.pair.settle();
    assert_eq!(rig.shown::<Health>(here), None);
    assert_eq!(rig.shown(here), Some(name("orc")));
    rig.here().entity_mut(here).remove::<(Name, Poison, Team)>();
    rig.pair.settle();
    let entity = rig.pair.client.world().entity(there);
    assert!(!entity.contains::<Name>() && !entity.contains::<Poison>());
    assert!(!entity.contains::<Team>() && entity.contains::<Remote>());
}

#[test]
fn a_bundle_is_removed() {
    let mut rig = Rig::with(|app| {
        app.replicate_bundle::<(Health, Name)>();
    });
    let [here, _] = rig.spawn((Health(1), name("orc")));
    rig.here().entity_mut(here).remove::<(Health, Name)>();
    rig.pair.settle();
    assert_eq!(rig.shown::<Health>(here), None);
    assert_eq!(rig.shown::<Name>(here), None);
    assert_eq!(rig.count(), 1);
}

#[test]
fn a_removal_without_registration_sends_nothing() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn((Health(1), Secret));
    rig.there().entity_mut(there).insert(Secret);
    rig.here().entity_mut(here).remove::<Secret>();
    assert_eq!(rig.news(), NOTHING);
    assert_eq!(rig.shown(here), Some(Secret), "the client's own component");
}

#[test]
fn a_removal_of_an_entity_that_the_client_has_despawned_is_ignored() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn((Health(1), team(1)));
    rig.there().despawn(there);
    rig.here().entity_mut(here).remove::<(Health, Team)>();
    rig.pair.settle();
    assert_eq!(rig.count(), 0);
}

#[test]
fn a_component_that_the_client_has_removed_is_removed_once() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn((Health(1), team(1)));
    rig.there().entity_mut(there).remove::<(Health, Team)>();
    rig.here().entity_mut(here).remove::<(Health, Team)>();
    rig.pair.settle();
    assert_eq!(rig.shown::<Health>(here), None);
    assert_eq!(rig.count(), 1);
}

#[test]
fn a_component_is_inserted_and_removed_in_one_frame() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn(Health(1));
    rig.here()
        .entity_mut(here)
        .insert((Health(2), name("orc"), team(1)));
    rig.here().entity_mut(here).remove::<(Health, Name, Team)>();
    rig.pair.settle();
    assert_eq!(rig.shown::<Health>(here), None);
    assert_eq!(rig.shown::<Name>(here), None);
    assert_eq!(rig.shown::<Team>(here), None);
}

#[test]
fn a_component_is_removed_in_the_frame_of_the_spawn() {
    let mut rig = Rig::new();
    let here = rig
        .here()
        .spawn((Replicated, Health(1), name("orc")))
        .remove::<Health>()
        .id();
    rig.pair.settle();
    assert_eq!(rig.shown::<Health>(here), None);
    assert_eq!(rig.shown(here), Some(name("orc")));
}

#[test]
fn a_removal_of_the_time_without_marker_arrives_with_it() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn((Health(1), name("orc")));
    rig.here().entity_mut(here).remove::<(Replicated, Health)>();
    rig.pair.settle();
    rig.here().entity_mut(here).insert(Replicated);
    rig.pair.settle();
    assert_eq!(rig.shown::<Health>(here), None);
    assert_eq!(rig.shown(here), Some(name("orc")));
}

#[test]
fn a_removal_of_a_hidden_entity_is_seen_when_it_is_shown() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn((Health(1), team(1)));
    rig.set_hidden(here, true);
    rig.news();
    rig.here().entity_mut(here).remove::<(Health, Team)>();
    assert_eq!(rig.news(), NOTHING);
    rig.set_hidden(here, false);
    assert!(rig.pair.there(here).is_some());
    assert_eq!(rig.shown::<Health>(here), None);
    assert_eq!(rig.shown::<Team>(here), None);
}

#[test]
fn a_removal_and_the_end_of_the_visibility_come_together() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn((Health(1), name("orc")));
    rig.here()
        .entity_mut(here)
        .remove::<Health>()
        .insert(OnlyFor(Vec::new()));
    assert_eq!(rig.news().despawned, 1);
    assert!(rig.there().get_entity(there).is_err());
}

#[test]
fn a_removed_resource_is_removed() {
    let mut rig = Rig::with(types_and_weather);
    rig.here().insert_resource(Weather(1));
    rig.pair.settle();
    assert!(rig.there().contains_resource::<Weather>());
    rig.here().remove_resource::<Weather>();
    rig.pair.settle();
    assert!(!rig.there().contains_resource::<Weather>());
    rig.here().insert_resource(Weather(2));
    rig.here().remove_resource::<Weather>();
    rig.here().insert_resource(Weather(3));
    rig.pair.settle();
    assert_eq!(rig.there().get_resource(), Some(&Weather(3)));
}
