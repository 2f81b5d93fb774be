//! What the game does to components, and what travels.

use std::mem;

use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::ClientEvent;
use bevy_syncvar::syncvar::prelude::EventReader;

use crate::support::Pair;

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Unit {
    health: i32,
    mana: i32,
    name: String,
    #[sync_var(skip)]
    cooldown: u32,
}

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Shield(u32);

#[derive(Resource, Default)]
struct Ran(u32);

/// Two units on the server, known to the client.
struct Game {
    pair: Pair,
    reader: EventReader,
    ada: Entity,
    bob: Entity,
}

impl Game {
    fn new() -> Self {
        let mut pair = Pair::new(|app| {
            app.replicate::<Unit>().replicate::<Shield>();
        });
        let world = pair.server.world_mut();
        let [ada, bob] = ["Ada", "Bob"].map(|name| world.spawn((Replicated, unit(name))).id());
        pair.settle();
        let reader = pair
            .client
            .world_mut()
            .resource_mut::<Client>()
            .event_reader();
        let mut game = Self {
            pair,
            reader,
            ada,
            bob,
        };
        game.changes();
        game
    }

    fn world(&mut self) -> &mut World {
        self.pair.server.world_mut()
    }

    /// Returns the received fields since the last call, each as often as it has been received.
    fn changes(&mut self) -> Vec<String> {
        self.pair.settle();
        let client = self.pair.client.world().resource::<Client>();
        let ada = self
            .pair
            .server
            .world()
            .resource::<NetEntities>()
            .id(self.ada);
        let mut changes = Vec::new();
        for event in client.read_events(&mut self.reader) {
            if let ClientEvent::Changed { object, fields, .. } = event {
                let owner = if Some(*object) == ada { "ada" } else { "bob" };
                changes.extend(fields.names().map(|name| format!("{owner}.{name}")));
            }
        }
        changes
    }

    /// Asserts that exactly these fields travel, each once, and that the client has the server's components.
    #[track_caller]
    fn expect(&mut self, expected: &[&str]) {
        assert_eq!(self.changes(), expected);
        assert_eq!(self.changes(), [] as [String; 0], "sent twice");
        self.compare();
    }

    #[track_caller]
    fn compare(&mut self) {
        for here in [self.ada, self.bob] {
            let (Some(there), world) = (self.pair.there(here), self.pair.server.world()) else {
                assert!(self.pair.server.world().get::<Replicated>(here).is_none());
                continue;
            };
            let view = self.pair.client.world();
            let sent = world.get::<Unit>(here).map(|unit| Unit {
                cooldown: 0,
                ..unit.clone()
            });
            assert_eq!(view.get::<Unit>(there), sent.as_ref());
            assert_eq!(view.get::<Shield>(there), world.get::<Shield>(here));
        }
    }
}

fn unit(name: &str) -> Unit {
    Unit {
        health: 100,
        mana: 5,
        name: name.into(),
        cooldown: 0,
    }
}

#[test]
fn a_write_sends_its_field() {
    let mut game = Game::new();
    let ada = game.ada;
    game.world().get_mut::<Unit>(ada).unwrap().health += 1;
    game.expect(&["ada.health"]);

    game.world()
        .query::<&mut Unit>()
        .get_mut(game.pair.server.world_mut(), ada)
        .unwrap()
        .mana = 9;
    game.expect(&["ada.mana"]);

    game.world()
        .entity_mut(ada)
        .get_mut::<Unit>()
        .unwrap()
        .name
        .push('!');
    game.expect(&["ada.name"]);

    game.world()
        .entity_mut(ada)
        .modify_component(|unit: &mut Unit| unit.mana = 1);
    game.expect(&["ada.mana"]);
}

#[test]
fn writes_of_systems_and_commands_are_sent() {
    let mut game = Game::new();
    let ada = game.ada;
    game.world().init_resource::<Ran>();
    game.pair.server.add_systems(
        bevy_app::Update,
        |mut ran: ResMut<Ran>, mut units: Query<&mut Unit>| {
            ran.0 += 1;
            if ran.0 == 3 {
                for mut unit in &mut units {
                    unit.health = 50;
                }
            }
        },
    );
    game.expect(&["ada.health", "bob.health"]);

    game.world().commands().entity(ada).insert(Shield(3));
    game.world().flush();
    game.expect(&["ada.field_0", "ada.present"]);

    game.world()
        .commands()
        .entity(ada)
        .entry::<Shield>()
        .and_modify(|mut shield| shield.0 = 4);
    game.world().flush();
    game.expect(&["ada.field_0"]);

    game.world().commands().entity(ada).remove::<Shield>();
    game.world().flush();
    game.expect(&["ada.present"]);
}

#[test]
fn a_write_of_the_same_value_sends_nothing() {
    let mut game = Game::new();
    let ada = game.ada;
    let mut component = game.world().get_mut::<Unit>(ada).unwrap();
    component.health = 100;
    component.cooldown = 7;
    component.set_changed();
    game.expect(&[]);

    game.world().get_mut::<Unit>(ada).unwrap().health += 1;
    game.world().get_mut::<Unit>(ada).unwrap().health -= 1;
    game.expect(&[]);
}

