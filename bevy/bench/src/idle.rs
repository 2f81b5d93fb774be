//! Servers without changes, with several registered types.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

use crate::{Fields, OBJECTS, World};

/// A type with a number.
#[derive(Component, Replicate)]
#[component(summary_tick)]
struct Kind<const N: u32> {
    value: u32,
}

/// A server with as many types: 0 is an app without the plugin.
pub(crate) struct Idle(App);

impl World for Idle {
    fn frame(&mut self, _: u32, _: Fields) {
        self.0.update();
    }
}

pub(crate) fn app(types: usize) -> Idle {
    let mut app = App::new();
    if types > 0 {
        let (listener, _) = MemoryLink::pair();
        app.add_plugins(ServerPlugin::new(listener));
        app.replicate::<Kind<0>>();
    }
    if types > 1 {
        app.replicate::<Kind<1>>()
            .replicate::<Kind<2>>()
            .replicate::<Kind<3>>();
        app.replicate::<Kind<4>>()
            .replicate::<Kind<5>>()
            .replicate::<Kind<6>>();
        app.replicate::<Kind<7>>()
            .replicate::<Kind<8>>()
            .replicate::<Kind<9>>();
        app.replicate::<Kind<10>>()
            .replicate::<Kind<11>>()
            .replicate::<Kind<12>>();
        app.replicate::<Kind<13>>()
            .replicate::<Kind<14>>()
            .replicate::<Kind<15>>();
    }
    let all = (0..OBJECTS).map(|_| (Replicated, Kind::<0> { value: 1 }));
    app.world_mut().spawn_batch(all);
    (0..3).for_each(|_| app.update());
    Idle(app)
}
