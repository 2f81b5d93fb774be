//! Servers and clients in the program's loop, over real sockets and without async.

use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::transport::{Host, Peer, Timeout, TransportError, TransportOptions};
use syncvar::{ClientConfig, Endpoint, FrameTransport, OpenedLater, ServerConfig};
use syncvar_mirror::{
    AssetId, MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig,
    SpawnPolicy,
};
use syncvar_tokio::tcp::{Reconnect, TcpClient, TcpServer};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Lamp {
    #[sync_var]
    level: SyncVar<u32>,
}

const FRAME: Duration = Duration::from_millis(2);

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Lamp>("lamp")
}

fn mirror_prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new().register::<Lamp>(MirrorPrefab::new("lamp", AssetId(1001)))
}

/// A server and its clients in one loop, by one clock.
struct Loop<S, C> {
    server: S,
    host: Host<S>,
    clients: Vec<(C, Peer)>,
    started: Instant,
    /// Results of `Peer::receive`, beside success.
    errors: Vec<String>,
}

impl<S: Endpoint, C: Endpoint> Loop<S, C> {
    fn new(server: S, host: Host<S>) -> Self {
        Self {
            server,
            host,
            clients: Vec::new(),
            started: Instant::now(),
            errors: Vec::new(),
        }
    }

    fn addr(&self) -> SocketAddr {
        self.host.local_addrs().unwrap()[0]
    }

    fn frame(&mut self) {
        let now = self.started.elapsed();
        for (client, peer) in &mut self.clients {
            if let Err(error) = peer.receive(client, now) {
                self.errors.push(error.to_string());
            }
            client.update(now);
            peer.transmit(client, now);
        }
        self.host.receive(&mut self.server, now);
        self.server.update(now);
        self.host.transmit(&mut self.server, now);
        assert!(self.started.elapsed() < now + Duration::from_millis(500));
        sleep(FRAME);
    }

    /// Runs frames until a condition holds.
    fn until(&mut self, holds: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(
                began.elapsed() < Duration::from_secs(20),
                "it takes too long"
            );
            self.frame();
        }
    }
}

fn tcp_loop(options: TransportOptions) -> Loop<NetworkServer, NetworkClient> {
    let mut host = Host::new(TransportOptions {
        close_timeout: Duration::from_millis(200),
        ..options
    });
    host.listen_tcp("127.0.0.1:0").unwrap();
    Loop::new(NetworkServer::new(prefabs()), host)
}

impl Loop<NetworkServer, NetworkClient> {
    fn join(&mut self, options: TransportOptions) {
        let client = NetworkClient::new(prefabs());
        let peer = Peer::tcp(self.addr(), &client, options).unwrap();
        self.clients.push((client, peer));
    }

    fn level(&self, client: usize, lamp: NetId) -> Option<u32> {
        Some(*self.clients[client].0.get::<Lamp>(lamp)?.level)
    }
}

#[test]
fn tcp_server_and_clients_share_a_loop() {
    let mut game = tcp_loop(TransportOptions::default());
    let lamp = game.server.spawn(Lamp { level: 1.into() });
    game.join(TransportOptions::default());
    game.join(TransportOptions::default());
    assert!(
        !game.clients[0].1.is_connected(),
        "it connects in the background"
    );
    game.until(|game| (0..2).all(|client| game.level(client, lamp) == Some(1)));
    game.server.get_mut::<Lamp>(lamp).unwrap().level.set(2);
    game.until(|game| (0..2).all(|client| game.level(client, lamp) == Some(2)));

    let addr = game.addr();
    assert!(
        game.clients
            .iter()
            .all(|(_, peer)| peer.peer_addr() == Some(addr))
    );
    let connections: Vec<_> = game.server.connections().collect();
    for connection in &connections {
        let addr = game.host.peer_addr(*connection).unwrap();
        assert!(addr.ip().is_loopback());
    }

    game.clients[0].0.disconnect("bye");
    game.until(|game| game.clients[0].1.is_over() && game.server.connections().count() == 1);
    game.frame();
    let known = |connection: &ConnectionId| game.host.peer_addr(*connection).is_some();
    assert_eq!(connections.iter().filter(|id| known(id)).count(), 1);

    let (mut client, peer) = game.clients.pop().unwrap();
    game.host.shut_down_blocking(&mut game.server);
    let mut peer = peer;
    let reason = loop {
        let now = game.started.elapsed();
        let _ = peer.receive(&mut client, now);
        let mut events = std::iter::from_fn(|| client.poll_event());
        if let Some(ClientEvent::Disconnected { reason }) =
            events.find(|event| matches!(event, ClientEvent::Disconnected { .. }))
        {
            break reason;
        }
        sleep(FRAME);
    };
    assert_eq!(
        reason.to_string(),
        "disconnected: the server is shutting down"
    );
}

