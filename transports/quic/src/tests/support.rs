//! A game with one board and many movers, behind a [`QuicPort`].

use std::io;
use std::net::SocketAddr;

use syncvar::prelude::*;
use syncvar_testing::sockets::{self, Objects, Settings, Transport, prefabs};
use syncvar_tls::{Identity, Trust};
use syncvar_tokio::tcp::TransportOptions;
use syncvar_tokio::{Host, NetworkPeer};

use crate::{QuicClient, QuicPort};

/// QUIC with a port and the certificate that the clients trust.
pub(super) struct Quic {
    pub(super) identity: Identity,
    pub(super) port: QuicPort,
}

impl Transport for Quic {
    type Carrier = ();

    fn listen(&self, host: &mut Host<NetworkServer>, addr: SocketAddr) -> io::Result<()> {
        host.listen(addr, self.port.clone())
    }

    async fn connect(
        &self,
        server: SocketAddr,
        client: NetworkClient,
        options: TransportOptions,
    ) -> io::Result<NetworkPeer> {
        let trust = match self.identity.hashes() {
            hashes if hashes.is_empty() => Trust::any_server_without_verification(),
            hashes => Trust::hashes(hashes),
        };
        let server = QuicClient::new(&server.to_string(), trust);
        Box::pin(server.connect(client, options)).await
    }
}

pub(super) type Running = sockets::Running<Quic>;

/// Starts a server.
pub(super) fn start(
    options: TransportOptions,
    game: impl FnMut(&mut NetworkServer, &Objects) + Send + 'static,
) -> Running {
    start_on(options, game, |port| port)
}

/// Starts a server with 200 ticks per second on a port with settings.
pub(super) fn start_on(
    options: TransportOptions,
    game: impl FnMut(&mut NetworkServer, &Objects) + Send + 'static,
    settings: impl FnOnce(QuicPort) -> QuicPort,
) -> Running {
    let identity = Identity::generated(&["localhost"]).unwrap();
    let port = settings(QuicPort::new(&identity));
    let mut settings = Settings {
        movers: 50,
        ..options.into()
    };
    settings.config.tick_rate = 200;
    Running::start(Quic { identity, port }, settings, game)
}

pub(super) fn client() -> NetworkClient {
    NetworkClient::new(prefabs())
}
