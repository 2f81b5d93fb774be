//! `JournalOptions`: settings of a journal.

use std::time::Duration;

/// Moments at which the journal asks the storage to keep the bytes, in a thread. The loss of the process alone costs nothing in
/// any case: the system has the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JournalSync {
    /// At each new state of the server.
    #[default]
    States,
    /// At each new state, and at the first update this time after the last sync.
    Every(Duration),
}

/// Settings of a [`Journal`](crate::Journal).
///
/// ```
/// use std::time::Duration;
/// use syncvar::log::{JournalOptions, JournalSync};
///
/// let options = JournalOptions {
///     sync: JournalSync::Every(Duration::from_secs(1)),
///     ..JournalOptions::default()
/// };
/// assert_eq!(options.save_interval, Duration::from_secs(60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalOptions {
    /// Time between two states of the server, each of which begins a file; 60 s by default. Updates gather a state in
    /// slices; a thread writes it.
    pub save_interval: Duration,
    /// Most objects of a slice, which one update of the server gathers; 2 000 by default. See
    /// [`begin_save`](syncvar_net::NetworkServer::begin_save).
    pub objects_per_update: usize,
    /// Moments of the syncs; [`JournalSync::States`] by default.
    pub sync: JournalSync,
    /// Time of the server between a failure of the storage and the next attempt; 1 s by default.
    pub retry_interval: Duration,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self {
            save_interval: Duration::from_mins(1),
            objects_per_update: 2_000,
            sync: JournalSync::default(),
            retry_interval: Duration::from_secs(1),
        }
    }
}
