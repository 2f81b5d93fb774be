//! Deadlines, places, queues and shares.

use std::time::Duration;

use bytes::Bytes;
use syncvar::DisconnectReason;
use syncvar::tcp::TransportOptions;
use syncvar_testing::sockets::{counting, filling, idle, soon};
use tokio::time::sleep;

use crate::puppet::{Puppet, READY};
use crate::way::{Running, Way};

pub(crate) async fn silence_before_the_handshake_ends_a_connection(way: Way) {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(300),
        ..TransportOptions::default()
    };
    let server = way.start(options, counting);
    let _mute = Puppet::connect(&server).await;
    server.reaches(|stats| stats.handshake_timeouts, 1).await;
    let mut good = server.join().await;
    server.see_counts(&mut good, 10).await;
    assert_eq!(server.stats().handshake_timeouts, 1);
}

pub(crate) async fn silence_after_the_handshake_ends_a_connection(way: Way) {
    let options = TransportOptions {
        idle_timeout: Duration::from_millis(500),
        ..TransportOptions::default()
    };
    let server = way.start(options, counting);
    let mut silent = Puppet::join(&server).await;
    let answer = silent.read_to_end().await;
    assert!(answer.contains("silent for too long"), "{answer}");
    assert_eq!(server.stats().idle_timeouts, 1);
}

pub(crate) async fn pings_keep_a_connection(way: Way) {
    let options = TransportOptions {
        idle_timeout: Duration::from_secs(3),
        ..TransportOptions::default()
    };
    let mut server = way.start(options, idle);
    let mut quiet = server.join().await;
    let waited = tokio::time::timeout(Duration::from_secs(5), async {
        while quiet.receive().await.is_ok() {}
    });
    assert!(waited.await.is_err(), "connected");
    assert!(!server.has_disconnected());
}

pub(crate) async fn an_address_cannot_take_all_places(way: Way) {
    let options = TransportOptions {
        max_connections_per_address: 2,
        ..TransportOptions::default()
    };
    let server = way.start(options, counting);
    let first = server.join().await;
    let _second = server.join().await;
    assert_eq!(server.stats().refused_address, 0);
    assert!(server.connect(TransportOptions::default()).await.is_err() || way == Way::Tcp);
    server.reaches(|stats| stats.refused_address, 1).await;
    first.disconnect("bye").await;
    rejoin(&server).await;
    assert_eq!(server.stats().accepted, 3);
}

pub(crate) async fn a_full_server_refuses_and_frees_places(way: Way) {
    let options = TransportOptions {
        max_connections: 1,
        ..TransportOptions::default()
    };
    let server = way.start(options, counting);
    let first = server.join().await;
    assert!(server.connect(TransportOptions::default()).await.is_err() || way == Way::Tcp);
    server.reaches(|stats| stats.refused_full, 1).await;
    first.disconnect("bye").await;
    rejoin(&server).await;
    assert_eq!(server.stats().accepted, 2);
}

/// Connects until a place is free.
async fn rejoin(server: &Running) {
    soon(Box::pin(async {
        loop {
            if let Ok(mut again) = server.connect(TransportOptions::default()).await
                && again.next_event().await.is_some()
            {
                return;
            }
        }
    }))
    .await;
}

pub(crate) async fn connections_beyond_the_rate_wait(way: Way) {
    let options = TransportOptions {
        max_accepts_per_second: 4,
        ..TransportOptions::default()
    };
    let server = way.start(options, counting);
    let mut waiting: Vec<_> = (0..6).map(|_| Puppet::begin(&server)).collect();
    soon(async {
        while server.stats().accepted < 6 {
            for puppet in &mut waiting {
                puppet.turn().await;
            }
        }
    })
    .await;
    assert!(server.stats().delayed_accepts > 0);
}

pub(crate) async fn malformed_packets_end_their_connection_with_a_reason(way: Way) {
    let server = way.start(TransportOptions::default(), counting);
    let mut good = server.join().await;
    let mut bad = Puppet::join(&server).await;
    bad.send(vec![0xff; 40]);
    let answer = bad.read_to_end().await;
    assert!(answer.contains("too many invalid"), "{answer}");
    server.see_counts(&mut good, 10).await;
}

pub(crate) async fn a_flood_fills_its_inbox_and_no_more(way: Way) {
    let options = TransportOptions {
        max_inbox_bytes: 16 * 1024,
        ..TransportOptions::default()
    };
    let server = way.start(options, counting);
    let mut good = server.join().await;
    assert_eq!(server.stats().inbox_full, 0);
    let flood = tokio::spawn(Puppet::join(&server).await.flood(Bytes::from_static(READY)));
    server.reaches(|stats| stats.inbox_full, 10).await;
    server.see_counts(&mut good, 50).await;
    assert!(!flood.is_finished());
    flood.abort();
}

pub(crate) async fn input_beyond_the_bytes_of_a_tick_waits(way: Way) {
    let options = TransportOptions {
        max_tick_bytes: 2000,
        ..TransportOptions::default()
    };
    let server = way.start(options, counting);
    let mut good = server.join().await;
    assert_eq!(server.stats().tick_full, 0);
    let flood = tokio::spawn(Puppet::join(&server).await.flood(Bytes::from_static(READY)));
    server.reaches(|stats| stats.tick_full, 10).await;
    server.see_counts(&mut good, 50).await;
    flood.abort();
}

pub(crate) async fn a_client_that_never_reads_is_disconnected_alone(way: Way) {
    let options = TransportOptions {
        // 130 ticks: the other client stands still for a while on a busy machine.
        max_queued_bytes: 4_000_000,
        ..TransportOptions::default()
    };
    let mut server = way.start(options, filling);
    let _stuck = Puppet::join(&server).await;
    let mut good = server.join().await;
    let reason = tokio::select! {
        reason = server.disconnected() => reason,
        () = async { while good.receive().await.is_ok() {} } => panic!("the wrong one"),
    };
    assert_eq!(reason, DisconnectReason::ConnectionLost);
    assert_eq!(server.stats().queue_full, 1);
    server.see_counts(&mut good, 50).await;
}

pub(crate) async fn a_client_that_stops_reading_times_out(way: Way) {
    let options = TransportOptions {
        max_queued_bytes: usize::MAX,
        stall_timeout: Duration::from_millis(300),
        ..TransportOptions::default()
    };
    let mut server = way.start(options, filling);
    let _stuck = Puppet::join(&server).await;
    let reason = server.disconnected().await;
    assert_eq!(reason, DisconnectReason::ConnectionLost);
    // The task of the connection counts.
    server.reaches(|stats| stats.stall_timeouts, 1).await;
    sleep(Duration::from_millis(10)).await;
    assert_eq!(server.stats().stall_timeouts, 1);
}
