//! WebTransport, with the client of web-transport-quinn.

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use syncvar::join::Decision;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar_tokio::tasks::Door;
use syncvar_tokio::tcp::TransportOptions;
use syncvar_tokio::{Host, NetworkPeer, Peer, client_options};
use web_transport_quinn::http::{HeaderValue, header};
use web_transport_quinn::proto::ConnectRequest;
use web_transport_quinn::{Client, ClientBuilder};

use super::exchange::{march, see_stopped};
use super::support::{Running, client, start, start_on};
use crate::QuicPort;
use crate::connection;
use crate::web::Web;
use syncvar_testing::sockets::{idle, prefabs, reaches, soon, wait_for};
use syncvar_tls::{Identity, Trust};

/// Returns hashes of certificates.
fn hashes(identity: &Identity) -> Vec<Vec<u8>> {
    let hashes = identity.hashes();
    hashes.iter().map(|hash| hash.0.to_vec()).collect()
}

/// Returns a client that trusts certificates by their hashes, as a browser does.
fn browser(hashes: Vec<Vec<u8>>) -> Client {
    let client = ClientBuilder::new().with_server_certificate_hashes(hashes);
    client.unwrap()
}

#[tokio::test]
async fn a_session_shares_the_port_with_native_clients() {
    let server = start(TransportOptions::default(), march());
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

    async fn join(server: &Running) -> NetworkPeer {
        let hashes = hashes(&server.transport.identity);
        let url = format!("https://{}/game", server.addr);
        let run = move |door: Door| {
            let (hashes, url) = (hashes.clone(), url.clone());
            async move {
                let url: url::Url = url.parse().unwrap();
                let session = browser(hashes).connect(url).await.unwrap();
                let (write, read) = session.open_bi().await.unwrap();
                let quic: quinn::Connection = (*session).clone();
                connection::exchange(&quic, read, write, &Web(session), door).await
            }
        };
        let client = client();
        let options = client_options(&client, TransportOptions::default()).unwrap();
        let peer = Peer::by_task(options, run).unwrap();
        let mut peer = soon(Box::pin(NetworkPeer::of(peer, client))).await.unwrap();
        wait_for(&mut peer, |event| *event == ClientEvent::Ready).await;
        peer
    }
}

#[tokio::test]
async fn a_client_that_vanishes_before_its_session_is_counted() {
    let options = TransportOptions {
        idle_timeout: Duration::from_millis(300),
        ..TransportOptions::default()
    };
    let server = start(options, idle);
    let trust = Trust::any_server_without_verification();
    let tls = trust.client_config(&[crate::web::ALPN]).unwrap();
    // Neither end of this connection sends a packet for its own sake: both let it time out, and say nothing.
    let crypto = quinn::crypto::rustls::QuicClientConfig::try_from(tls).unwrap();
    let config = quinn::ClientConfig::new(Arc::new(crypto));
    let endpoint = quinn::Endpoint::client(([127, 0, 0, 1], 0).into()).unwrap();
    let connecting = endpoint.connect_with(config, server.addr, "localhost");
    let _connection = soon(connecting.unwrap()).await.unwrap();
    reaches(|| server.stats().vanished, 1).await;
}

#[tokio::test]
async fn scripts_of_other_origins_are_refused() {
    let server = start_on(TransportOptions::default(), idle, |port| {
        let port = port.origin("https://game.example");
        port.origin("http://127.0.0.1:8080/")
    });
    let url: url::Url = format!("https://{}/", server.addr).parse().unwrap();
    for (origin, is_allowed) in [
        (None, true),
        (Some("https://game.example"), true),
        (Some("HTTPS://Game.example"), true),
        (Some("http://127.0.0.1:8080"), true),
        (Some("http://game.example"), false),
        (Some("https://game.example.evil.example"), false),
        (Some("https://game.example:444"), false),
        (Some("null"), false),
    ] {
        let mut request = ConnectRequest::new(url.clone());
        if let Some(origin) = origin {
            let origin = HeaderValue::from_static(origin);
            request = request.with_header(header::ORIGIN, origin);
        }
        let client = browser(hashes(&server.transport.identity));
        let session = soon(Box::pin(client.connect(request))).await;
        match session {
            Ok(session) => {
                assert!(is_allowed, "{origin:?}");
                session.close(0, b"");
            }
            Err(error) => {
                assert!(!is_allowed, "{origin:?}: {error}");
                assert!(error.to_string().contains("403"), "{origin:?}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn an_admission_rule_learns_the_origin_of_a_session() {
    let identity = Identity::generated(&["localhost"]).unwrap();
    let mut host = Host::<NetworkServer>::new(TransportOptions::default());
    let port = QuicPort::new(&identity);
    host.listen("127.0.0.1:0".parse::<SocketAddr>().unwrap(), port)
        .unwrap();
    let addr = host.local_addrs().unwrap()[0];
    let (peers, found) = (host.peer_addrs(), Arc::new(Mutex::new(Vec::new())));
    let mut server = NetworkServer::new(prefabs());
    let noted = Arc::clone(&found);
    server.set_admission(move |request| {
        noted.lock().unwrap().push(peers.origin(request.connection));
        Decision::Accept
    });
    tokio::spawn(async move {
        host.run(&mut server, |_, _| ControlFlow::Continue(()))
            .await;
    });
    let url: url::Url = format!("https://{addr}/").parse().unwrap();
    let mut sessions = Vec::new();
    for origin in [None, Some("https://game.example")] {
        let mut request = ConnectRequest::new(url.clone());
        if let Some(origin) = origin {
            request = request.with_header(header::ORIGIN, HeaderValue::from_static(origin));
        }
        let client = browser(hashes(&identity));
        let session = soon(Box::pin(client.connect(request))).await.unwrap();
        let (mut write, read) = session.open_bi().await.unwrap();
        write.write_all(&joining()).await.unwrap();
        sessions.push((session, write, read));
    }
    soon(async {
        while found.lock().unwrap().len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let mut found = found.lock().unwrap().clone();
    found.sort();
    assert_eq!(found, [None, Some("https://game.example".to_owned())]);
}

/// Returns the request of a client to join, as a frame of the stream.
fn joining() -> Vec<u8> {
    let mut client = client();
    client.handle_connect();
    let connect = client.poll_transmit().unwrap().bytes;
    let length = u32::try_from(connect.len() + 1).unwrap();
    [&length.to_be_bytes()[..], &[0], &connect].concat()
}
