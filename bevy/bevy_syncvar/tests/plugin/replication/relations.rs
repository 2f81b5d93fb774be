//! Relationships of entities: parents and others.

use bevy_ecs::relationship::RelationshipTarget;

use super::*;

/// Passengers leave a vehicle that ends.
#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
#[relationship(relationship_target = Passengers)]
struct Rides(Entity);

#[derive(Component, Debug)]
#[relationship_target(relationship = Rides)]
struct Passengers(Vec<Entity>);

/// Wheels end with their vehicle.
#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
#[relationship(relationship_target = Wheels)]
struct WheelOf(Entity);

#[derive(Component, Debug)]
#[relationship_target(relationship = WheelOf, linked_spawn)]
struct Wheels(Vec<Entity>);

fn relations(app: &mut App) {
    app.replicate::<Health>()
        .replicate_relationship::<Rides>()
        .replicate_relationship::<WheelOf>();
}

fn passengers(rig: &Rig, here: Entity) -> Vec<Entity> {
    let there = rig.pair.there(here).unwrap();
    let passengers = rig.pair.client.world().get::<Passengers>(there);
    passengers.map_or_else(Vec::new, |passengers| passengers.iter().collect())
}

#[test]
fn relationships_follow_their_entities() {
    let mut rig = Rig::with(relations);
    let [car, there_car] = rig.spawn(Health(1));
    let [van, there_van] = rig.spawn(Health(1));
    let [ann, there_ann] = rig.spawn((Health(2), Rides(car)));
    assert_eq!(rig.shown(ann), Some(Rides(there_car)));
    assert_eq!(passengers(&rig, car), [there_ann]);
    rig.here().entity_mut(ann).insert(Rides(van));
    rig.pair.settle();
    assert_eq!(rig.shown(ann), Some(Rides(there_van)));
    assert_eq!(
        (passengers(&rig, car), passengers(&rig, van)),
        (vec![], vec![there_ann])
    );
    rig.here().entity_mut(ann).remove::<Rides>();
    rig.pair.settle();
    assert_eq!(rig.shown::<Rides>(ann), None);
    assert_eq!(passengers(&rig, van), []);
    rig.here().entity_mut(van).add_one_related::<Rides>(ann);
    rig.pair.settle();
    assert_eq!(passengers(&rig, van), [there_ann]);
    rig.here().despawn(van);
    rig.pair.settle();
    assert_eq!(rig.shown::<Rides>(ann), None);
    assert_eq!(rig.shown(ann), Some(Health(2)));
}

#[test]
fn a_relationship_waits_for_its_target() {
    let mut rig = Rig::with(relations);
    let [car, _] = rig.spawn(Health(1));
    let [bus, there_bus] = rig.spawn(Health(1));
    let [ann, there_ann] = rig.spawn((Health(2), Rides(car)));
    rig.set_hidden(car, true);
    assert_eq!(rig.shown::<Rides>(ann), None);
    assert_eq!(rig.shown(ann), Some(Health(2)));
    rig.here().entity_mut(ann).insert(Rides(bus));
    rig.pair.settle();
    assert_eq!(rig.shown(ann), Some(Rides(there_bus)));
    rig.here().entity_mut(ann).insert(Rides(car));
    rig.pair.settle();
    assert_eq!(rig.shown::<Rides>(ann), None);
    rig.set_hidden(car, false);
    let there_car = rig.pair.there(car).unwrap();
    assert_eq!(rig.shown(ann), Some(Rides(there_car)));
    assert_eq!(passengers(&rig, car), [there_ann]);
}

#[test]
fn a_linked_entity_outlasts_its_hidden_target() {
    let mut rig = Rig::with(relations);
    let [car, _] = rig.spawn(Health(1));
    let [wheel, there_wheel] = rig.spawn((Health(4), WheelOf(car)));
    rig.set_hidden(car, true);
    assert!(rig.there().get_entity(there_wheel).is_ok());
    assert_eq!(rig.shown(wheel), Some(Health(4)));
    rig.set_hidden(car, false);
    let there_car = rig.pair.there(car).unwrap();
    assert_eq!(rig.shown(wheel), Some(WheelOf(there_car)));
    rig.here().despawn(car);
    rig.pair.settle();
    assert!(rig.here().get_entity(wheel).is_err());
    assert!(rig.there().get_entity(there_wheel).is_err());
}

#[test]
fn a_relationship_with_an_entity_of_the_server_alone_stays_there() {
    let mut rig = Rig::with(relations);
    let garage = rig.here().spawn_empty().id();
    let [car, _] = rig.spawn((Health(1), Rides(garage)));
    assert_eq!(rig.shown::<Rides>(car), None);
    rig.here().entity_mut(garage).insert(Replicated);
    rig.pair.settle();
    let there_garage = rig.pair.there(garage).unwrap();
    assert_eq!(rig.shown(car), Some(Rides(there_garage)));
}

#[test]
fn parents_are_those_of_the_server() {
    let mut rig = Rig::with(relations);
    let [parent, there_parent] = rig.spawn(());
    let [child, there_child] = rig.spawn(ChildOf(parent));
    assert_eq!(rig.shown(child), Some(ChildOf(there_parent)));
    let children = rig.there().get::<Children>(there_parent);
    assert_eq!(
        children.map(|children| children.to_vec()),
        Some(vec![there_child])
    );
    let spawned = rig
        .here()
        .spawn((Replicated, children![(Replicated, Health(3))]))
        .id();
    rig.pair.settle();
    let below = rig.here().get::<Children>(spawned).unwrap()[0];
    assert_eq!(rig.shown(below), Some(Health(3)));
    let there_spawned = rig.pair.there(spawned).unwrap();
    assert_eq!(rig.shown(below), Some(ChildOf(there_spawned)));
    rig.here().get_mut::<Health>(below).unwrap().0 = 4;
    rig.pair.settle();
    assert_eq!(rig.shown(below), Some(Health(4)));
}

#[test]
fn a_filter_decides_about_parents() {
    #[derive(Component)]
    struct Attached;

    let mut rig = Rig::with(|app| {
        app.replicate::<Health>()
            .filter_parents::<(With<Attached>, Without<Secret>)>();
    });
    let [parent, there_parent] = rig.spawn(());
    let [child, _] = rig.spawn((Health(1), ChildOf(parent)));
    let [attached, _] = rig.spawn((ChildOf(parent), Attached));
    assert_eq!(rig.shown::<ChildOf>(child), None);
    assert_eq!(rig.shown(attached), Some(ChildOf(there_parent)));
    rig.here().entity_mut(child).insert(Attached);
    rig.here().entity_mut(attached).insert(Secret);
    rig.pair.settle();
    assert_eq!(rig.shown(child), Some(ChildOf(there_parent)));
    assert_eq!(rig.shown::<ChildOf>(attached), None);
    rig.here().entity_mut(attached).remove::<Secret>();
    rig.here().entity_mut(child).remove::<Attached>();
    rig.pair.settle();
    assert_eq!(rig.shown::<ChildOf>(child), None);
    assert_eq!(rig.shown(attached), Some(ChildOf(there_parent)));
    rig.here().despawn(parent);
    rig.pair.settle();
    assert_eq!(rig.count(), 0, "the server's child ends with its parent");
}
