//! `MirrorHost` and `MirrorPeer`: a game with one door that all clients observe.

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::DisconnectReason;
use syncvar::prelude::*;
use syncvar_mirror::{
    AssetId, MirrorClient, MirrorClientEvent, MirrorError, MirrorPrefab, MirrorPrefabs,
    MirrorServer, MirrorServerConfig, MirrorServerEvent,
};
use syncvar_testing::sockets::{Remote, anywhere, read_to_end, soon};
use syncvar_tokio::mirror::{MirrorHost, MirrorPeer};
use syncvar_tokio::{Reconnect, TransportError, TransportOptions};
use tokio::io::AsyncWriteExt;

#[derive(NetworkBehaviour, Default)]
struct Door {
    #[sync_var]
    open: SyncVar<bool>,
    #[sync_var]
    text: SyncVar<String>,
}

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    name: SyncVar<String>,
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Player>(MirrorPrefab::new("player", AssetId(1001)))
        .register::<Door>(MirrorPrefab::new("door", AssetId(1002)))
}

struct Running {
    addrs: Vec<SocketAddr>,
    door: NetId,
    server: Remote<MirrorServer>,
}

impl Running {
    /// Starts a host for Telepathy and KCP.
    async fn start() -> Self {
        Box::pin(Self::start_at([anywhere(); 2])).await
    }

    async fn start_at([for_telepathy, for_kcp]: [SocketAddr; 2]) -> Self {
        let config = MirrorServerConfig {
            tick_rate: 200,
            ..MirrorServerConfig::default()
        };
        let mut server = MirrorServer::with_config(prefabs(), config);
        let door = server.spawn(Door::default());
        let host = Box::pin(MirrorHost::telepathy(for_telepathy, server))
            .await
            .unwrap()
            .and_kcp(for_kcp)
            .await
            .unwrap();
        let addrs = host.local_addrs().unwrap();
        let server = Remote::spawn(add_players, |tick| host.run(tick));
        Self {
            addrs,
            door,
            server,
        }
    }

    /// Connects by Telepathy and by KCP.
    async fn join(&self) -> [MirrorPeer; 2] {
        let [by_telepathy, by_kcp] = self.addrs[..] else {
            panic!("two addresses");
        };
        let mut peers = [
            Box::pin(soon(MirrorPeer::telepathy(by_telepathy, client()))).await,
            Box::pin(soon(MirrorPeer::kcp(by_kcp, client()))).await,
        ]
        .map(Result::unwrap);
        for peer in &mut peers {
            wait(peer, |client| client.local_player().is_some()).await;
        }
        peers
    }

    fn write(&self, write: impl FnOnce(&mut Door) + Send + 'static) {
        let door = self.door;
        self.server.command(move |server| {
            write(&mut server.get_mut::<Door>(door).unwrap());
            ControlFlow::Continue(())
        });
    }
}

/// Gives each ready client a player with a name.
fn add_players(server: &mut MirrorServer) {
    while let Some(event) = server.poll_event() {
        if let MirrorServerEvent::AddPlayerRequested { connection } = event {
            let name = format!("player of {connection}").into();
            server.add_player(connection, Player { name }).unwrap();
        }
    }
}

fn client() -> MirrorClient {
    MirrorClient::new(prefabs())
}

/// Handles events until a condition holds.
async fn wait(peer: &mut MirrorPeer, is_so: impl Fn(&MirrorClient) -> bool) {
    soon(async {
        while !is_so(peer.client()) {
            peer.next_event().await.expect("the connection is over");
        }
    })
    .await;
}

/// Handles events until the end of the connection.
async fn wait_for_end(peer: &mut MirrorPeer) {
    soon(async {
        let mut over = false;
        while let Some(event) = peer.next_event().await {
            over |= matches!(event, MirrorClientEvent::Disconnected { .. });
        }
        assert!(over, "it was told");
    })
    .await;
}

