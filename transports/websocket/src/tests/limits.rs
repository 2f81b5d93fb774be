//! Limits of the transport, which are those of TCP.

use std::time::Duration;

use syncvar::DisconnectReason;
use syncvar::prelude::*;
use syncvar_tokio::tcp::TcpOptions;
use tokio::io::AsyncWriteExt;

use super::support::{Board, Running, frame, joining, read_to_end, soon};

/// Writes 30 kB on the board.
fn fill(board: &mut Board) {
    board.count += 1;
    let text = format!("{:030000}", *board.count);
    board.text.set(text);
}

#[tokio::test]
async fn a_silent_client_is_closed_with_a_reason() {
    let options = TcpOptions {
        handshake_timeout: Duration::from_millis(200),
        idle_timeout: Duration::from_millis(200),
        ..TcpOptions::default()
    };
    let server = Running::start(options, |_| {});
    let mut mute = server.upgrade().await;
    let answer = read_to_end(&mut mute).await;
    assert!(String::from_utf8_lossy(&answer).contains("no word after connecting"));
    let mut idle = server.upgrade().await;
    idle.write_all(&joining()).await.unwrap();
    let answer = read_to_end(&mut idle).await;
    assert!(String::from_utf8_lossy(&answer).contains("silent for too long"));
    let stats = server.counters.stats();
    assert_eq!((stats.handshake_timeouts, stats.idle_timeouts), (1, 1));
}

#[tokio::test]
async fn a_client_that_never_reads_is_disconnected_alone() {
    let options = TcpOptions {
        max_queued_bytes: 1_000_000,
        ..TcpOptions::default()
    };
    let mut server = Running::start(options, fill);
    let mut stuck = server.upgrade().await;
    stuck.write_all(&joining()).await.unwrap();
    let mut good = server.join().await;
    let lost = server.event(|event| match event {
        ServerEvent::Disconnected { reason, .. } => Some(reason),
        _ => None,
    });
    let reason = tokio::select! {
        reason = lost => reason,
        () = async { while good.receive().await.is_ok() {} } => panic!("the wrong one"),
    };
    assert_eq!(reason, DisconnectReason::ConnectionLost);
    assert_eq!(server.counters.stats().queue_full, 1);
    let count = *good.client().get::<Board>(server.board).unwrap().count;
    server
        .see(&mut good, |board| board.count > count + 100)
        .await;
}

#[tokio::test]
async fn a_client_that_stops_reading_times_out() {
    let options = TcpOptions {
        max_queued_bytes: usize::MAX,
        stall_timeout: Duration::from_millis(200),
        ..TcpOptions::default()
    };
    let mut server = Running::start(options, fill);
    let mut stuck = server.upgrade().await;
    stuck.write_all(&joining()).await.unwrap();
    server
        .event(|event| matches!(event, ServerEvent::Disconnected { .. }).then_some(()))
        .await;
    assert_eq!(server.counters.stats().send_timeouts, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_fills_its_inbox_and_starves_nobody() {
    let options = TcpOptions {
        max_inbox_bytes: 16 * 1024,
        ..TcpOptions::default()
    };
    let server = Running::start(options, |board| board.count += 1);
    let mut good = server.join().await;
    let mut flooder = server.upgrade().await;
    flooder.write_all(&joining()).await.unwrap();
    let (mut read, mut write) = flooder.into_split();
    let flood = tokio::spawn(async move {
        let ready = frame(2, &[0, 2, 0, 0, 35, 0]).repeat(1000);
        let reading = async { tokio::io::copy(&mut read, &mut tokio::io::sink()).await };
        let writing = async { while write.write_all(&ready).await.is_ok() {} };
        tokio::select! { _ = reading => {}, () = writing => {} }
    });
    server.reaches(|stats| stats.inbox_full, 10).await;
    let start = *good.client().get::<Board>(server.board).unwrap().count;
    server
        .see(&mut good, |board| board.count > start + 100)
        .await;
    assert!(!flood.is_finished());
    flood.abort();
}

#[tokio::test]
async fn a_full_server_refuses_and_frees_places() {
    let options = TcpOptions {
        max_connections: 1,
        ..TcpOptions::default()
    };
    let server = Running::start(options, |_| {});
    let first = server.join().await;
    let second = Box::pin(server.connect(TcpOptions::default()));
    assert!(second.await.is_err());
    assert_eq!(server.counters.stats().refused_full, 1);
    first.disconnect("bye").await;
    soon(async {
        loop {
            let again = Box::pin(server.connect(TcpOptions::default()));
            if again.await.is_ok() {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_stops_while_a_client_does_not_read() {
    let options = TcpOptions {
        close_timeout: Duration::from_millis(50),
        ..TcpOptions::default()
    };
    let server = Running::start(options, fill);
    let _idle = server.join().await;
    // A connection without a request holds nothing up.
    let _silent = tokio::net::TcpStream::connect(server.addr).await.unwrap();
    server.stop().await;
}
