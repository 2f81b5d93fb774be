//! Positions reach the other ends, smoothly and in both directions.

use syncvar::Channel;
use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::components::{
    Hybrid, NetworkTransform, NetworkTransformReliable, Reliable, TransformMethod, Unreliable,
};
use syncvar::mirror::message::Message;
use syncvar::mirror::{MirrorServerEvent, SyncDirection};
use syncvar::values::{Quaternion, Vector3};

use super::world::{Tank, World};
use syncvar_testing::mirror::Quality;

const STEP: f32 = 0.125;

fn near(ours: Vector3, expected: [f32; 3]) {
    let distances = [
        ours.x - expected[0],
        ours.y - expected[1],
        ours.z - expected[2],
    ];
    let is_near = distances.iter().all(|distance| distance.abs() < 0.011);
    assert!(is_near, "{ours:?} is not at {expected:?}");
}

fn server_moves<M: TransformMethod>() {
    let mut world = World::new::<M>(SyncDirection::ServerToClient);
    let id = world.spawn::<M>();
    world.run(5);
    let mut last = 0.0;
    for _ in 0..60 {
        let mut transform = world.server.get_mut::<NetworkTransform<M>>(id).unwrap();
        transform.position.x += STEP;
        drop(transform);
        world.run(1);
        let x = world.seen::<M>(0, id).x;
        assert!(
            (0.0..1.6 * STEP).contains(&(x - last)),
            "a step from {last} to {x}"
        );
        last = x;
    }
    world.run(90);
    for client in 0..2 {
        near(world.seen::<M>(client, id), [60.0 * STEP, 0.0, 0.0]);
    }
    // A resting object is silent, and whoever comes late sees it in its place.
    world.join::<M>(SyncDirection::ServerToClient);
    world.run(30);
    near(world.seen::<M>(2, id), [60.0 * STEP, 0.0, 0.0]);
}

#[test]
fn reliable_motion_of_the_server_is_smooth_at_clients() {
    server_moves::<Reliable>();
}

#[test]
fn unreliable_motion_of_the_server_is_smooth_at_clients() {
    server_moves::<Unreliable>();
}

#[test]
fn hybrid_motion_of_the_server_is_smooth_at_clients() {
    server_moves::<Hybrid>();
}

/// Moves a hybrid transform for five seconds, and returns the largest difference between a step of the server and one
/// that a client shows: the first two from the start, later ones in the last second. An action precedes each frame.
fn uneven_steps(world: &mut World, act: impl Fn(&mut World, u32)) -> f32 {
    let id = world.spawn::<Hybrid>();
    world.run(5);
    let (mut last, mut largest) = (Vec::<f32>::new(), 0.0_f32);
    for frame in 0..300 {
        act(world, frame);
        let mut transform = world
            .server
            .get_mut::<NetworkTransform<Hybrid>>(id)
            .unwrap();
        transform.position.x += STEP;
        drop(transform);
        world.run(1);
        let shown = world.clients.iter().map(|(_, client)| {
            let transform = client.get::<NetworkTransform<Hybrid>>(id);
            transform.map_or(0.0, |transform| transform.position.x)
        });
        let shown: Vec<f32> = shown.collect();
        for (client, (x, last)) in shown.iter().zip(&last).enumerate() {
            let is_counted = frame > 240 || client < 2 && frame > 15;
            let uneven = (x - last - STEP).abs();
            largest = largest.max(if is_counted { uneven } else { 0.0 });
        }
        last = shown;
    }
    largest
}

/// Sends the reliable packets of a frame first, and numbers each delta as Mirror's server does for all but its first
/// connection: in the frame of a baseline with the number of that baseline, to which it is not relative.
fn as_of_mirror(packets: &mut Vec<(Channel, Vec<u8>)>) {
    packets.sort_by_key(|(channel, _)| *channel != Channel::Reliable);
    let baseline = packets.iter().find_map(|(_, bytes)| {
        let mut messages = Unbatcher::new(bytes).unwrap();
        messages.find_map(|message| match Message::decode(message.unwrap()) {
            Ok(Message::UnreliableBaseline(baseline)) => Some(baseline.baseline_tick),
            _ => None,
        })
    });
    let Some(baseline) = baseline else { return };
    for (_, bytes) in packets {
        let batch = bytes.clone();
        for message in Unbatcher::new(&batch).unwrap() {
            let message = message.unwrap();
            if let Ok(Message::UnreliableDelta(_)) = Message::decode(message) {
                let mut places = batch.windows(message.len());
                let start = places.position(|place| place == message).unwrap();
                bytes[start + 2] = baseline;
            }
        }
    }
}