#[tokio::test]
async fn early_and_late_clients_of_both_transports_agree() {
    let server = Running::start().await;
    let mut early = server.join().await;
    server.write(|door| *door.text = "first".into());
    let door = server.door;
    for peer in &mut early {
        wait(peer, |client| {
            client.get::<Door>(door).unwrap().text == "first"
        })
        .await;
    }
    let mut late = server.join().await;
    for peer in &late {
        assert_eq!(peer.client().get::<Door>(door).unwrap().text, "first");
    }
    // Close to the limit of a Telepathy batch.
    server.write(|door| {
        *door.open = true;
        *door.text = "x".repeat(16_000);
    });
    for peer in early.iter_mut().chain(&mut late) {
        wait(peer, |client| {
            let door = client.get::<Door>(door).unwrap();
            door.open == true && door.text.len() == 16_000
        })
        .await;
    }
    let player = early[0].client().local_player().unwrap();
    let name = &late[1].client().get::<Player>(player).unwrap().name;
    assert_eq!(*name, "player of connection 1");
}

#[tokio::test]
async fn a_client_leaves_with_its_player_and_can_return() {
    let server = Running::start().await;
    let mut stays = server.join().await;
    for peer in server.join().await {
        let player = peer.client().local_player().unwrap();
        wait(&mut stays[0], |client| client.identity(player).is_some()).await;
        let client = soon(peer.disconnect()).await;
        assert!(!client.is_connected());
        wait(&mut stays[0], |client| client.identity(player).is_none()).await;

        let addr = server.addrs[1];
        let connecting = Box::pin(MirrorPeer::kcp(addr, client));
        let mut back = soon(connecting).await.unwrap();
        let again = |client: &MirrorClient| client.local_player().is_some();
        wait(&mut back, again).await;
        assert_ne!(back.client().local_player(), Some(player));
    }
}

