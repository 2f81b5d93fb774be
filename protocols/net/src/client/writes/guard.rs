//! `ReplicaMut`: a behaviour of a replica, borrowed for writing.

use super::PendingWrites;
use crate::client::ClientEvent;
use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::world::{WriteGuard, WriteSink};
use syncvar_runtime::{BehaviourClass, BehaviourFields, ChangedFields, NetId, NetworkBehaviour};

/// Behaviour of a replica, borrowed for writing.
///
/// Members without synchronization are local and always writable. A synchronized field is writable if
/// it declares `#[sync_var(write = owner)]` and this client [owns](crate::NetworkClient::is_owner) the
/// object. After the guard is dropped, [`NetworkClient::update`](crate::NetworkClient::update) sends
/// the changed fields.
///
/// Writes to other fields are refused: [`ClientEvent::WriteRefused`] reports them, and the server's
/// snapshot restores the values.
pub type ReplicaMut<'a, B> = WriteGuard<'a, B, ReplicaSink<'a>>;

/// Receiver of the changes of a [`ReplicaMut`].
#[derive(Debug)]
pub struct ReplicaSink<'a> {
    /// Position of the behaviour.
    pub(super) index: usize,
    /// Writable fields.
    pub(super) writable: u64,
    pub(super) writes: &'a mut PendingWrites,
    pub(super) events: &'a mut Events<ClientEvent>,
}

impl WriteSink for ReplicaSink<'_> {
    fn released<B: NetworkBehaviour>(&mut self, id: NetId, behaviour: &mut B) {
        let dirty = behaviour.sync_var_dirty_bits();
        let refused = dirty & !self.writable;
        if refused != 0 {
            behaviour.clear_dirty_bits(refused);
            let fields = ChangedFields::new(BehaviourClass::of::<B>(), refused);
            self.writes.refuse(id, self.index, fields, self.events);
        }
        if dirty & self.writable != 0 {
            self.writes.changed.insert(id);
        }
    }
}
