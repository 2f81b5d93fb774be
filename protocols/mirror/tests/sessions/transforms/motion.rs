//! Positions reach the other ends, smoothly and in both directions.

use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::components::{
    Hybrid, NetworkTransform, NetworkTransformReliable, Reliable, TransformMethod,
    TransformSettings, Unreliable,
};
use syncvar::mirror::message::Message;
use syncvar::mirror::{
    Component, MirrorPrefab, MirrorPrefabs, MirrorServerConfig, MirrorServerEvent, SyncDirection,
};
use syncvar::prelude::*;
use syncvar::values::{Quaternion, Vector3};

use syncvar_testing::mirror::{MirrorNetwork, Quality};

const STEP: f32 = 0.125;

/// Stands beside the transform on the object.
#[derive(NetworkBehaviour, Default)]
struct Tank {
    #[sync_var]
    fuel: SyncVar<u32>,
}

fn tank<M: TransformMethod>() -> (Tank, NetworkTransform<M>) {
    let settings = TransformSettings {
        sync_scale: true,
        ..TransformSettings::default()
    };
    (Tank::default(), NetworkTransform::new(settings))
}

/// Returns a server and two clients with frames of 1/60 s.
fn network<M: TransformMethod>(direction: SyncDirection) -> MirrorNetwork {
    let prefabs = move || {
        let component = Component::new().sync_direction(direction);
        let prefab = MirrorPrefab::new("Tank", 1001.into()).component(1, component);
        MirrorPrefabs::new().register_with(prefab, tank::<M>)
    };
    let mut net = MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default());
    net.frame_time = Duration::from_secs(1) / 60;
    net.connect();
    net.connect();
    run(&mut net, 3);
    net
}

fn run(net: &mut MirrorNetwork, frames: u32) {
    (0..frames).for_each(|_| net.shown_frame(|_| {}));
}

/// Returns the position at a client.
fn seen<M: TransformMethod>(net: &MirrorNetwork, index: usize, id: NetId) -> Vector3 {
    net.seen::<NetworkTransform<M>>(net.nth(index), id).position
}

fn on_server<M: TransformMethod>(net: &MirrorNetwork, id: NetId) -> Vector3 {
    net.server.get::<NetworkTransform<M>>(id).unwrap().position
}

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
    let mut net = network::<M>(SyncDirection::ServerToClient);
    let id = net.server.spawn(tank::<M>());
    run(&mut net, 5);
    let mut last = 0.0;
    for _ in 0..60 {
        let mut transform = net.server.get_mut::<NetworkTransform<M>>(id).unwrap();
        transform.position.x += STEP;
        drop(transform);
        run(&mut net, 1);
        let x = seen::<M>(&net, 0, id).x;
        assert!(
            (0.0..1.6 * STEP).contains(&(x - last)),
            "a step from {last} to {x}"
        );
        last = x;
    }
    run(&mut net, 90);
    for client in 0..2 {
        near(seen::<M>(&net, client, id), [60.0 * STEP, 0.0, 0.0]);
    }
    // A resting object is silent, and whoever comes late sees it in its place.
    net.connect();
    run(&mut net, 30);
    near(seen::<M>(&net, 2, id), [60.0 * STEP, 0.0, 0.0]);
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

/// Changes and orders the packets of a frame to a client.
type Change = fn(&mut Vec<(Channel, Vec<u8>)>);

