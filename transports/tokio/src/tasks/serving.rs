//! Task of a connection: the deadline of its handshake, and its end.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::End;
use crate::TransportCounters;

/// Awaits a connection's task. Its door must be open after `limit`.
pub(super) async fn with_deadline(
    mut serving: Pin<&mut impl Future<Output = io::Result<End>>>,
    limit: Duration,
    is_open: &AtomicBool,
) -> io::Result<End> {
    match tokio::time::timeout(limit, serving.as_mut()).await {
        Ok(result) => result,
        Err(_) if is_open.load(Ordering::Relaxed) => serving.await,
        Err(late) => Err(late.into()),
    }
}

/// Counts and logs the end of a connection's task.
pub(super) fn end(result: &io::Result<End>, is_open: &AtomicBool, counters: &TransportCounters) {
    let is_open = is_open.load(Ordering::Relaxed);
    match result {
        Ok(End::Closed) => tracing::debug!("closed"),
        Ok(End::Flood) => {
            tracing::debug!("reset");
            counters.count(|stats| &mut stats.linger_cuts);
        }
        Err(error) => {
            tracing::debug!(%error, "lost");
            if error.kind() == io::ErrorKind::TimedOut {
                let vanished = error.raw_os_error().is_some() || error.get_ref().is_some();
                counters.count(|stats| match (is_open, vanished) {
                    (false, false) => &mut stats.handshake_timeouts,
                    (true, false) => &mut stats.stall_timeouts,
                    (_, true) => &mut stats.vanished,
                });
            }
        }
    }
}
