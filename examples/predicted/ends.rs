//! Server and client of one transport, each in a thread with a loop of its own.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use syncvar::motion::Input;
use syncvar::prelude::*;
use syncvar::quic::{QuicClient, QuicPort};
use syncvar::tcp::TransportOptions;
use syncvar::testing::{Conditions, Random};
use syncvar::tls::{Identity, Trust};
use syncvar::transport::{Host, Peer};
use syncvar::websocket::{WebPort, WebSocketClient};
use syncvar::{ConnectionId, Endpoint};

use crate::world::{
    BACK, Counts, Disturbance, Kind, NEAR, Order, RATE, Runner, config, is_calm, prefabs, run,
};

/// Transport of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Tcp,
    Udp,
    Quic,
    WebSocket,
}

impl Way {
    fn listen(self, host: &mut Host<NetworkServer>) -> std::io::Result<()> {
        let anywhere = "127.0.0.1:0";
        match self {
            Self::Tcp => host.listen_tcp(anywhere),
            Self::Udp => host.listen_udp(anywhere),
            Self::WebSocket => host.listen(anywhere, WebPort::new()),
            Self::Quic => {
                let identity =
                    Identity::generated(&["localhost"]).map_err(std::io::Error::other)?;
                host.listen(anywhere, QuicPort::new(&identity))
            }
        }
    }

    fn peer(self, addr: SocketAddr, client: &NetworkClient) -> std::io::Result<Peer> {
        let options = TransportOptions::default();
        match self {
            Self::Tcp => Peer::tcp(addr, client, options),
            Self::Udp => Peer::udp(addr, client, TransportOptions::default()),
            Self::WebSocket => WebSocketClient::new(&format!("ws://{addr}")).peer(client, options),
            Self::Quic => {
                let trust = Trust::any_server_without_verification();
                QuicClient::new(&addr.to_string(), trust).peer(client, options)
            }
        }
    }
}

/// Simulated link around the sockets of the server: losses of a stream delay it.
fn link() -> Conditions {
    Conditions {
        delay: Duration::from_millis(35),
        jitter: Duration::from_millis(10),
        loss: 0.05,
        ..Conditions::default()
    }
}

/// Runs the server until a time. Passes its address to `listening`.
pub(crate) fn serve(
    way: Way,
    counts: &Counts,
    (started, time): (Instant, Duration),
    listening: impl FnOnce(SocketAddr),
) -> std::io::Result<()> {
    let mut server = NetworkServer::with_config(prefabs(), config());
    let mut host = Host::new(TransportOptions::default());
    way.listen(&mut host)?;
    host.conditions().set_both(link());
    listening(host.local_addrs()?[0]);
    let mut runner = None;
    loop {
        stall(started, Kind::ServerStalls);
        let now = started.elapsed();
        host.receive(&mut server, now);
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::Ready { connection } if runner.is_none() => {
                    let options = SpawnOptions {
                        owner: Some(connection),
                        ..SpawnOptions::default()
                    };
                    let id = server.try_spawn(Runner::default(), options);
                    runner = id.ok().map(|id| (id, connection));
                }
                ServerEvent::Misbehaved { .. } | ServerEvent::Disconnected { .. } if now < time => {
                    counts.kicks.fetch_add(1, Ordering::Relaxed);
                    eprintln!("{way:?}, {now:.1?}: {event:?}");
                }
                _ => {}
            }
        }
        for tick in server.ticks_until(now) {
            let Some((id, connection)) = runner else {
                break;
            };
            // After the last second the client has left.
            let _ = server.step(id, tick, run);
            if is_calm(now, BACK) && now < time {
                let is_known = matches!(server.input::<Order>(connection, tick), Input::Known(_));
                let count = if is_known {
                    &counts.known
                } else {
                    &counts.late
                };
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        server.update(now);
        host.transmit(&mut server, now);
        counts
            .tick
            .store(server.network_time().tick, Ordering::Relaxed);
        if now > time + Duration::from_secs(1) {
            let refused = server.stats().refused.inputs;
            counts.refused.store(refused, Ordering::Relaxed);
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(1) / RATE);
    }
}

/// Sleeps through a disturbance of this kind.
fn stall(started: Instant, kind: Kind) {
    let now = started.elapsed();
    let last = Disturbance::last(now).filter(|last| last.kind == kind && now < last.end);
    std::thread::sleep(last.map_or(Duration::ZERO, |last| last.end.saturating_sub(now)));
}

/// Results of a client.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) returns: u32,
    /// Corrections behind a disturbance, and others.
    pub(crate) near: u64,
    pub(crate) far: u64,
    /// Greatest lead of the input clock while all is calm, in ticks.
    pub(crate) ahead: u64,
    /// Inputs of which the client was told that the server has refused them.
    pub(crate) told: u64,
}

/// Plays until a time.
pub(crate) fn play(
    way: Way,
    counts: &Counts,
    (started, time): (Instant, Duration),
    addr: SocketAddr,
) -> std::io::Result<Played> {
    let mut client = NetworkClient::new(prefabs());
    let mut peer = Some(way.peer(addr, &client)?);
    let (mut played, mut random, mut order) = (Played::default(), Random::new(1), Order::default());
    while started.elapsed() < time {
        stall(started, Kind::ClientStalls);
        let now = started.elapsed();
        let last = Disturbance::last(now);
        if last.is_some_and(|last| last.kind == Kind::LinkEnds && now < last.end) {
            if peer.take().is_some() {
                Endpoint::handle_disconnect(&mut client, ConnectionId::SERVER);
            }
        } else if peer.is_none() {
            peer = Some(way.peer(addr, &client)?);
        }
        if let Some(peer) = &mut peer
            && let Err(error) = peer.receive(&mut client, now)
        {
            eprintln!("{way:?}, {now:.1?}: {error}");
        }
        while let Some(event) = client.poll_event() {
            match event {
                ClientEvent::Spawned { object } => {
                    let _ = client.predict(object, run);
                }
                ClientEvent::Returned { .. } => played.returns += 1,
                ClientEvent::InputsRefused { inputs } => played.told += inputs,
                _ => {}
            }
        }
        if random.chance(100) {
            order.x = random.between(-1.0, 1.0);
        }
        // The order has a form on the wire.
        let _ = client.set_input(&order);
        client.update(now);
        if let Some(peer) = &mut peer {
            peer.transmit(&mut client, now);
        }
        let corrections = client.prediction_stats().corrections - played.near - played.far;
        if is_calm(now, NEAR) {
            played.far += corrections;
        } else {
            played.near += corrections;
        }
        if is_calm(now, BACK) {
            let tick = client.input_tick().unwrap_or_default();
            let ahead = tick.saturating_sub(counts.tick.load(Ordering::Relaxed));
            played.ahead = played.ahead.max(ahead);
        }
        std::thread::sleep(Duration::from_secs(1) / RATE);
    }
    Ok(played)
}