#[test]
fn an_insertion_over_a_component_sends_what_differs() {
    let mut game = Game::new();
    let (ada, bob) = (game.ada, game.bob);
    game.world().entity_mut(ada).insert(Unit {
        mana: 6,
        ..unit("Ada")
    });
    game.expect(&["ada.mana"]);

    let copy = Unit {
        health: 3,
        ..game.world().get::<Unit>(bob).unwrap().clone()
    };
    *game.world().get_mut::<Unit>(bob).unwrap() = copy;
    game.expect(&["bob.health"]);

    game.world()
        .insert_batch([(ada, unit("Ada")), (bob, unit("Bob"))]);
    game.expect(&["ada.mana", "bob.health"]);

    game.world().get_mut::<Unit>(ada).unwrap().set_if_neq(Unit {
        mana: 0,
        ..unit("Ada")
    });
    game.expect(&["ada.mana"]);
    let former = game
        .world()
        .get_mut::<Unit>(ada)
        .unwrap()
        .replace_if_neq(unit("Ada"));
    assert_eq!(former.unwrap().mana, 0);
    game.expect(&["ada.mana"]);
}

#[test]
fn moved_components_send_what_differs() {
    let mut game = Game::new();
    let (ada, bob) = (game.ada, game.bob);
    let mut taken = game.world().entity_mut(ada).take::<Unit>().unwrap();
    taken.health = 1;
    game.world().entity_mut(ada).insert(taken);
    game.expect(&["ada.health"]);

    let mut taken = game.world().entity_mut(bob).take::<Unit>().unwrap();
    taken.name.push_str("by");
    game.world().entity_mut(ada).insert(taken);
    game.world().entity_mut(bob).insert(unit("Bob"));
    game.expect(&["ada.health", "ada.name"]);
}

#[test]
fn swapped_components_send_what_differs() {
    let mut game = Game::new();
    let both = [game.ada, game.bob];
    game.world().get_mut::<Unit>(both[0]).unwrap().mana = 77;
    game.expect(&["ada.mana"]);
    let mut query = game.world().query::<&mut Unit>();
    let [mut a, mut b] = query.get_many_mut(game.world(), both).unwrap();
    mem::swap(&mut *a, &mut *b);
    game.expect(&["ada.mana", "ada.name", "bob.mana", "bob.name"]);

    let [mut a, mut b] = query.get_many_mut(game.world(), both).unwrap();
    mem::swap(&mut a.mana, &mut b.mana);
    game.expect(&["ada.mana", "bob.mana"]);
}

#[test]
fn a_write_past_the_change_detection_waits_for_the_next_change() {
    let mut game = Game::new();
    let ada = game.ada;
    game.world()
        .get_mut::<Unit>(ada)
        .unwrap()
        .bypass_change_detection()
        .health = 1;
    assert_eq!(game.changes(), [] as [String; 0]);
    game.world().get_mut::<Unit>(ada).unwrap().mana = 1;
    game.expect(&["ada.health", "ada.mana"]);
}

#[test]
fn a_component_that_returns_later_is_added_again() {
    let mut game = Game::new();
    let ada = game.ada;
    let taken = game.world().entity_mut(ada).take::<Unit>().unwrap();
    game.expect(&["ada.present"]);
    game.world().entity_mut(ada).insert(taken);
    game.expect(&["ada.health", "ada.mana", "ada.name", "ada.present"]);
}

#[test]
fn a_cloned_entity_is_an_object_of_its_own() {
    let mut game = Game::new();
    let ada = game.ada;
    let twin = game.world().entity_mut(ada).clone_and_spawn();
    game.expect(&[]);
    let [there_ada, there_twin] = [ada, twin].map(|entity| game.pair.there(entity).unwrap());
    assert_ne!(there_ada, there_twin);
    assert_eq!(
        game.pair.client.world().get::<Unit>(there_twin),
        Some(&unit("Ada"))
    );
}

#[test]
fn a_marker_that_is_removed_ends_the_object() {
    let mut game = Game::new();
    let ada = game.ada;
    let there = game.pair.there(ada).unwrap();
    game.world().entity_mut(ada).remove::<Replicated>();
    game.expect(&[]);
    assert!(game.pair.client.world().get_entity(there).is_err());
    game.world().entity_mut(ada).insert(Replicated);
    game.expect(&[]);
    assert_ne!(game.pair.there(ada).unwrap(), there);

    game.world()
        .entity_mut(ada)
        .remove::<Replicated>()
        .insert(Replicated);
    game.world().entity_mut(ada).get_mut::<Unit>().unwrap().mana = 3;
    game.expect(&[]);
}

#[test]
fn change_filters_see_the_writes_of_the_game_only() {
    #[derive(Resource, Default)]
    struct Seen(Vec<Entity>);
    let watch =
        |changed: Query<Entity, Changed<Unit>>, mut seen: ResMut<Seen>| seen.0.extend(&changed);
    let mut game = Game::new();
    let (ada, there) = (game.ada, game.pair.there(game.ada).unwrap());
    for app in [&mut game.pair.server, &mut game.pair.client] {
        app.init_resource::<Seen>()
            .add_systems(bevy_app::Last, watch);
    }
    game.pair.settle();
    let take = |game: &mut Game| {
        [&mut game.pair.server, &mut game.pair.client].map(|app| {
            let mut seen = mem::take(&mut app.world_mut().resource_mut::<Seen>().0);
            seen.dedup();
            seen
        })
    };
    take(&mut game);
    game.world().get_mut::<Unit>(ada).unwrap().health = 1;
    game.expect(&["ada.health"]);
    assert_eq!(take(&mut game), [vec![ada], vec![there]]);
    game.world().get_mut::<Unit>(ada).unwrap().cooldown = 1;
    game.expect(&[]);
    assert_eq!(take(&mut game), [vec![ada], vec![]]);
}