fn by_mirror(listen: impl Fn(&mut Host<MirrorServer>), connect: impl Fn(SocketAddr) -> Peer) {
    let config = MirrorServerConfig {
        spawn_policy: SpawnPolicy::WhenReady,
        ..MirrorServerConfig::default()
    };
    let mut host = Host::new(TransportOptions::mirror());
    listen(&mut host);
    let mut game = Loop::new(MirrorServer::with_config(mirror_prefabs(), config), host);
    let lamp = game.server.spawn(Lamp { level: 1.into() });
    let peer = connect(game.addr());
    game.clients
        .push((MirrorClient::new(mirror_prefabs()), peer));
    let level = |game: &Loop<MirrorServer, MirrorClient>| {
        game.clients[0].0.get::<Lamp>(lamp).map(|lamp| *lamp.level)
    };
    game.until(|game| level(game) == Some(1));
    game.server.get_mut::<Lamp>(lamp).unwrap().level.set(2);
    game.until(|game| level(game) == Some(2));
    game.until(|game| {
        game.clients[0]
            .0
            .network_time_at(game.started.elapsed())
            .is_some()
    });

    let (mut client, peer) = game.clients.pop().unwrap();
    peer.disconnect_blocking(&mut client, "");
    assert!(!client.is_connected());
    game.until(|game| game.server.connections().count() == 0);
    game.host.shut_down_blocking(&mut game.server);
}

#[test]
fn telepathy_server_and_client_share_a_loop() {
    let options = TransportOptions::default;
    by_mirror(
        |host| host.listen_telepathy("127.0.0.1:0").unwrap(),
        |addr| Peer::telepathy(addr, options()).unwrap(),
    );
}

#[test]
fn kcp_server_and_client_share_a_loop() {
    let options = TransportOptions::default;
    by_mirror(
        |host| host.listen_kcp("127.0.0.1:0").unwrap(),
        |addr| Peer::kcp(addr, options()).unwrap(),
    );
}

#[test]
fn limits_hold_in_a_loop() {
    let mut game = tcp_loop(TransportOptions {
        max_connections: 1,
        handshake_timeout: Duration::from_millis(100),
        ..TransportOptions::default()
    });
    let silent = std::net::TcpStream::connect(game.addr()).unwrap();
    game.until(|game| game.server.connections().count() == 1);
    game.join(TransportOptions::default());
    game.until(|game| game.host.counters().stats().refused_full == 1);
    game.until(|game| game.host.counters().stats().handshake_timeouts == 1);
    game.until(|game| game.clients[0].1.is_over());
    assert_eq!(game.errors.len(), 1, "once: {:?}", game.errors);
    drop(silent);
}

#[test]
fn server_that_stands_still_times_out_by_the_clock_of_the_loop() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = NetworkClient::new(prefabs());
    let addr = listener.local_addr().unwrap();
    let mut peer = Peer::tcp(addr, &client, TransportOptions::default()).unwrap();
    let mut now = Duration::ZERO;
    let error = loop {
        now += Duration::from_millis(100);
        if let Err(error) = peer.receive(&mut client, now) {
            break error;
        }
        client.update(now);
        peer.transmit(&mut client, now);
        if !peer.is_connected() {
            now = Duration::ZERO;
            sleep(FRAME);
        }
    };
    assert!(
        matches!(error, TransportError::Timeout(Timeout::Handshake)),
        "{error}"
    );
    assert_eq!(now.as_millis() / 1000, 10, "{now:?}");
    assert!(peer.is_over());
}

