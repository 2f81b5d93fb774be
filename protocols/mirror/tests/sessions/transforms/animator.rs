//! Parameters, states, triggers and speed of an animator reach the other ends.

use syncvar::mirror::components::{
    AnimatorLayer, AnimatorState, AnimatorTrigger, AnimatorValue, NetworkAnimator, animator_hash,
};
use syncvar::mirror::{Component, MirrorPrefab, MirrorPrefabs, MirrorServerConfig, SyncDirection};
use syncvar::prelude::*;
use syncvar_testing::mirror::MirrorNetwork;

const IDLE: AnimatorState = AnimatorState {
    hash: 100,
    normalized_time: 0.0,
};
const RUN: AnimatorState = AnimatorState {
    hash: 200,
    normalized_time: 0.25,
};

fn animator() -> NetworkAnimator {
    let parameters = [
        AnimatorValue::Float(0.0),
        AnimatorValue::Int(0),
        AnimatorValue::Trigger,
    ];
    NetworkAnimator::new(parameters, [AnimatorLayer::new(IDLE)])
}

/// Returns a server with an animator, and two clients.
fn network(direction: SyncDirection) -> (MirrorNetwork, NetId) {
    let prefabs = move || {
        let component = Component::new().sync_direction(direction);
        let prefab = MirrorPrefab::new("Ann", 1001.into()).component(0, component);
        MirrorPrefabs::new().register_with(prefab, animator)
    };
    let mut net = MirrorNetwork::of_observers(prefabs, MirrorServerConfig::default());
    let id = net.server.spawn(animator());
    net.connect();
    net.connect();
    net.frames(5);
    (net, id)
}

fn check_client(net: &mut MirrorNetwork, index: usize, id: NetId) {
    let client = net.client(net.nth(index));
    check(&mut client.get_mut::<NetworkAnimator>(id).unwrap());
}

/// Does everything that an animator can do.
fn act(animator: &mut NetworkAnimator) {
    animator.parameters_mut()[0] = AnimatorValue::Float(2.5);
    animator.parameters_mut()[1] = AnimatorValue::Int(-3);
    animator.layers_mut()[0] = AnimatorLayer {
        weight: 0.5,
        ..AnimatorLayer::new(RUN)
    };
    animator.speed = 1.5;
    animator.set_trigger(animator_hash("Jump"));
}

fn check(animator: &mut NetworkAnimator) {
    let values = [
        AnimatorValue::Float(2.5),
        AnimatorValue::Int(-3),
        AnimatorValue::Trigger,
    ];
    assert_eq!(animator.parameters(), values);
    assert_eq!(animator.layers()[0].state, RUN);
    assert_eq!((animator.layers()[0].weight, animator.speed), (0.5, 1.5));
    let jump = AnimatorTrigger::Set(animator_hash("Jump"));
    assert_eq!(animator.poll_trigger(), Some(jump));
    assert_eq!(animator.poll_trigger(), None);
}

#[test]
fn animator_of_the_server_plays_at_clients() {
    let (mut net, id) = network(SyncDirection::ServerToClient);
    act(&mut net.server.get_mut::<NetworkAnimator>(id).unwrap());
    net.frames(5);
    check_client(&mut net, 0, id);
    check_client(&mut net, 1, id);
}

/// Returns an animator that the first client owns, after a client has changed its replica.
fn owned_after_act_of(client: usize) -> (MirrorNetwork, NetId) {
    let (mut net, id) = network(SyncDirection::ClientToServer);
    let owner = net.nth(0);
    net.server.set_owner(id, Some(owner)).unwrap();
    net.frames(5);
    act(&mut net.client(net.nth(client)).get_mut(id).unwrap());
    net.frames(5);
    (net, id)
}

#[test]
fn animator_of_an_owner_plays_at_all() {
    let (mut net, id) = owned_after_act_of(0);
    check(&mut net.server.get_mut::<NetworkAnimator>(id).unwrap());
    check_client(&mut net, 1, id);
    // The owner's own trigger, and no echo of it.
    check_client(&mut net, 0, id);
}

#[test]
fn animator_of_a_stranger_is_not_believed() {
    let (net, id) = owned_after_act_of(1);
    let animator = net.server.get::<NetworkAnimator>(id).unwrap();
    assert_eq!(animator.parameters()[0], AnimatorValue::Float(0.0));
    assert!((animator.speed - 1.0).abs() < 1e-6);
}
