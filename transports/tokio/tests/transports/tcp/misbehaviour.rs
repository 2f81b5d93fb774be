//! Misbehaving clients: the server closes them, and the others go on.

use std::time::Duration;

use super::support::{Board, Running, flood, read_to_end, soon};
use syncvar_net::ServerEvent;
use syncvar_runtime::DisconnectReason;
use syncvar_tokio::tcp::TcpOptions;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// Checks that these bytes close their connection with this text, and that another one goes on.
async fn is_closed_alone(bytes: &[u8], text: &str) {
    let server = Running::start(TcpOptions::default(), |board| board.count += 1).await;
    let mut good = server.join().await;
    let mut bad = TcpStream::connect(server.addr).await.unwrap();
    bad.write_all(bytes).await.unwrap();
    let answer = String::from_utf8_lossy(&read_to_end(&mut bad).await).into_owned();
    assert!(answer.contains(text), "{answer}");

    let count = *good.client().get::<Board>(server.board).unwrap().count;
    server
        .see(&mut good, |board| board.count > count + 20)
        .await;
}

#[tokio::test]
async fn a_frame_that_is_too_large_closes_its_connection() {
    is_closed_alone(&[255; 5], "malformed frame: frame size too big").await;
}

#[tokio::test]
async fn a_frame_without_a_packet_closes_its_connection() {
    is_closed_alone(&[0, 0, 0, 1, 0], "malformed frame: no packet").await;
    is_closed_alone(&[0, 0, 0, 0], "malformed frame: no packet").await;
}

#[tokio::test]
async fn a_channel_that_is_not_there_closes_its_connection() {
    is_closed_alone(&[0, 0, 0, 5, 99, 0, 0, 35, 0], "no channel 99").await;
}

#[tokio::test]
async fn garbage_closes_its_connection() {
    is_closed_alone(b"\0\0\0\x12\0GET / HTTP/1.1\r\n\r\n", "malformed packet").await;
}

#[tokio::test]
async fn bytes_after_garbage_do_not_hide_the_answer() {
    let mut bytes = vec![255; 5];
    // Within `max_linger_bytes`.
    bytes.resize(100_000, 7);
    let server = Running::start(TcpOptions::default(), |_| {}).await;
    let mut bad = TcpStream::connect(server.addr).await.unwrap();
    soon(bad.write_all(&bytes))
        .await
        .expect("the server takes it")
        .unwrap();
    let answer = read_to_end(&mut bad).await;
    assert!(String::from_utf8_lossy(&answer).contains("malformed frame"));
}

#[tokio::test]
async fn a_connection_that_never_says_anything_is_closed() {
    let options = TcpOptions {
        handshake_timeout: Duration::from_millis(100),
        ..TcpOptions::default()
    };
    let server = Running::start(options, |_| {}).await;
    let mut silent = TcpStream::connect(server.addr).await.unwrap();
    let mut halting = TcpStream::connect(server.addr).await.unwrap();
    halting.write_all(&[0, 0, 0, 9, 0]).await.unwrap();
    for stream in [&mut silent, &mut halting] {
        let answer = read_to_end(stream).await;
        assert!(String::from_utf8_lossy(&answer).contains("no word after connecting"));
    }
    assert_eq!(server.counters.stats().handshake_timeouts, 2);
}

#[tokio::test]
async fn silent_client_stays_after_its_first_message() {
    let options = TcpOptions {
        handshake_timeout: Duration::from_millis(100),
        ..TcpOptions::default()
    };
    let server = Running::start(options, |board| board.count += 1).await;
    let mut client = server.join().await;
    // Ticks are 2 ms apart: this is longer than the time-out.
    let start = *client.client().get::<Board>(server.board).unwrap().count;
    server
        .see(&mut client, |board| board.count > start + 100)
        .await;
}

/// Writes 30 kB on the board.
fn fill(board: &mut Board) {
    board.count += 1;
    let text = format!("{:030000}", *board.count);
    board.text.set(text);
}

#[tokio::test]
async fn a_client_that_never_reads_is_disconnected_alone() {
    let options = TcpOptions {
        max_queued_bytes: 1_000_000,
        ..TcpOptions::default()
    };
    let mut server = Running::start(options, fill).await;
    let _stuck = server.join().await;
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
    // In total, a client receives more than its queue holds.
    let count = *good.client().get::<Board>(server.board).unwrap().count;
    server
        .see(&mut good, |board| board.count > count + 100)
        .await;
}

#[tokio::test]
async fn client_that_stops_reading_times_out() {
    let options = TcpOptions {
        max_queued_bytes: usize::MAX,
        stall_timeout: Duration::from_millis(100),
        ..TcpOptions::default()
    };
    let mut server = Running::start(options, fill).await;
    let _stuck = server.join().await;
    server
        .event(|event| matches!(event, ServerEvent::Disconnected { .. }).then_some(()))
        .await;
    assert_eq!(server.counters.stats().send_timeouts, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_floods_does_not_starve_the_others() {
    let server = Running::start(TcpOptions::default(), |board| board.count += 1).await;
    let mut good = server.join().await;
    let flood = flood(&server).await;
    let start = *good.client().get::<Board>(server.board).unwrap().count;
    server
        .see(&mut good, |board| board.count > start + 200)
        .await;
    assert!(!flood.is_finished(), "what it sends is not wrong");
    flood.abort();
}

#[tokio::test]
async fn beyond_the_most_connections_there_are_no_more() {
    let options = TcpOptions {
        max_connections: 1,
        ..TcpOptions::default()
    };
    let server = Running::start(options, |board| board.count += 1).await;
    let mut first = server.join().await;
    let mut second = server.connect().await;
    while soon(second.receive())
        .await
        .expect("the server closes it")
        .is_ok()
    {}
    server.see(&mut first, |board| board.count > 10).await;
    assert_eq!(server.counters.stats().refused_full, 1);
    drop(first);

    // The place becomes free when the server notices the end.
    soon(async {
        loop {
            let mut third = server.connect().await;
            if third.receive().await.is_ok() {
                break;
            }
        }
    })
    .await
    .expect("a place");
}
