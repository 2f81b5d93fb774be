//! Second updates of a tick: without a frame, and so without state on unreliable channels.

use std::time::Duration;

use syncvar::interest::SpatialGrid;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::values::Vector3;
use syncvar::{Budget, ServerConfig};

/// Half a tick of 30 Hz.
const HALF_TICK: Duration = Duration::from_nanos(16_666_667);

/// Object with state on an unreliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Kite {
    #[sync_var]
    height: SyncVar<u32>,
    /// Numbers of the calls, and the heights at that time.
    pulls: Vec<(u32, u32)>,
}

#[network_calls]
impl Kite {
    #[client_rpc]
    fn pull(&mut self, number: u32) {
        self.pulls.push((number, *self.height));
    }
}

/// Object on the reliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Chest {
    #[sync_var]
    content: SyncVar<String>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Kite>("kite")
        .register::<Chest>("chest")
}

/// Way of a client to an object that a second client has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Join,
    Show,
    Area,
}

impl Entry {
    fn leave(self, net: &mut MemoryNetwork, id: NetId) {
        let entering = net.connection(1);
        match self {
            Self::Join => net.server.set_not_ready(entering),
            Self::Show => net.server.hide(id, entering).unwrap(),
            Self::Area => watch(net, 1, 1000.0),
        }
    }

    fn enter(self, net: &mut MemoryNetwork, id: NetId) {
        let entering = net.connection(1);
        match self {
            Self::Join => net.server.set_ready(entering),
            Self::Show => net.server.show(id, entering).unwrap(),
            Self::Area => watch(net, 1, 0.0),
        }
    }
}

/// Moves the eyes of a client.
fn watch(net: &mut MemoryNetwork, client: usize, x: f32) {
    let connection = net.connection(client);
    let grid: &mut SpatialGrid = net.server.interest_mut().unwrap();
    grid.watch(connection, Vector3::new(x, 0.0, 0.0)).unwrap();
}

/// Returns a network with two updates for each tick, and two clients that have a kite.
fn network(datagrams: bool) -> (MemoryNetwork, NetId) {
    let grid = SpatialGrid::xz(10.0, 20.0);
    let (config, link) = (ServerConfig::default(), Conditions::default());
    let mut net = MemoryNetwork::with_interest(prefabs, config, link, grid);
    (net.datagrams, net.tick) = (datagrams, HALF_TICK);
    for client in 0..2 {
        net.connect();
        watch(&mut net, client, 0.0);
    }
    let id = net.server.spawn(Kite::default());
    net.settle();
    (net, id)
}

/// Returns the number of the changes that a client has reported since the last call.
fn changes(net: &mut MemoryNetwork, client: usize) -> usize {
    let events = std::iter::from_fn(|| net.client_mut(client).poll_event());
    let changes = events.filter(|event| matches!(event, ClientEvent::Changed { .. }));
    changes.count()
}

#[test]
fn change_before_an_entry_arrives_once() {
    for entry in [Entry::Join, Entry::Show, Entry::Area] {
        for (datagrams, phase) in [(false, 0), (false, 1), (true, 0), (true, 1)] {
            let at = format!("{entry:?}, datagrams: {datagrams}, phase {phase}");
            let (mut net, id) = network(datagrams);
            entry.leave(&mut net, id);
            net.settle();
            (0..phase).for_each(|_| net.step());
            changes(&mut net, 1);
            net.server.get_mut::<Kite>(id).unwrap().height.set(5);
            entry.enter(&mut net, id);
            net.settle();
            assert_eq!(net.client(1).get::<Kite>(id).unwrap().height, 5, "{at}");
            assert_eq!(changes(&mut net, 1), 0, "{at}");
            assert_eq!(changes(&mut net, 0), 1, "{at}");
            net.assert_replicas_equal();
        }
    }
}

/// A program that catches up with its ticks, and whose transport polls behind all of them.
#[test]
fn updates_without_a_poll_between_them_lose_no_change() {
    for entry in [Entry::Join, Entry::Show, Entry::Area] {
        let (mut net, id) = network(true);
        entry.leave(&mut net, id);
        net.settle();
        changes(&mut net, 0);
        let begin = net.now();
        entry.enter(&mut net, id);
        for step in 1..=4 {
            net.server.get_mut::<Kite>(id).unwrap().height.set(step);
            net.server.update(begin + HALF_TICK * 2 * step);
        }
        net.tick = HALF_TICK * 10;
        net.step();
        net.tick = HALF_TICK;
        net.settle();
        for client in 0..2 {
            let kite = net.client(client).get::<Kite>(id).unwrap();
            assert_eq!(kite.height, 4, "{entry:?}, client {client}");
        }
        net.assert_replicas_equal();
    }
}

#[test]
fn call_behind_a_show_follows_the_snapshot() {
    for phase in 0..2 {
        let (mut net, id) = network(true);
        Entry::Show.leave(&mut net, id);
        net.settle();
        (0..phase).for_each(|_| net.step());
        net.server.get_mut::<Kite>(id).unwrap().height.set(5);
        Entry::Show.enter(&mut net, id);
        net.server.calls::<Kite>(id).pull(1).unwrap();
        net.settle();
        let kite = net.client(1).get::<Kite>(id).unwrap();
        assert_eq!(kite.pulls, [(1, 5)], "{phase}");
    }
}

#[test]
fn object_hidden_before_its_frame_never_arrives() {
    for entry in [Entry::Show, Entry::Area] {
        let (mut net, id) = network(true);
        entry.leave(&mut net, id);
        net.settle();
        for _ in 0..4 {
            net.server.get_mut::<Kite>(id).unwrap().height += 1;
            entry.enter(&mut net, id);
            net.step();
            entry.leave(&mut net, id);
            net.step();
        }
        net.settle();
        assert!(net.client(1).identity(id).is_none(), "{entry:?}");
        entry.enter(&mut net, id);
        net.settle();
        net.assert_replicas_equal();
    }
}

/// The rest of a backlog is sent with the second update of a tick, which the client does not report again.
#[test]
fn world_at_rest_behind_a_budget_ends_with_a_complete_tick() {
    for (budget, phase) in [(20, 0), (20, 1), (40, 0), (40, 1), (90, 0), (90, 1)] {
        let (mut net, _) = network(false);
        let chests: Vec<_> = (0..3).map(|_| net.server.spawn(Chest::default())).collect();
        net.settle();
        let budget = Budget::new(budget);
        net.server
            .set_budget(net.connection(0), Some(budget))
            .unwrap();
        (0..phase).for_each(|_| net.step());
        for (length, id) in [100, 30, 5].into_iter().zip(chests) {
            let content = "x".repeat(length);
            net.server
                .get_mut::<Chest>(id)
                .unwrap()
                .content
                .set(content);
        }
        net.settle();
        let mut last = None;
        while let Some(event) = net.client_mut(0).poll_event() {
            if let ClientEvent::Tick { complete, .. } = event {
                last = Some(complete);
            }
        }
        assert_eq!(last, Some(true), "{budget:?}, phase {phase}");
        net.assert_replicas_equal();
    }
}
