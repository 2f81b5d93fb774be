//! WebTransport, with the client of web-transport-quinn.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar_tokio::tasks::Door;
use syncvar_tokio::tcp::TcpOptions;
use syncvar_tokio::{NetworkPeer, Peer, client_options};
use web_transport_quinn::ClientBuilder;

use super::exchange::{march, see_stopped};
use super::support::{Running, client, soon, wait_for};
use crate::connection;
use crate::web::Web;

/// Connects a client as a browser does: by the hash of the certificate.
async fn join(server: &Running) -> NetworkPeer {
    let hashes: Vec<Vec<u8>> = server
        .identity
        .hashes()
        .iter()
        .map(|hash| hash.0.to_vec())
        .collect();
    let url = format!("https://{}/game", server.addr);
    let run = move |door: Door| {
        let (hashes, url) = (hashes.clone(), url.clone());
        async move {
            let client = ClientBuilder::new().with_server_certificate_hashes(hashes);
            let url: url::Url = url.parse().unwrap();
            let session = client.unwrap().connect(url).await.unwrap();
            let (write, read) = session.open_bi().await.unwrap();
            let quic: quinn::Connection = (*session).clone();
            connection::exchange(&quic, (read, write), &Web(session), door).await
        }
    };
    let client = client();
    let options = client_options(&client, TcpOptions::default()).unwrap();
    let peer = Peer::by_task(options, run).unwrap();
    let mut peer = soon(Box::pin(NetworkPeer::of(peer, client))).await.unwrap();
    wait_for(&mut peer, |event| *event == ClientEvent::Ready).await;
    peer
}

#[tokio::test]
async fn a_session_shares_the_port_with_native_clients() {
    let ids = (2..52).map(NetId).collect();
    let server = Running::start(TcpOptions::default(), march(ids));
    let mut web = Box::pin(join(&server)).await;
    let mut native = server.join().await;
    server.conditions.set_both(Conditions {
        delay: Duration::from_millis(5),
        loss: 0.2,
        ..Conditions::default()
    });
    see_stopped(&server, &mut web).await;
    see_stopped(&server, &mut native).await;
    let long = "x".repeat(30_000);
    let text = long.clone();
    server.write(move |board| *board.text = text);
    server.see(&mut web, |board| board.text == *long).await;
    soon(Box::pin(web.disconnect("bye"))).await;
}
