//! Fields with a codec, fields that the owner writes, components of other crates.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_syncvar::TransformShadow;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::codec::Quantized;
use bevy_syncvar::syncvar::testing::Conditions;
use bevy_transform::components::Transform;

use crate::prediction::rig::{Body, FRAME, Move, Rig, open, shared};

#[derive(Component, Replicate, Clone, Debug, Default, PartialEq)]
struct Ship {
    #[sync_var(interpolate = linear, with = Quantized<-1000, 1000, 100>)]
    x: f32,
    #[sync_var(write = owner)]
    sail: u32,
}

fn steer(mut ships: Query<(&mut Ship, &TickInput<Move>)>) {
    for (mut ship, input) in &mut ships {
        ship.x += 0.0333 * input.x;
    }
}

fn types(app: &mut App) {
    shared(app);
    app.predict::<Ship>()
        .register_required_components::<Body, Ship>();
    app.add_systems(FixedUpdate, steer);
}

fn ship(rig: &mut Rig) -> [Ship; 2] {
    let (own, here) = (rig.own(0), rig.here(0));
    let there = rig.clients[0].world().get::<Ship>(own).unwrap().clone();
    [there, rig.server.world().get::<Ship>(here).unwrap().clone()]
}

#[test]
fn a_codec_causes_no_correction() {
    let mut rig = Rig::with(open(51), 1, ServerPlugin::new, types);
    let before = rig.corrections(0);
    rig.hold(0, 1.0);
    rig.frames(300);
    assert_eq!(rig.corrections(0), before);
    rig.rest();
    let [there, here] = ship(&mut rig);
    assert_eq!(there, here);
    // Each tick ends with a value that travels: 3 steps of the codec, not 3.33.
    assert!(
        (here.x / 0.03).fract() < 0.01 || (here.x / 0.03).fract() > 0.99,
        "{}",
        here.x
    );
}

#[test]
fn a_field_of_the_owner_stays_as_its_client_has_written_it() {
    let mut rig = Rig::with(open(52), 1, ServerPlugin::new, types);
    rig.hold(0, 1.0);
    let own = rig.own(0);
    for sail in 1..=40 {
        let mut ship = rig.clients[0].world_mut().get_mut::<Ship>(own).unwrap();
        ship.sail = sail;
        rig.frame(FRAME);
        assert_eq!(ship_of(&rig, own).sail, sail);
    }
    rig.rest();
    let [there, here] = ship(&mut rig);
    assert_eq!((there.sail, here.sail), (40, 40));
    assert_eq!(there, here);
}

fn ship_of(rig: &Rig, own: Entity) -> Ship {
    rig.clients[0].world().get::<Ship>(own).unwrap().clone()
}

fn transforms(app: &mut App) {
    shared(app);
    app.replicate_via::<Transform, TransformShadow>();
}

#[test]
fn a_transform_is_interpolated() {
    // The shadow travels on the stream, which waits for lost packets.
    let conditions = Conditions {
        loss: 0.0,
        ..open(53)
    };
    let mut rig = Rig::with(conditions, 1, ServerPlugin::new, transforms);
    let here = rig
        .server
        .world_mut()
        .spawn((Replicated, Transform::IDENTITY))
        .id();
    let step = |rig: &mut Rig| {
        let mut transform = rig.server.world_mut().get_mut::<Transform>(here).unwrap();
        transform.translation.x += 0.1;
        transform.rotate_y(0.01);
        rig.frame(FRAME);
    };
    (0..120).for_each(|_| step(&mut rig));
    let there = rig.there(0, here);
    let shown = |rig: &Rig| *rig.clients[0].world().get::<Transform>(there).unwrap();
    let mut last = shown(&rig);
    for _ in 0..60 {
        step(&mut rig);
        let now = shown(&rig);
        let (way, turn) = (
            now.translation.x - last.translation.x,
            now.rotation.angle_between(last.rotation),
        );
        assert!((0.03..0.2).contains(&way), "{way}");
        assert!((0.001..0.03).contains(&turn), "{turn}");
        last = now;
    }
}
