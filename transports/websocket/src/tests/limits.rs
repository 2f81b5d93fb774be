//! Limits that need the bytes of a WebSocket. `tests/ports` has the others.

use std::time::Duration;

use syncvar_tokio::tcp::TcpOptions;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::support::{Running, frame, joining, read_to_end, soon};

#[tokio::test]
async fn bytes_without_a_message_are_silence() {
    let options = TcpOptions {
        idle_timeout: Duration::from_millis(400),
        ..TcpOptions::default()
    };
    let server = Running::start(options, |_| {});
    let mut halting = server.upgrade().await;
    halting.write_all(&joining()).await.unwrap();
    // Half a frame, byte by byte.
    let long = frame(2, &[0; 1000]);
    let trickle = async {
        for byte in &long {
            if halting.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        () = trickle => {}
        () = server.reaches(|stats| stats.idle_timeouts, 1) => {}
    }
    let answer = read_to_end(&mut halting).await;
    assert!(String::from_utf8_lossy(&answer).contains("silent for too long"));
}

#[tokio::test]
async fn a_server_stops_beside_connections_without_a_request() {
    let options = TcpOptions {
        close_timeout: Duration::from_millis(50),
        ..TcpOptions::default()
    };
    let server = Running::start(options, |_| {});
    let _idle = server.join().await;
    let _silent = TcpStream::connect(server.addr).await.unwrap();
    server.stop().await;
}

/// A client that is gone without a word.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_vanished_client_is_noticed() {
    let options = TcpOptions {
        idle_timeout: Duration::from_secs(2),
        handshake_timeout: Duration::MAX,
        ..TcpOptions::default()
    };
    // It sends, or is silent.
    for busy in [true, false] {
        let server = Running::start(options.clone(), move |board| {
            board.count += u32::from(busy);
        });
        let mut client = server.upgrade().await;
        if busy {
            client.write_all(&joining()).await.unwrap();
            soon(client.readable()).await.unwrap();
        }
        // `return 0`: no byte of a packet passes.
        let drop_all = [socket2::SockFilter::new(6, 0, 0, 0)];
        match socket2::SockRef::from(&client).attach_filter(&drop_all) {
            Ok(()) => {
                let gone =
                    |stats: &syncvar_tokio::TransportStats| stats.vanished + stats.idle_timeouts;
                server.reaches(gone, 1).await;
            }
            Err(error) => tracing::warn!(%error, "skipped: no socket filter"),
        }
    }
}
