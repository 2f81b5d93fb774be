//! Callbacks, calls, parents and connections together: whatever a callback does, both sides stay right.

use std::cell::RefCell;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{Endpoint, NetworkContext};
use syncvar_testing::Pair;

/// What a unit is told to do when its parent changes, or when it goes.
type Deed = fn(&mut Unit, &mut NetworkContext<'_>, Option<NetId>);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(lifecycle, send_interval = 0)]
struct Unit {
    #[sync_var]
    number: SyncVar<u32>,
    heard: Vec<u32>,
}

/// Has callbacks too, and is another prefab.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Crate {
    #[sync_var]
    weight: SyncVar<u32>,
}

thread_local! {
    static ON_PARENT: RefCell<Option<Deed>> = const { RefCell::new(None) };
    static ON_DESPAWN: RefCell<Option<Deed>> = const { RefCell::new(None) };
    static ON_ORDER: RefCell<Option<fn(&mut NetworkClient)>> = const { RefCell::new(None) };
    static ORDERS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

impl NetworkLifecycle for Unit {
    fn on_parent_changed(
        &mut self,
        ctx: &mut NetworkContext<'_>,
        parent: Option<NetId>,
    ) -> LifecycleResult {
        if let Some(deed) = ON_PARENT.with_borrow(|deed| *deed) {
            deed(self, ctx, parent);
        }
        Ok(())
    }

    fn on_network_despawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if let Some(deed) = ON_DESPAWN.with_borrow(|deed| *deed) {
            deed(self, ctx, None);
        }
        Ok(())
    }
}

