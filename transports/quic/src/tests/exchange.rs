//! Traffic between a server and its clients.

use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::DisconnectReason;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar_tls::{CertHash, Trust};
use syncvar_tokio::tcp::TransportOptions;
use syncvar_tokio::{NetworkPeer, TransportError};

use super::support::{Running, client, start};
use crate::QuicClient;
use syncvar_testing::sockets::{Board, Mover, Objects, idle, soon, wait_for};

#[tokio::test]
async fn two_clients_one_of_them_late_end_equal() {
    let server = start(TransportOptions::default(), idle);
    let mut early = server.join().await;
    server.write(|board| *board.text = "first".into());
    server.see(&mut early, |board| board.text == "first").await;
    let mut late = server.join().await;
    // More than a window of the stream.
    let long = "x".repeat(30_000);
    for round in 1..=20 {
        let text = format!("{long}{round}");
        let wanted = text.clone();
        server.write(move |board| *board.text = text);
        server.see(&mut early, |board| board.text == *wanted).await;
        server.see(&mut late, |board| board.text == *wanted).await;
    }
    let first = early
        .client()
        .get::<Board>(server.board)
        .unwrap()
        .text
        .clone();
    assert_eq!(
        late.client().get::<Board>(server.board).unwrap().text,
        first
    );
}

/// Returns a game that moves each object by one in each tick since a client is ready; the objects stop one
/// after another.
pub(super) fn march() -> impl FnMut(&mut NetworkServer, &Objects) {
    let mut step = 0;
    move |server, objects| {
        let is_ready = server.connections().any(|one| server.is_ready(one));
        step += u32::from(is_ready);
        for (last, id) in (0..).zip(&objects.movers) {
            if step <= 100 + last {
                server.get_mut::<Mover>(*id).unwrap().x.set(step);
            }
        }
    }
}

/// Waits until a client has all movers at their last places.
pub(super) async fn see_stopped(server: &Running, peer: &mut NetworkPeer) {
    let is_right = |peer: &NetworkPeer, last: u32, id: NetId| {
        let mover = peer.client().get::<Mover>(id);
        mover.is_some_and(|mover| mover.x == 100 + last)
    };
    soon(async {
        let all = || (0..).zip(&server.movers);
        while !all().all(|(last, id)| is_right(peer, last, *id)) {
            peer.receive().await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn unreliable_state_travels_in_datagrams_and_converges() {
    let server = start(TransportOptions::default(), march());
    let mut peer = server.join().await;
    let bad = Conditions {
        delay: Duration::from_millis(10),
        jitter: Duration::from_millis(20),
        loss: 0.2,
        duplicate: 0.1,
        reorder: 0.1,
        seed: 9,
        ..Conditions::default()
    };
    server.conditions.set_both(bad);
    see_stopped(&server, &mut peer).await;
    let losses = server.ask(|server| {
        let connection = server.connections().next().unwrap();
        server.losses(connection).unwrap().unwrap()
    });
    assert!(losses.await.repaired > 0);
}

#[tokio::test]
async fn clients_verify_the_certificate() {
    let server = start(TransportOptions::default(), idle);
    let addr = server.addr.to_string();
    let connect = |trust| {
        let server = QuicClient::new(&addr, trust);
        async move { Box::pin(server.connect(client(), TransportOptions::default())).await }
    };
    for trust in [Trust::hashes([CertHash([7; 32])]), Trust::hashes([])] {
        let refused = soon(Box::pin(connect(trust))).await;
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains("certificate"), "{error}");
    }
    let any = Trust::any_server_without_verification();
    let unverified = soon(Box::pin(connect(any))).await;
    assert!(unverified.is_ok());
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
    let client = soon(Box::pin(peer.disconnect("tea"))).await;
    assert_eq!(
        server.disconnected().await,
        DisconnectReason::Requested("tea".into())
    );
    let again = server.connect_as(client, TransportOptions::default());
    let again = Box::pin(again).await;
    wait_for(&mut again.unwrap(), |event| *event == ClientEvent::Ready).await;
}

#[tokio::test]
async fn an_address_without_a_port_is_an_error() {
    let server = QuicClient::new("localhost", Trust::hashes([]));
    let error = server
        .peer(&client(), TransportOptions::default())
        .unwrap_err();
    assert!(error.to_string().contains("no port"), "{error}");
}
