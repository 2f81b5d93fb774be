//! Derived behaviours over TCP, through the facade.

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::tcp::{TcpClient, TcpError, TcpServer, TransportOptions};
use syncvar::{ClientConfig, wire::ReadErrorKind};
use tokio::sync::mpsc;
use tokio::time::timeout;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var(hook = on_health_changed)]
    health: SyncVar<i32>,
    #[sync_var]
    name: SyncVar<String>,
    /// What the hook was given, and what it found.
    seen: Vec<(i32, i32, String)>,
}

impl Player {
    fn on_health_changed(&mut self, previous: i32) {
        self.seen
            .push((previous, *self.health, self.name.to_string()));
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
struct Door {
    #[sync_var(hook = on_open_changed)]
    open: SyncVar<bool>,
    #[sync_var]
    keys: SyncVar<Vec<u32>>,
    opened: u32,
}

impl Door {
    fn on_open_changed(&mut self, previous: bool) {
        assert_ne!(previous, *self.open);
        self.opened += 1;
    }
}

/// As large as is wanted.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
struct Book {
    #[sync_var]
    pages: SyncVar<Vec<Vec<u8>>>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Player>("player")
        .register::<(Door, Player)>("guarded door")
        .register::<Book>("book")
}

/// Longer than anything here takes.
const SOON: Duration = Duration::from_secs(30);

const PLAYER: NetId = NetId(1);
const DOOR: NetId = NetId(2);

/// What the server does in a tick.
type Command = fn(&mut NetworkServer) -> ControlFlow<()>;

fn begin(server: &mut NetworkServer) {
    let mut ann = Player::default();
    ann.health.set(100);
    ann.name.set("Ann".into());
    assert_eq!(server.spawn(ann), PLAYER);
    let mut door = Door::default();
    door.keys.set(vec![1, 2]);
    assert_eq!(server.spawn((door, Player::default())), DOOR);
}

fn attack(server: &mut NetworkServer) -> ControlFlow<()> {
    let mut player = server.get_mut::<Player>(PLAYER).unwrap();
    player.health -= 30;
    player.name.set("Anna".into());
    drop(player);
    server.get_mut::<Door>(DOOR).unwrap().open.set(true);
    ControlFlow::Continue(())
}

fn finish(server: &mut NetworkServer) -> ControlFlow<()> {
    server.get_mut::<Player>(PLAYER).unwrap().health -= 70;
    server.get_mut::<Player>(DOOR).unwrap().health.set(5);
    let mut door = server.get_mut::<Door>(DOOR).unwrap();
    door.open.set(false);
    door.keys.push(3);
    ControlFlow::Continue(())
}

#[tokio::test]
async fn early_and_late_client_equal_the_server() {
    let config = ServerConfig {
        tick_rate: 200,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    begin(&mut server);
    let server = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default())
        .await
        .unwrap();
    let addr = server.local_addr().unwrap();
    let (tell, mut commands) = mpsc::unbounded_channel::<Command>();
    let server = tokio::spawn(server.run(move |server, _| match commands.try_recv() {
        Ok(command) => command(server),
        Err(_) => ControlFlow::Continue(()),
    }));

    let mut early = join(addr).await;
    tell.send(attack).unwrap();
    until(&mut early, |client| health(client, PLAYER) == 70).await;
    until(&mut early, |client| door(client).opened == 1).await;

    let mut late = join(addr).await;
    tell.send(finish).unwrap();
    for client in [&mut early, &mut late] {
        until(client, |client| health(client, PLAYER) == 0).await;
        until(client, |client| health(client, DOOR) == 5).await;
        until(client, |client| door(client).keys.len() == 3).await;
    }

    tell.send(|_| ControlFlow::Break(())).unwrap();
    for client in [&mut early, &mut late] {
        until(client, |client| !client.is_connected()).await;
    }
    let server = timeout(SOON, server).await.unwrap().unwrap();
    for client in [early.client(), late.client()] {
        assert_equal(&server, client);
    }
    let seen = |tcp: &TcpClient| tcp.client().get::<Player>(PLAYER).unwrap().seen.clone();
    let second = (70, 0, "Anna".to_owned());
    assert_eq!(seen(&early), [(100, 70, "Anna".to_owned()), second.clone()]);
    assert_eq!(seen(&late), [second], "no hook runs for the initial state");
    assert_eq!(
        [door(early.client()).opened, door(late.client()).opened],
        [2, 1]
    );
}

const BOOK: NetId = NetId(3);

/// Pages of 50 000 bytes.
fn set_pages(server: &mut NetworkServer, pages: usize) -> ControlFlow<()> {
    let mut book = server.get_mut::<Book>(BOOK).unwrap();
    book.pages.set(vec![vec![7; 50_000]; pages]);
    ControlFlow::Continue(())
}

fn pages(client: &NetworkClient) -> usize {
    client.get::<Book>(BOOK).map_or(0, |book| book.pages.len())
}

/// A server with a book that has a page, and one to turn the pages.
async fn library() -> (SocketAddr, mpsc::UnboundedSender<Command>) {
    let config = ServerConfig {
        tick_rate: 200,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    begin(&mut server);
    assert_eq!(server.spawn(Book::default()), BOOK);
    let _ = set_pages(&mut server, 1);
    let server = TcpServer::bind("127.0.0.1:0", server, TransportOptions::default())
        .await
        .unwrap();
    let addr = server.local_addr().unwrap();
    let (tell, mut commands) = mpsc::unbounded_channel::<Command>();
    tokio::spawn(server.run(move |server, _| match commands.try_recv() {
        Ok(command) => command(server),
        Err(_) => ControlFlow::Continue(()),
    }));
    (addr, tell)
}

#[tokio::test]
async fn messages_of_1_and_15_megabytes_arrive() {
    let (addr, tell) = library().await;
    let mut early = TcpClient::connect(addr, NetworkClient::new(prefabs()))
        .await
        .unwrap();
    until(&mut early, |client| pages(client) == 1).await;
    for (command, expected) in [
        ((|server| set_pages(server, 21)) as Command, 21),
        (|server| set_pages(server, 300), 300),
    ] {
        tell.send(command).unwrap();
        until(&mut early, |client| pages(client) == expected).await;
        let mut late = TcpClient::connect(addr, NetworkClient::new(prefabs()))
            .await
            .unwrap();
        until(&mut late, |client| pages(client) == expected).await;
        let book = late.client().get::<Book>(BOOK).unwrap();
        assert!(book.pages.iter().flatten().all(|byte| *byte == 7));
        // The small ones beside it are there too.
        tell.send(attack).unwrap();
        for client in [&mut early, &mut late] {
            until(client, |client| health(client, PLAYER) < 100).await;
        }
    }
    tell.send(|server| set_pages(server, 2)).unwrap();
    until(&mut early, |client| pages(client) == 2).await;
}

#[tokio::test]
async fn message_beyond_the_limit_is_reported_and_a_huge_one_closes() {
    let (addr, tell) = library().await;
    let config = ClientConfig {
        max_message_size: 100_000,
        ..ClientConfig::default()
    };
    let client = NetworkClient::with_config(prefabs(), config);
    let mut tcp = TcpClient::connect(addr, client).await.unwrap();
    until(&mut tcp, |client| pages(client) == 1).await;
    while tcp.poll_event().is_some() {}
    tell.send(|server| set_pages(server, 21)).unwrap();
    let poisoned = async {
        loop {
            match tcp.next_event().await {
                Some(ClientEvent::Poisoned { object, error }) => return (object, error.kind()),
                other => assert!(other.is_some(), "the connection stands"),
            }
        }
    };
    let (object, kind) = timeout(SOON, poisoned).await.unwrap();
    assert_eq!(object, BOOK);
    assert!(matches!(
        kind,
        ReadErrorKind::MessageTooLong { limit: 100_000, .. }
    ));
    tell.send(attack).unwrap();
    until(&mut tcp, |client| health(client, PLAYER) == 70).await;
    tell.send(|server| set_pages(server, 0)).unwrap();
    until(&mut tcp, |client| pages(client) == 0).await;
    tell.send(|server| set_pages(server, 300)).unwrap();
    let failed = async {
        loop {
            if let Err(error) = tcp.receive().await {
                return error;
            }
        }
    };
    let error = timeout(SOON, failed).await.unwrap();
    assert!(matches!(error, TcpError::Io(_)), "{error}");
}

/// Connects and waits for both objects.
async fn join(addr: SocketAddr) -> TcpClient {
    let client = NetworkClient::new(prefabs());
    let mut tcp = TcpClient::connect(addr, client).await.unwrap();
    until(&mut tcp, |client| client.object_count() == 2).await;
    tcp
}

/// Receives until the client is as wanted.
async fn until(tcp: &mut TcpClient, wanted: impl Fn(&NetworkClient) -> bool) {
    let received = async {
        while !wanted(tcp.client()) {
            tcp.receive().await.unwrap();
        }
    };
    timeout(SOON, received)
        .await
        .expect("the client gets there");
}

fn health(client: &NetworkClient, id: NetId) -> i32 {
    *client.get::<Player>(id).unwrap().health
}

fn door(client: &NetworkClient) -> &Door {
    client.get(DOOR).unwrap()
}

fn assert_equal(server: &NetworkServer, client: &NetworkClient) {
    assert_eq!(client.object_count(), server.object_count());
    for id in [PLAYER, DOOR] {
        let ours = server.get::<Player>(id).unwrap();
        let theirs = client.get::<Player>(id).unwrap();
        assert_eq!((&ours.health, &ours.name), (&theirs.health, &theirs.name));
    }
    let (ours, theirs) = (server.get::<Door>(DOOR).unwrap(), door(client));
    assert_eq!((&ours.open, &ours.keys), (&theirs.open, &theirs.keys));
}
