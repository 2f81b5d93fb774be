//! Limits of bytes and messages, for streams and KCP: each is reached, and half of it meets no limit.

use std::time::Duration;

use super::support::*;
use crate::{TransportOptions, TransportStats};
use syncvar_runtime::Channel;
use tokio::time::sleep;

/// Limits that half of a test's traffic must not reach.
fn options() -> TransportOptions {
    TransportOptions {
        max_connections: 2,
        max_connections_per_address: 2,
        max_accepts_per_second: 8,
        max_hellos_per_address: 2,
        max_packet: 2000,
        max_queued_packets: 16,
        max_inbox_bytes: 16_000,
        max_inbox_total: 64_000,
        max_tick_bytes: 16_000,
        max_queued_bytes: 200_000,
        handshake_timeout: Duration::from_millis(400),
        idle_timeout: Duration::from_millis(400),
        stall_timeout: Duration::from_millis(400),
        silence_timeout: Duration::from_secs(2),
        ..TransportOptions::mirror()
    }
}

#[tokio::test]
async fn traffic_of_half_the_limits_meets_none() {
    for kind in BOTH {
        let server = Running::start(&[kind], options());
        let mut player = server.join(kind).await;
        for _ in 0..10 {
            for channel in [Channel::Reliable, Channel::Unreliable] {
                for _ in 0..4 {
                    say(&mut player, channel, vec![1; 900]);
                }
            }
            for _ in 0..8 {
                let seen = next(&mut player).await;
                assert!(matches!(seen, Seen::Message(..)), "{kind:?}: {seen:?}");
            }
            sleep(Duration::from_millis(150)).await;
        }
        server
            .ask(|server| {
                for _ in 0..90 {
                    server.send(server.connections[0], Channel::Reliable, vec![1; 900]);
                }
            })
            .await;
        for _ in 0..90 {
            let seen = next(&mut player).await;
            assert!(matches!(seen, Seen::Message(..)), "{kind:?}: {seen:?}");
        }
        let expected = TransportStats {
            accepted: 1,
            ..TransportStats::default()
        };
        assert_eq!(server.counters.stats(), expected, "{kind:?}");
    }
}

#[tokio::test]
async fn client_behind_by_more_than_its_queue_is_disconnected() {
    for kind in BOTH {
        let server = Running::start(
            &[kind],
            TransportOptions {
                stall_timeout: Duration::from_mins(1),
                ..options()
            },
        );
        let _idle = idle(kind, &server).await;
        server.wait_for_connections(1).await;
        server
            .ask(|server| {
                for _ in 0..600 {
                    server.send(server.connections[0], Channel::Reliable, vec![1; 1900]);
                }
            })
            .await;
        server.wait_for_connections(0).await;
        assert_eq!(server.counters.stats().queue_full, 1, "{kind:?}");
    }
}

#[tokio::test]
async fn messages_beyond_the_limit_of_a_tick_wait_or_are_lost() {
    for kind in BOTH {
        let server = Running::start(&[kind], options());
        let mut player = server.join(kind).await;
        exchange(&mut player, "first").await;
        for _ in 0..64 {
            say(&mut player, Channel::Unreliable, "x");
        }
        let stats = || server.counters.stats();
        soon(async {
            let _ = next(&mut player).await;
            while stats().inbox_full + stats().lost_unreliable == 0 {
                sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn frame_beyond_the_limit_ends_a_stream() {
    let server = Running::start(&[Kind::Telepathy], options());
    let mut player = server.join(Kind::Telepathy).await;
    exchange(&mut player, vec![1; 1000]).await;
    assert_eq!(server.counters.stats().malformed_frames, 0);
    say(&mut player, Channel::Reliable, vec![1; 2001]);
    assert_eq!(next(&mut player).await, Seen::Disconnected);
    assert_eq!(server.counters.stats().malformed_frames, 1);
}
