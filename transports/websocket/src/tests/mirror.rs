//! Mirror's `SimpleWebTransport`: clients of this crate, and one that writes bytes by hand.

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::Channel;
use syncvar::mirror::{
    AssetId, Limits, MirrorClient, MirrorClientEvent, MirrorHost, MirrorPeer, MirrorPrefab,
    MirrorPrefabs, MirrorServer, MirrorServerEvent,
};
use syncvar::prelude::*;
use syncvar_tokio::TransportOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::support::{frame, upgrade};
use crate::{WebPort, WebSocketClient};
use syncvar_testing::sockets::{read_to_end, soon};

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    count: SyncVar<u32>,
    #[sync_var]
    text: SyncVar<String>,
}

#[network_calls]
impl Player {
    #[command]
    fn say(&mut self, text: String) {
        self.text.set(text);
    }
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new().register::<Player>(MirrorPrefab::new("player", AssetId(1001)))
}

/// Runs a server at a port for WebSocket, and at one for Telepathy; each connection gets a player.
async fn start(port: WebPort, options: TransportOptions) -> [SocketAddr; 2] {
    let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
    let host = MirrorHost::websocket(anywhere, port, MirrorServer::new(prefabs()));
    let host = host.await.unwrap().and_telepathy(anywhere).await.unwrap();
    let host = host.with_options(options);
    let addrs = host.local_addrs().unwrap();
    tokio::spawn(host.run(|server, _| {
        while let Some(event) = server.poll_event() {
            if let MirrorServerEvent::AddPlayerRequested { connection } = event {
                server.add_player(connection, Player::default()).unwrap();
            }
        }
        server.for_each_mut::<Player>(|_, player| *player.count += 1);
        ControlFlow::Continue(())
    }));
    addrs.try_into().unwrap()
}

async fn plain() -> SocketAddr {
    let port = WebPort::new()
        .page("/", "text/html", "<h1>page</h1>")
        .mirror();
    start(port, TransportOptions::mirror()).await[0]
}

async fn join(url: &WebSocketClient) -> MirrorPeer {
    let connecting = url.connect_mirror(MirrorClient::new(prefabs()), TransportOptions::mirror());
    let mut peer = soon(Box::pin(connecting)).await.unwrap();
    see(&mut peer, |player| player.count > 3).await;
    peer
}

/// Waits for a state of the client's player.
async fn see(peer: &mut MirrorPeer, wanted: impl Fn(&Player) -> bool) {
    soon(async {
        loop {
            let client = peer.client();
            let player = client.local_player();
            if player.is_some_and(|player| client.get::<Player>(player).is_some_and(&wanted)) {
                return;
            }
            peer.next_event().await.expect("the connection stands");
        }
    })
    .await;
}

async fn plays(peer: &mut MirrorPeer, text: &str) {
    let player = peer.client().local_player().unwrap();
    let client = peer.client_mut();
    client.calls::<Player>(player).say(text.to_owned()).unwrap();
    see(peer, |player| player.text == text).await;
}

#[tokio::test]
async fn clients_of_both_transports_share_a_world() {
    let port = WebPort::new().mirror();
    let [web, telepathy] = start(port, TransportOptions::mirror()).await;
    let mut by_web = join(&WebSocketClient::new(&format!("ws://{web}/any"))).await;
    let client = MirrorClient::new(prefabs());
    let connecting = MirrorPeer::telepathy(telepathy, client);
    let mut by_telepathy = soon(Box::pin(connecting)).await.unwrap();
    see(&mut by_telepathy, |player| player.count > 3).await;
    plays(&mut by_web, "a browser").await;
    let player = by_web.client().local_player().unwrap();
    soon(async {
        let sees = |client: &MirrorClient| {
            let player = client.get::<Player>(player);
            player.is_some_and(|player| player.text == "a browser")
        };
        while !sees(by_telepathy.client()) {
            by_telepathy.next_event().await.unwrap();
        }
    })
    .await;
    // Nearly a whole message of SimpleWebTransport, which has 16 KiB.
    plays(&mut by_web, &"x".repeat(16_200)).await;
}

