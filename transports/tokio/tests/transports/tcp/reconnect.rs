//! Clients whose server does not answer, or is lost.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use super::Running;
use syncvar_net::{
    ClientConfig, ClientEvent, NetworkClient, NetworkServer, ServerConfig, ServerEvent,
};
use syncvar_runtime::DisconnectReason;
use syncvar_testing::sockets::{Settings, TCP, idle, prefabs, soon, wait_for};
use syncvar_tokio::tcp::{Reconnect, TcpClient, TcpError, Timeout, TransportOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// Options with quick attempts.
fn quick(max_attempts: u32) -> TransportOptions {
    let reconnect = Reconnect {
        first_delay: Duration::from_millis(10),
        max_delay: Duration::from_millis(50),
        max_attempts,
    };
    TransportOptions {
        reconnect: Some(reconnect),
        ..TransportOptions::default()
    }
}

async fn connect(addr: SocketAddr, options: TransportOptions) -> io::Result<TcpClient> {
    let client = NetworkClient::new(prefabs());
    soon(Box::pin(TcpClient::connect_with(addr, client, options))).await
}

#[tokio::test]
async fn a_client_returns_to_a_server_that_was_killed() {
    let first = Running::start(TCP, TransportOptions::default(), idle);
    first.write(|board| *board.text = "before".into());
    let mut client = connect(first.addr, quick(1000)).await.unwrap();
    wait_for(&mut client, |event| matches!(event, ClientEvent::Ready)).await;
    first.see(&mut client, |board| board.text == "before").await;
    let addr = first.addr;
    first.abort().await;
    let lost = wait_for(&mut client, |event| {
        matches!(event, ClientEvent::Disconnected { .. })
    });
    let reason = DisconnectReason::ConnectionLost;
    assert_eq!(lost.await, ClientEvent::Disconnected { reason });
    assert!(!client.is_over());

    joins_again(&mut client, addr, ServerConfig::default()).await;
}

/// Starts another server at the address, and sees the client join as a new one.
async fn joins_again(client: &mut TcpClient, addr: SocketAddr, config: ServerConfig) {
    let settings = Settings {
        addr,
        config,
        ..Settings::default()
    };
    let second = Running::start(TCP, settings, idle);
    wait_for(client, |event| matches!(event, ClientEvent::Connected)).await;
    wait_for(client, |event| matches!(event, ClientEvent::Ready)).await;
    // The snapshot of the new server, without the state of the old one.
    second.see(client, |board| *board.text == *"").await;
    second.write(|board| *board.text = "after".into());
    second.see(client, |board| board.text == "after").await;
}

/// Returns the settings of a server that keeps sessions for a minute.
fn with_sessions() -> Settings {
    let mut settings = Settings::default();
    settings.config.reconnect_grace = Duration::from_mins(1);
    settings.config.session_tokens = Some(|| [7; 16]);
    settings
}

#[tokio::test]
async fn client_with_a_session_survives_a_restart_of_the_server() {
    let first = Running::start(TCP, with_sessions(), idle);
    first.write(|board| *board.text = "before".into());
    let mut client = connect(first.addr, quick(1000)).await.unwrap();
    first.see(&mut client, |board| board.text == "before").await;
    let addr = first.addr;
    first.abort().await;
    let is_lost = |event: &ClientEvent| matches!(event, ClientEvent::Disconnected { .. });
    wait_for(&mut client, is_lost).await;
    joins_again(&mut client, addr, with_sessions().config).await;
}

#[tokio::test]
async fn after_the_last_attempt_the_client_is_over() {
    let server = Running::start(TCP, TransportOptions::default(), idle);
    let mut client = connect(server.addr, quick(3)).await.unwrap();
    wait_for(&mut client, |event| matches!(event, ClientEvent::Ready)).await;
    server.abort().await;
    soon(async { while client.next_event().await.is_some() {} }).await;
    assert!(client.is_over());
    assert!(matches!(client.receive().await, Err(TcpError::Closed)));
}

#[tokio::test]
async fn a_client_that_was_sent_away_stays_away() {
    let server = Running::start(TCP, TransportOptions::default(), idle);
    let mut client = connect(server.addr, quick(1000)).await.unwrap();
    wait_for(&mut client, |event| matches!(event, ClientEvent::Ready)).await;
    server.stop().await;
    soon(async { while client.next_event().await.is_some() {} }).await;
    assert!(client.is_over());
}

#[tokio::test]
async fn without_the_option_a_lost_connection_is_the_last() {
    let server = Running::start(TCP, TransportOptions::default(), idle);
    let mut client = server.join().await;
    server.abort().await;
    soon(async { while client.next_event().await.is_some() {} }).await;
    assert!(client.is_over());
}

#[tokio::test]
async fn a_server_without_an_answer_times_out() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = TransportOptions {
        handshake_timeout: Duration::from_millis(200),
        ..TransportOptions::default()
    };
    let mut client = connect(silent.local_addr().unwrap(), options)
        .await
        .unwrap();
    let error = soon(client.receive()).await.unwrap_err();
    assert!(
        matches!(error, TcpError::Timeout(Timeout::Handshake)),
        "{error}"
    );
    let reason = DisconnectReason::ConnectionLost;
    let lost = ClientEvent::Refused { reason };
    assert_eq!(client.poll_event(), Some(lost));
}

