//! Role of the server.

use std::io::Write;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use syncvar::ServerConfig;
use syncvar::mirror::{MirrorHost, MirrorServer, MirrorServerConfig, SpawnPolicy};
use syncvar::prelude::*;
use syncvar::tcp::{TcpOptions, TcpServer};
use syncvar::udp::{UdpOptions, UdpServer};

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
        Transport::Tcp | Transport::Udp => {
            let config = ServerConfig {
                tick_rate: TICK_RATE,
                ..ServerConfig::default()
            };
            let mut server = NetworkServer::with_config(prefabs(), config);
            server.fill();
            let game = move |server: &mut NetworkServer, _now| {
                while server.poll_event().is_some() {}
                last = server.tick(last);
                flow()
            };
            if let Transport::Tcp = transport {
                let tcp = TcpServer::bind("127.0.0.1:0", server, TcpOptions::default()).await?;
                announce(tcp.local_addr()?)?;
                tcp.run(game).await;
            } else {
                let udp = UdpServer::bind("127.0.0.1:0", server, UdpOptions::default()).await?;
                announce(udp.local_addr()?)?;
                udp.run(game).await;
            }
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

fn announce(address: SocketAddr) -> std::io::Result<()> {
    println!("{address}");
    std::io::stdout().flush()
}