#[tokio::test]
async fn client_that_leaves_takes_its_player_along_and_can_return() {
    let url = WebSocketClient::new(&format!("ws://{}", plain().await));
    let mut stays = join(&url).await;
    let leaves = join(&url).await;
    let player = leaves.client().local_player().unwrap();
    Box::pin(soon(async {
        let gone = |event: &MirrorClientEvent| {
            matches!(event, MirrorClientEvent::Despawned { object, .. } if *object == player)
        };
        let client = leaves.disconnect().await;
        assert!(!client.is_connected());
        while !gone(&stays.next_event().await.unwrap()) {}
    }))
    .await;
    join(&url).await;
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn clients_join_by_tls_on_the_same_port() {
    use syncvar_tls::{Identity, Trust};
    let identity = Identity::generated(&["localhost"]).unwrap();
    let port = WebPort::new().tls(&identity).mirror();
    let [addr, _] = start(port, TransportOptions::mirror()).await;
    let url = WebSocketClient::new(&format!("wss://localhost:{}", addr.port()));
    let mut secret = join(&url.trust(Trust::hashes(identity.hashes()))).await;
    plays(&mut secret, "by TLS").await;
    join(&WebSocketClient::new(&format!("ws://{addr}"))).await;
}

#[tokio::test]
async fn message_is_one_batch_in_both_directions() {
    let mut stream = upgrade(plain().await).await;
    let mut client = MirrorClient::new(prefabs());
    client.handle_connect(Limits::TELEPATHY);
    let mut now = Duration::ZERO;
    while client.local_player().is_none() {
        now += Duration::from_millis(16);
        client.update(now);
        let mut frames = Vec::new();
        while let Some(packet) = client.poll_transmit() {
            frames.extend(frame(2, &packet.bytes));
        }
        stream.write_all(&frames).await.unwrap();
        let batch = next_message(&mut stream).await;
        client.handle_packet(Channel::Reliable, &batch).unwrap();
    }

    /// A frame of the server: a whole binary message without a mask.
    async fn next_message(stream: &mut TcpStream) -> Vec<u8> {
        soon(async {
            assert_eq!(stream.read_u8().await.unwrap(), 0x82, "binary, and whole");
            let length = match stream.read_u8().await.unwrap() {
                126 => usize::from(stream.read_u16().await.unwrap()),
                length => usize::from(length),
            };
            let mut message = vec![0; length];
            stream.read_exact(&mut message).await.unwrap();
            message
        })
        .await
    }
}

#[tokio::test]
async fn malformed_messages_close_their_connection() {
    Box::pin(is_closed(&frame(1, b"text"))).await;
    Box::pin(is_closed(&frame(2, b""))).await;
    Box::pin(is_closed(&frame(2, &[0, 1, 2]))).await;
    Box::pin(is_closed(&frame(2, &vec![0; 16 * 1024 + 1]))).await;

    /// Checks that a server closes a connection after these bytes, without bytes of its own besides a close.
    async fn is_closed(bytes: &[u8]) {
        let addr = plain().await;
        let mut stays = join(&WebSocketClient::new(&format!("ws://{addr}"))).await;
        let mut stream = upgrade(addr).await;
        stream.write_all(bytes).await.unwrap();
        read_to_end(&mut stream).await;
        plays(&mut stays, "still here").await;
    }
}

#[tokio::test]
async fn frames_of_tcp_are_refused() {
    let mut stream = TcpStream::connect(plain().await).await.unwrap();
    stream.write_all(b"\0\0\0\x02\0\x01").await.unwrap();
    // An end or a reset.
    let answer = soon(stream.read(&mut [0; 64])).await;
    assert_eq!(answer.unwrap_or_default(), 0);
}

#[tokio::test]
async fn closing_frame_has_a_code() {
    let long = vec![0; 16 * 1024 + 1];
    for (bytes, code) in [
        (frame(1, b"text"), 1003_u16),
        (frame(2, b""), 1002),
        (frame(2, &long), 1009),
        (b"\x82\x02\0\0".to_vec(), 1002),
        // A malformed batch: the server ends the connection.
        (frame(2, &[0, 1, 2]), 1000),
    ] {
        let mut stream = upgrade(plain().await).await;
        stream.write_all(&bytes).await.unwrap();
        // SimpleWebTransport reports an error for an empty frame.
        let [high, low] = code.to_be_bytes();
        let answer = read_to_end(&mut stream).await;
        assert!(
            answer.ends_with(&[0x88, 2, high, low]),
            "{code}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn pages_are_served_beside() {
    let mut stream = TcpStream::connect(plain().await).await.unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    let answer = read_to_end(&mut stream).await;
    assert!(answer.ends_with(b"<h1>page</h1>"));
}

#[tokio::test]
async fn port_of_another_protocol_is_refused() {
    let host = MirrorHost::websocket("127.0.0.1:0", WebPort::new(), MirrorServer::new(prefabs()));
    assert_eq!(host.await.unwrap_err().kind(), io::ErrorKind::InvalidInput);
}

#[tokio::test]
async fn silent_client_is_closed() {
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(200),
        ..TransportOptions::mirror()
    };
    let [addr, _] = start(WebPort::new().mirror(), options).await;
    let mut mute = upgrade(addr).await;
    read_to_end(&mut mute).await;
}
