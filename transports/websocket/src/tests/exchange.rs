//! Traffic between a server and its clients.

use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::DisconnectReason;
use syncvar::prelude::*;
use syncvar_tokio::tcp::{Reconnect, TcpClient, TransportOptions};
use syncvar_tokio::{Peer, TransportError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::support::{client, frame, joining, start, upgrade, url};
use crate::WebSocketClient;
use syncvar_testing::sockets::{Board, Settings, counting, idle, soon, wait_for};

#[tokio::test]
async fn web_and_tcp_clients_share_a_port_and_end_equal() {
    let server = start(TransportOptions::default(), idle);
    let mut web = server.join().await;
    server.write(|board| *board.text = "first".into());
    server.see(&mut web, |board| board.text == "first").await;

    let mut late = server.join().await;
    let tcp = Box::pin(TcpClient::connect(server.addr, client()));
    let mut tcp = tcp.await.unwrap();
    // Longer than one frame of WebSocket with a short length.
    let long = "x".repeat(30_000);
    let text = long.clone();
    server.write(move |board| {
        board.text.set(text);
        board.count.set(2);
    });
    let is_there = |board: &Board| board.text == *long && board.count == 2;
    server.see(&mut web, is_there).await;
    server.see(&mut late, is_there).await;
    soon(async {
        while !tcp.client().get(server.board).is_some_and(is_there) {
            tcp.receive().await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn messages_are_those_of_the_wire_document() {
    let ready = [&[0x82, 0x86, 0, 0, 0, 0][..], &[0, 2, 0, 0, 35, 0]].concat();
    assert_eq!(frame(2, &[0, 2, 0, 0, 35, 0]), ready);
    let mut server = start(TransportOptions::default(), idle);
    let mut stream = upgrade(server.addr).await;
    stream.write_all(&joining()).await.unwrap();
    // A message of channel 0: the answer to Connect, which has no header.
    let mut head = [0; 3];
    soon(stream.read_exact(&mut head)).await.unwrap();
    assert_eq!((head[0], head[1] & 0x80, head[2]), (0x82, 0, 0));
    let is_ready = |event| matches!(event, ServerEvent::Ready { .. }).then_some(());
    server.event(is_ready).await;
}

#[tokio::test]
async fn the_last_change_and_the_goodbye_of_a_server_arrive() {
    let server = start(TransportOptions::default(), idle);
    let mut peer = server.join().await;
    let board = server.board;
    server.command(move |server| {
        server.get_mut::<Board>(board).unwrap().count.set(7);
        ControlFlow::Break(())
    });
    let reason = DisconnectReason::Requested("the server is shutting down".into());
    let end = ClientEvent::Disconnected { reason };
    wait_for(&mut peer, |event| *event == end).await;
    assert_eq!(peer.client().get::<Board>(board).unwrap().count, 7);
    assert_eq!(soon(peer.next_event()).await, None);
    assert!(matches!(peer.receive().await, Err(TransportError::Closed)));
}

#[tokio::test]
async fn a_server_stops_when_its_clients_have_the_goodbye() {
    let options = TransportOptions {
        close_timeout: Duration::from_hours(1),
        ..TransportOptions::default()
    };
    let server = start(options, idle);
    let mut peer = server.join().await;
    let heard = async { while peer.receive().await.is_ok() {} };
    tokio::join!(server.stop(), heard);
}

#[tokio::test]
async fn a_client_says_goodbye_and_comes_back() {
    let mut server = start(TransportOptions::default(), idle);
    let peer = server.join().await;
    let client = peer.disconnect("tea").await;
    assert_eq!(
        server.disconnected().await,
        DisconnectReason::Requested("tea".into())
    );
    let again = Box::pin(server.connect_as(client, TransportOptions::default()));
    let mut again = again.await.unwrap();
    wait_for(&mut again, |event| *event == ClientEvent::Ready).await;
}

#[tokio::test]
async fn a_client_connects_again_after_a_restart() {
    let server = start(TransportOptions::default(), idle);
    let options = TransportOptions {
        reconnect: Some(Reconnect::default()),
        ..TransportOptions::default()
    };
    let mut peer = Box::pin(server.connect(options)).await.unwrap();
    wait_for(&mut peer, |event| *event == ClientEvent::Ready).await;
    let addr = server.addr;
    server.abort().await;
    let lost = |event: &ClientEvent| matches!(event, ClientEvent::Disconnected { .. });
    wait_for(&mut peer, lost).await;
    assert!(!peer.is_over());
    let settings = Settings {
        addr,
        ..Settings::default()
    };
    let _server = start(settings, idle);
    wait_for(&mut peer, |event| *event == ClientEvent::Ready).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_works_in_a_loop() {
    let server = start(TransportOptions::default(), counting);
    let mut client = client();
    let peer = url(server.addr).peer(&client, TransportOptions::default());
    let mut peer: Peer = peer.unwrap();
    let started = std::time::Instant::now();
    while client
        .get::<Board>(server.board)
        .is_none_or(|board| board.count < 50)
    {
        let now = started.elapsed();
        peer.receive(&mut client, now).unwrap();
        client.update(now);
        peer.transmit(&mut client, now);
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert!(now < Duration::from_secs(30));
    }
    assert_eq!(peer.peer_addr(), Some(server.addr));
    tokio::task::block_in_place(|| peer.disconnect_blocking(&mut client, "bye"));
}

#[tokio::test]
async fn pings_have_answers() {
    let server = start(TransportOptions::default(), idle);
    let mut stream = upgrade(server.addr).await;
    stream.write_all(&frame(9, b"hi")).await.unwrap();
    let mut pong = [0; 4];
    soon(stream.read_exact(&mut pong)).await.unwrap();
    assert_eq!(&pong, b"\x8a\x02hi");
}

#[tokio::test]
async fn wrong_urls_and_servers_are_errors() {
    for url in ["http://x", "ws:", "wss://x", "ws://x y", ""] {
        let result = WebSocketClient::new(url).peer(&client(), TransportOptions::default());
        let error = result.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{url}");
        assert!(error.to_string().contains(url), "{error}");
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let other = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(answer).await.unwrap();
        stream
    });
    let url = WebSocketClient::new(&url);
    let error = soon(Box::pin(url.connect(client(), TransportOptions::default()))).await;
    assert_eq!(error.unwrap_err().kind(), io::ErrorKind::InvalidData);
    other.await.unwrap();
}
