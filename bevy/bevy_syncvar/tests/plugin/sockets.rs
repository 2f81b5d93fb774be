//! Links over sockets, with apps that know no runtime.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::ClientSession;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::NetworkServer;
use bevy_syncvar::syncvar::transport::{Host, Peer, TransportOptions};

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Door {
    is_open: bool,
}

#[derive(Event, NetValue, Clone, Debug, PartialEq)]
struct Knock(u32);

fn app(plugin: impl bevy_app::Plugin) -> App {
    let mut app = App::new();
    app.add_plugins(plugin)
        .replicate::<Door>()
        .net_event::<Knock>();
    app
}

fn addr(host: &Host<NetworkServer>) -> SocketAddr {
    host.local_addrs().unwrap()[0]
}

/// Opens a door on the server when the client knocks, and waits until the client sees it.
fn play(host: Host<NetworkServer>, client: ClientPlugin) {
    let (mut server, mut client) = (app(ServerPlugin::new(host)), app(client));
    server
        .world_mut()
        .spawn((Replicated, Door { is_open: false }));
    server.add_observer(
        |knock: On<FromClient<Knock>>, mut doors: Query<&mut Door>| {
            assert_eq!(knock.event, Knock(3));
            for mut door in &mut doors {
                door.is_open = true;
            }
        },
    );
    client.add_observer(|_: On<Add<Door>>, mut commands: Commands| {
        commands.trigger(ToServer::new(Knock(3)));
    });
    let mut doors = client.world_mut().query::<&Door>();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !doors.iter(client.world()).any(|door| door.is_open) {
        assert!(Instant::now() < deadline);
        server.update();
        client.update();
        thread::sleep(Duration::from_millis(2));
    }
    client.world_mut().remove_resource::<ClientLink>();
    while !server.world().resource::<Connections>().ids().is_empty() {
        assert!(Instant::now() < deadline);
        server.update();
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn apps_play_over_tcp() {
    let mut host = Host::new(TransportOptions::default());
    host.listen_tcp("127.0.0.1:0").unwrap();
    let addr = addr(&host);
    let open = move |client: &_| Peer::tcp(addr, client, TransportOptions::default());
    play(host, ClientPlugin::open(open));
}

#[test]
fn a_client_without_a_server_has_left() {
    let mut host = Host::<NetworkServer>::new(TransportOptions::default());
    host.listen_tcp("127.0.0.1:0").unwrap();
    let addr = addr(&host);
    drop(host);
    let options = TransportOptions::default();
    let mut client = app(ClientPlugin::open(move |client| {
        Peer::tcp(addr, client, options)
    }));
    let deadline = Instant::now() + Duration::from_secs(20);
    client.update();
    while client.world().resource::<ClientSession>().state() != JoinState::Left {
        assert!(Instant::now() < deadline);
        client.update();
        thread::sleep(Duration::from_millis(2));
    }
}

/// Runs a server and a client until the client has joined, ends the session on the server, and waits until the client has left.
fn play_until_the_end(end: fn(&mut World)) {
    let mut host = Host::new(TransportOptions::default());
    host.listen_tcp("127.0.0.1:0").unwrap();
    let addr = addr(&host);
    let mut server = app(ServerPlugin::new(host));
    let mut client = app(ClientPlugin::open(move |client| {
        Peer::tcp(addr, client, TransportOptions::default())
    }));
    server
        .world_mut()
        .spawn((Replicated, Door { is_open: true }));
    let state = |client: &App| client.world().resource::<ClientSession>().state();
    let deadline = Instant::now() + Duration::from_secs(20);
    let run = |until: JoinState, server: &mut App, client: &mut App| {
        client.update();
        while state(client) != until {
            assert!(Instant::now() < deadline, "{:?}", state(client));
            server.update();
            client.update();
            thread::sleep(Duration::from_millis(2));
        }
    };
    run(JoinState::Joined, &mut server, &mut client);
    end(server.world_mut());
    run(JoinState::Left, &mut server, &mut client);
    let connections = server.world().resource::<Connections>();
    assert_eq!(connections.ids(), []);
}

#[test]
fn a_server_disconnects_a_client_over_tcp() {
    play_until_the_end(|world| {
        let mut connections = world.query_filtered::<Entity, With<Connection>>();
        let connection = connections.single(world).unwrap();
        world.despawn(connection);
    });
}

#[test]
fn a_server_stops_over_tcp() {
    play_until_the_end(|world| {
        world.remove_resource::<ServerLink>();
    });
}

#[cfg(feature = "quic")]
#[test]
fn apps_play_over_quic() {
    use bevy_syncvar::syncvar::quic::{QuicClient, QuicPort};
    use bevy_syncvar::syncvar::tls::{Identity, Trust};

    let identity = Identity::generated(&["localhost"]).unwrap();
    let mut host = Host::new(TransportOptions::default());
    host.listen("127.0.0.1:0", QuicPort::new(&identity))
        .unwrap();
    let quic = QuicClient::new(&addr(&host).to_string(), Trust::hashes(identity.hashes()));
    let open = move |client: &_| quic.peer(client, TransportOptions::default());
    play(host, ClientPlugin::open(open));
}

#[cfg(feature = "websocket")]
#[test]
fn apps_play_over_websockets() {
    use bevy_syncvar::syncvar::websocket::{WebPort, WebSocketClient};

    let mut host = Host::new(TransportOptions::default());
    host.listen("127.0.0.1:0", WebPort::new()).unwrap();
    let web = WebSocketClient::new(&format!("ws://{}", addr(&host)));
    let open = move |client: &_| web.peer(client, TransportOptions::default());
    play(host, ClientPlugin::open(open));
}

#[cfg(feature = "udp")]
#[test]
fn apps_play_over_udp() {
    let mut host = Host::new(TransportOptions::default());
    host.listen_udp("127.0.0.1:0").unwrap();
    let addr = addr(&host);
    let open = move |client: &_| Peer::udp(addr, client, TransportOptions::default());
    play(host, ClientPlugin::open(open));
}
