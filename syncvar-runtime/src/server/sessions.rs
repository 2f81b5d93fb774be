//! Connections and the requests that wait for the next update.

use std::collections::{BTreeMap, BTreeSet};

use super::ConnectionId;
use super::connection::Connection;
use crate::NetId;
use crate::table::Table;

/// Connections and their pending requests.
#[derive(Debug)]
pub(super) struct Sessions {
    pub(super) connections: Table<Connection>,
    pub(super) next_connection: u32,
    /// Hash of all schemas, compared with the hash of each client.
    pub(super) schema_hash: u64,
    /// Connections that became ready since the last update.
    pub(super) joining: Vec<ConnectionId>,
    /// Connections that requested snapshots of objects.
    pub(super) resyncing: Vec<ConnectionId>,
    /// Connections with an unanswered ping.
    pub(super) pinging: Vec<ConnectionId>,
    /// Owners with a rejected write. The next update sends them the server's values.
    pub(super) owner_corrections: BTreeSet<(ConnectionId, NetId)>,
    /// Bytes inspected for owner writes since the last update.
    pub(super) owner_bytes: BTreeMap<ConnectionId, usize>,
}

impl Sessions {
    /// Returns an empty list of connections.
    pub(super) fn new(schema_hash: u64) -> Self {
        Self {
            connections: Table::default(),
            next_connection: 1,
            schema_hash,
            joining: Vec::new(),
            resyncing: Vec::new(),
            pinging: Vec::new(),
            owner_corrections: BTreeSet::new(),
            owner_bytes: BTreeMap::new(),
        }
    }
}