#[test]
fn delta_of_the_frame_of_a_baseline_is_not_added_to_it() {
    let mut world = World::new::<Hybrid>(SyncDirection::ServerToClient);
    world.path = as_of_mirror;
    let uneven = uneven_steps(&mut world, |_, _| {});
    assert!(uneven < 0.5 * STEP, "{uneven}");
}

#[test]
fn reordered_deltas_and_baselines_keep_a_transform_on_its_way() {
    let mut world = World::new::<Hybrid>(SyncDirection::ServerToClient);
    world.path = as_of_mirror;
    world.quality = Quality {
        lost: 5,
        twice: 10,
        delay: 4,
    };
    // Five seconds with as many baselines; a delay of four frames may gather eight steps in one.
    let uneven = uneven_steps(&mut world, |_, _| {});
    assert!(uneven < 8.0 * STEP, "{uneven}");
}

#[test]
fn joining_client_moves_no_hybrid_transform_of_others() {
    for frames in [&[90][..], &[70, 71, 110]] {
        let mut world = World::new::<Hybrid>(SyncDirection::ServerToClient);
        let uneven = uneven_steps(&mut world, |world, frame| {
            if frames.contains(&frame) {
                world.join::<Hybrid>(SyncDirection::ServerToClient);
            }
        });
        assert!(uneven < 0.5 * STEP, "{uneven} by joins in {frames:?}");
    }
}

/// The first baseline is due in frame 60.
#[test]
fn client_that_joins_before_the_first_baseline_moves_no_transform_of_others() {
    for frames in [&[20][..], &[18, 30, 31, 50]] {
        let mut world = World::new::<Hybrid>(SyncDirection::ServerToClient);
        let uneven = uneven_steps(&mut world, |world, frame| {
            if frames.contains(&frame) {
                world.join::<Hybrid>(SyncDirection::ServerToClient);
            }
        });
        assert!(uneven < 0.5 * STEP, "{uneven} by joins in {frames:?}");
    }
}

fn owner_moves<M: TransformMethod>() {
    let mut world = World::new::<M>(SyncDirection::ClientToServer);
    let id = world.spawn::<M>();
    let owner = world.clients[0].0;
    world.server.set_owner(id, Some(owner)).unwrap();
    world.run(5);
    for _ in 0..40 {
        let transform = world.client(0).get_mut::<NetworkTransform<M>>(id);
        transform.unwrap().position.z -= STEP;
        world.run(1);
    }
    world.run(90);
    near(world.on_server::<M>(id), [0.0, 0.0, -40.0 * STEP]);
    near(world.seen::<M>(1, id), [0.0, 0.0, -40.0 * STEP]);
    near(world.seen::<M>(0, id), [0.0, 0.0, -40.0 * STEP]);

    // Another owner goes on from there.
    let other = world.clients[1].0;
    world.server.set_owner(id, Some(other)).unwrap();
    world.run(30);
    for _ in 0..40 {
        let transform = world.client(1).get_mut::<NetworkTransform<M>>(id);
        transform.unwrap().position.x += STEP;
        world.run(1);
    }
    world.run(90);
    near(world.on_server::<M>(id), [40.0 * STEP, 0.0, -40.0 * STEP]);
    near(world.seen::<M>(0, id), [40.0 * STEP, 0.0, -40.0 * STEP]);
}

#[test]
fn reliable_motion_of_an_owner_reaches_all() {
    owner_moves::<Reliable>();
}

#[test]
fn unreliable_motion_of_an_owner_reaches_all() {
    owner_moves::<Unreliable>();
}

#[test]
fn hybrid_motion_of_an_owner_reaches_all() {
    owner_moves::<Hybrid>();
}

