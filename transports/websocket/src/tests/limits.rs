//! Limits that need the bytes of a WebSocket. `tests/ports` has the others.

use std::time::Duration;

use syncvar_tokio::tcp::TransportOptions;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::support::{frame, joining, start, upgrade};
use syncvar_testing::sockets::{idle, read_to_end};

#[tokio::test]
async fn bytes_without_a_message_are_silence() {
    let options = TransportOptions {
        idle_timeout: Duration::from_millis(400),
        ..TransportOptions::default()
    };
    let server = start(options, idle);
    let mut halting = upgrade(server.addr).await;
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
    let options = TransportOptions {
        close_timeout: Duration::from_millis(50),
        ..TransportOptions::default()
    };
    let server = start(options, idle);
    let _idle = server.join().await;
    let _silent = TcpStream::connect(server.addr).await.unwrap();
    server.stop().await;
}
