//! Limits that need the bytes of QUIC. `tests/ports` has the others.

use std::net::SocketAddr;
use std::time::Duration;

use syncvar_tls::Trust;
use syncvar_tokio::tcp::TransportOptions;
use tokio::net::UdpSocket;

use super::support::start;
use crate::config;
use syncvar_testing::sockets::{idle, soon};

/// Connects without a word of the game.
async fn connect(server: SocketAddr) -> (quinn::Endpoint, quinn::Connection) {
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let endpoint = quinn::Endpoint::client(any).unwrap();
    let trust = Trust::any_server_without_verification();
    let config = config::client(&trust, &TransportOptions::default()).unwrap();
    let connecting = endpoint.connect_with(config, server, "localhost");
    let connection = soon(connecting.unwrap()).await.unwrap();
    (endpoint, connection)
}

#[tokio::test]
async fn silent_clients_are_closed() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(300),
        ..TransportOptions::default()
    };
    let server = start(options, idle);
    // One without a stream, and one without a packet in it.
    let (_one, mute) = connect(server.addr).await;
    let (_other, halting) = connect(server.addr).await;
    let (mut write, mut read) = halting.open_bi().await.unwrap();
    write.write_all(&[0, 0, 0, 9, 0]).await.unwrap();
    soon(mute.closed()).await;
    let answer = soon(read.read_to_end(10_000)).await.unwrap();
    assert!(String::from_utf8_lossy(&answer).contains("no word after connecting"));
    assert_eq!(server.stats().handshake_timeouts, 2);
}

#[tokio::test]
async fn malformed_input_closes_its_connection_with_a_reason() {
    let server = start(TransportOptions::default(), idle);
    let mut good = server.join().await;
    let (_endpoint, bad) = connect(server.addr).await;
    let (mut write, mut read) = bad.open_bi().await.unwrap();
    bad.send_datagram("".into()).unwrap();
    bad.send_datagram("g".into()).unwrap();
    write.write_all(&[255; 5]).await.unwrap();
    let answer = soon(read.read_to_end(10_000)).await.unwrap();
    assert!(String::from_utf8_lossy(&answer).contains("malformed frame"));
    server.write(|board| *board.count = 1);
    server.see(&mut good, |board| board.count == 1).await;
}

#[tokio::test]
async fn a_flood_of_first_datagrams_takes_no_places() {
    let server = start(TransportOptions::default(), idle);
    let flooder = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    // Initial packets of version 1 with a random connection id; the rest is no valid packet.
    let mut datagram = vec![0; 1200];
    datagram[..6].copy_from_slice(&[0xc0, 0, 0, 0, 1, 8]);
    for number in 0..5000_u64 {
        datagram[6..14].copy_from_slice(&number.to_be_bytes());
        let _ = flooder.try_send_to(&datagram, server.addr);
        if number % 100 == 0 {
            tokio::task::yield_now().await;
        }
    }
    let mut good = server.join().await;
    server.write(|board| *board.count = 1);
    server.see(&mut good, |board| board.count == 1).await;
    assert_eq!(server.stats().accepted, 1);
}
