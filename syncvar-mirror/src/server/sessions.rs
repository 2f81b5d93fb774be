//! Connections and their shared settings.

use std::collections::BTreeSet;

use syncvar_runtime::engine::Table;

use super::connection::Connection;
use crate::{AuthRequestMessage, MirrorMessage};

/// Connections, and the scene that they load.
#[derive(Debug)]
pub(super) struct Sessions {
    pub(super) connections: Table<Connection>,
    pub(super) next_connection: u32,
    /// Ids of user messages accepted before authentication.
    pub(super) unauthenticated: BTreeSet<u16>,
    /// Current scene of the clients.
    pub(super) scene: Option<String>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            connections: Table::default(),
            next_connection: 1,
            unauthenticated: BTreeSet::from([AuthRequestMessage::ID]),
            scene: None,
        }
    }
}
