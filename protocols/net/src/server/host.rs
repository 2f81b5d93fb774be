//! Host mode: a server with a client in the same process that shares the server's objects.

mod context_hooks;
pub(super) mod hooks;
pub(super) mod rpcs;
#[cfg(test)]
mod tests;
pub(super) mod view;

use std::collections::VecDeque;

use hooks::{BehaviourKey, PendingHooks};
use rpcs::LocalRpc;
use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::ordered::{IdMap, Ids};
use syncvar_runtime::{ConnectionId, NetId};

use crate::ClientEvent;
use crate::server::context::Context;
use crate::server::objects::Objects;

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
        let waits = self.joining;
        let changed = !self.written.is_empty() || !self.due.is_empty();
        !waits && !changed && self.rpcs.is_empty()
    }

    /// Returns whether an object is announced to the local client.
    #[inline]
    pub(crate) fn knows(&self, id: NetId) -> bool {
        self.known.contains(id)
    }

    /// Takes the objects with a possible change for the local client: all objects after its connect. Returns
    /// whether it connected since the last update.
    pub(crate) fn take_changes(
        &mut self,
        context: &Context,
        objects: &mut Objects,
    ) -> (Ids<NetId>, bool) {
        let mut changes = objects.take_local_changes();
        let joining = std::mem::take(&mut self.joining);
        if joining {
            changes = objects.ids().collect();
            if context.config.max_events > 0 {
                self.events.reserve(changes.len());
            }
        }
        (changes, joining)
    }
}
