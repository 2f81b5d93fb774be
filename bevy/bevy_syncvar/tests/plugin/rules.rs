//! Rules of fields: codecs, thresholds, owners, snapshots.

use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::codec::Half;
use bevy_syncvar::syncvar::testing::Conditions;

use crate::support::{Log, Pair};

#[derive(Component, Replicate, Clone, Debug, PartialEq, Default)]
struct Hero {
    #[sync_var(read = owner)]
    gold: u32,
    #[sync_var(write = owner)]
    aim: f32,
    #[sync_var(write = owner, server_override)]
    stance: u8,
    #[sync_var(initial_only)]
    name: String,
    #[sync_var(with = Half)]
    x: f32,
    #[sync_var(threshold = differs)]
    heat: f32,
}

impl HeroShadow {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "the signature of a threshold"
    )]
    fn differs(former: &f32, new: &f32) -> bool {
        (new - former).abs() > 1.0
    }
}

fn pair() -> (Pair, Entity, Entity) {
    let mut pair = Pair::new(|app| {
        app.replicate::<Hero>();
    });
    let unit = Hero {
        gold: 7,
        name: "Ann".into(),
        ..Hero::default()
    };
    let here = pair.server.world_mut().spawn((Replicated, unit)).id();
    pair.settle();
    let there = pair.there(here).unwrap();
    (pair, here, there)
}

fn own(pair: &mut Pair, here: Entity) {
    let world = pair.server.world_mut();
    let id = world.resource::<NetEntities>().id(here).unwrap();
    let mut server = world.resource_mut::<Server>();
    let connection = server.connections().next().unwrap();
    server.set_owner(id, Some(connection)).unwrap();
    pair.settle();
}

#[test]
fn readers_see_their_fields() {
    let (mut pair, here, there) = pair();
    let unit = |pair: &Pair| pair.client.world().get::<Hero>(there).unwrap().clone();
    assert_eq!(
        unit(&pair),
        Hero {
            name: "Ann".into(),
            ..Hero::default()
        }
    );
    own(&mut pair, here);
    assert_eq!(unit(&pair).gold, 7);
    pair.server.world_mut().get_mut::<Hero>(here).unwrap().gold = 8;
    pair.settle();
    assert_eq!(unit(&pair).gold, 8);
}

#[test]
fn rules_of_the_shadow_hold_for_the_component() {
    let (mut pair, here, there) = pair();
    let mut unit = pair.server.world_mut().get_mut::<Hero>(here).unwrap();
    unit.name = "Bob".into();
    unit.x = 0.1;
    unit.heat = 0.5;
    pair.settle();
    let shown = pair.client.world().get::<Hero>(there).unwrap();
    assert_eq!((shown.name.as_str(), shown.heat), ("Ann", 0.0));
    assert!((shown.x - 0.1).abs() < 0.001 && shown.x.to_bits() != 0.1_f32.to_bits());
    pair.server.world_mut().get_mut::<Hero>(here).unwrap().heat = 1.5;
    pair.settle();
    assert!((pair.client.world().get::<Hero>(there).unwrap().heat - 1.5).abs() < 0.01);
    assert!((pair.server.world().get::<Hero>(here).unwrap().x - 0.1).abs() < 1e-9);
}

#[test]
fn an_owner_writes_its_fields() {
    let (mut pair, here, there) = pair();
    own(&mut pair, here);
    let seen = Log::<Option<f32>>::default();
    let log = seen.clone();
    pair.server
        .add_observer(move |change: On<Received<Hero>>| log.push(change.previous.aim));
    let mut unit = pair.client.world_mut().get_mut::<Hero>(there).unwrap();
    unit.aim = 1.5;
    unit.gold = 1_000; // local: not its field
    pair.settle();
    let unit = pair.server.world().get::<Hero>(here).unwrap();
    assert_eq!((unit.aim, unit.gold), (1.5, 7));
    assert_eq!(seen.take(), [Some(0.0)]);
}

#[test]
fn a_refused_write_of_the_server_is_taken_back() {
    let (mut pair, here, there) = pair();
    own(&mut pair, here);
    let mut unit = pair.server.world_mut().get_mut::<Hero>(here).unwrap();
    unit.aim = 9.0;
    unit.stance = 3;
    unit.gold = 1;
    pair.settle();
    let expected = Hero {
        gold: 1,
        stance: 3,
        name: "Ann".into(),
        ..Hero::default()
    };
    assert_eq!(pair.server.world().get::<Hero>(here), Some(&expected));
    assert_eq!(pair.client.world().get::<Hero>(there), Some(&expected));
}

#[test]
fn owners_write_over_a_lossy_link() {
    let conditions = Conditions {
        loss: 0.2,
        seed: 3,
        ..Conditions::default()
    };
    let mut pair = Pair::with(conditions, |app| {
        app.replicate::<Hero>();
    });
    let here = pair
        .server
        .world_mut()
        .spawn((Replicated, Hero::default()))
        .id();
    (0..100).for_each(|_| pair.step());
    own(&mut pair, here);
    let there = pair.there(here).unwrap();
    for step in 0_u8..100 {
        let mut unit = pair.client.world_mut().get_mut::<Hero>(there).unwrap();
        unit.aim += 1.0;
        unit.stance = step;
        pair.step();
    }
    (0..200).for_each(|_| pair.step());
    let unit = pair.server.world().get::<Hero>(here).unwrap();
    assert_eq!((unit.aim, unit.stance), (100.0, 99));
}
