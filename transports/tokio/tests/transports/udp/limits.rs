//! Limits of a UDP server, and datagrams of strangers.

use std::io;
use std::time::{Duration, Instant};

use super::relay::Relay;
use super::{Running, settings};
use syncvar::DisconnectReason;
use syncvar::prelude::*;
use syncvar::transport::Peer;
use syncvar_testing::sockets::{UDP, idle, prefabs, soon};
use syncvar_tokio::udp::{KcpError, TransportOptions, UdpClient, UdpError};
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

/// Socket of a stranger.
async fn stranger(server: &Running) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.connect(server.addr).await.unwrap();
    socket
}

/// Returns the datagrams that arrive within 200 ms.
async fn answers(socket: &UdpSocket) -> Vec<Vec<u8>> {
    let (mut answers, mut buffer) = (Vec::new(), [0; 2048]);
    let wait = Duration::from_millis(200);
    while let Ok(Ok(length)) = timeout(wait, socket.recv(&mut buffer)).await {
        answers.push(buffer[..length].to_vec());
    }
    answers
}

/// Returns the error of a client that the server refuses.
async fn refused(server: &Running) -> io::Error {
    let client = NetworkClient::new(prefabs());
    let connecting = Box::pin(UdpClient::connect(server.addr, client));
    soon(connecting).await.unwrap_err()
}

#[tokio::test]
async fn hello_without_a_cookie_is_answered_in_fewer_bytes_and_leaves_no_state() {
    let server = Running::start(UDP, settings(TransportOptions::default()), idle);
    let socket = stranger(&server).await;
    for _ in 0..1000 {
        socket.send(&hello()).await.unwrap();
    }
    let answers = answers(&socket).await;
    assert!((1..=200).contains(&answers.len()), "{}", answers.len());
    for answer in &answers {
        assert_eq!(
            (answer.len(), &answer[..9]),
            (17, &[0xa1, 1, 2, 3, 4, 5, 6, 7, 8][..])
        );
    }
    let stats = server.stats();
    assert_eq!(stats.accepted, 0);
    assert!(stats.refused_hellos > 0);
    let server = server.stop().await;
    assert_eq!(server.connections().count(), 0);

    /// First datagram of a client.
    fn hello() -> [u8; 32] {
        let mut hello = [0; 32];
        hello[..10].copy_from_slice(&[0xa0, 1, 2, 3, 4, 5, 6, 7, 8, 1]);
        hello
    }
}

#[tokio::test]
async fn datagrams_with_a_guessed_number_open_no_connection() {
    let server = Running::start(UDP, settings(TransportOptions::default()), idle);
    let socket = stranger(&server).await;
    let mut sent = 0;
    for guess in 1..50_u64 {
        for kind in 0xa0..0xa8 {
            let mut datagram = vec![kind];
            datagram.extend(guess.to_le_bytes());
            datagram.extend([0; 30]);
            sent += socket.send(&datagram).await.unwrap();
        }
    }
    let answers = answers(&socket).await;
    // `Goodbye`, unknown connection: of 10 bytes.
    assert!(
        answers
            .iter()
            .all(|answer| answer[0] == 0xa4 && answer[9] == 2)
    );
    assert!(answers.iter().map(Vec::len).sum::<usize>() < sent / 3);
    assert_eq!(server.stats().accepted, 0);
    // The port serves others.
    server.join().await;
}

#[tokio::test]
async fn full_server_refuses_with_a_reason() {
    let options = TransportOptions {
        max_connections: 1,
        ..TransportOptions::default()
    };
    let server = Running::start(UDP, settings(options), idle);
    let first = server.join().await;
    let error = refused(&server).await;
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    let reason = error.into_inner().unwrap().downcast::<KcpError>();
    assert_eq!(*reason.unwrap(), KcpError::Full);
    assert_eq!(server.stats().refused_full, 1);
    soon(Box::pin(first.disconnect("bye"))).await;
    soon(async {
        let again = || UdpClient::connect(server.addr, NetworkClient::new(prefabs()));
        while Box::pin(again()).await.is_err() {}
    })
    .await;
}

#[tokio::test]
async fn an_address_cannot_take_all_places() {
    let options = TransportOptions {
        max_connections: 8,
        max_connections_per_address: 2,
        ..TransportOptions::default()
    };
    let server = Running::start(UDP, settings(options), idle);
    let _both = [server.join().await, server.join().await];
    let error = refused(&server).await;
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    assert_eq!(server.stats().refused_address, 1);
}

#[tokio::test]
async fn client_without_a_first_packet_is_disconnected() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(300),
        ..TransportOptions::default()
    };
    let server = Running::start(UDP, settings(options), idle);
    let mut mute = NetworkClient::new(prefabs());
    let mut peer = Peer::udp(server.addr, &mute, TransportOptions::default()).unwrap();
    // The frames of a client that never sends.
    soon(async {
        while server.stats().handshake_timeouts == 0 {
            peer.receive(&mut mute, Duration::ZERO).unwrap();
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn client_without_pings_is_told_of_its_silence() {
    let options = TransportOptions {
        idle_timeout: Duration::from_millis(300),
        ..TransportOptions::default()
    };
    let server = Running::start(UDP, settings(options), idle);
    let mut client = server.join().await;
    // It pings every two seconds.
    soon(async { while client.receive().await.is_ok() {} }).await;
    let reason = DisconnectReason::Requested("no message for too long".into());
    let mut events = std::iter::from_fn(|| client.poll_event());
    assert!(events.any(|event| event
        == ClientEvent::Disconnected {
            reason: reason.clone()
        }));
    assert_eq!(server.stats().idle_timeouts, 1);
}

#[tokio::test]
async fn both_sides_notice_a_cut_within_the_silence_timeout() {
    let options = TransportOptions {
        silence_timeout: Duration::from_millis(1500),
        ..TransportOptions::default()
    };
    let mut server = Running::start(UDP, settings(options.clone()), idle);
    let relay = Relay::start(server.addr, [0; 3]).await;
    let mut client = server.join_by(relay.addr, options).await;
    relay.set_lost(100);
    let cut = Instant::now();
    let error = soon(async {
        loop {
            if let Err(error) = client.receive().await {
                return error;
            }
        }
    });
    let UdpError::Io(error) = error.await else {
        panic!("another error");
    };
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    server.reaches(|stats| stats.silence_timeouts, 1).await;
    assert!(cut.elapsed() < Duration::from_secs(5));
    assert_eq!(
        server.disconnected().await,
        DisconnectReason::ConnectionLost
    );
}

#[tokio::test]
async fn packet_beyond_the_limit_ends_the_connection() {
    let options = TransportOptions {
        max_packet: 4,
        ..TransportOptions::default()
    };
    let server = Running::start(UDP, settings(options), idle);
    let client = NetworkClient::new(prefabs());
    let mut client = soon(Box::pin(UdpClient::connect(server.addr, client)))
        .await
        .unwrap();
    let error = soon(async {
        loop {
            if let Err(error) = client.receive().await {
                return error;
            }
        }
    });
    let UdpError::Io(error) = error.await else {
        panic!("another error");
    };
    let reason = error.into_inner().unwrap().downcast::<KcpError>();
    assert_eq!(*reason.unwrap(), KcpError::PacketRefused);
    assert_eq!(server.stats().malformed_frames, 1);
}
