//! `ReplicaMut`: a behaviour of a replica for writing.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::{Deref, DerefMut};

use super::ClientEvent;
use crate::ChangedFields;
use crate::events::Events;
use crate::{NetId, NetworkBehaviour};

/// What was written to replicas, and waits.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// Objects with fields that this client has written and may write.
    pub(super) writing: BTreeSet<NetId>,
    /// Objects with fields that hooks may have written, of the message under way.
    pub(super) hooked: Vec<NetId>,
    /// Objects with fields that it may not write: the server is asked for them.
    pub(super) refused: BTreeSet<NetId>,
}

/// A behaviour of a replica, for writing.
///
/// What is not synchronised is this client's own. A synchronised field can be written where it says
/// `#[sync_var(write = owner)]` and this client [owns](crate::NetworkClient::is_owner) the object: when
/// the guard has been dropped, [`NetworkClient::update`](crate::NetworkClient::update) sends what has
/// changed. Writing to any other is refused: [`ClientEvent::WriteRefused`] tells it, and the server is
/// asked for the object, which then is what it was.
pub struct ReplicaMut<'a, B: NetworkBehaviour> {
    pub(super) behaviour: &'a mut B,
    /// What fields with a codec were, to see whether they have changed as far as they travel.
    pub(super) before: Option<B::Previous>,
    pub(super) net_id: NetId,
    /// The position of the behaviour on the object.
    pub(super) index: usize,
    /// The fields that may be written.
    pub(super) may: u64,
    pub(super) desk: &'a mut Desk,
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
        let refused = dirty & !self.may;
        if refused != 0 {
            self.behaviour.clear_dirty_bits(refused);
            self.desk.refused.insert(self.net_id);
            let fields = ChangedFields::new(&B::SCHEMA, refused);
            refuse(self.events, self.net_id, self.index, fields);
        }
        if dirty & self.may != 0 {
            self.desk.writing.insert(self.net_id);
        }
    }
}

/// Tells the application that fields cannot be written.
pub(super) fn refuse(
    events: &mut Events<ClientEvent>,
    object: NetId,
    behaviour: usize,
    fields: ChangedFields,
) {
    tracing::error!(%object, ?fields, "this client may not write to these fields");
    events.push(ClientEvent::WriteRefused {
        object,
        behaviour,
        fields,
    });
}

impl<B: NetworkBehaviour + fmt::Debug> fmt::Debug for ReplicaMut<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplicaMut")
            .field("net_id", &self.net_id)
            .field("behaviour", &self.behaviour)
            .finish_non_exhaustive()
    }
}
