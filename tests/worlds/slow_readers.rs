//! Connections by a stream whose transport holds their state back.

use syncvar::prelude::*;
use syncvar::{Budget, Endpoint, ServerConfig, testing::Conditions};

/// Object with state on an unreliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Mover {
    #[sync_var(hook = on_x_changed)]
    x: SyncVar<u32>,
    #[sync_var]
    path: SyncList<u32>,
    seen: Vec<u32>,
}

impl Mover {
    fn on_x_changed(&mut self, _: u32) {
        self.seen.push(*self.x);
    }
}

#[network_calls]
impl Mover {
    #[client_rpc(unreliable)]
    fn flash(&mut self, number: u32) {
        self.seen.push(1000 + number);
    }
}

/// Object with state on the reliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Door {
    #[sync_var]
    open: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Mover>("mover")
        .register::<Door>("door")
}

/// Returns a network with a client by a stream, and an object of each kind.
fn network() -> (MemoryNetwork, NetId, NetId) {
    let mut net = MemoryNetwork::new(prefabs);
    net.ping_interval = std::time::Duration::ZERO;
    net.connect();
    let (mover, door) = (
        net.server.spawn(Mover::default()),
        net.server.spawn(Door::default()),
    );
    net.settle();
    (net, mover, door)
}

fn hold(net: &mut MemoryNetwork, held: bool) {
    let link = net.connection(0);
    net.server.hold_state(link, held);
}

fn mover(net: &MemoryNetwork, id: NetId) -> &Mover {
    net.client(0).get(id).unwrap()
}

#[test]
fn held_state_arrives_once_with_its_present_values() {
    let (mut net, id, door) = network();
    hold(&mut net, true);
    for step in 1..=100 {
        let mut changed = net.server.get_mut::<Mover>(id).unwrap();
        changed.x.set(step);
        changed.path.push(step);
        drop(changed);
        net.server.get_mut::<Door>(door).unwrap().open.set(step);
        net.step();
        // Reliable state is not held.
        assert_eq!(net.client(0).get::<Door>(door).unwrap().open, step);
        assert_eq!(mover(&net, id).seen, [0; 0]);
    }
    hold(&mut net, false);
    net.settle();
    assert_eq!(mover(&net, id).seen, [100]);
    assert_eq!(mover(&net, id).path.len(), 100);
    net.assert_replicas_equal();
}

#[test]
fn held_state_takes_no_bytes_and_no_backlog() {
    let (mut net, id, _) = network();
    hold(&mut net, true);
    let received = |net: &MemoryNetwork| net.client(0).stats().received.bytes;
    let before = received(&net);
    for step in 1..=20 {
        net.server.get_mut::<Mover>(id).unwrap().x.set(step);
        net.step();
    }
    assert_eq!(received(&net), before);
    let connection = net.connection(0);
    let stats = net.server.connection_stats(connection).unwrap();
    assert_eq!(stats.backlog, 0);
    hold(&mut net, false);
    let stats = net.server.connection_stats(connection).unwrap();
    assert_eq!(stats.backlog, 1);
    net.settle();
    net.assert_replicas_equal();
}

/// Returns whether each tick that the client has reported since the last call is complete.
fn complete(net: &mut MemoryNetwork) -> Vec<bool> {
    let events = std::iter::from_fn(|| net.client_mut(0).poll_event());
    let ticks = events.filter_map(|event| match event {
        ClientEvent::Tick { complete, .. } => Some(complete),
        _ => None,
    });
    ticks.collect()
}

#[test]
fn hold_without_held_state_ends_with_a_complete_tick() {
    let (mut net, _, door) = network();
    hold(&mut net, true);
    net.server.get_mut::<Door>(door).unwrap().open.set(1);
    net.settle();
    assert_eq!(complete(&mut net).last(), Some(&false));
    hold(&mut net, false);
    net.settle();
    assert_eq!(complete(&mut net), [true]);
    net.settle();
    assert_eq!(complete(&mut net), [false; 0]);
}

#[test]
fn ticks_without_their_state_are_incomplete() {
    let (mut net, id, door) = network();
    hold(&mut net, true);
    while net.client_mut(0).poll_event().is_some() {}
    net.server.get_mut::<Mover>(id).unwrap().x.set(1);
    net.server.get_mut::<Door>(door).unwrap().open.set(1);
    net.step();
    net.step();
    assert_eq!(complete(&mut net).first(), Some(&false));
    hold(&mut net, false);
    net.settle();
    assert_eq!(complete(&mut net).last(), Some(&true));
}

#[test]
fn calls_to_a_held_connection_are_lost() {
    let (mut net, id, _) = network();
    net.server.calls::<Mover>(id).flash(1).unwrap();
    net.settle();
    assert_eq!(mover(&net, id).seen, [1001]);
    hold(&mut net, true);
    net.server.calls::<Mover>(id).flash(2).unwrap();
    let to = Target::One(net.connection(0));
    net.server.calls::<Mover>(id).to(to).flash(3).unwrap();
    net.settle();
    assert_eq!(mover(&net, id).seen, [1001]);
}

#[test]
fn a_connection_that_joins_while_it_is_held_has_all_state() {
    let (mut net, id, _) = network();
    hold(&mut net, true);
    net.server.get_mut::<Mover>(id).unwrap().x.set(5);
    net.step();
    let connection = net.connection(0);
    net.server.set_not_ready(connection);
    net.settle();
    net.client_mut(0).ready();
    net.settle();
    assert_eq!(mover(&net, id).x, 5);
    net.server.get_mut::<Mover>(id).unwrap().x.set(6);
    net.settle();
    assert_eq!(mover(&net, id).x, 5);
    hold(&mut net, false);
    net.settle();
    assert_eq!(mover(&net, id).x, 6);
}

#[test]
fn a_budget_holds_reliable_state_and_the_transport_the_rest() {
    let (mut net, id, door) = network();
    let connection = net.connection(0);
    net.server
        .set_budget(connection, Some(Budget::new(500)))
        .unwrap();
    hold(&mut net, true);
    for step in 1..=10 {
        net.server.get_mut::<Mover>(id).unwrap().x.set(step);
        net.server.get_mut::<Door>(door).unwrap().open.set(step);
        net.step();
    }
    assert_eq!(net.client(0).get::<Door>(door).unwrap().open, 10);
    assert_eq!(mover(&net, id).x, 0);
    hold(&mut net, false);
    net.settle();
    assert_eq!(mover(&net, id).seen, [10]);
    net.assert_replicas_equal();
}

#[test]
fn datagrams_have_their_own_rule() {
    let mut net =
        MemoryNetwork::with_config(prefabs, ServerConfig::default(), Conditions::default());
    net.datagrams = true;
    net.connect();
    let id = net.server.spawn(Mover::default());
    net.settle();
    hold(&mut net, true);
    net.server.get_mut::<Mover>(id).unwrap().x.set(1);
    net.settle();
    assert_eq!(mover(&net, id).x, 1);
}
