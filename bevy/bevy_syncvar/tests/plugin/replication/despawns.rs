//! Entities that end, or leave the view of a client.

use bevy_syncvar::SceneId;

use super::*;

#[test]
fn a_despawned_entity_is_despawned() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn(Health(1));
    let id = rig.here().get::<Net>(here).unwrap().id();
    rig.here().despawn(here);
    assert_eq!(rig.news().despawned, 1);
    assert!(rig.there().get_entity(there).is_err());
    let entities = rig.pair.client.world().resource::<NetEntities>();
    assert_eq!((entities.entity(id), entities.id(there)), (None, None));
    let entities = rig.pair.server.world().resource::<NetEntities>();
    assert_eq!((entities.entity(id), entities.id(here)), (None, None));
}

#[test]
fn a_despawned_parent_takes_its_children_along() {
    let mut rig = Rig::new();
    let [parent, there_parent] = rig.spawn(Health(1));
    let [child, there_child] = rig.spawn((Health(2), ChildOf(parent)));
    let [grandchild, there_grandchild] = rig.spawn((Health(3), ChildOf(child)));
    assert_eq!(rig.shown(grandchild), Some(ChildOf(there_child)));
    rig.here().despawn(parent);
    assert_eq!(rig.news().despawned, 3);
    for gone in [there_parent, there_child, there_grandchild] {
        assert!(rig.there().get_entity(gone).is_err());
    }
    assert_eq!(rig.count(), 0);
}

#[test]
fn an_entity_without_marker_is_despawned_once() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn(Health(1));
    rig.here().entity_mut(here).remove::<Replicated>();
    rig.here().despawn(here);
    assert_eq!(rig.news().despawned, 1);
    assert!(rig.there().get_entity(there).is_err());
}

#[test]
fn an_entity_of_both_ends_ends_with_that_of_the_server() {
    let mut rig = Rig::new();
    let there = rig.there().spawn((SceneId(5), Secret)).id();
    let below = rig.there().spawn((Secret, ChildOf(there))).id();
    let [here, _] = rig.spawn((SceneId(5), Health(1)));
    assert_eq!(rig.pair.there(here), Some(there));
    rig.here().despawn(here);
    rig.pair.settle();
    assert!(rig.there().get_entity(there).is_err());
    assert!(
        rig.there().get_entity(below).is_err(),
        "a part of the client's own"
    );
}

#[test]
fn a_parent_of_both_ends_ends_with_its_children() {
    let mut rig = Rig::new();
    let there = rig.there().spawn(SceneId(5)).id();
    let there_child = rig.there().spawn((SceneId(6), ChildOf(there))).id();
    let [here, _] = rig.spawn(SceneId(5));
    let [child, _] = rig.spawn((SceneId(6), ChildOf(here)));
    assert_eq!(rig.pair.there(child), Some(there_child));
    rig.here().despawn(here);
    rig.pair.settle();
    assert!(rig.there().get_entity(there).is_err());
    assert!(rig.there().get_entity(there_child).is_err());
}

#[test]
fn a_hidden_entity_is_despawned_without_news() {
    let mut rig = Rig::new();
    let here = rig
        .here()
        .spawn((Replicated, Health(1), OnlyFor(Vec::new())))
        .id();
    rig.pair.settle();
    rig.news();
    rig.here().despawn(here);
    assert_eq!(rig.news(), NOTHING);
}

#[test]
fn an_entity_that_is_hidden_is_despawned_on_the_client() {
    let mut rig = Rig::new();
    let [here, there] = rig.spawn(Health(1));
    rig.set_hidden(here, true);
    assert!(rig.there().get_entity(there).is_err());
    assert!(rig.here().get_entity(here).is_ok());
    rig.here().despawn(here);
    rig.news();
    assert_eq!(rig.count(), 0);
}

#[test]
fn an_entity_of_both_ends_is_shown_and_despawned_in_one_frame() {
    let mut rig = Rig::new();
    let there = rig.there().spawn((SceneId(5), Secret)).id();
    let hidden = OnlyFor(Vec::new());
    let here = rig.here().spawn((Replicated, SceneId(5), hidden)).id();
    rig.pair.settle();
    rig.here().entity_mut(here).remove::<OnlyFor>();
    rig.here().despawn(here);
    rig.pair.settle();
    assert_eq!(rig.count(), 0);
    assert!(
        rig.there().get::<Secret>(there).is_some(),
        "the server never showed it"
    );
}

#[test]
fn an_observer_despawns_received_entities() {
    let mut rig = Rig::new();
    let [twin, there_twin] = rig.spawn((Health(1), name("twin")));
    rig.pair
        .client
        .add_observer(move |added: On<Add<Poison>>, mut commands: Commands| {
            commands.entity(added.entity).despawn();
            commands.entity(there_twin).despawn();
        });
    let [other, _] = rig.spawn(Health(1));
    rig.here()
        .entity_mut(other)
        .insert((Poison(1), name("gone"), team(1)));
    rig.here().get_mut::<Health>(twin).unwrap().0 = 2;
    rig.here().entity_mut(twin).insert((Map(vec![1]), team(1)));
    let [last, _] = {
        rig.pair.settle();
        rig.spawn((Health(7), team(3)))
    };
    assert_eq!(rig.shown(last), Some(Health(7)));
    assert_eq!(rig.count(), 1);
    rig.here().despawn(other);
    rig.here().despawn(twin);
    rig.pair.settle();
    assert_eq!(rig.count(), 1);
}