/// Moves a hybrid transform for five seconds, and returns the largest difference between a step of the server and one
/// that a client shows: the first two from the start, later ones in the last second. An action precedes each frame.
fn uneven_steps(
    net: &mut MirrorNetwork,
    change: Change,
    act: impl Fn(&mut MirrorNetwork, u32),
) -> f32 {
    let id = net.server.spawn(tank::<Hybrid>());
    (0..5).for_each(|_| net.shown_frame(change));
    let (mut last, mut largest) = (Vec::<f32>::new(), 0.0_f32);
    for frame in 0..300 {
        act(net, frame);
        let mut transform = net.server.get_mut::<NetworkTransform<Hybrid>>(id).unwrap();
        transform.position.x += STEP;
        drop(transform);
        net.shown_frame(change);
        let shown = net.clients.values().map(|client| {
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
    let mut net = network::<Hybrid>(SyncDirection::ServerToClient);
    let uneven = uneven_steps(&mut net, as_of_mirror, |_, _| {});
    assert!(uneven < 0.5 * STEP, "{uneven}");
}

#[test]
fn reordered_deltas_and_baselines_keep_a_transform_on_its_way() {
    let mut net = network::<Hybrid>(SyncDirection::ServerToClient);
    net.quality(Quality {
        lost: 5,
        twice: 10,
        delay: 4,
        ..Quality::default()
    });
    // Five seconds with as many baselines; a delay of four frames may gather eight steps in one.
    let uneven = uneven_steps(&mut net, as_of_mirror, |_, _| {});
    assert!(uneven < 8.0 * STEP, "{uneven}");
}

/// Clients join in the given frames: the transforms of other clients move evenly.
#[track_caller]
fn assert_joins_move_no_transform(joins: [&[u32]; 2]) {
    for frames in joins {
        let mut net = network::<Hybrid>(SyncDirection::ServerToClient);
        let uneven = uneven_steps(
            &mut net,
            |_| {},
            |net, frame| {
                if frames.contains(&frame) {
                    net.connect();
                }
            },
        );
        assert!(uneven < 0.5 * STEP, "{uneven} by joins in {frames:?}");
    }
}

#[test]
fn joining_client_moves_no_hybrid_transform_of_others() {
    assert_joins_move_no_transform([&[90], &[70, 71, 110]]);
}

/// The first baseline is due in frame 60.
#[test]
fn client_that_joins_before_the_first_baseline_moves_no_transform_of_others() {
    assert_joins_move_no_transform([&[20], &[18, 30, 31, 50]]);
}

fn owner_moves<M: TransformMethod>() {
    let mut net = network::<M>(SyncDirection::ClientToServer);
    let id = net.server.spawn(tank::<M>());
    let owner = net.nth(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    run(&mut net, 5);
    for _ in 0..40 {
        let transform = net.client(net.nth(0)).get_mut::<NetworkTransform<M>>(id);
        transform.unwrap().position.z -= STEP;
        run(&mut net, 1);
    }
    run(&mut net, 90);
    near(on_server::<M>(&net, id), [0.0, 0.0, -40.0 * STEP]);
    near(seen::<M>(&net, 1, id), [0.0, 0.0, -40.0 * STEP]);
    near(seen::<M>(&net, 0, id), [0.0, 0.0, -40.0 * STEP]);

    // Another owner goes on from there.
    let other = net.nth(1);
    net.server.set_owner(id, Some(other)).unwrap();
    run(&mut net, 30);
    for _ in 0..40 {
        let transform = net.client(net.nth(1)).get_mut::<NetworkTransform<M>>(id);
        transform.unwrap().position.x += STEP;
        run(&mut net, 1);
    }
    run(&mut net, 90);
    near(on_server::<M>(&net, id), [40.0 * STEP, 0.0, -40.0 * STEP]);
    near(seen::<M>(&net, 0, id), [40.0 * STEP, 0.0, -40.0 * STEP]);
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
    let mut net = network::<Reliable>(SyncDirection::ServerToClient);
    let id = net.server.spawn(tank::<Reliable>());
    run(&mut net, 20);
    let target = Vector3::new(100.0, 0.0, 0.0);
    let calls = net.server.calls::<NetworkTransformReliable>(id);
    calls
        .teleport_and_turn(target, Quaternion::IDENTITY)
        .unwrap();
    near(on_server::<Reliable>(&net, id), [100.0, 0.0, 0.0]);
    for _ in 0..60 {
        run(&mut net, 1);
        near(seen::<Reliable>(&net, 0, id), [100.0, 0.0, 0.0]);
    }
}

#[test]
fn owner_teleports_and_others_may_not() {
    let mut net = network::<Unreliable>(SyncDirection::ClientToServer);
    let id = net.server.spawn(tank::<Unreliable>());
    let owner = net.nth(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    run(&mut net, 20);
    let target = Vector3::new(0.0, 50.0, 0.0);
    let calls = net
        .client(net.nth(0))
        .calls::<NetworkTransform<Unreliable>>(id);
    calls.teleport(target).unwrap();
    let refused = net
        .client(net.nth(1))
        .calls::<NetworkTransform<Unreliable>>(id);
    refused.teleport(Vector3::default()).unwrap_err();
    run(&mut net, 60);
    near(on_server::<Unreliable>(&net, id), [0.0, 50.0, 0.0]);
    near(seen::<Unreliable>(&net, 1, id), [0.0, 50.0, 0.0]);
}

#[test]
fn transform_and_own_behaviour_share_an_object() {
    let mut net = network::<Hybrid>(SyncDirection::ServerToClient);
    let id = net.server.spawn(tank::<Hybrid>());
    run(&mut net, 5);
    net.server.get_mut::<Tank>(id).unwrap().fuel.set(7);
    let mut transform = net.server.get_mut::<NetworkTransform<Hybrid>>(id).unwrap();
    transform.scale = Vector3::new(2.0, 2.0, 2.0);
    drop(transform);
    run(&mut net, 30);
    let client = net.client(net.nth(0));
    assert_eq!(client.get::<Tank>(id).unwrap().fuel, 7);
    let scale = client.get::<NetworkTransform<Hybrid>>(id).unwrap().scale;
    near(scale, [2.0, 2.0, 2.0]);
}

#[test]
fn resting_transform_sends_nothing() {
    let mut net = network::<Reliable>(SyncDirection::ServerToClient);
    net.server.spawn(tank::<Reliable>());
    run(&mut net, 60);
    let states = net.server.stats().states.messages;
    run(&mut net, 60);
    assert_eq!(net.server.stats().states.messages, states);
}

#[test]
fn owner_that_never_rests_is_not_refused() {
    let mut net = network::<Reliable>(SyncDirection::ClientToServer);
    let id = net.server.spawn(tank::<Reliable>());
    let owner = net.nth(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    run(&mut net, 5);
    for frame in 0..600_u16 {
        let transform = net
            .client(net.nth(0))
            .get_mut::<NetworkTransformReliable>(id);
        transform.unwrap().position.x = f32::from(frame);
        run(&mut net, 1);
    }
    let refused = std::iter::from_fn(|| net.server.poll_event());
    let mut refused = refused.filter(|it| matches!(it, MirrorServerEvent::StateRefused { .. }));
    assert_eq!(refused.next(), None);
}

#[test]
fn endless_positions_of_an_owner_harm_nobody() {
    let mut net = network::<Reliable>(SyncDirection::ClientToServer);
    let id = net.server.spawn(tank::<Reliable>());
    let owner = net.nth(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    run(&mut net, 5);
    for position in [f32::NAN, f32::INFINITY, f32::MAX, 3.0] {
        let transform = net
            .client(net.nth(0))
            .get_mut::<NetworkTransformReliable>(id);
        transform.unwrap().position = Vector3::new(position, position, 0.0);
        run(&mut net, 20);
    }
    let place = net.server.identity(id).unwrap().position;
    assert!(place.x.is_finite() && place.y.is_finite(), "{place:?}");
}
