//! WebSocket over TLS.

use std::io;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use syncvar::prelude::*;
use syncvar_tls::{CertHash, Identity, Trust};
use syncvar_tokio::NetworkPeer;
use syncvar_tokio::tcp::TransportOptions;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::support::{Running, client, start_on};
use crate::{WebPort, WebSocketClient};
use syncvar_testing::sockets::{counting, read_to_end, soon, wait_for};

fn start(identity: &Identity, options: TransportOptions) -> Running {
    let port = WebPort::new().tls(identity).page("/", "text/plain", "page");
    start_on(port, options, counting)
}

/// Connects to the server by its address or this name.
async fn connect(server: &Running, host: &str, trust: Trust) -> io::Result<NetworkPeer> {
    let url = format!("wss://{host}:{}", server.addr.port());
    let url = WebSocketClient::new(&url).trust(trust);
    soon(Box::pin(url.connect(client(), TransportOptions::default()))).await
}

/// Checks that a client refuses the server.
async fn is_refused(server: &Running, host: &str, trust: Trust) {
    let refused = Box::pin(connect(server, host, trust)).await;
    assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::InvalidData);
}

#[tokio::test]
async fn clients_verify_the_hash_of_a_generated_certificate() {
    let identity = Identity::generated(&["localhost"]).unwrap();
    let server = start(&identity, TransportOptions::default());
    // The name does not count.
    let trusted = connect(&server, "127.0.0.1", Trust::hashes(identity.hashes()));
    let mut peer = Box::pin(trusted).await.unwrap();
    wait_for(&mut peer, |event| *event == ClientEvent::Ready).await;
    let mut plain = server.join().await;
    server.see(&mut peer, |board| board.count > 5).await;
    server.see(&mut plain, |board| board.count > 5).await;
    peer.disconnect("bye").await;

    is_refused(&server, "localhost", Trust::hashes([CertHash([7; 32])])).await;
    is_refused(&server, "localhost", Trust::hashes([])).await;
    let any = Trust::any_server_without_verification();
    let unverified = Box::pin(connect(&server, "localhost", any));
    assert!(unverified.await.is_ok());
}

#[tokio::test]
async fn clients_verify_a_chain_and_the_name() {
    let root_key = KeyPair::generate().unwrap();
    let mut root = CertificateParams::new([]).unwrap();
    root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root_pem = root.self_signed(&root_key).unwrap().pem();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&key, &Issuer::new(root, root_key)).unwrap();
    let (chain, key) = (leaf.pem(), key.serialize_pem());
    let identity = Identity::from_pem(chain.as_bytes(), key.as_bytes()).unwrap();
    let server = start(&identity, TransportOptions::default());
    let trust = Trust::roots_pem(root_pem.as_bytes()).unwrap();
    let trusted = Box::pin(connect(&server, "localhost", trust.clone()));
    let mut peer = trusted.await.unwrap();
    wait_for(&mut peer, |event| *event == ClientEvent::Ready).await;
    // Another name, and another certificate.
    is_refused(&server, "127.0.0.1", trust).await;
    let other = Identity::generated(&["localhost"]).unwrap();
    is_refused(&server, "localhost", Trust::hashes(other.hashes())).await;
    assert!(Trust::roots_pem(b"").is_err());
}

#[tokio::test]
async fn malformed_and_halting_handshakes_end() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(200),
        ..TransportOptions::default()
    };
    let server = start(&Identity::generated(&["localhost"]).unwrap(), options);
    let mut garbage = TcpStream::connect(server.addr).await.unwrap();
    garbage.write_all(&[0x16; 5]).await.unwrap();
    // An alert.
    assert_eq!(read_to_end(&mut garbage).await.first(), Some(&0x15));
    let mut halting = TcpStream::connect(server.addr).await.unwrap();
    halting.write_all(&[0x16, 3, 1, 1]).await.unwrap();
    assert_eq!(read_to_end(&mut halting).await, b"");
    assert_eq!(server.stats().handshake_timeouts, 1);
}

#[tokio::test]
async fn wss_without_a_trust_is_an_error() {
    let url = WebSocketClient::new("wss://localhost");
    let error = url
        .peer(&client(), TransportOptions::default())
        .unwrap_err();
    assert!(error.to_string().contains("no trust"), "{error}");
}
