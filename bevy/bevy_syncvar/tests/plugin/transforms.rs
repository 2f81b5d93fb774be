//! Bevy's own transforms.
#![cfg(feature = "transform")]

use bevy_ecs::prelude::*;
use bevy_syncvar::TransformShadow;
use bevy_syncvar::prelude::*;
use bevy_transform::components::Transform;

use crate::support::{Log, Pair};

#[test]
fn transforms_are_components_like_others() {
    let mut pair = Pair::new(|app| {
        app.replicate_via::<Transform, TransformShadow>();
    });
    let seen = Log::<f32>::default();
    let log = seen.clone();
    let observer = move |change: On<Received<Transform, TransformShadow>>| {
        log.push(change.previous.translation.x);
    };
    pair.client.add_observer(observer);
    let mut transform = Transform::from_xyz(1.0, 2.0, 3.0);
    transform.rotate_y(0.5);
    let here = pair.server.world_mut().spawn((Replicated, transform)).id();
    pair.settle();
    let there = pair.there(here).unwrap();
    assert_eq!(
        pair.client.world().get::<Transform>(there),
        Some(&transform)
    );
    pair.server
        .world_mut()
        .get_mut::<Transform>(here)
        .unwrap()
        .translation
        .x = 5.0;
    pair.settle();
    let shown = pair.client.world().get::<Transform>(there).unwrap();
    assert_eq!(
        *shown,
        Transform {
            translation: shown.translation,
            ..transform
        }
    );
    assert!((shown.translation.x - 5.0).abs() < f32::EPSILON);
    assert_eq!(seen.take(), [1.0]);
}
