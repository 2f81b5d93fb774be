//! Role of the server.

use std::io::Write;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::mirror::{MirrorHost, MirrorServer, MirrorServerConfig, SpawnPolicy};
use syncvar::prelude::*;
use syncvar::quic::QuicPort;
use syncvar::tcp::TransportOptions;
use syncvar::tls::Identity;
use syncvar::transport::Host;
use syncvar::websocket::WebPort;

use crate::process::input_closed;
use crate::world::{TICK_RATE, World, mirror_prefabs, prefabs};
use crate::{Outcome, Transport};

/// Prints the address, and runs until the input is closed.
pub(crate) async fn serve(transport: Transport) -> Outcome {
    let stopped = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&stopped);
    tokio::spawn(async move {
        input_closed().await;
        stop.store(true, Ordering::Relaxed);
    });
    let flow = move || {
        if stopped.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut last = 0;
    match transport {
        Transport::Tcp | Transport::WebSocket | Transport::Quic | Transport::Udp => {
            let config = ServerConfig {
                tick_rate: TICK_RATE,
                ..ServerConfig::default()
            };
            let mut server = NetworkServer::with_config(prefabs(), config);
            server.fill();
            let game = move |server: &mut NetworkServer, _now: Duration| {
                while server.poll_event().is_some() {}
                last = server.tick(last);
                flow()
            };
            let mut host = host(transport)?;
            announce(host.local_addrs()?[0])?;
            host.run(&mut server, game).await;
        }
        Transport::Kcp => {
            let config = MirrorServerConfig {
                tick_rate: TICK_RATE,
                spawn_policy: SpawnPolicy::WhenReady,
                ..MirrorServerConfig::default()
            };
            let mut server = MirrorServer::with_config(mirror_prefabs(), config);
            server.fill();
            let host = MirrorHost::kcp("127.0.0.1:0", server).await?;
            announce(host.local_addrs()?[0])?;
            let game = move |server: &mut MirrorServer, _now| {
                while server.poll_event().is_some() {}
                last = server.tick(last);
                flow()
            };
            host.run(game).await;
        }
    }
    Ok(())
}

/// Returns a host that listens by a transport.
fn host(transport: Transport) -> std::io::Result<Host<NetworkServer>> {
    let anywhere = "127.0.0.1:0";
    let mut host = Host::new(TransportOptions::default());
    match transport {
        Transport::Tcp => host.listen_tcp(anywhere)?,
        Transport::WebSocket => host.listen(anywhere, WebPort::new())?,
        Transport::Quic => {
            let identity = Identity::generated(&["localhost"])?;
            host.listen(anywhere, QuicPort::new(&identity))?;
        }
        Transport::Udp | Transport::Kcp => host.listen_udp(anywhere)?,
    }
    Ok(host)
}

fn announce(address: SocketAddr) -> std::io::Result<()> {
    println!("{address}");
    std::io::stdout().flush()
}
