//! Misbehaving clients: the server closes them, and the others go on.

use std::time::Duration;

use super::Running;
use syncvar_testing::sockets::{TCP, counting, idle, read_to_end, soon};
use syncvar_tokio::tcp::TransportOptions;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// Checks that these bytes close their connection with this text, and that another one goes on.
async fn is_closed_alone(bytes: &[u8], text: &str) {
    let server = Running::start(TCP, TransportOptions::default(), counting);
    let mut good = server.join().await;
    let mut bad = TcpStream::connect(server.addr).await.unwrap();
    bad.write_all(bytes).await.unwrap();
    let answer = String::from_utf8_lossy(&read_to_end(&mut bad).await).into_owned();
    assert!(answer.contains(text), "{answer}");
    server.see_counts(&mut good, 20).await;
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
    let server = Running::start(TCP, TransportOptions::default(), idle);
    let mut bad = TcpStream::connect(server.addr).await.unwrap();
    soon(bad.write_all(&bytes)).await.unwrap();
    let answer = read_to_end(&mut bad).await;
    assert!(String::from_utf8_lossy(&answer).contains("malformed frame"));
}

#[tokio::test]
async fn a_connection_that_never_says_anything_is_closed() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(100),
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, options, idle);
    let mut silent = TcpStream::connect(server.addr).await.unwrap();
    let mut halting = TcpStream::connect(server.addr).await.unwrap();
    halting.write_all(&[0, 0, 0, 9, 0]).await.unwrap();
    for stream in [&mut silent, &mut halting] {
        let answer = read_to_end(stream).await;
        assert!(String::from_utf8_lossy(&answer).contains("no word after connecting"));
    }
    assert_eq!(server.stats().handshake_timeouts, 2);
}

#[tokio::test]
async fn silent_client_stays_after_its_first_message() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(100),
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, options, counting);
    let mut client = server.join().await;
    // Ticks are 2 ms apart: this is longer than the time-out.
    server.see_counts(&mut client, 100).await;
}
