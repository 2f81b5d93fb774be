//! Limits that need the bytes or the addresses of TCP. `tests/ports` has the others.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use super::Running;
use syncvar_net::{ClientConfig, NetworkClient, ServerConfig, ServerEvent};
use syncvar_testing::sockets::{
    Settings, TCP, counting, idle, prefabs, reaches, read_to_end, soon,
};
use syncvar_tokio::tcp::{ReservedPlaces, TransportOptions};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::sleep;

/// Connects from an address of loopback.
async fn connect_from(from: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((from, 0).into()).unwrap();
    soon(socket.connect(to)).await.unwrap()
}

/// Connects a socket that sends the handshake and `Ready`, and nothing more.
async fn ready_client(addr: SocketAddr) -> TcpStream {
    let mut client = NetworkClient::new(prefabs());
    client.handle_connect();
    let connect = client.poll_transmit().unwrap().bytes;
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let length = u8::try_from(connect.len() + 1).unwrap();
    stream.write_all(&[0, 0, 0, length, 0]).await.unwrap();
    stream.write_all(&connect).await.unwrap();
    // A header, and Ready.
    let ready = [0, 0, 0, 6, 0, 2, 0, 0, 35, 0];
    stream.write_all(&ready).await.unwrap();
    stream
}

#[tokio::test]
async fn sessions_away_count_for_their_address() {
    let config = ServerConfig {
        reconnect_grace: Duration::from_mins(1),
        session_tokens: Some(token),
        ..ServerConfig::default()
    };
    let options = TransportOptions {
        max_connections_per_address: 2,
        ..TransportOptions::default()
    };
    let settings = Settings {
        config,
        ..options.into()
    };
    let mut server = Running::start(TCP, settings, idle);
    let mut ends = Vec::new();
    for _ in 0..4 {
        drop(ready_client(server.addr).await);
        let end = server.event(|event| match event {
            ServerEvent::Away { .. } => Some("away"),
            ServerEvent::Disconnected { .. } => Some("ended"),
            _ => None,
        });
        ends.push(end.await);
    }
    assert_eq!(ends, ["away", "away", "ended", "ended"]);
    assert_eq!(server.stats().refused_away, 2);

    fn token() -> [u8; 16] {
        static NEXT: AtomicU8 = AtomicU8::new(0);
        [NEXT.fetch_add(1, Ordering::Relaxed); 16]
    }
}

