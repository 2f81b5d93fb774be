//! Chains of parents of any depth.

use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar_testing::{Door, prefabs};

#[test]
fn cost_of_a_chain_of_parents_is_linear() {
    /// Children and parents of a chain of this length, in the order of assignment.
    type Parents = fn(u32) -> Box<dyn Iterator<Item = (u32, u32)>>;

    let orders: [Parents; 3] = [
        |length| Box::new((1..length).map(|child| (child, child - 1))),
        |length| Box::new((1..length).rev().map(|child| (child, child - 1))),
        |length| {
            let pairs = (1..length).step_by(2).map(|child| (child, child - 1));
            let links = (2..length).step_by(2).map(|child| (child, child - 1));
            Box::new(pairs.chain(links))
        },
    ];
    for order in orders {
        let short = time_of_chain(2_000, order).max(Duration::from_millis(20));
        let long = time_of_chain(20_000, order);
        assert!(
            long < 40 * short,
            "{short:?} for 2 000, {long:?} for 20 000"
        );
    }

    /// Time to build, settle and join a chain. The chain grows at the bottom, at the top, or from pairs.
    fn time_of_chain(length: u32, parents: Parents) -> Duration {
        let begin = Instant::now();
        let mut net = MemoryNetwork::pair(prefabs);
        net.settle();
        let first = net.server.spawn(Door::default()).0;
        for _ in 1..length {
            net.server.spawn(Door::default());
        }
        net.settle();
        for (child, parent) in parents(length) {
            let parent = Some(NetId(first + parent));
            net.server.set_parent(NetId(first + child), parent).unwrap();
        }
        net.settle();
        net.connect();
        net.settle();
        let last = NetId(first + length - 1);
        for client in 0..2 {
            let depth = net.client(client).ancestors(last).count();
            assert_eq!(depth, (length - 1) as usize);
        }
        begin.elapsed()
    }
}

#[test]
fn circle_in_a_deep_chain_is_refused() {
    let mut net = MemoryNetwork::pair(prefabs);
    let ids: Vec<_> = (0..20_000)
        .map(|_| net.server.spawn(Door::default()))
        .collect();
    for pair in ids.windows(2) {
        net.server.set_parent(pair[1], Some(pair[0])).unwrap();
    }
    assert!(net.server.set_parent(ids[0], Some(ids[19_999])).is_err());
    assert!(
        net.server
            .set_parent(ids[9_000], Some(ids[19_000]))
            .is_err()
    );
    assert!(net.server.set_parent(ids[19_000], Some(ids[9_000])).is_ok());
    let ancestors = |id| net.server.ancestors(id).count();
    assert_eq!(
        (ancestors(ids[19_999]), ancestors(ids[18_999])),
        (10_000, 18_999)
    );
}
