//! Rewinding to objects that a client has not always seen: shown, despawned and parented ones.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{NetworkBehaviour, ServerConfig};

const TICK: Duration = Duration::from_micros(33_334);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Target {
    #[sync_var(interpolate = linear, history = 1)]
    position: SyncVar<Vector2>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Target>("target")
}

/// Network with a client, and the number of its connection.
fn network(millis: u64) -> (MemoryNetwork, ConnectionId) {
    let link = Conditions {
        delay: Duration::from_millis(millis),
        ..Conditions::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    net.tick = TICK;
    net.datagrams = true;
    net.connect();
    for _ in 0..60 {
        net.step();
    }
    let connection = net.connection(0);
    (net, connection)
}

fn place(net: &mut MemoryNetwork, target: NetId, x: f32) {
    net.server.get_mut::<Target>(target).unwrap().position = Vector2::new(x, 0.0).into();
    net.step();
}

/// Returns the positions of a target: in the past of a client without a command, and in its view.
fn seen(
    net: &MemoryNetwork,
    connection: ConnectionId,
    target: NetId,
) -> (Option<f32>, Option<f32>) {
    let past = net.server.rewind(connection, |past| {
        Some(past.view::<Target>(target)?.get(Target::POSITION)?.x)
    });
    let view = net.client(0).view::<Target>(target);
    (
        past,
        view.and_then(|view| Some(view.get(Target::POSITION)?.x)),
    )
}

#[test]
fn a_shown_object_has_no_past_before_the_show() {
    let (mut net, connection) = network(60);
    let target = net.server.spawn(Target::default());
    let mut x = 0.0;
    for step in 0..120 {
        if step == 40 {
            net.server.hide(target, connection).unwrap();
        }
        if step == 80 {
            net.server.show(target, connection).unwrap();
        }
        x += 1.0;
        place(&mut net, target, x);
        if step >= 80 {
            let (past, _) = seen(&net, connection, target);
            assert!(past.unwrap() >= 81.0, "{past:?} in step {step}");
        }
    }
    let (past, view) = seen(&net, connection, target);
    assert!(
        (past.unwrap() - view.unwrap()).abs() < 6.0,
        "{past:?} {view:?}"
    );
    assert!(past.unwrap() < x - 3.0, "{past:?} of {x}");
}

#[test]
fn a_joining_client_has_no_past_before_its_join() {
    let (mut net, _) = network(60);
    let target = net.server.spawn(Target::default());
    for step in 0..40_u8 {
        place(&mut net, target, step.into());
    }
    net.connect();
    let late = net.connection(1);
    let mut first = None;
    for step in 40..80_u8 {
        place(&mut net, target, step.into());
        if net.client(1).get::<Target>(target).is_some() {
            first = first.or(seen(&net, late, target).0);
        }
    }
    assert!(first.unwrap() >= 40.0, "{first:?}");
}

#[test]
fn a_despawned_target_can_be_hit_until_no_view_shows_it() {
    let (mut net, connection) = network(60);
    let target = net.server.spawn(Target::default());
    let hidden = net.server.spawn(Target::default());
    net.server.hide(hidden, connection).unwrap();
    for step in 0..60_u8 {
        net.server.get_mut::<Target>(hidden).unwrap().position.x = step.into();
        place(&mut net, target, step.into());
    }
    net.server.despawn(target).unwrap();
    net.server.despawn(hidden).unwrap();
    let (mut hits, mut last) = (0, 0.0);
    for _ in 0..60 {
        net.step();
        assert_eq!(seen(&net, connection, hidden).0, None, "it was never seen");
        if let (Some(x), _) = seen(&net, connection, target) {
            assert!(x >= last && x <= 59.0, "{x}");
            (hits, last) = (hits + 1, x);
        }
    }
    assert!(
        (3..12).contains(&hits),
        "{hits} steps of the way of a packet"
    );
    assert_eq!(seen(&net, ConnectionId(77), target).0, None);
}

#[test]
fn a_child_is_rewound_in_the_frame_of_its_parent() {
    let (mut net, connection) = network(60);
    let [ship, turret] = [0, 1].map(|_| net.server.spawn(Target::default()));
    net.server.set_parent(turret, Some(ship)).unwrap();
    for step in 0..60_u8 {
        net.server.get_mut::<Target>(turret).unwrap().position.x = 2.0;
        place(&mut net, ship, step.into());
    }
    let world = net.server.rewind(connection, |past| {
        let local = past.view::<Target>(turret)?.get(Target::POSITION)?;
        let parent = past.view::<Target>(ship)?.get(Target::POSITION)?;
        Some(local.x + parent.x)
    });
    let (past, _) = seen(&net, connection, ship);
    assert_eq!(world, past.map(|x| x + 2.0));
    assert!(past.unwrap() < 57.0);
}