#[tokio::test]
async fn a_server_that_falls_silent_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = TransportOptions {
        idle_timeout: Duration::from_millis(500),
        ..TransportOptions::default()
    };
    let addr = listener.local_addr().unwrap();
    let config = ClientConfig {
        ping_interval: Duration::from_millis(200),
        ..ClientConfig::default()
    };
    let client = NetworkClient::with_config(prefabs(), config);
    let client = TcpClient::connect_with(addr, client, options);
    let mut client = soon(Box::pin(client)).await.unwrap();
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut server = NetworkServer::new(prefabs());
        let connection = server.handle_connect();
        // The handshake and `Ready` have their answers, the pings have none.
        for _ in 0..2 {
            let length = stream.read_u32().await.unwrap();
            let mut frame = vec![0; usize::try_from(length).unwrap()];
            stream.read_exact(&mut frame).await.unwrap();
            server
                .handle_packet(connection, frame[0], &frame[1..])
                .unwrap();
            server.update(Duration::ZERO);
            while let Some(packet) = server.poll_transmit() {
                let length = u32::try_from(packet.len() + 1).unwrap();
                stream.write_u32(length).await.unwrap();
                stream.write_u8(packet.channel).await.unwrap();
                stream.write_all(&packet.to_bytes()).await.unwrap();
            }
        }
        std::future::pending::<()>().await;
    };
    let error = tokio::select! {
        () = serve => panic!("it stays"),
        error = soon(async {
            loop {
                if let Err(error) = client.receive().await {
                    return error;
                }
            }
        }) => error,
    };
    assert!(matches!(error, TcpError::Timeout(Timeout::Idle)), "{error}");
}

/// A listener whose queue is full: the system leaves further connections without an answer.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn connecting_has_a_time_limit() {
    use socket2::{Domain, Socket, Type};

    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let anywhere: SocketAddr = "127.0.0.1:0".parse().unwrap();
    listener.bind(&anywhere.into()).unwrap();
    listener.listen(0).unwrap();
    let addr = listener.local_addr().unwrap().as_socket().unwrap();
    let options = TransportOptions {
        connect_timeout: Duration::from_millis(100),
        ..TransportOptions::default()
    };
    let mut waiting = Vec::new();
    let error = loop {
        match connect(addr, options.clone()).await {
            Ok(client) => waiting.push(client),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    let timeout = error.get_ref().and_then(|inner| inner.downcast_ref());
    assert_eq!(timeout, Some(&Timeout::Connect));
}

#[tokio::test]
async fn cut_client_returns_to_its_session() {
    /// A link between a client and a server that can be cut.
    struct Cable {
        addr: SocketAddr,
        cut: tokio::sync::watch::Sender<()>,
    }

    impl Cable {
        async fn lay(server: SocketAddr) -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let addr = listener.local_addr().unwrap();
            let (cut, cuts) = tokio::sync::watch::channel(());
            tokio::spawn(async move {
                while let Ok((mut client, _)) = listener.accept().await {
                    let mut cuts = cuts.clone();
                    cuts.mark_unchanged();
                    tokio::spawn(async move {
                        let mut server = TcpStream::connect(server).await.unwrap();
                        tokio::select! {
                            _ = copy_bidirectional(&mut client, &mut server) => {}
                            _ = cuts.changed() => {}
                        }
                    });
                }
            });
            Self { addr, cut }
        }
    }

    let mut server = Running::start(TCP, with_sessions(), idle);
    let cable = Cable::lay(server.addr).await;
    let mut client = connect(cable.addr, quick(1000)).await.unwrap();
    wait_for(&mut client, |event| matches!(event, ClientEvent::Ready)).await;
    for round in 1..4 {
        cable.cut.send(()).unwrap();
        let away = server.event(|event| match event {
            ServerEvent::Away { connection } => Some(connection),
            _ => None,
        });
        let away = away.await;
        server.write(move |board| *board.count = round);
        let returned = |event: &ClientEvent| matches!(event, ClientEvent::Returned { .. });
        let returned = wait_for(&mut client, returned).await;
        assert_eq!(returned, ClientEvent::Returned { resumed: true });
        server.see(&mut client, |board| board.count == round).await;
        let returned = server.event(|event| match event {
            ServerEvent::Returned { connection, .. } => Some(connection),
            _ => None,
        });
        assert_eq!(returned.await, away);
    }
}