#[tokio::test]
async fn an_address_cannot_take_all_places() {
    let options = TransportOptions {
        max_connections_per_address: 2,
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, options, idle);
    let refused = || server.stats().refused_address;
    let accepted = || server.stats().accepted;
    let first = connect_from([127, 0, 0, 1], server.addr).await;
    reaches(accepted, 1).await;
    assert_eq!(refused(), 0);
    let _second = connect_from([127, 0, 0, 1], server.addr).await;
    let mut third = connect_from([127, 0, 0, 1], server.addr).await;
    reaches(refused, 1).await;
    // A reset or an end.
    let mut byte = [0];
    let read = soon(tokio::io::AsyncReadExt::read(&mut third, &mut byte));
    assert!(matches!(read.await, Ok(0) | Err(_)));
    if cfg!(target_os = "linux") {
        let _other = connect_from([127, 0, 0, 2], server.addr).await;
        reaches(accepted, 3).await;
    }
    drop(first);
    soon(async {
        while accepted() < 4 {
            let _again = connect_from([127, 0, 0, 1], server.addr).await;
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn reserved_places_let_a_known_address_in() {
    let options = TransportOptions {
        max_connections: 2,
        reserved: ReservedPlaces::new(1, |from| from.to_string() == "127.0.0.9"),
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, options, idle);
    let _stranger = connect_from([127, 0, 0, 1], server.addr).await;
    let _refused = connect_from([127, 0, 0, 1], server.addr).await;
    reaches(|| server.stats().refused_full, 1).await;
    let _known = connect_from([127, 0, 0, 9], server.addr).await;
    reaches(|| server.stats().accepted, 2).await;
}

#[tokio::test]
async fn silence_after_the_handshake_ends_a_connection() {
    let options = TransportOptions {
        idle_timeout: Duration::from_millis(300),
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, options, idle);
    let mut silent = ready_client(server.addr).await;
    // Half a frame, byte by byte, is silence.
    let mut halting = ready_client(server.addr).await;
    halting.write_all(&[0, 0, 0, 200, 0]).await.unwrap();
    let trickle = async {
        while halting.write_all(&[0]).await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        () = trickle => {}
        () = reaches(|| server.stats().idle_timeouts, 2) => {}
    }
    let answer = read_to_end(&mut silent).await;
    assert!(String::from_utf8_lossy(&answer).contains("silent for too long"));
}

/// Returns the settings of a game whose clients do not ping.
fn without_schemas(options: TransportOptions) -> Settings {
    let mut settings = Settings::from(options);
    settings.config.compare_schemas = false;
    settings.client.compare_schemas = false;
    settings
}

#[tokio::test]
async fn a_client_without_pings_may_be_silent() {
    let options = TransportOptions {
        idle_timeout: Duration::from_millis(200),
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, without_schemas(options.clone()), idle);
    let mut client = server.join().await;
    // A client that is not ready does not ping either.
    let waiting = Settings {
        client: ClientConfig {
            auto_ready: false,
            ..ClientConfig::default()
        },
        ..options.into()
    };
    let waiting = Running::start(TCP, waiting, idle);
    let lobby = waiting.connect(TransportOptions::default());
    let mut lobby = lobby.await.unwrap();
    let waited = tokio::time::timeout(Duration::from_secs(1), async {
        tokio::join!(async { while client.receive().await.is_ok() {} }, async {
            while lobby.receive().await.is_ok() {}
        },)
    });
    assert!(waited.await.is_err());
    server.write(|board| *board.count = 1);
    server.see(&mut client, |board| board.count == 1).await;
    assert_eq!(waiting.counters.stats().idle_timeouts, 0);
}

#[tokio::test]
async fn garbage_is_read_up_to_a_limit_and_then_reset() {
    let options = TransportOptions {
        max_linger_bytes: 100_000,
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, options, idle);
    // Half of the limit: the answer arrives.
    let mut bad = TcpStream::connect(server.addr).await.unwrap();
    bad.write_all(&vec![255; 50_000]).await.unwrap();
    let answer = read_to_end(&mut bad).await;
    assert!(String::from_utf8_lossy(&answer).contains("malformed frame"));
    drop(bad);
    assert_eq!(server.stats().linger_cuts, 0);

    let mut worse = TcpStream::connect(server.addr).await.unwrap();
    let garbage = vec![255; 100_000];
    soon(async { while worse.write_all(&garbage).await.is_ok() {} }).await;
    reaches(|| server.stats().malformed_frames, 2).await;
    assert_eq!(server.stats().linger_cuts, 1);
}

/// Its clients may be silent: the system alone can notice that they are gone.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_vanished_client_of_a_busy_server_is_noticed() {
    let options = TransportOptions {
        idle_timeout: Duration::from_secs(1),
        ..TransportOptions::default()
    };
    let server = Running::start(TCP, without_schemas(options), counting);
    let mut client = TcpStream::connect(server.addr).await.unwrap();
    let ready = [0, 0, 0, 5, 0, 0, 0, 35, 0];
    client.write_all(&ready).await.unwrap();
    // The server sends.
    soon(client.readable()).await.unwrap();
    if cut_off(&client) {
        reaches(|| server.stats().vanished, 1).await;
    }

    /// Drops all packets that arrive at a socket. Returns whether the system allows it.
    #[cfg(target_os = "linux")]
    fn cut_off(stream: &TcpStream) -> bool {
        // `return 0`: no byte of a packet passes.
        let drop_all = [socket2::SockFilter::new(6, 0, 0, 0)];
        match socket2::SockRef::from(stream).attach_filter(&drop_all) {
            Ok(()) => true,
            Err(error) => {
                println!("skipped: no socket filter ({error})");
                false
            }
        }
    }
}
