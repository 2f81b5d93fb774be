//! What costs nothing.

use std::time::Duration;

use allocation_counter::measure;
use syncvar::prelude::*;
use syncvar::{
    Framing,
    interest::{GroupTags, SpatialGrid, Tag},
    values::Quaternion,
};

use crate::sight::{HERE, at, network, options_at};
use syncvar_testing::Player;

#[test]
fn movement_within_a_cell_sends_and_allocates_no_bytes() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let tags = GroupTags::new(SpatialGrid::xz(10.0, 10.0));
        let mut net = network(&[dialect], 3, tags);
        let connections: Vec<_> = net.server.connections().collect();
        let ids: Vec<_> = (0..50)
            .map(|i| {
                let spawned = net
                    .server
                    .try_spawn(Player::new(i, "Ann"), options_at(HERE));
                spawned.expect("it is registered")
            })
            .collect();
        let stroll = |server: &mut NetworkServer, x: f32| {
            for id in &ids {
                server
                    .set_transform(*id, at(x), Quaternion::IDENTITY)
                    .unwrap();
            }
            let tags: &mut GroupTags<SpatialGrid> = server.interest_mut().expect("group tags");
            for (number, connection) in (0..).zip(&connections) {
                tags.inner_mut().watch(*connection, at(x)).unwrap();
                tags.join(*connection, Tag(number)).unwrap();
            }
        };
        stroll(&mut net.server, HERE);
        net.settle();
        stroll(&mut net.server, HERE + 1.0);
        net.settle();
        let sent = net.server.stats().sent;
        let mut now = net.now();
        let allocated = measure(|| {
            for x in [1.0_f32, 9.0, 10.5, -0.5] {
                now += Duration::from_millis(50);
                stroll(&mut net.server, x);
                net.server.update(now);
                assert!(net.server.poll_transmit().is_none());
            }
        });
        assert_eq!(allocated.count_total, 0);
        assert_eq!(net.server.stats().sent, sent);
    }
}
