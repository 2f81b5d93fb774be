//! Traffic between TCP servers and clients.

use std::ops::ControlFlow;
use std::time::Duration;

use super::Running;
use syncvar_net::{Builds, ClientConfig, ClientEvent, NetworkClient, ServerEvent};
use syncvar_runtime::{DisconnectReason, Prefabs};
use syncvar_testing::sockets::{Board, TCP, counting, filling, idle, prefabs, soon, wait_for};
use syncvar_tokio::tcp::{TcpClient, TcpError, TransportOptions};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

#[tokio::test]
async fn two_clients_one_of_them_late_end_equal() {
    let server = Running::start(TCP, TransportOptions::default(), idle);
    let mut early = server.join().await;
    server.write(|board| *board.text = "first".into());
    server.see(&mut early, |board| board.text == "first").await;

    let mut late = server.join().await;
    assert_eq!(
        late.client().get::<Board>(server.board).unwrap().text,
        "first"
    );
    server.write(|board| {
        board.text.set("second".into());
        board.count.set(2);
    });
    for client in [&mut early, &mut late] {
        server
            .see(client, |board| board.text == "second" && board.count == 2)
            .await;
    }
}

#[tokio::test]
async fn the_last_change_and_the_goodbye_of_a_server_arrive() {
    let server = Running::start(TCP, TransportOptions::default(), idle);
    let mut client = server.join().await;
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
    assert!(matches!(client.receive().await, Err(TcpError::Closed)));
}

#[tokio::test]
async fn a_disconnect_by_the_game_is_an_event_of_the_next_tick() {
    let mut server = Running::start(TCP, TransportOptions::default(), idle);
    let _client = server.join().await;
    server.command(|server| {
        let connections: Vec<_> = server.connections().collect();
        for connection in connections {
            server.disconnect(connection, "enough");
        }
        ControlFlow::Continue(())
    });
    let reason = DisconnectReason::Requested("enough".into());
    assert_eq!(server.disconnected().await, reason);
}

#[tokio::test]
async fn a_server_stops_while_a_client_does_not_read() {
    let options = TransportOptions {
        close_timeout: Duration::from_millis(50),
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, options, filling);
    let _idle = server.join().await;
    server.stop().await;
}

#[tokio::test]
async fn a_server_stops_when_its_clients_have_the_goodbye() {
    let options = TransportOptions {
        close_timeout: Duration::from_hours(1),
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, options, idle);
    let mut client = server.join().await;
    let stopped = server.stop();
    let heard = async {
        while client.client().is_connected() {
            client.receive().await.unwrap();
        }
    };
    tokio::join!(stopped, heard);
}

#[tokio::test]
async fn disconnected_client_learns_the_reason_and_the_others_stay() {
    let mut server = Running::start(TCP, TransportOptions::default(), idle);
    let (mut first, mut second) = (server.join().await, server.join().await);
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
    wait_for(&mut first, |event| *event == end).await;
    server.write(|board| *board.count = 1);
    server.see(&mut second, |board| board.count == 1).await;
}

#[tokio::test]
async fn a_client_says_goodbye_and_comes_back() {
    let mut server = Running::start(TCP, TransportOptions::default(), idle);
    let client = server.join().await;
    let client = client.disconnect("tea").await;
    assert_eq!(
        server.disconnected().await,
        DisconnectReason::Requested("tea".into())
    );

    let again = server.connect_as(client, TransportOptions::default());
    let mut again = again.await.unwrap();
    wait_for(&mut again, |event| matches!(event, ClientEvent::Ready)).await;
}

#[tokio::test]
async fn a_client_notices_that_the_server_is_gone() {
    let server = Running::start(TCP, TransportOptions::default(), idle);
    let mut client = server.join().await;
    server.abort().await;
    let end = ClientEvent::Disconnected {
        reason: DisconnectReason::ConnectionLost,
    };
    wait_for(&mut client, |event| *event == end).await;
    assert_eq!(client.next_event().await, None);
    assert!(!client.client().is_connected());
}

#[tokio::test]
async fn a_client_of_another_game_is_refused_with_the_difference() {
    let server = Running::start(TCP, TransportOptions::default(), idle);
    let other = Prefabs::new().register::<Board>("another");
    let config = ClientConfig {
        builds: Builds::Exact,
        ..ClientConfig::default()
    };
    let client = NetworkClient::with_config(other, config);
    let mut client = TcpClient::connect(server.addr, client).await.unwrap();
    let event = wait_for(&mut client, |_| true).await;
    let ClientEvent::Refused {
        reason: DisconnectReason::SchemaMismatch(Some(_)),
    } = event
    else {
        panic!("{event:?}");
    };
}

#[tokio::test]
async fn dropped_future_loses_no_packet() {
    let server = Running::start(TCP, TransportOptions::default(), counting);
    let mut client = server.join().await;
    let seen = async {
        let mut last = 0;
        while last < 300 {
            tokio::select! {
                biased;
                received = client.receive() => received.unwrap(),
                () = tokio::task::yield_now() => {}
            }
            let count = *client.client().get::<Board>(server.board).unwrap().count;
            assert!(count >= last);
            last = count;
        }
    };
    soon(seen).await;
}

#[tokio::test]
async fn client_answers_leave_at_once() {
    let mut server = Running::start(TCP, TransportOptions::default(), idle);
    let mut client = server.connect(TransportOptions::default()).await.unwrap();
    // The server accepts the client, which answers `Ready`.
    soon(client.receive()).await.unwrap();
    server
        .event(|event| matches!(event, ServerEvent::Ready { .. }).then_some(()))
        .await;
}

#[tokio::test]
async fn client_reports_malformed_packets() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let client = NetworkClient::new(prefabs());
    let mut client = TcpClient::connect(addr, client).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();

    server.write_all(&[0, 0, 0, 3, 0, 1, 2]).await.unwrap();
    let received = soon(client.receive()).await;
    assert!(
        matches!(received, Err(TcpError::Malformed(_))),
        "{received:?}"
    );
    server.write_all(&[255; 4]).await.unwrap();
    let received = soon(client.receive()).await;
    assert!(matches!(received, Err(TcpError::Io(_))), "{received:?}");
    let received = soon(client.receive()).await;
    assert!(matches!(received, Err(TcpError::Closed)), "{received:?}");
}

#[tokio::test]
async fn pings_rarer_than_the_idle_timeout_are_an_error() {
    let config = ClientConfig {
        ping_interval: Duration::from_secs(20),
        ..ClientConfig::default()
    };
    let client = NetworkClient::with_config(prefabs(), config);
    let error = TcpClient::connect("127.0.0.1:1", client).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    assert!(
        error.to_string().contains("`idle_timeout` (15s)"),
        "{error}"
    );
}
