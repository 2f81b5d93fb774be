//! Misbehaving clients: the server closes them, and the others go on.

use syncvar_tokio::tcp::TransportOptions;
use tokio::io::AsyncWriteExt;

use super::support::{frame, joining, start, upgrade};
use syncvar_testing::sockets::{counting, idle, read_to_end};

/// Checks that these bytes close their connection with this text and code, and that another one goes on.
async fn is_closed_alone(bytes: &[u8], text: &str, code: u16) {
    let server = start(TransportOptions::default(), counting);
    let mut good = server.join().await;
    let mut bad = upgrade(server.addr).await;
    bad.write_all(bytes).await.unwrap();
    let answer = read_to_end(&mut bad).await;
    let [high, low] = code.to_be_bytes();
    assert!(
        answer.ends_with(&[0x88, 2, high, low]),
        "{text}: {answer:?}"
    );
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains(text), "{answer}");
    server.see_counts(&mut good, 20).await;
}

#[tokio::test]
async fn malformed_messages_close_their_connection() {
    is_closed_alone(&frame(1, b"text"), "malformed frame: a text message", 1003).await;
    is_closed_alone(&frame(2, b"\0"), "malformed frame: no packet", 1002).await;
    is_closed_alone(&frame(2, b""), "malformed frame: no packet", 1002).await;
    is_closed_alone(&frame(2, &[99, 0, 0, 35, 0]), "no channel 99", 1000).await;
}

#[tokio::test]
async fn malformed_frames_close_their_connection() {
    is_closed_alone(b"\x82\x02\0\0", "unmasked frame", 1002).await;
    is_closed_alone(b"\xf2\x80\0\0\0\0", "Reserved bits", 1002).await;
}

#[tokio::test]
async fn messages_that_are_too_long_close_their_connection() {
    let long = 64 * 1024 + 2_u64;
    let head = [&[0x82, 0xff], &long.to_be_bytes()[..], &[0; 4]].concat();
    is_closed_alone(&head, "malformed frame: Space limit exceeded", 1009).await;
    // In two fragments.
    let mut first = frame(2, &vec![0; 60_000]);
    first[0] = 2;
    let fragments = [first, frame(0, &vec![0; 60_000])].concat();
    is_closed_alone(&fragments, "malformed frame: Space limit exceeded", 1009).await;
}

#[tokio::test]
async fn control_frames_without_packets_close_their_connection() {
    let pings = frame(10, &[0; 125]).repeat(4000);
    is_closed_alone(&pings, "too many bytes without a packet", 1008).await;
    let mut empty = frame(2, b"");
    empty[0] = 2;
    let mut fragment = frame(0, b"");
    fragment[0] = 0;
    let fragments = [empty, fragment.repeat(80_000)].concat();
    is_closed_alone(&fragments, "too many bytes without a packet", 1008).await;
}

#[tokio::test]
async fn bytes_after_the_end_are_limited() {
    let server = start(TransportOptions::default(), idle);
    let mut bad = upgrade(server.addr).await;
    bad.write_all(&joining()).await.unwrap();
    bad.write_all(&frame(1, b"text")).await.unwrap();
    let garbage = vec![7; 64 * 1024];
    while bad.write_all(&garbage).await.is_ok() {}
    server.reaches(|stats| stats.linger_cuts, 1).await;
    assert_eq!(server.stats().malformed_frames, 1);
}
