//! `Predicted` and `Interpolated`.

use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::testing::Conditions;

use crate::prediction::rig::{Body, FRAME, Move, Rig, open, shared};
use crate::support::Log;

/// Returns the entity of a client for the player of another one.
fn rival(rig: &mut Rig, client: usize, of: usize) -> Entity {
    let here = rig.here(of);
    rig.there(client, here)
}

#[test]
fn an_interpolated_entity_moves_evenly_behind_the_server() {
    let mut rig = Rig::new(open(11), 2);
    let rival = rival(&mut rig, 0, 1);
    rig.hold(1, 1.0);
    rig.frames(90);
    let shown = |rig: &Rig| rig.clients[0].world().get::<Body>(rival).unwrap().x;
    let mut last = shown(&rig);
    for _ in 0..120 {
        rig.frame(FRAME);
        let now = shown(&rig);
        let step = now - last;
        assert!((0.03..0.17).contains(&step), "{step}");
        last = now;
    }
    assert!(rig.body(1).x > last + 0.4);
}

#[test]
fn received_reports_the_fields_that_are_not_interpolated() {
    let mut rig = Rig::new(Conditions::default(), 2);
    let rival = rival(&mut rig, 0, 1);
    let seen = Log::<(Entity, Option<f32>, Option<u32>)>::default();
    let log = seen.clone();
    rig.clients[0].add_observer(move |change: On<Received<Body>>| {
        log.push((change.entity, change.previous.x, change.previous.pushes));
    });
    rig.play(60);
    assert_eq!(seen.take(), []);
    let here = rig.here(1);
    rig.server.world_mut().get_mut::<Body>(here).unwrap().pushes = 3;
    rig.frames(10);
    assert_eq!(seen.take(), [(rival, None, Some(0))]);
}

#[test]
fn an_entity_without_its_marker_has_the_state_of_the_server() {
    let mut rig = Rig::new(Conditions::default(), 1);
    let own = rig.own(0);
    rig.clients[0]
        .world_mut()
        .entity_mut(own)
        .remove::<(Predicted, Interpolated)>();
    rig.hold(0, 1.0);
    rig.frames(60);
    let before = rig.body(0).x;
    rig.frames(2);
    let shown = rig.shown(0).x;
    assert!(
        shown <= rig.body(0).x && shown >= before - 0.5,
        "{shown}, {before}"
    );
    assert!(before > 2.0);
    rig.clients[0].world_mut().entity_mut(own).insert(Predicted);
    rig.frames(60);
    rig.rest();
    rig.assert_equal();
}

#[test]
fn the_local_player_of_a_host_moves_by_its_input() {
    let mut rig = Rig::with(Conditions::default(), 1, ServerPlugin::host, shared);
    rig.server.world_mut().resource_mut::<HeldInput<Move>>().x = -1.0;
    rig.hold(0, 1.0);
    rig.frames(60);
    let world = rig.server.world_mut();
    let mut local = world.query_filtered::<&Body, With<Owned>>();
    assert!(local.single(world).unwrap().x < -3.0);
    assert!(rig.body(0).x > 3.0);
    assert!(rig.net().local_client().is_some());
}