/// Runs a server until a connection has ended. Returns the reason.
async fn reason_of_the_end(host: MirrorHost) -> DisconnectReason<MirrorError> {
    let mut reason = None;
    let running = host.run(|server, _| {
        while let Some(event) = server.poll_event() {
            if let MirrorServerEvent::Disconnected { reason: found, .. } = event {
                reason = Some(found);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    soon(Box::pin(running)).await;
    reason.expect("the end of a connection")
}

#[tokio::test]
async fn client_that_leaves_on_purpose_is_no_loss() {
    let left = DisconnectReason::Requested(String::new());
    for is_kcp in [false, true] {
        let server = MirrorServer::new(prefabs());
        let host = if is_kcp {
            Box::pin(MirrorHost::kcp("127.0.0.1:0", server)).await
        } else {
            Box::pin(MirrorHost::telepathy("127.0.0.1:0", server)).await
        };
        let host = host.unwrap();
        let addr = host.local_addrs().unwrap()[0];
        let server = tokio::spawn(reason_of_the_end(host));
        let peer = if is_kcp {
            soon(Box::pin(MirrorPeer::kcp(addr, client()))).await
        } else {
            soon(Box::pin(MirrorPeer::telepathy(addr, client()))).await
        };
        let mut peer = peer.unwrap();
        soon(peer.receive()).await.unwrap();
        soon(Box::pin(peer.disconnect())).await;
        assert_eq!(soon(server).await.unwrap(), left, "KCP: {is_kcp}");
    }
}

#[tokio::test]
async fn client_that_vanishes_is_lost() {
    let host = Box::pin(MirrorHost::kcp("127.0.0.1:0", MirrorServer::new(prefabs())));
    let options = TransportOptions {
        silence_timeout: Duration::from_millis(300),
        ..TransportOptions::mirror()
    };
    let host = host.await.unwrap().with_options(options);
    let addr = host.local_addrs().unwrap()[0];
    let server = tokio::spawn(reason_of_the_end(host));
    let mut peer = soon(Box::pin(MirrorPeer::kcp(addr, client())))
        .await
        .unwrap();
    soon(peer.receive()).await.unwrap();
    // Nothing runs the peer from now on.
    let reason = soon(server).await.unwrap();
    assert_eq!(reason, DisconnectReason::ConnectionLost);
}

#[tokio::test]
async fn the_last_change_of_a_server_arrives_before_the_end() {
    let server = Running::start().await;
    let mut peers = server.join().await;
    let door = server.door;
    server.server.command(move |server| {
        *server.get_mut::<Door>(door).unwrap().text = "the end".into();
        ControlFlow::Break(())
    });
    for peer in &mut peers {
        wait(peer, |client| {
            client.get::<Door>(door).unwrap().text == "the end"
        })
        .await;
        wait_for_end(peer).await;
        assert!(matches!(
            soon(peer.receive()).await,
            Err(TransportError::Closed)
        ));
    }
    assert_eq!(server.server.stopped().await.connections().count(), 0);
}

#[tokio::test]
async fn client_learns_of_its_disconnect() {
    let server = Running::start().await;
    let mut peers = server.join().await;
    server.server.command(|server| {
        let connections: Vec<_> = server.connections().collect();
        for connection in connections {
            server.disconnect(connection);
        }
        ControlFlow::Continue(())
    });
    for peer in &mut peers {
        wait_for_end(peer).await;
        assert_eq!(peer.client().object_count(), 0);
    }
    assert_eq!(server.server.stop().await.connections().count(), 0);
}

#[tokio::test]
async fn a_disconnect_by_the_game_is_an_event_of_the_next_tick() {
    let host = Box::pin(MirrorHost::telepathy(
        "127.0.0.1:0",
        MirrorServer::new(prefabs()),
    ))
    .await
    .unwrap();
    let addr = host.local_addrs().unwrap()[0];
    let game = tokio::spawn(host.run(|server, _| {
        let events: Vec<_> = std::iter::from_fn(|| server.poll_event()).collect();
        for event in events {
            match event {
                MirrorServerEvent::Ready { connection } => {
                    server.disconnect(connection);
                }
                MirrorServerEvent::Disconnected { .. } => return ControlFlow::Break(()),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }));
    let connecting = Box::pin(MirrorPeer::telepathy(addr, client()));
    let mut peer = soon(connecting).await.unwrap();
    wait_for_end(&mut peer).await;
    soon(game).await.unwrap();
}

#[tokio::test]
async fn a_malformed_batch_ends_its_connection_alone() {
    let server = Running::start().await;
    let [mut other, _kcp] = server.join().await;
    let mut stream = tokio::net::TcpStream::connect(server.addrs[0])
        .await
        .unwrap();
    // A batch has at least a time of 8 bytes.
    stream.write_all(b"\0\0\0\x03abc").await.unwrap();
    read_to_end(&mut stream).await;
    server.write(|door| *door.open = true);
    let door = server.door;
    wait(&mut other, |client| {
        client.get::<Door>(door).unwrap().open == true
    })
    .await;
}

#[tokio::test]
async fn peers_return_to_a_server_that_was_killed() {
    let first = Running::start().await;
    let addrs = [first.addrs[0], first.addrs[1]];
    let reconnect = Reconnect {
        first_delay: Duration::from_millis(20),
        max_delay: Duration::from_millis(100),
        max_attempts: 1000,
    };
    let options = TransportOptions {
        reconnect: Some(reconnect),
        ..TransportOptions::mirror()
    };
    let telepathy = MirrorPeer::telepathy_with(addrs[0], client(), options.clone());
    let kcp = MirrorPeer::kcp_with(addrs[1], client(), options);
    let mut peers =
        [soon(Box::pin(telepathy)).await, soon(Box::pin(kcp)).await].map(Result::unwrap);
    for peer in &mut peers {
        wait(peer, |client| client.local_player().is_some()).await;
    }
    first.server.abort().await;
    let second = Box::pin(Running::start_at(addrs)).await;
    let door = second.door;
    second.write(|door| *door.text = "anew".into());
    for peer in &mut peers {
        wait(peer, |client| {
            let door = client.get::<Door>(door);
            door.is_some_and(|door| door.text == "anew")
        })
        .await;
        assert!(!peer.is_over());
    }
}