#[test]
fn server_teleports_without_interpolation() {
    let mut world = World::new::<Reliable>(SyncDirection::ServerToClient);
    let id = world.spawn::<Reliable>();
    world.run(20);
    let target = Vector3::new(100.0, 0.0, 0.0);
    let calls = world.server.calls::<NetworkTransformReliable>(id);
    calls
        .teleport_and_turn(target, Quaternion::IDENTITY)
        .unwrap();
    near(world.on_server::<Reliable>(id), [100.0, 0.0, 0.0]);
    for _ in 0..60 {
        world.run(1);
        near(world.seen::<Reliable>(0, id), [100.0, 0.0, 0.0]);
    }
}

#[test]
fn owner_teleports_and_others_may_not() {
    let mut world = World::new::<Unreliable>(SyncDirection::ClientToServer);
    let id = world.spawn::<Unreliable>();
    let owner = world.clients[0].0;
    world.server.set_owner(id, Some(owner)).unwrap();
    world.run(20);
    let target = Vector3::new(0.0, 50.0, 0.0);
    let calls = world.client(0).calls::<NetworkTransform<Unreliable>>(id);
    calls.teleport(target).unwrap();
    let refused = world.client(1).calls::<NetworkTransform<Unreliable>>(id);
    refused.teleport(Vector3::default()).unwrap_err();
    world.run(60);
    near(world.on_server::<Unreliable>(id), [0.0, 50.0, 0.0]);
    near(world.seen::<Unreliable>(1, id), [0.0, 50.0, 0.0]);
}

#[test]
fn transform_and_own_behaviour_share_an_object() {
    let mut world = World::new::<Hybrid>(SyncDirection::ServerToClient);
    let id = world.spawn::<Hybrid>();
    world.run(5);
    world.server.get_mut::<Tank>(id).unwrap().fuel.set(7);
    let mut transform = world
        .server
        .get_mut::<NetworkTransform<Hybrid>>(id)
        .unwrap();
    transform.scale = Vector3::new(2.0, 2.0, 2.0);
    drop(transform);
    world.run(30);
    let client = world.client(0);
    assert_eq!(client.get::<Tank>(id).unwrap().fuel, 7);
    let scale = client.get::<NetworkTransform<Hybrid>>(id).unwrap().scale;
    near(scale, [2.0, 2.0, 2.0]);
}

#[test]
fn resting_transform_sends_nothing() {
    let mut world = World::new::<Reliable>(SyncDirection::ServerToClient);
    world.spawn::<Reliable>();
    world.run(60);
    let states = world.server.stats().states.messages;
    world.run(60);
    assert_eq!(world.server.stats().states.messages, states);
}

#[test]
fn owner_that_never_rests_is_not_refused() {
    let mut world = World::new::<Reliable>(SyncDirection::ClientToServer);
    let id = world.spawn::<Reliable>();
    let owner = world.clients[0].0;
    world.server.set_owner(id, Some(owner)).unwrap();
    world.run(5);
    for frame in 0..600_u16 {
        let transform = world.client(0).get_mut::<NetworkTransformReliable>(id);
        transform.unwrap().position.x = f32::from(frame);
        world.run(1);
    }
    let refused = std::iter::from_fn(|| world.server.poll_event());
    let mut refused = refused.filter(|it| matches!(it, MirrorServerEvent::StateRefused { .. }));
    assert_eq!(refused.next(), None);
}

#[test]
fn endless_positions_of_an_owner_harm_nobody() {
    let mut world = World::new::<Reliable>(SyncDirection::ClientToServer);
    let id = world.spawn::<Reliable>();
    let owner = world.clients[0].0;
    world.server.set_owner(id, Some(owner)).unwrap();
    world.run(5);
    for position in [f32::NAN, f32::INFINITY, f32::MAX, 3.0] {
        let transform = world.client(0).get_mut::<NetworkTransformReliable>(id);
        transform.unwrap().position = Vector3::new(position, position, 0.0);
        world.run(20);
    }
    let place = world.server.identity(id).unwrap().position;
    assert!(place.x.is_finite() && place.y.is_finite(), "{place:?}");
}
