//! `AliveServer`: the count of the servers in this process, for a hint in the log.

use std::sync::atomic::{AtomicUsize, Ordering};

static SERVERS: AtomicUsize = AtomicUsize::new(0);

/// Mark of one server in the count.
#[derive(Debug)]
pub(super) struct AliveServer(());

impl AliveServer {
    /// Counts a server. The second server of a process is told about ids, which nothing else could do: both servers count
    /// from 1, so an id of the first names a different object of the second.
    pub(super) fn begin() -> Self {
        if SERVERS.fetch_add(1, Ordering::Relaxed) == 1 {
            tracing::info!(
                "a second server runs in this process: the ids of objects and connections of both begin at 1, keep each \
                 id beside its server"
            );
        }
        Self(())
    }
}

impl Drop for AliveServer {
    fn drop(&mut self) {
        SERVERS.fetch_sub(1, Ordering::Relaxed);
    }
}
