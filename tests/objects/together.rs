//! Callbacks, calls, parents and connections together: whatever a callback does, both sides stay right.

use std::cell::RefCell;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{Channel, ClientConfig, Endpoint, NetworkContext};

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

/// A server, and a client to which packets are handed by the test.
struct Pair {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    now: Duration,
}

impl Pair {
    fn new() -> Self {
        let mut pair = Self {
            server: NetworkServer::new(prefabs()),
            client: NetworkClient::with_config(prefabs(), ClientConfig::default()),
            connection: ConnectionId(0),
            now: Duration::ZERO,
        };
        Endpoint::handle_connect(&mut pair.client, syncvar_testing::DATAGRAMS);
        pair.connection = Endpoint::handle_connect(&mut pair.server, syncvar_testing::DATAGRAMS);
        pair.exchange();
        pair
    }

    /// What each side has to say arrives, several times.
    fn exchange(&mut self) {
        for _ in 0..6 {
            self.up();
            for (place, packet) in self.packets() {
                let handled = syncvar_testing::arrive(&mut self.client, place, &packet);
                handled.expect("a server's packets make sense");
            }
        }
    }

    /// What the client has to say arrives.
    fn up(&mut self) {
        self.client.update(self.now);
        while let Some(packet) = self.client.poll_transmit() {
            let handled =
                syncvar_testing::arrive_at_server(&mut self.server, self.connection, &packet);
            handled.expect("a client's packets make sense");
        }
    }

    /// The packets of one more update, with their carriers and channels.
    fn packets(&mut self) -> Vec<((Channel, u8), Vec<u8>)> {
        self.now += Duration::from_secs(1);
        self.server.update(self.now);
        let mut packets = Vec::new();
        while let Some(transmit) = self.server.poll_transmit() {
            if transmit.connection == self.connection {
                let place = (transmit.delivery, transmit.channel);
                packets.push((place, transmit.to_bytes().to_vec()));
            }
        }
        packets
    }

    /// Another connection of the same client.
    fn connect_anew(&mut self) {
        self.server.handle_disconnect(self.connection);
        self.connection = Endpoint::handle_connect(&mut self.server, syncvar_testing::DATAGRAMS);
        self.exchange();
    }

    /// Three orders that arrive before their object; then it does.
    fn orders_before_spawn(&mut self) -> NetId {
        let id = self.server.spawn(unit(1));
        for number in 1..=3 {
            self.server.calls::<Unit>(id).order(number).unwrap();
        }
        let (orders, spawn): (Vec<_>, Vec<_>) = self
            .packets()
            .into_iter()
            .partition(|((carrier, _), _)| *carrier == Channel::Unreliable);
        assert!(!orders.is_empty() && !spawn.is_empty());
        for (place, packet) in orders.iter().chain(&spawn) {
            syncvar_testing::arrive(&mut self.client, *place, packet).unwrap();
        }
        id
    }
}

// checklist: T55
#[test]
fn held_calls_run_in_order_after_the_spawn() {
    let mut pair = Pair::new();
    let id = pair.orders_before_spawn();
    assert_eq!(pair.client.get::<Unit>(id).unwrap().heard, [1, 2, 3]);
}

// checklist: T55
#[test]
fn no_held_call_runs_after_one_that_has_ended_the_connection() {
    let mut pair = Pair::new();
    ON_ORDER.set(Some(|client| client.disconnect("enough")));
    pair.orders_before_spawn();
    assert_eq!(ORDERS.take(), [1]);
}

// checklist: T55
#[test]
fn held_calls_of_one_connection_are_not_kept_for_the_next() {
    let mut pair = Pair::new();
    ON_ORDER.set(Some(NetworkClient::handle_connect));
    let id = pair.orders_before_spawn();
    assert_eq!(ORDERS.take(), [1]);
    pair.connect_anew();
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
    let mut pair = Pair::new();
    let id = pair.server.spawn(unit(1));
    pair.exchange();
    // The server gives the number to something else, while the client does not listen.
    pair.server.set_not_ready(pair.connection);
    pair.exchange();
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
    for (place, packet) in pair.packets() {
        syncvar_testing::arrive(&mut pair.client, place, &packet).unwrap();
    }
    let events: Vec<_> = syncvar_testing::events(&mut pair.client).collect();
    let hidden = false;
    assert_eq!(events, [ClientEvent::Despawned { object: id, hidden }]);
    assert_eq!(pair.client.object_count(), 0);
    pair.connect_anew();
    assert!(pair.client.get::<Crate>(id).is_some());
}
