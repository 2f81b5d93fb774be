//! Types that are sent once, from some entities, as resources, by shadows of choice; entities of both ends.

use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::prelude::NetworkBehaviour;
use bevy_syncvar::{SceneId, ShadowOf};

use crate::support::{Log, Pair};

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Model(String);

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Loot(u32);

#[derive(Component)]
struct Open;

#[derive(Component)]
struct Cursed;

#[derive(Resource, Replicate, Clone, Debug, PartialEq)]
struct Score {
    red: u32,
    blue: u32,
    leader: Option<Entity>,
}

/// A component of a different crate.
#[derive(Component, Clone, Debug, Default, PartialEq)]
struct Place {
    x: i64,
    y: i64,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(crate = bevy_syncvar::syncvar)]
struct PlaceShadow {
    #[sync_var]
    x: SyncVar<i16>,
    #[sync_var]
    y: SyncVar<i16>,
}

impl ShadowOf<Place> for PlaceShadow {
    type Before = Place;

    fn write(&mut self, place: &mut Place, _: u64, _: &NetEntities) {
        self.x.set(place.x.try_into().unwrap_or(i16::MAX));
        self.y.set(place.y.try_into().unwrap_or(i16::MAX));
    }

    fn create(&mut self, _: &NetEntities) -> Place {
        Place {
            x: i64::from(*self.x),
            y: i64::from(*self.y),
        }
    }

    fn read(&mut self, place: &mut Place, _: u64, entities: &NetEntities) -> Option<Place> {
        let new = self.create(entities);
        (*place != new).then(|| std::mem::replace(place, new))
    }
}

#[test]
fn a_component_that_is_sent_once_stays() {
    let mut pair = Pair::new(|app| {
        app.replicate_once::<Model>();
    });
    let here = pair
        .server
        .world_mut()
        .spawn((Replicated, Model("orc".into())))
        .id();
    pair.settle();
    let there = pair.there(here).unwrap();
    pair.server.world_mut().get_mut::<Model>(here).unwrap().0 = "elf".into();
    pair.settle();
    assert_eq!(pair.client.world().get::<Model>(there).unwrap().0, "orc");
    pair.server.world_mut().entity_mut(here).remove::<Model>();
    pair.settle();
    assert!(pair.client.world().get::<Model>(there).is_none());
    pair.server
        .world_mut()
        .entity_mut(here)
        .insert(Model("elf".into()));
    pair.settle();
    assert_eq!(pair.client.world().get::<Model>(there).unwrap().0, "elf");
}

#[test]
fn filters_decide_who_sends_a_component() {
    let mut pair = Pair::new(|app| {
        app.replicate_filtered::<Loot, (With<Open>, Without<Cursed>)>();
    });
    let here = pair.server.world_mut().spawn((Replicated, Loot(3))).id();
    pair.settle();
    let there = pair.there(here).unwrap();
    let loot = |pair: &Pair| pair.client.world().get::<Loot>(there).map(|loot| loot.0);
    assert_eq!(loot(&pair), None);
    pair.server.world_mut().entity_mut(here).insert(Open);
    pair.settle();
    assert_eq!(loot(&pair), Some(3));
    pair.server.world_mut().get_mut::<Loot>(here).unwrap().0 = 4;
    pair.settle();
    assert_eq!(loot(&pair), Some(4));
    pair.server.world_mut().entity_mut(here).insert(Cursed);
    pair.settle();
    assert_eq!(loot(&pair), None);
    pair.server.world_mut().get_mut::<Loot>(here).unwrap().0 = 5;
    pair.settle();
    assert_eq!(loot(&pair), None);
    pair.server.world_mut().entity_mut(here).remove::<Cursed>();
    pair.settle();
    assert_eq!(loot(&pair), Some(5));
    let open = pair
        .server
        .world_mut()
        .spawn((Replicated, Loot(9), Open))
        .id();
    pair.settle();
    let there = pair.there(open).unwrap();
    assert_eq!(pair.client.world().get::<Loot>(there), Some(&Loot(9)));
}

#[test]
fn a_resource_is_sent() {
    let mut pair = Pair::new(|app| {
        app.replicate_resource::<Score>().replicate::<Loot>();
    });
    let seen = Log::<(Option<u32>, Option<u32>)>::default();
    let log = seen.clone();
    pair.client
        .add_observer(move |change: On<Received<Score>>, score: Res<Score>| {
            assert!(score.red > 0);
            log.push((change.previous.red, change.previous.blue));
        });
    let leader = pair.server.world_mut().spawn((Replicated, Loot(1))).id();
    pair.settle();
    assert!(pair.client.world().get_resource::<Score>().is_none());
    pair.server.insert_resource(Score {
        red: 1,
        blue: 2,
        leader: Some(leader),
    });
    pair.settle();
    let there = pair.there(leader);
    let score = pair.client.world().get_resource::<Score>();
    assert_eq!(
        score,
        Some(&Score {
            red: 1,
            blue: 2,
            leader: there
        })
    );
    assert_eq!(seen.take(), []);
    pair.server.world_mut().resource_mut::<Score>().blue = 7;
    pair.server.world_mut().spawn((Replicated, Loot(1)));
    pair.settle();
    assert_eq!(pair.client.world().resource::<Score>().blue, 7);
    assert_eq!(seen.take(), [(None, Some(2))]);
    pair.server.world_mut().remove_resource::<Score>();
    pair.settle();
    assert!(pair.client.world().get_resource::<Score>().is_none());
    pair.server.insert_resource(Score {
        red: 3,
        blue: 0,
        leader: None,
    });
    pair.settle();
    assert_eq!(pair.client.world().resource::<Score>().red, 3);
}

