//! Host mode: a server with a client in the same process that shares the server's objects.

pub(super) mod calls;
pub(super) mod context_hooks;
pub(super) mod hooks;
#[cfg(test)]
mod tests;
pub(super) mod view;

use std::collections::VecDeque;

use calls::LocalRpc;
use hooks::{BehaviourKey, PendingHooks};
use syncvar_runtime::events::Events;
use syncvar_runtime::ordered::{IdMap, Ids};
use syncvar_runtime::{ConnectionId, NetId};

use crate::ClientEvent;
use crate::server::NetworkServer;

/// The server's state of the local client.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) connection: ConnectionId,
    /// Whether it connected since the last update.
    pub(crate) joining: bool,
    /// Objects shown to it or hidden from it by name. Audiences do not mention it, so other
    /// connections keep their audiences.
    pub(crate) views: IdMap<NetId, bool>,
    /// Objects announced to it.
    pub(crate) known: Ids<NetId>,
    /// Objects that it owns, as announced to it.
    pub(crate) owned: Ids<NetId>,
    /// Objects with a possible change of its visibility or owner.
    pub(crate) marked: Ids<NetId>,
    /// Behaviours written since the last update, by object and index.
    pub(crate) written: IdMap<BehaviourKey, PendingHooks>,
    /// Behaviours with hooks to call in this update.
    pub(crate) due: IdMap<BehaviourKey, PendingHooks>,
    /// Calls of the server on it since the last update, oldest first.
    pub(crate) rpcs: VecDeque<LocalRpc>,
    pub(crate) events: Events<ClientEvent>,
}

impl Host {
    pub(crate) fn new(connection: ConnectionId, max_events: usize) -> Self {
        let mut events = Events::with_limit(max_events);
        events.push(ClientEvent::Connected);
        Self {
            connection,
            joining: true,
            views: IdMap::default(),
            known: Ids::default(),
            owned: Ids::default(),
            marked: Ids::default(),
            written: IdMap::default(),
            due: IdMap::default(),
            rpcs: VecDeque::new(),
            events,
        }
    }

    /// Queues an event of the local client.
    pub(crate) fn push_event(&mut self, event: ClientEvent) {
        self.events.push(event);
    }

    /// Returns whether the next update has no work for it.
    pub(crate) fn is_idle(&self) -> bool {
        let waits = self.joining || !self.marked.is_empty();
        let changed = !self.written.is_empty() || !self.due.is_empty();
        !waits && !changed && self.rpcs.is_empty()
    }
}

impl NetworkServer {
    /// Removes the local client, if this is its connection.
    pub(crate) fn close_local(&mut self, connection: ConnectionId) {
        if self.is_local(connection) {
            self.host = None;
            self.sessions.local = None;
            self.sessions.connections.remove(connection.0);
            self.outbound
                .outgoing
                .retain(|listed| *listed != connection);
        }
    }

    /// Updates the local client, as the last step of an update.
    pub(crate) fn update_local(&mut self) {
        self.update_local_view();
        self.run_local_rpcs();
    }
}
