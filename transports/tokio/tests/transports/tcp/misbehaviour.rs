//! Misbehaving clients: the server closes them, and the others go on.

use std::time::Duration;

use super::support::{Board, Running, read_to_end, soon};
use syncvar_tokio::tcp::TransportOptions;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// Checks that these bytes close their connection with this text, and that another one goes on.
async fn is_closed_alone(bytes: &[u8], text: &str) {
    let server = Running::start(TransportOptions::default(), |board| board.count += 1).await;
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
    let server = Running::start(TransportOptions::default(), |_| {}).await;
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
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(100),
        ..TransportOptions::default()
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
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(100),
        ..TransportOptions::default()
    };
    let server = Running::start(options, |board| board.count += 1).await;
    let mut client = server.join().await;
    // Ticks are 2 ms apart: this is longer than the time-out.
    let start = *client.client().get::<Board>(server.board).unwrap().count;
    server
        .see(&mut client, |board| board.count > start + 100)
        .await;
}
