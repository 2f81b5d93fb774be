//! A character of Avian in three dimensions, predicted.

use std::time::Duration;

use avian3d::prelude::Position;
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::MemoryListener;
use bevy_syncvar::prelude::*;
use bevy_syncvar_ecosystem::avian::arena::open;
use bevy_syncvar_ecosystem::avian3d::{Character, Steer, client, server};
use bevy_time::TimeUpdateStrategy;

fn place(app: &mut App) -> Position {
    let mut characters = app
        .world_mut()
        .query_filtered::<&Position, With<Character>>();
    *characters.single(app.world()).unwrap()
}

#[test]
fn a_character_in_three_dimensions_is_never_corrected() {
    let listener = MemoryListener::new(open(1));
    let link = listener.link();
    let mut apps = [
        server(ServerPlugin::new(listener)),
        client(ClientPlugin::new(link)),
    ];
    for app in &mut apps {
        let frame = Duration::from_nanos(16_666_667);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
    }
    let frames = |apps: &mut [App; 2], count: u32, steer: fn(u32) -> Steer| {
        for frame in 0..count {
            apps[1].world_mut().resource_mut::<HeldInput<Steer>>().0 = steer(frame);
            apps.iter_mut().for_each(App::update);
        }
    };
    let corrections = |app: &App| {
        let client = app.world().resource::<Client>();
        client.prediction_stats().corrections
    };
    frames(&mut apps, 240, |_| Steer::default());
    let (settled, start) = (corrections(&apps[1]), place(&mut apps[0]));
    frames(&mut apps, 600, |frame| Steer {
        run: [[1.0, 0.0], [0.0, -1.0], [1.0, 1.0]][(frame / 60 % 3) as usize],
        jump: frame.is_multiple_of(50),
    });
    assert!(place(&mut apps[0]).distance(start.0) > 1.0);
    assert_eq!(corrections(&apps[1]), settled);
    frames(&mut apps, 120, |_| Steer::default());
    let [here, there] = apps.each_mut().map(place);
    assert!(here.distance(there.0) < 0.001, "{here:?}, {there:?}");
}