#[test]
fn a_program_holds_any_transport_behind_one_type() {
    let mut host = Host::new(TransportOptions::default());
    host.listen_tcp("127.0.0.1:0").unwrap();
    let addr = host.local_addrs().unwrap()[0];
    let (mut server, mut client) = (NetworkServer::new(prefabs()), NetworkClient::new(prefabs()));
    let lamp = server.spawn(Lamp { level: 4.into() });
    let peer = Peer::tcp(addr, &client, TransportOptions::default()).unwrap();
    let mut of_server: Box<dyn FrameTransport<NetworkServer>> = Box::new(host);
    let mut of_client: Box<dyn FrameTransport<NetworkClient>> = Box::new(peer);
    let started = Instant::now();
    while client.get::<Lamp>(lamp).is_none_or(|seen| seen.level != 4) {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "it takes too long"
        );
        let now = started.elapsed();
        of_client.receive(&mut client, now).unwrap();
        client.update(now);
        of_client.transmit(&mut client, now);
        of_server.receive(&mut server, now).unwrap();
        server.update(now);
        of_server.transmit(&mut server, now);
        sleep(FRAME);
    }
    drop(of_server);
    // The end is an error, once.
    while of_client.receive(&mut client, started.elapsed()).is_ok() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "it takes too long"
        );
        sleep(FRAME);
    }
    assert!(of_client.is_over());
}

#[test]
fn a_transport_opened_later_checks_the_client_in_its_first_frame() {
    let config = ClientConfig {
        ping_interval: Duration::from_mins(1),
        ..ClientConfig::default()
    };
    let open =
        |client: &NetworkClient| Peer::tcp("127.0.0.1:9", client, TransportOptions::default());
    let mut transport = OpenedLater::new(open);
    let mut client = NetworkClient::with_config(prefabs(), config);
    assert!(!FrameTransport::<NetworkClient>::is_over(&transport));
    let error = transport.receive(&mut client, Duration::ZERO).unwrap_err();
    assert!(error.to_string().contains("ping_interval"), "{error}");
    assert!(FrameTransport::<NetworkClient>::is_over(&transport));
    transport.receive(&mut client, FRAME).unwrap();
}

#[test]
fn failed_connection_is_an_error_of_a_frame() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let mut client = NetworkClient::new(prefabs());
    let mut peer = Peer::tcp(closed, &client, TransportOptions::default()).unwrap();
    let started = Instant::now();
    let error = loop {
        match peer.receive(&mut client, started.elapsed()) {
            Ok(()) => sleep(FRAME),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, TransportError::Io(_)), "{error}");
    assert!(peer.is_over() && peer.receive(&mut client, started.elapsed()).is_ok());
}

#[test]
fn client_in_a_loop_connects_again() {
    let mut game = tcp_loop(TransportOptions::default());
    let lamp = game.server.spawn(Lamp { level: 7.into() });
    let reconnect = Reconnect {
        first_delay: Duration::from_millis(10),
        ..Reconnect::default()
    };
    game.join(TransportOptions {
        reconnect: Some(reconnect),
        ..TransportOptions::default()
    });
    game.until(|game| game.level(0, lamp) == Some(7));
    let addr = game.addr();
    let options = TransportOptions::default();
    game.host = Host::new(options);
    game.server = NetworkServer::new(prefabs());
    let lamp = game.server.spawn(Lamp { level: 8.into() });
    game.until(|game| !game.clients[0].0.is_connected());
    game.host.listen_tcp(addr).unwrap();
    game.until(|game| game.level(0, lamp) == Some(8));
}

/// An engine keeps its resources where several threads can reach them.
#[test]
fn host_and_peer_are_send_and_sync() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Host<NetworkServer>>();
    check::<Host<MirrorServer>>();
    check::<Peer>();
}

/// In a runtime with one thread, the sockets have their turn between the frames.
#[tokio::test]
async fn loop_on_tokio_awaits_between_its_frames() {
    let mut game = tcp_loop(TransportOptions::default());
    let lamp = game.server.spawn(Lamp { level: 3.into() });
    game.join(TransportOptions::default());
    let began = Instant::now();
    while game.level(0, lamp) != Some(3) {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "it takes too long"
        );
        game.frame();
        let _ = tokio::time::timeout(FRAME, game.host.readable()).await;
    }
    game.host.shut_down(&mut game.server).await;
}

