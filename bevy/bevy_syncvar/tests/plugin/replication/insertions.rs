//! Components that are added later.

use super::*;

#[test]
fn components_of_each_storage_are_inserted() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn(());
    rig.here().entity_mut(here).insert(Health(1));
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Health(1)));
    rig.here().entity_mut(here).insert(Poison(2));
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Poison(2)));
    rig.here()
        .entity_mut(here)
        .insert((name("orc"), Map(vec![1])));
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(name("orc")));
    assert_eq!(rig.shown(here), Some(Map(vec![1])));
    assert_eq!(rig.news().spawned, 0, "the entity is the same");
}

#[test]
fn an_immutable_component_is_inserted_and_replaced() {
    let mut rig = Rig::new();
    let seen = crate::support::Log::<Option<u32>>::default();
    let log = seen.clone();
    rig.pair
        .client
        .add_observer(move |change: On<Received<Team>>| log.push(change.previous.number));
    let [here, there] = rig.spawn(());
    rig.here().entity_mut(here).insert(team(1));
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(team(1)));
    assert_eq!(seen.take(), []);
    let own = Team {
        number: 1,
        colour: "blue".into(),
    };
    rig.there().entity_mut(there).insert(own);
    let new = Team {
        number: 2,
        colour: "red".into(),
    };
    rig.here().entity_mut(here).insert(new);
    rig.pair.settle();
    let kept = Team {
        number: 2,
        colour: "blue".into(),
    };
    assert_eq!(rig.shown(here), Some(kept), "a field of the client stays");
    assert_eq!(seen.take(), [Some(1)]);
    rig.news();
    rig.here().entity_mut(here).insert(team(2));
    assert_eq!(rig.news(), NOTHING);
    rig.here().entity_mut(here).remove::<Team>();
    rig.pair.settle();
    assert_eq!(rig.shown::<Team>(here), None);
}

#[test]
fn a_reference_is_mapped_to_an_entity_of_before_or_of_the_same_frame() {
    let mut rig = Rig::new();
    let [old, there_old] = rig.spawn(());
    let [here, _] = rig.spawn(());
    rig.here().entity_mut(here).insert(Aim(old));
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Aim(there_old)));
    let new = rig.here().spawn(Replicated).id();
    rig.here().entity_mut(here).insert(Aim(new));
    rig.pair.settle();
    let there_new = rig.pair.there(new).unwrap();
    assert_eq!(rig.shown(here), Some(Aim(there_new)));
}

#[test]
fn components_of_an_entity_follow_each_other() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn(Health(1));
    rig.here().entity_mut(here).insert(name("orc"));
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(name("orc")));
    assert_eq!(rig.shown(here), Some(Health(1)));
    assert_eq!(rig.pair.there(here), Some(there));
}

#[test]
fn insertions_of_one_frame_arrive_in_one_frame() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn(());
    rig.here().entity_mut(here).insert(Health(1));
    rig.here().entity_mut(here).insert(name("orc"));
    for _ in 0..12 {
        rig.pair.step();
        let entity = rig.pair.client.world().entity(there);
        assert_eq!(entity.contains::<Health>(), entity.contains::<Name>());
    }
    assert_eq!(rig.shown(here), Some(name("orc")));
}

#[test]
fn a_bundle_is_completed_by_insertions() {
    let mut rig = Rig::with(|app| {
        app.replicate_bundle::<(Health, Name)>();
    });
    let [here, _] = rig.spawn(());
    rig.here().entity_mut(here).insert((Health(1), name("orc")));
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Health(1)));
    assert_eq!(rig.shown(here), Some(name("orc")));
    assert_eq!(rig.count(), 1);
}

#[test]
fn a_component_without_registration_stays() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn(());
    rig.here().entity_mut(here).insert(Secret);
    assert_eq!(rig.news(), NOTHING);
    let local = rig.here().spawn(Health(1)).id();
    rig.here().entity_mut(local).insert(name("orc"));
    assert_eq!(rig.news(), NOTHING, "an entity without the marker");
}

#[test]
fn a_component_is_removed_and_inserted_in_one_frame() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn((Health(1), team(1)));
    rig.here().entity_mut(here).remove::<(Health, Team)>();
    rig.here().entity_mut(here).insert((Health(2), team(2)));
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Health(2)));
    assert_eq!(rig.shown(here), Some(team(2)));
}

#[test]
fn an_insertion_of_the_time_without_marker_arrives_with_it() {
    let mut rig = Rig::new();
    let [here, _] = rig.spawn(());
    rig.here().entity_mut(here).remove::<Replicated>();
    rig.pair.settle();
    rig.news();
    rig.here().entity_mut(here).insert(Health(1));
    assert_eq!(rig.news(), NOTHING);
    rig.here().entity_mut(here).insert(Replicated);
    rig.pair.settle();
    assert_eq!(rig.shown(here), Some(Health(1)));
}

#[test]
fn an_entity_that_the_client_has_despawned_stays_away() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn(());
    rig.there().despawn(there);
    rig.here().entity_mut(here).insert((Health(1), team(1)));
    rig.pair.settle();
    assert!(rig.there().get_entity(there).is_err());
    assert_eq!(rig.count(), 0);
    rig.set_hidden(here, true);
    rig.set_hidden(here, false);
    assert_eq!(rig.shown(here), Some(Health(1)), "shown again, it is new");
}

#[test]
fn an_insertion_of_a_hidden_entity_is_not_sent() {
    let mut rig = Rig::new();
    let here = rig.here().spawn((Replicated, OnlyFor(Vec::new()))).id();
    rig.pair.settle();
    rig.here().entity_mut(here).insert((Health(1), team(1)));
    assert_eq!(rig.news(), NOTHING);
    rig.set_hidden(here, false);
    assert_eq!(rig.shown(here), Some(Health(1)));
    assert_eq!(rig.shown(here), Some(team(1)));
}
