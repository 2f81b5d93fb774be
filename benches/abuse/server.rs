//! Role of the server.

use std::io::Write;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use syncvar::mirror::{
    MirrorHost, MirrorServer, MirrorServerConfig, SpawnPolicy, TransportOptions,
};
use syncvar::prelude::*;
use syncvar::tcp::{TcpOptions, TcpServer};

use crate::process::input_closed;
use crate::world::{TICK, World, mirror_prefabs, prefabs};
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
        Transport::Tcp => {
            let mut server = NetworkServer::new(prefabs());
            server.fill();
            let mut options = TcpOptions::default();
            options.tick = TICK;
            let tcp = TcpServer::bind("127.0.0.1:0", server, options).await?;
            announce(tcp.local_addr()?)?;
            let game = move |server: &mut NetworkServer, _now| {
                while server.poll_event().is_some() {}
                last = server.tick(last);
                flow()
            };
            tcp.run(game).await;
        }
        Transport::Kcp => {
            let mut config = MirrorServerConfig::default();
            config.spawn_policy = SpawnPolicy::WhenReady;
            let mut server = MirrorServer::with_config(mirror_prefabs(), config);
            server.fill();
            let mut options = TransportOptions::default();
            options.tick = TICK;
            let host = MirrorHost::kcp("127.0.0.1:0", server).await?;
            let host = host.with_options(options);
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
