//! Healthy clients, and their measurements.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::mirror::{MirrorClient, MirrorPeer};
use syncvar::prelude::*;
use syncvar::quic::QuicClient;
use syncvar::tcp::{TcpClient, TransportOptions};
use syncvar::tls::Trust;
use syncvar::transport::NetworkPeer;
use syncvar::udp::UdpClient;
use syncvar::websocket::WebSocketClient;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::Transport;
use crate::world::{CLOCK, ECHOES, Echo, UNITS, Unit, echo, micros, mirror_prefabs, prefabs};

/// Time between two commands of a client.
const COMMANDS: Duration = Duration::from_millis(83);

/// Measurements of all healthy clients.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// Time from a change on the server to its application, in microseconds.
    pub(crate) latencies: Vec<u64>,
    /// Time from a command to the application of its effect, in microseconds.
    pub(crate) round_trips: Vec<u64>,
    /// Longest time without a change, in microseconds.
    pub(crate) silence: u64,
    /// Clients whose connection ended.
    pub(crate) lost: usize,
}

impl Samples {
    /// Returns a percentile of samples in milliseconds; infinity without samples.
    pub(crate) fn percentile(samples: &mut [u64], percent: usize) -> f64 {
        samples.sort_unstable();
        let last = samples.len().saturating_sub(1);
        let sample = samples.get(last * percent / 100);
        sample.map_or(f64::INFINITY, |micros| {
            Duration::from_micros(*micros).as_secs_f64() * 1e3
        })
    }
}

/// Client with a connection by one of the transports.
pub(crate) enum Player {
    Tcp(Box<TcpClient>),
    /// WebSocket or QUIC.
    Peer(Box<NetworkPeer>),
    Udp(Box<UdpClient>),
    Kcp(Box<MirrorPeer>),
}

impl Player {
    /// Connects a client and waits for all objects. `None` after a time limit.
    pub(crate) async fn join(
        transport: Transport,
        address: SocketAddr,
        limit: Duration,
    ) -> Option<Self> {
        let joined = async {
            let mut player = match transport {
                Transport::Tcp => {
                    let client = NetworkClient::new(prefabs());
                    Self::Tcp(Box::new(TcpClient::connect(address, client).await.ok()?))
                }
                Transport::WebSocket => {
                    let client = NetworkClient::new(prefabs());
                    let server = WebSocketClient::new(&format!("ws://{address}"));
                    let connecting = server.connect(client, TransportOptions::default());
                    let peer = Box::pin(connecting).await.ok()?;
                    Self::Peer(Box::new(peer))
                }
                Transport::Quic => {
                    let client = NetworkClient::new(prefabs());
                    let trust = Trust::any_server_without_verification();
                    let server = QuicClient::new(&address.to_string(), trust);
                    let connecting = server.connect(client, TransportOptions::default());
                    let peer = Box::pin(connecting).await.ok()?;
                    Self::Peer(Box::new(peer))
                }
                Transport::Udp => {
                    let client = NetworkClient::new(prefabs());
                    Self::Udp(Box::new(UdpClient::connect(address, client).await.ok()?))
                }
                Transport::Kcp => {
                    let client = MirrorClient::new(mirror_prefabs());
                    Self::Kcp(Box::new(MirrorPeer::kcp(address, client).await.ok()?))
                }
            };
            let all = usize::try_from(UNITS + ECHOES).ok()?;
            while player.object_count() < all {
                player.receive().await.then_some(())?;
            }
            Some(player)
        };
        timeout(limit, Box::pin(joined)).await.ok().flatten()
    }

    /// Receives a packet. Returns whether the connection stands.
    async fn receive(&mut self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.receive().await.is_ok(),
            Self::Peer(peer) => peer.receive().await.is_ok(),
            Self::Udp(udp) => udp.receive().await.is_ok(),
            Self::Kcp(kcp) => kcp.receive().await.is_ok(),
        }
    }

    fn object_count(&self) -> usize {
        match self {
            Self::Tcp(tcp) => tcp.client().object_count(),
            Self::Peer(peer) => peer.client().object_count(),
            Self::Udp(udp) => udp.client().object_count(),
            Self::Kcp(kcp) => kcp.client().object_count(),
        }
    }

    fn get<B: NetworkBehaviour>(&self, id: NetId) -> Option<&B> {
        match self {
            Self::Tcp(tcp) => tcp.client().get(id),
            Self::Peer(peer) => peer.client().get(id),
            Self::Udp(udp) => udp.client().get(id),
            Self::Kcp(kcp) => kcp.client().get(id),
        }
    }

    /// Sends a command, and drops the events.
    fn command(&mut self, number: u32) {
        // A refused call is a missing round trip.
        let _ = match self {
            Self::Tcp(tcp) => tcp.client_mut().calls::<Echo>(echo(number)).echo(micros()),
            Self::Peer(peer) => peer.client_mut().calls::<Echo>(echo(number)).echo(micros()),
            Self::Udp(udp) => udp.client_mut().calls::<Echo>(echo(number)).echo(micros()),
            Self::Kcp(kcp) => kcp.client_mut().calls::<Echo>(echo(number)).echo(micros()),
        };
        match self {
            Self::Tcp(tcp) => while tcp.poll_event().is_some() {},
            Self::Peer(peer) => while peer.poll_event().is_some() {},
            Self::Udp(udp) => while udp.poll_event().is_some() {},
            Self::Kcp(kcp) => while kcp.poll_event().is_some() {},
        }
    }

    /// Plays until the connection ends. Adds measurements.
    pub(crate) async fn play(mut self, number: u32, samples: Rc<RefCell<Samples>>) {
        let mut commands = interval(COMMANDS);
        commands.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut seen = Seen::default();
        let mut last = Instant::now();
        loop {
            tokio::select! {
                stands = self.receive() => if !stands {
                    samples.borrow_mut().lost += 1;
                    return;
                },
                _ = commands.tick() => self.command(number),
            }
            let mut samples = samples.borrow_mut();
            let clock = self.get::<Unit>(CLOCK);
            if let Some(latency) = seen.clock.observe(clock, |unit| *unit.stamp) {
                samples.latencies.push(latency);
                last = Instant::now();
            }
            let own = self.get::<Echo>(echo(number));
            if let Some(latency) = seen.echo.observe(own, |echo| *echo.at) {
                samples.round_trips.push(latency);
            }
            let silence = u64::try_from(last.elapsed().as_micros()).unwrap_or(u64::MAX);
            samples.silence = samples.silence.max(silence);
        }
    }
}

/// Last values of a client's replicas.
#[derive(Debug, Default)]
struct Seen {
    clock: Stamp,
    echo: Stamp,
}

/// Last value of a field with a time.
#[derive(Debug, Default)]
struct Stamp(u64);

impl Stamp {
    /// Returns the age of a new value, in microseconds.
    fn observe<B>(&mut self, replica: Option<&B>, time: impl Fn(&B) -> u64) -> Option<u64> {
        let time = time(replica?);
        let new = time != self.0;
        self.0 = time;
        new.then(|| micros().saturating_sub(time))
    }
}
