//! Looks of a server into the past of a client's view.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::{RewindWorld, Rewound};

use crate::party::observe;
use crate::prediction::rig::{Body, Rig, open, shared};
use crate::support::Log;

#[derive(Event, NetValue, Clone, Debug)]
struct Aim {
    target: Entity,
    x: f32,
}

fn types(app: &mut App) {
    shared(app);
    app.net_event::<Aim>();
}

#[test]
fn a_server_sees_what_the_shooter_has_seen() {
    let mut rig = Rig::with(open(41), 2, ServerPlugin::new, types);
    let seen = Log::<(f32, f32)>::default();
    let log = seen.clone();
    rig.server
        .add_observer(move |aim: On<FromClient<Aim>>, mut commands: Commands| {
            let (client, Aim { target, x }) = (aim.client, aim.event.clone());
            let log = log.clone();
            commands.queue(move |world: &mut World| {
                let now = world.get::<Body>(target).unwrap().x;
                let past = world.rewind(client, |world| world.get::<Body>(target).unwrap().x);
                log.push((past.unwrap() - x, now - x));
                let present = world.get::<Body>(target).unwrap().x;
                assert_eq!(present.to_bits(), now.to_bits());
            });
        });
    let rewound = observe(&mut rig.server, |rewound: &Rewound| rewound.is_past);
    rig.hold(1, 1.0);
    rig.frames(60);
    let here = rig.here(1);
    for _ in 0..20 {
        rig.frames(5);
        let target = rig.there(0, here);
        let world = rig.clients[0].world_mut();
        let x = world.get::<Body>(target).unwrap().x;
        world.trigger(ToServer::new(Aim { target, x }));
    }
    rig.frames(30);
    let seen = seen.take();
    assert_eq!(seen.len(), 20);
    assert_eq!(rewound.take(), [true, false].repeat(20));
    // The target runs 8.3 cm in a tick; a repeated packet is judged by a later time.
    let near = seen.iter().filter(|(past, _)| past.abs() < 0.2).count();
    assert!(near >= 16, "{seen:?}");
    assert!(seen.iter().all(|(_, now)| *now > 0.5), "{seen:?}");
}

#[test]
fn a_system_sees_what_the_shooter_has_seen() {
    let mut rig = Rig::with(open(41), 2, ServerPlugin::new, types);
    let seen = Log::<(f32, f32, bool)>::default();
    let log = seen.clone();
    rig.server.add_observer(
        move |aim: On<FromClient<Aim>>, past: Past, bodies: Query<(Entity, &Body)>| {
            let (client, Aim { target, x }) = (aim.client, aim.event.clone());
            let now = bodies.get(target).unwrap().1.x;
            let own = past.seen::<Body>(client, target).unwrap().x;
            let mut others = bodies.iter().filter(|(other, _)| *other != target);
            let is_present = |(other, body): (Entity, &Body)| {
                past.seen::<Body>(client, other).unwrap().x.to_bits() == body.x.to_bits()
            };
            log.push((own - x, now - x, others.all(is_present)));
            // An entity stands for its owner.
            let mut bodies = bodies.iter().map(|(body, _)| body);
            let shooter = bodies.find(|body| *body != target).unwrap();
            let x = |viewer| {
                past.seen::<Body>(viewer, target)
                    .map(|seen| seen.x.to_bits())
            };
            assert_eq!(x(shooter), Some(own.to_bits()));
            assert_eq!(x(target), Some(now.to_bits()));
            assert_eq!(x(Entity::PLACEHOLDER), None);
            assert!(past.seen::<Body>(client, client).is_none());
        },
    );
    rig.hold(1, 1.0);
    rig.frames(60);
    let here = rig.here(1);
    for _ in 0..20 {
        rig.frames(5);
        let target = rig.there(0, here);
        let world = rig.clients[0].world_mut();
        let x = world.get::<Body>(target).unwrap().x;
        world.trigger(ToServer::new(Aim { target, x }));
    }
    rig.frames(30);
    let seen = seen.take();
    assert_eq!(seen.len(), 20);
    let near = seen.iter().filter(|(past, ..)| past.abs() < 0.2).count();
    assert!(near >= 16, "{seen:?}");
    assert!(seen.iter().all(|(_, now, _)| *now > 0.5), "{seen:?}");
    assert!(
        seen.iter().all(|(.., own)| *own),
        "the shooter is in the present"
    );
}

#[test]
fn a_look_into_the_past_sends_nothing() {
    let mut rig = Rig::with(open(42), 2, ServerPlugin::new, types);
    rig.hold(1, 1.0);
    rig.frames(60);
    rig.rest();
    let world = rig.server.world_mut();
    let clients = world.resource::<Connections>();
    let client = clients.entity(clients.ids()[0]).unwrap();
    let mut changed = world.query_filtered::<(), Changed<Body>>();
    world.clear_trackers();
    assert_eq!(changed.iter(world).count(), 0);
    assert!(world.rewind(client, |_| ()).is_some());
    assert_eq!(changed.iter(world).count(), 0);
    assert!(world.rewind(Entity::PLACEHOLDER, |_| ()).is_none());
}
