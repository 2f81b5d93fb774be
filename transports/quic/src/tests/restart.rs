//! A server that starts again.

use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use syncvar::ClientEvent;
use syncvar_testing::sockets::{Settings, idle, wait_for};
use syncvar_tls::Identity;
use syncvar_tokio::Reconnect;
use syncvar_tokio::tcp::TransportOptions;
use tokio::runtime::Runtime;

use super::support::{Quic, Running};
use crate::QuicPort;

/// Returns identities of one certificate from PEM.
fn identities() -> impl Fn() -> Identity {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let chain = params.self_signed(&key).unwrap().pem();
    let key = key.serialize_pem();
    move || Identity::from_pem(chain.as_bytes(), key.as_bytes()).unwrap()
}

fn start(identity: Identity, settings: Settings) -> Running {
    let port = QuicPort::new(&identity);
    Running::start(Quic { identity, port }, settings, idle)
}

/// The server's tasks end with their runtime, so no datagram tells the client, as after a kill. The client may be silent for
/// hours: a reset alone can end its connection.
#[tokio::test]
async fn reset_of_a_server_that_starts_again_ends_the_connection_of_before() {
    let identity = identities();
    let options = TransportOptions {
        idle_timeout: Duration::from_hours(3),
        reconnect: Some(Reconnect::default()),
        ..TransportOptions::default()
    };
    let first = Runtime::new().unwrap();
    let server = {
        let _runtime = first.enter();
        start(identity(), options.clone().into())
    };
    let mut peer = server.join_by(server.addr, options.clone()).await;
    let killed = tokio::task::spawn_blocking(move || drop(first));
    killed.await.unwrap();
    let settings = Settings {
        addr: server.addr,
        ..options.into()
    };
    let _server = start(identity(), settings);
    let lost = |event: &ClientEvent| matches!(event, ClientEvent::Disconnected { .. });
    wait_for(&mut peer, lost).await;
    wait_for(&mut peer, |event| *event == ClientEvent::Ready).await;
}
