//! Waiting with a limit.

use std::future::Future;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::transport::NetworkPeer;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// Awaits a future; fails a test that would hang.
///
/// # Panics
///
/// After 40 seconds.
pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    let limit = Duration::from_secs(40);
    let result = tokio::time::timeout(limit, future).await;
    result.expect("a result within 40 seconds")
}

/// Waits for a count.
///
/// # Panics
///
/// After 40 seconds.
pub async fn reaches(count: impl Fn() -> u64, wanted: u64) {
    soon(async {
        while count() < wanted {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Waits for an event of a client.
///
/// # Panics
///
/// When the connection ends first.
pub async fn wait_for<C>(
    peer: &mut NetworkPeer<C>,
    wanted: impl Fn(&ClientEvent) -> bool,
) -> ClientEvent {
    soon(async {
        loop {
            let event = peer.next_event().await.expect("the connection stands");
            if wanted(&event) {
                return event;
            }
        }
    })
    .await
}

/// Reads until the server closes the connection, and returns the bytes.
///
/// # Panics
///
/// When the server resets the connection.
pub async fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    soon(stream.read_to_end(&mut bytes)).await.expect("an end");
    bytes
}