#[test]
fn a_component_of_a_different_crate_has_a_shadow_of_choice() {
    let mut pair = Pair::new(|app| {
        app.replicate_via::<Place, PlaceShadow>();
    });
    let seen = Log::<i64>::default();
    let log = seen.clone();
    let observer = move |change: On<Received<Place, PlaceShadow>>| log.push(change.previous.x);
    pair.client.add_observer(observer);
    let here = pair
        .server
        .world_mut()
        .spawn((Replicated, Place { x: 15, y: 0 }))
        .id();
    pair.settle();
    pair.server.world_mut().get_mut::<Place>(here).unwrap().x = 25;
    pair.settle();
    let there = pair.there(here).unwrap();
    assert_eq!(
        pair.client.world().get::<Place>(there),
        Some(&Place { x: 25, y: 0 })
    );
    assert_eq!(seen.take(), [15]);
}

#[test]
fn entities_of_both_ends_are_matched_by_their_id() {
    let mut pair = Pair::new(|app| {
        app.replicate::<Loot>();
    });
    let early = pair
        .client
        .world_mut()
        .spawn((SceneId(7), Loot(0), Open))
        .id();
    let here = pair
        .server
        .world_mut()
        .spawn((Replicated, SceneId(7), Loot(5)))
        .id();
    let other = pair
        .server
        .world_mut()
        .spawn((Replicated, SceneId(8), Loot(6)))
        .id();
    pair.settle();
    assert_eq!(pair.there(here), Some(early));
    assert_eq!(pair.client.world().get::<Loot>(early), Some(&Loot(5)));
    assert!(pair.there(other).is_none());
    let late = pair.client.world_mut().spawn(SceneId(8)).id();
    pair.settle();
    assert_eq!(pair.there(other), Some(late));
    assert_eq!(pair.client.world().get::<Loot>(late), Some(&Loot(6)));

    let world = pair.server.world_mut();
    let id = world.resource::<NetEntities>().id(here).unwrap();
    let connection = world.resource::<Server>().connections().next().unwrap();
    world.resource_mut::<Server>().hide(id, connection).unwrap();
    pair.settle();
    let entity = pair.client.world().entity(early);
    assert!(entity.contains::<Open>() && !entity.contains::<Remote>());
    pair.server.world_mut().get_mut::<Loot>(here).unwrap().0 = 9;
    pair.server
        .world_mut()
        .resource_mut::<Server>()
        .show(id, connection)
        .unwrap();
    pair.settle();
    assert_eq!(pair.there(here), Some(early));
    assert_eq!(pair.client.world().get::<Loot>(early), Some(&Loot(9)));
    pair.server.world_mut().despawn(here);
    pair.settle();
    assert!(pair.client.world().get_entity(early).is_err());
}

#[test]
fn entities_of_a_bundle_are_rows() {
    let mut pair = Pair::new(|app| {
        app.replicate_bundle::<(Model, Loot)>();
    });
    let world = pair.server.world_mut();
    let orc = world.spawn((Replicated, Model("orc".into()), Loot(1))).id();
    let elf = world.spawn((Replicated, Model("elf".into()))).id();
    pair.settle();
    let server = pair.server.world().resource::<Server>();
    assert_eq!(server.ids_of_prefab("LootShadow+ModelShadow").count(), 0);
    assert_eq!(server.ids_of_prefab("ModelShadow+LootShadow").count(), 1);
    let shown = |pair: &Pair, entity: Entity| {
        let entity = pair.there(entity).unwrap();
        let world = pair.client.world();
        (
            world.get::<Model>(entity).cloned(),
            world.get::<Loot>(entity).cloned(),
        )
    };
    assert_eq!(
        shown(&pair, orc),
        (Some(Model("orc".into())), Some(Loot(1)))
    );
    assert_eq!(shown(&pair, elf), (Some(Model("elf".into())), None));

    let before = pair.there(orc);
    pair.server.world_mut().get_mut::<Loot>(orc).unwrap().0 = 2;
    pair.settle();
    assert_eq!(shown(&pair, orc).1, Some(Loot(2)));
    assert_eq!(pair.there(orc), before);

    pair.server.world_mut().entity_mut(orc).remove::<Model>();
    pair.server.world_mut().entity_mut(elf).insert(Loot(3));
    pair.settle();
    assert_eq!(shown(&pair, orc), (None, Some(Loot(2))));
    assert_eq!(
        shown(&pair, elf),
        (Some(Model("elf".into())), Some(Loot(3)))
    );
    let mut remote = pair.client.world_mut().query_filtered::<(), With<Remote>>();
    assert_eq!(remote.iter(pair.client.world()).count(), 2);
}

#[test]
#[should_panic(expected = "already registered")]
fn a_type_is_registered_once() {
    Pair::new(|app| {
        app.replicate::<Loot>().replicate_once::<Loot>();
    });
}

#[test]
#[should_panic(expected = "registered after the first update")]
fn a_type_is_registered_before_the_first_update() {
    let mut pair = Pair::new(|app| {
        app.replicate::<Loot>();
    });
    pair.step();
    pair.server.replicate::<Model>();
}
