//! `ReplicaMut`: a behaviour of a replica, borrowed for writing.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::{PendingWrites, report_refused};
use crate::client::ClientEvent;
use crate::events::Events;
use crate::{ChangedFields, NetId, NetworkBehaviour};

/// Behaviour of a replica, borrowed for writing.
///
/// Members without synchronization are local and always writable. A synchronized field is writable if
/// it declares `#[sync_var(write = owner)]` and this client [owns](crate::NetworkClient::is_owner) the
/// object. After the guard is dropped, [`NetworkClient::update`](crate::NetworkClient::update) sends
/// the changed fields.
///
/// Writes to other fields are refused: [`ClientEvent::WriteRefused`] reports them, and the server's
/// snapshot restores the values.
pub struct ReplicaMut<'a, B: NetworkBehaviour> {
    pub(super) behaviour: &'a mut B,
    /// Values of the fields with a codec before the borrow, to detect changes below its precision.
    pub(super) before: Option<B::Previous>,
    pub(super) net_id: NetId,
    /// Position of the behaviour.
    pub(super) index: usize,
    /// Writable fields.
    pub(super) writable: u64,
    pub(super) writes: &'a mut PendingWrites,
    pub(super) events: &'a mut Events<ClientEvent>,
}

impl<B: NetworkBehaviour> Deref for ReplicaMut<'_, B> {
    type Target = B;

    fn deref(&self) -> &B {
        self.behaviour
    }
}

impl<B: NetworkBehaviour> DerefMut for ReplicaMut<'_, B> {
    fn deref_mut(&mut self) -> &mut B {
        self.behaviour
    }
}

impl<B: NetworkBehaviour> Drop for ReplicaMut<'_, B> {
    fn drop(&mut self) {
        self.behaviour.notice_replacements();
        if let Some(before) = self.before.take() {
            self.behaviour.withdraw_changes(before);
        }
        let dirty = self.behaviour.sync_var_dirty_bits();
        let refused = dirty & !self.writable;
        if refused != 0 {
            self.behaviour.clear_dirty_bits(refused);
            self.writes.refused.insert(self.net_id);
            let fields = ChangedFields::new(&B::SCHEMA, refused);
            report_refused(self.events, self.net_id, self.index, fields);
        }
        if dirty & self.writable != 0 {
            self.writes.changed.insert(self.net_id);
        }
    }
}

impl<B: NetworkBehaviour + fmt::Debug> fmt::Debug for ReplicaMut<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplicaMut")
            .field("net_id", &self.net_id)
            .field("behaviour", &self.behaviour)
            .finish_non_exhaustive()
    }
}
