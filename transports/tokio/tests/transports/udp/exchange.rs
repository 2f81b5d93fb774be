//! Traffic between UDP servers and clients.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::relay::Relay;
use super::{Running, settings};
use syncvar::DisconnectReason;
use syncvar::prelude::*;
use syncvar::transport::{Host, Peer};
use syncvar_testing::sockets::{Board, Settings, UDP, idle, prefabs, soon, wait_for};
use syncvar_tokio::udp::{Reconnect, TransportOptions, UdpClient, UdpError};

#[tokio::test]
async fn two_clients_behind_one_address_end_equal() {
    let server = Running::start(UDP, settings(TransportOptions::default()), idle);
    let mut early = server.join().await;
    server.write(|board| *board.text = "first".into());
    server.see(&mut early, |board| board.text == "first").await;

    let mut late = server.join().await;
    let text = |client: &UdpClient| {
        let board = client.client().get::<Board>(server.board).unwrap();
        board.text.to_string()
    };
    assert_eq!(text(&late), "first");
    server.write(|board| {
        board.text.set("second".into());
        board.count.set(2);
    });
    for client in [&mut early, &mut late] {
        let is_second = |board: &Board| board.text == "second" && board.count == 2;
        server.see(client, is_second).await;
    }
}

#[tokio::test]
async fn last_change_and_goodbye_of_a_server_arrive_through_loss() {
    let server = Running::start(UDP, settings(TransportOptions::default()), idle);
    let relay = Relay::start(server.addr, [10, 5, 10]).await;
    let mut client = server
        .join_by(relay.addr, TransportOptions::default())
        .await;
    let board = server.board;
    server.command(move |server| {
        server.get_mut::<Board>(board).unwrap().count.set(7);
        ControlFlow::Break(())
    });
    let reason = DisconnectReason::Requested("the server is shutting down".into());
    let end = ClientEvent::Disconnected { reason };
    wait_for(&mut client, |event| *event == end).await;
    assert_eq!(client.client().get::<Board>(board).unwrap().count, 7);
    assert_eq!(soon(client.next_event()).await, None);
    assert!(matches!(client.receive().await, Err(UdpError::Closed)));
}

#[tokio::test]
async fn join_of_a_mebibyte_survives_loss_duplicates_and_reordering() {
    let mut world = NetworkServer::new(prefabs());
    let text = |number: u32| {
        let mut text = number.to_string().repeat(32_000);
        text.truncate(32_000);
        text
    };
    let boards: Vec<NetId> = (0..40)
        .map(|number| {
            let (count, text) = (number.into(), text(number).into());
            world.spawn(Board { count, text })
        })
        .collect();
    let server = Running::start_with(UDP, TransportOptions::default(), world, idle);
    let relay = Relay::start(server.addr, [5, 5, 10]).await;
    let client = server
        .join_by(relay.addr, TransportOptions::default())
        .await;
    for (number, id) in (0..).zip(boards) {
        let board = client.client().get::<Board>(id).unwrap();
        assert!(board.count == number && board.text == text(number));
    }
}

#[tokio::test]
async fn disconnected_client_learns_the_reason() {
    let mut server = Running::start(UDP, settings(TransportOptions::default()), idle);
    let mut client = server.join().await;
    let connected = |event| match event {
        ServerEvent::Connected { connection } => Some(connection),
        _ => None,
    };
    let connection = server.event(connected).await;
    server.command(move |server| {
        server.disconnect(connection, "kicked");
        ControlFlow::Continue(())
    });
    let end = ClientEvent::Disconnected {
        reason: DisconnectReason::Requested("kicked".into()),
    };
    wait_for(&mut client, |event| *event == end).await;
}

#[tokio::test]
async fn server_learns_why_a_client_has_left() {
    let mut server = Running::start(UDP, settings(TransportOptions::default()), idle);
    let client = server.join().await;
    soon(Box::pin(client.disconnect("tired"))).await;
    assert_eq!(
        server.disconnected().await,
        DisconnectReason::Requested("tired".into())
    );
}

#[tokio::test]
async fn client_notices_a_restart_at_once_and_returns() {
    let server = Running::start(UDP, settings(TransportOptions::default()), idle);
    let relay = Relay::start(server.addr, [0; 3]).await;
    let options = TransportOptions {
        reconnect: Some(Reconnect::default()),
        ..TransportOptions::default()
    };
    let mut client = server.join_by(relay.addr, options).await;
    // A crash: no goodbye arrives.
    relay.set_lost(100);
    let addr = server.addr;
    server.abort().await;
    let settings = Settings {
        addr,
        ..settings(TransportOptions::default())
    };
    let server = Running::start(UDP, settings, idle);
    relay.set_lost(0);
    let restarted = Instant::now();
    wait_for(&mut client, |event| {
        matches!(event, ClientEvent::Disconnected { .. })
    })
    .await;
    assert!(
        restarted.elapsed() < Duration::from_secs(5),
        "not by a timeout"
    );
    wait_for(&mut client, |event| matches!(event, ClientEvent::Ready)).await;
    server.write(|board| *board.count = 3);
    server.see(&mut client, |board| board.count == 3).await;
}

#[test]
fn host_and_peer_in_a_loop_need_no_runtime() {
    let mut server = NetworkServer::new(prefabs());
    let board = server.spawn(Board::default());
    let mut host = Host::new(TransportOptions::default());
    host.listen_udp("127.0.0.1:0").unwrap();
    let mut client = NetworkClient::new(prefabs());
    let addr = host.local_addrs().unwrap()[0];
    let mut peer = Peer::udp(addr, &client, TransportOptions::default()).unwrap();
    let started = Instant::now();
    server.get_mut::<Board>(board).unwrap().count.set(5);
    while !client
        .get::<Board>(board)
        .is_some_and(|board| board.count == 5)
    {
        let now = started.elapsed();
        assert!(now < Duration::from_secs(20), "the client sees it");
        host.receive(&mut server, now);
        server.update(now);
        host.transmit(&mut server, now);
        peer.receive(&mut client, now).unwrap();
        client.update(now);
        peer.transmit(&mut client, now);
        std::thread::sleep(Duration::from_millis(2));
    }
    host.shut_down_blocking(&mut server);
}