/// A second clock, two seconds older than the transport's.
#[tokio::test]
async fn second_clock_does_not_move_a_client_of_a_transport() {
    let program = Instant::now().checked_sub(Duration::from_secs(2)).unwrap();
    let config = ServerConfig {
        tick_rate: 100,
        ..ServerConfig::default()
    };
    let server = NetworkServer::with_config(prefabs(), config);
    let server = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default());
    let server = server.await.unwrap();
    let addr = server.local_addr().unwrap();
    let began = Instant::now();
    let running = tokio::spawn(server.run(move |server, now| {
        server.update(program.elapsed() + Duration::from_hours(1));
        assert!(server.now() <= now, "{:?} after {now:?}", server.now());
        if began.elapsed() > Duration::from_millis(1500) {
            std::ops::ControlFlow::Break(())
        } else {
            std::ops::ControlFlow::Continue(())
        }
    }));
    let mut tcp = TcpClient::connect(addr, NetworkClient::new(prefabs()))
        .await
        .unwrap();
    let (mut frames, mut last) = (0, Duration::ZERO);
    while began.elapsed() < Duration::from_millis(1300) {
        let frame = Duration::from_millis(7);
        let _ = tokio::time::timeout(frame, tcp.receive()).await;
        tcp.client_mut().update(program.elapsed());
        assert!(tcp.client().now() <= tcp.now());
        if let Some(moment) = tcp.network_time() {
            assert!(moment.time > last, "{frames}");
            (frames, last) = (frames + 1, moment.time);
        }
    }
    assert!(frames > 50, "{frames}");
    assert!(tcp.client().now() < Duration::from_secs(2));
    let before = tcp.client().now();
    let mut client = tcp.disconnect("bye").await;
    client.update(program.elapsed());
    client.update(program.elapsed() + Duration::from_secs(1));
    let passed = client.now().checked_sub(before).unwrap();
    assert!(
        passed >= Duration::from_secs(1) && passed < Duration::from_secs(3),
        "{passed:?}"
    );
    let mut server = running.await.unwrap();
    let stopped = server.now();
    server.update(Duration::from_secs(9999));
    server.update(Duration::from_secs(10_000));
    assert_eq!(
        server.now().checked_sub(stopped),
        Some(Duration::from_secs(1))
    );
}

#[test]
fn returned_session_has_the_address_of_its_new_link() {
    let config = ServerConfig {
        reconnect_grace: Duration::from_secs(10),
        session_tokens: Some(|| [7; 16]),
        ..ServerConfig::default()
    };
    let mut game = tcp_loop(TransportOptions::default());
    game.server = NetworkServer::with_config(prefabs(), config);
    let lamp = game.server.spawn(Lamp { level: 1.into() });
    game.join(TransportOptions::default());
    game.until(|game| game.level(0, lamp) == Some(1));
    let connection = game.server.connections().next().unwrap();
    let first = game.host.peer_addr(connection).unwrap();
    assert_eq!(game.host.peer_addrs().get(connection), Some(first));

    let (mut client, peer) = game.clients.pop().unwrap();
    drop(peer);
    client.handle_disconnect();
    game.until(|game| game.server.is_away(connection));
    game.frame();
    assert_eq!(game.host.peer_addr(connection), None, "it has no link");

    let peer = Peer::tcp(game.addr(), &client, TransportOptions::default()).unwrap();
    game.clients.push((client, peer));
    game.until(|game| game.server.is_ready(connection) && !game.server.is_away(connection));
    game.frame();
    let link = game.server.link(connection).unwrap();
    assert_ne!(link, connection);
    let second = game.host.peer_addr(connection).unwrap();
    assert!(second.ip().is_loopback() && second != first);
    assert_eq!(game.host.peer_addr(link), Some(second));

    game.clients[0].0.disconnect("bye");
    game.until(|game| game.server.connections().count() == 0);
    game.frame();
    game.frame();
    assert_eq!(game.host.peer_addr(connection), None);
}
