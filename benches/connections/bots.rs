//! Role of the bots: a real client for each connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use syncvar::ClientConfig;
use syncvar::prelude::*;
use syncvar::quic::QuicClient;
use syncvar::tcp::TransportOptions;
use syncvar::tls::Trust;
use syncvar::transport::{NetworkPeer, Peer};
use syncvar::websocket::WebSocketClient;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use crate::game::say;
use crate::progress::Progress;
use crate::unit::prefabs;
use crate::world::SEEN;
use crate::{Outcome, Transport};

/// Connections that are made at a time.
const DIALS: usize = 100;

/// Time in which bots may begin to join.
const PATIENCE: Duration = Duration::from_mins(3);

/// Updates per second of a bot, besides one for each packet.
const TICK_RATE: u32 = 4;

/// Bots with one transport.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crowd {
    pub(crate) transport: Transport,
    pub(crate) count: u32,
    /// How many of them read nothing any more once they have joined.
    pub(crate) stalled: u32,
    pub(crate) address: SocketAddr,
}

impl Crowd {
    /// Joins, and says so. Then each line of the input asks for the delays since the last one.
    pub(crate) async fn play(self) -> Outcome {
        let progress = Arc::new(Progress::default());
        let dials = Arc::new(Semaphore::new(DIALS));
        for number in 0..self.count {
            let (progress, dials) = (Arc::clone(&progress), Arc::clone(&dials));
            tokio::spawn(async move {
                let Ok(dial) = dials.acquire().await else {
                    progress.fail();
                    return;
                };
                let Some(mut peer) = Box::pin(self.join()).await else {
                    progress.fail();
                    return;
                };
                drop(dial);
                progress.join();
                if number < self.stalled {
                    // Its socket fills up.
                    std::future::pending::<()>().await;
                }
                while peer.receive().await.is_ok() {
                    while peer.poll_event().is_some() {}
                }
                progress.lose();
            });
        }
        let begun = Instant::now();
        while !progress.is_complete(self.count) {
            sleep(Duration::from_millis(20)).await;
            if begun.elapsed() > PATIENCE {
                dials.close();
            }
        }
        say(&progress.joined().to_string())?;
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while lines.next_line().await?.is_some() {
            progress.report()?;
        }
        Ok(())
    }

    /// Connects a client, and waits for its objects.
    async fn join(self) -> Option<NetworkPeer> {
        let config = ClientConfig {
            tick_rate: TICK_RATE,
            ..ClientConfig::default()
        };
        let client = NetworkClient::with_config(prefabs(), config);
        let options = TransportOptions {
            connect_timeout: Duration::from_mins(1),
            handshake_timeout: Duration::from_mins(1),
            idle_timeout: Duration::from_mins(5),
            ..TransportOptions::default()
        };
        let peer = self.peer(&client, options).ok()?;
        let mut peer = NetworkPeer::of(peer, client).await.ok()?;
        let seen = usize::try_from(SEEN).ok()?;
        while peer.client().object_count() < seen {
            peer.receive().await.ok()?;
        }
        Some(peer)
    }

    fn peer(self, client: &NetworkClient, options: TransportOptions) -> std::io::Result<Peer> {
        let address = self.address.to_string();
        match self.transport {
            Transport::Tcp => Peer::tcp(self.address, client, options),
            Transport::WebSocket => {
                WebSocketClient::new(&format!("ws://{address}")).peer(client, options)
            }
            Transport::Quic => {
                let trust = Trust::any_server_without_verification();
                QuicClient::new(&address, trust).peer(client, options)
            }
        }
    }
}
