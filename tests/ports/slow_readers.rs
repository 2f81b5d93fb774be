//! Slow readers: unreliable state waits in the server, reliable state in the queue.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::tcp::TransportOptions;
use syncvar_testing::sockets::{Mover, Objects, soon};
use tokio::time::sleep;

use crate::way::{MOVERS, Way};

/// Returns options with a queue for a fraction of a second of the state that [`march`] writes.
fn options() -> TransportOptions {
    TransportOptions {
        max_queued_bytes: 400_000,
        ..TransportOptions::default()
    }
}

/// Returns a game that writes 20 kB of unreliable state in each tick, up to a tick.
fn march(last: u32) -> impl FnMut(&mut NetworkServer, &Objects) + Send + 'static {
    let mut step = 0;
    move |server, objects| {
        if step == last {
            return;
        }
        step += 1;
        for id in &objects.movers {
            let mut mover = server.get_mut::<Mover>(*id).unwrap();
            mover.x.set(step);
            mover.text.set(format!("{step:0500}"));
        }
    }
}

pub(crate) async fn unreliable_state_for_a_slow_reader_is_held(way: Way) {
    let mut server = way.start(options(), march(u32::MAX));
    let mut good = server.join().await;
    let mut slow = server.join().await;
    let first = server.movers[0];
    let x = |peer: &syncvar::transport::NetworkPeer| *peer.client().get::<Mover>(first).unwrap().x;
    let start = x(&good);
    // 8 MB of changes, of which the slow one reads none.
    soon(async {
        while x(&good) < start + 400 {
            good.receive().await.unwrap();
        }
    })
    .await;
    assert!(!server.has_disconnected());
    let stats = server.stats();
    assert_eq!(stats.queue_full, 0);
    // Datagrams are lost instead, or withheld without acknowledgements.
    assert_eq!(stats.slow_readers > 0, way.is_stream());
    // It reads again: what was queued, then the present.
    let now = x(&good);
    assert!(x(&slow) < now);
    soon(async {
        while x(&slow) < now {
            tokio::select! {
                received = slow.receive() => received.unwrap(),
                received = good.receive() => received.unwrap(),
            }
        }
    })
    .await;
    assert!(!server.has_disconnected());
}

pub(crate) async fn a_slow_reader_catches_up(way: Way) {
    let last = 300;
    let mut server = way.start(options(), march(last));
    let mut slow = server.join().await;
    for _ in 0..15 {
        sleep(Duration::from_millis(100)).await;
        // A few packets at a time.
        for _ in 0..3 {
            let _ = tokio::time::timeout(Duration::from_millis(1), slow.receive()).await;
        }
    }
    let movers = server.movers.clone();
    let client = |peer: &syncvar::transport::NetworkPeer| {
        let of = |id: &NetId| *peer.client().get::<Mover>(*id).unwrap().x == last;
        movers.iter().filter(|id| of(id)).count()
    };
    soon(async {
        while client(&slow) < usize::try_from(MOVERS).unwrap() {
            slow.receive().await.unwrap();
        }
    })
    .await;
    let text = format!("{last:0500}");
    let replica = |id: &NetId| slow.client().get::<Mover>(*id).unwrap();
    assert!(movers.iter().all(|id| replica(id).text == text));
    assert!(!server.has_disconnected());
}
