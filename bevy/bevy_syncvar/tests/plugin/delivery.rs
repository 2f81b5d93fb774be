//! Who receives an entity, in which order, and how much.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::Budget;
use bevy_syncvar::syncvar::interest::Tag;
use bevy_syncvar::{Group, Groups, Interest, NetBudget, OnlyFor, Priority, Room};

use crate::party::Party;
use crate::support::Log;

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Tank {
    heading: i32,
    #[sync_var(read = group)]
    ammunition: i32,
}

fn types(app: &mut App) {
    app.replicate::<Tank>();
}

fn tank() -> Tank {
    Tank {
        heading: 1,
        ammunition: 40,
    }
}

/// Spawns a tank with more components.
fn spawn(party: &mut Party, more: impl Bundle) -> Entity {
    party
        .server
        .world_mut()
        .spawn((Replicated, tank(), more))
        .id()
}

fn seen(party: &Party, entity: Entity) -> Vec<bool> {
    (0..party.clients.len())
        .map(|client| party.there(client, entity).is_some())
        .collect()
}

#[test]
fn entities_are_only_for_some_connections() {
    let mut party = Party::new(3, types);
    let connections = party.connections();
    let entity = spawn(&mut party, OnlyFor(vec![connections[0]]));
    party.settle();
    assert_eq!(seen(&party, entity), [true, false, false]);
    let there = party.there(0, entity);

    let mut server = party.server.world_mut().entity_mut(entity);
    server.insert(OnlyFor(connections[..2].to_vec()));
    party.settle();
    assert_eq!(seen(&party, entity), [true, true, false]);
    assert_eq!(party.there(0, entity), there, "it stays where it is");

    let mut server = party.server.world_mut().entity_mut(entity);
    server.get_mut::<OnlyFor>().unwrap().0 = vec![connections[2]];
    party.settle();
    assert_eq!(seen(&party, entity), [false, false, true]);

    party
        .server
        .world_mut()
        .entity_mut(entity)
        .remove::<OnlyFor>();
    party.settle();
    assert_eq!(seen(&party, entity), [true, true, true]);
}

#[test]
fn members_of_a_group_read_its_fields() {
    let mut party = Party::new(2, types);
    let connections = party.connections();
    let (red, blue) = (Tag(1), Tag(2));
    let entity = spawn(&mut party, Group(red));
    let mut member = party.server.world_mut().entity_mut(connections[1]);
    member.insert(Groups(vec![red]));
    party.settle();
    let ammunition = |party: &Party| -> Vec<i32> {
        (0..2)
            .map(|client| {
                let there = party.there(client, entity).unwrap();
                let world = party.clients[client].world();
                world.get::<Tank>(there).unwrap().ammunition
            })
            .collect()
    };
    assert_eq!(ammunition(&party), [0, 40]);
    let world = party.server.world_mut();
    world
        .entity_mut(connections[0])
        .insert(Groups(vec![blue, red]));
    world.entity_mut(connections[1]).remove::<Groups>();
    party.settle();
    assert_eq!(ammunition(&party), [40, 0]);
    party
        .server
        .world_mut()
        .entity_mut(entity)
        .insert(Group(blue));
    party.settle();
    assert_eq!(ammunition(&party), [40, 0]);
}

#[test]
fn members_of_a_room_receive_its_entities() {
    let mut party = Party::with_interest(Interest::Rooms, 2, types);
    let connections = party.connections();
    let (hall, cellar) = (Tag(1), Tag(2));
    let everywhere = spawn(&mut party, ());
    let barrel = spawn(&mut party, Room(cellar));
    let mut first = party.server.world_mut().entity_mut(connections[0]);
    first.insert(Groups(vec![hall, cellar]));
    party.settle();
    assert_eq!(seen(&party, everywhere), [true, true]);
    assert_eq!(seen(&party, barrel), [true, false]);
    let world = party.server.world_mut();
    world.entity_mut(connections[0]).insert(Groups(vec![hall]));
    party.settle();
    assert_eq!(seen(&party, barrel), [false, false]);
    party
        .server
        .world_mut()
        .entity_mut(barrel)
        .insert(Room(hall));
    party.settle();
    assert_eq!(seen(&party, barrel), [true, false]);
    party.server.world_mut().entity_mut(barrel).remove::<Room>();
    party.settle();
    assert_eq!(seen(&party, barrel), [true, true]);
}

/// Counts the received changes of two entities, with a budget for one of them in a frame.
fn changes_under_load(priority: Option<Priority>) -> [usize; 2] {
    let mut party = Party::new(1, types);
    let connection = party.connections()[0];
    let entities = [spawn(&mut party, ()), spawn(&mut party, ())];
    if let Some(priority) = priority {
        let mut second = party.server.world_mut().entity_mut(entities[1]);
        second.insert(priority);
    }
    let mut limited = party.server.world_mut().entity_mut(connection);
    limited.insert(NetBudget(Budget::new(1)));
    party.settle();
    let there = entities.map(|entity| party.there(0, entity).unwrap());
    let log = Log::<Entity>::default();
    let own = log.clone();
    party.clients[0].add_observer(move |change: On<Received<Tank>>| own.push(change.entity));
    for frame in 0..120 {
        for entity in entities {
            let mut tank = party.server.world_mut().get_mut::<Tank>(entity).unwrap();
            tank.heading = frame + 2;
        }
        party.step();
    }
    let all = log.take();
    there.map(|entity| all.iter().filter(|seen| **seen == entity).count())
}

#[test]
fn a_budget_shares_by_priority() {
    let [first, second] = changes_under_load(None);
    assert!(first.abs_diff(second) <= 2, "{first} {second}");
    let [first, second] = changes_under_load(Some(Priority(3.0)));
    assert!(second >= 2 * first && first > 0, "{first} {second}");
}

#[cfg(feature = "transform")]
mod transform {
    use bevy_syncvar::{Grid, Plane, Viewpoint};
    use bevy_transform::components::GlobalTransform;

    use super::*;

    #[test]
    fn clients_receive_the_entities_near_their_viewpoints() {
        let grid = Grid {
            plane: Plane::Xz,
            cell: 25.0,
            distance: 50.0,
        };
        let mut party = Party::with_interest(Interest::Grid(grid), 2, types);
        let connections = party.connections();
        let at = |x: f32| GlobalTransform::from_xyz(x, 0.0, 0.0);
        let near = spawn(&mut party, at(10.0));
        let far = spawn(&mut party, at(500.0));
        let world = party.server.world_mut();
        let camera = world.spawn(at(0.0)).id();
        world.entity_mut(connections[0]).insert(Viewpoint(camera));
        world.entity_mut(connections[1]).insert(Viewpoint(far));
        party.settle();
        assert_eq!(seen(&party, near), [true, false]);
        assert_eq!(seen(&party, far), [false, true]);
        party
            .server
            .world_mut()
            .entity_mut(camera)
            .insert(at(490.0));
        party.settle();
        assert_eq!(seen(&party, near), [false, false]);
        assert_eq!(seen(&party, far), [true, true]);
        party.server.world_mut().entity_mut(near).insert(at(480.0));
        party.settle();
        assert_eq!(seen(&party, near), [true, true]);
    }
}