#[network_calls]
impl Unit {
    /// On the unreliable channel, which may overtake the other one.
    #[client_rpc(channel = 1)]
    fn order(&mut self, context: &mut CallContext<'_>, number: u32) {
        ORDERS.with_borrow_mut(|orders| orders.push(number));
        self.heard.push(number);
        let deed = ON_ORDER.take();
        if let (Some(deed), Some(client)) = (deed, context.client()) {
            deed(client);
        }
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Unit>("unit")
        .register::<Crate>("crate")
}

fn on_parent(deed: Deed) {
    ON_PARENT.set(Some(deed));
}

fn network() -> MemoryNetwork {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    while net.client_mut(0).poll_event().is_some() {}
    net
}

fn unit(number: u32) -> Unit {
    Unit {
        number: number.into(),
        ..Unit::default()
    }
}

/// Four units, the others below the first.
fn family(net: &mut MemoryNetwork) -> [NetId; 4] {
    let ids = [1, 2, 3, 4].map(|number| net.server.spawn(unit(number)));
    for child in &ids[1..] {
        net.server.set_parent(*child, Some(ids[0])).unwrap();
    }
    net.settle();
    ids
}

/// The parents on the server, after it has been checked that the client has the same.
fn parents<const N: usize>(net: &mut MemoryNetwork, ids: [NetId; N]) -> [Option<NetId>; N] {
    net.settle();
    ids.map(|id| {
        let parent = net.server.identity(id).unwrap().parent();
        let seen = net.client(0).identity(id).unwrap().parent();
        assert_eq!(parent, seen, "{id}");
        parent
    })
}

// checklist: B14
#[test]
fn the_eldest_may_adopt_the_others_when_their_parent_goes() {
    let mut net = network();
    let [parent, eldest, second, third] = family(&mut net);
    on_parent(|unit, ctx, parent| {
        let id = ctx.net_id();
        if let (2, None, Some(server)) = (*unit.number, parent, ctx.server()) {
            for other in [3, 4].map(NetId) {
                server.set_parent(other, Some(id)).unwrap();
            }
        }
    });
    net.server.despawn(parent).unwrap();
    assert_eq!(
        parents(&mut net, [eldest, second, third]),
        [None, Some(eldest), Some(eldest)]
    );
}

// checklist: B14
#[test]
fn gone_object_cannot_become_a_parent() {
    let mut net = network();
    let [parent, first, second, third] = family(&mut net);
    on_parent(|_, ctx, parent| {
        let id = ctx.net_id();
        if let (None, Some(server)) = (parent, ctx.server()) {
            // It wants back.
            assert!(server.set_parent(id, Some(NetId(1))).is_err());
            assert!(server.despawn(NetId(1)).is_err(), "it has been");
        }
    });
    net.server.despawn(parent).unwrap();
    assert_eq!(parents(&mut net, [first, second, third]), [None; 3]);
    assert_eq!(net.server.children(parent).count(), 0);
}

// checklist: B14
#[test]
fn children_can_despawn_each_other_when_their_parent_goes() {
    let mut net = network();
    let [parent, ..] = family(&mut net);
    on_parent(|unit, ctx, parent| {
        let id = ctx.net_id();
        if let (None, Some(server)) = (parent, ctx.server()) {
            server.despawn(id).unwrap();
            if *unit.number == 2 {
                server.despawn(NetId(4)).unwrap();
            }
        }
    });
    net.server.despawn(parent).unwrap();
    net.settle();
    assert_eq!(net.server.object_count(), 0);
    assert_eq!(net.client(0).object_count(), 0);
}

// checklist: B14
#[test]
fn nested_update_during_a_parents_despawn_loses_no_change() {
    let mut net = network();
    let [parent, first, second, third] = family(&mut net);
    on_parent(|unit, ctx, parent| {
        if let (None, Some(server)) = (parent, ctx.server()) {
            *unit.number += 10;
            let later = server.now() + Duration::from_millis(1);
            server.update(later);
            *unit.number += 10;
        }
    });
    net.server.despawn(parent).unwrap();
    assert_eq!(parents(&mut net, [first, second, third]), [None; 3]);
    for (id, number) in [(first, 22), (second, 23), (third, 24)] {
        assert_eq!(net.server.get::<Unit>(id).unwrap().number, number);
        assert_eq!(net.client(0).get::<Unit>(id).unwrap().number, number);
    }
}

/// Returns a pair whose ticks last a second.
fn joined() -> Pair {
    let mut pair = Pair::new(prefabs);
    pair.tick = Duration::from_secs(1);
    pair
}

/// Delivers three orders before their object, then the object.
fn orders_before_spawn(pair: &mut Pair) -> NetId {
    let id = pair.server.spawn(unit(1));
    for number in 1..=3 {
        pair.server.calls::<Unit>(id).order(number).unwrap();
    }
    pair.update_server();
    let packets = pair.server_packets();
    let (orders, spawn): (Vec<_>, Vec<_>) = packets.iter().partition(|packet| packet.is_datagram());
    assert!(!orders.is_empty() && !spawn.is_empty());
    pair.deliver(orders.into_iter().chain(spawn));
    id
}

/// Connects the client of a pair again.
fn connect_anew(pair: &mut Pair) {
    pair.server.handle_disconnect(pair.connection);
    pair.connection = Endpoint::handle_connect(&mut pair.server, syncvar_testing::DATAGRAMS);
    pair.steps(6);
}

// checklist: T55
#[test]
fn held_calls_run_in_order_after_the_spawn() {
    let mut pair = joined();
    let id = orders_before_spawn(&mut pair);
    assert_eq!(pair.client.get::<Unit>(id).unwrap().heard, [1, 2, 3]);
}

// checklist: T55
#[test]
fn no_held_call_runs_after_one_that_has_ended_the_connection() {
    let mut pair = joined();
    ON_ORDER.set(Some(|client| client.disconnect("enough")));
    orders_before_spawn(&mut pair);
    assert_eq!(ORDERS.take(), [1]);
}

// checklist: T55
#[test]
fn held_calls_of_one_connection_are_not_kept_for_the_next() {
    let mut pair = joined();
    ON_ORDER.set(Some(NetworkClient::handle_connect));
    let id = orders_before_spawn(&mut pair);
    assert_eq!(ORDERS.take(), [1]);
    connect_anew(&mut pair);
    assert_eq!(
        ORDERS.take(),
        [0; 0],
        "they were said to another connection"
    );
    assert!(pair.client.get::<Unit>(id).unwrap().heard.is_empty());
}

// checklist: T57
#[test]
fn object_of_a_closed_connection_is_not_reused_for_the_next() {
    let mut pair = joined();
    let id = pair.server.spawn(unit(1));
    pair.steps(6);
    // The server gives the number to something else, while the client does not listen.
    pair.server.set_not_ready(pair.connection);
    pair.steps(6);
    pair.server.despawn(id).unwrap();
    let options = SpawnOptions {
        net_id: Some(id),
        ..SpawnOptions::default()
    };
    pair.server.try_spawn(Crate::default(), options).unwrap();
    ON_DESPAWN.set(Some(|_, ctx, _| {
        ON_DESPAWN.take();
        ctx.client().expect("a client").handle_connect();
    }));
    pair.client.ready();
    pair.up();
    while pair.client.poll_event().is_some() {}
    pair.down();
    let hidden = false;
    assert_eq!(
        pair.events(),
        [ClientEvent::Despawned { object: id, hidden }]
    );
    assert_eq!(pair.client.object_count(), 0);
    connect_anew(&mut pair);
    assert!(pair.client.get::<Crate>(id).is_some());
}
