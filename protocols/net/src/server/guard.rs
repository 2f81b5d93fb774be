//! `BehaviourMut`: a behaviour for writing.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::ServerEvent;
use super::owner::refuse;
use super::schedule::Schedule;
use syncvar_runtime::events::Events;
use syncvar_runtime::object::PolicyState;
use syncvar_runtime::{BehaviourFields, ChangedFields, NetId, NetworkBehaviour};

/// A behaviour for writing. Dropping it queues a changed object for the next update.
pub struct BehaviourMut<'a, B: NetworkBehaviour> {
    behaviour: &'a mut B,
    /// Former values of fields with a codec, to detect changes of the encoded values.
    before: Option<B::Previous>,
    /// Policy state, if the owner writes a field.
    ruled: Option<&'a mut PolicyState>,
    net_id: NetId,
    schedule: &'a mut Schedule,
    events: &'a mut Events<ServerEvent>,
}

impl<'a, B: NetworkBehaviour> BehaviourMut<'a, B> {
    #[inline]
    pub(super) fn new(
        net_id: NetId,
        (behaviour, ruled): (&'a mut B, Option<&'a mut PolicyState>),
        schedule: &'a mut Schedule,
        events: &'a mut Events<ServerEvent>,
    ) -> Self {
        let bits = const { &B::SCHEMA.policy_bits() };
        let mut ruled = ruled.filter(|_| const { B::SCHEMA.policy_bits().owner_write != 0 });
        if let Some(ruled) = &mut ruled {
            ruled.begin_change(behaviour, bits);
        }
        Self {
            ruled,
            events,
            before: behaviour.before_change(),
            behaviour,
            net_id,
            schedule,
        }
    }
}

impl<B: NetworkBehaviour> Deref for BehaviourMut<'_, B> {
    type Target = B;

    fn deref(&self) -> &B {
        self.behaviour
    }
}

impl<B: NetworkBehaviour> DerefMut for BehaviourMut<'_, B> {
    fn deref_mut(&mut self) -> &mut B {
        self.behaviour
    }
}

impl<B: NetworkBehaviour> BehaviourMut<'_, B> {
    /// Reverts writes to the owner's fields.
    #[cold]
    fn take_back(&mut self) {
        if let Some(ruled) = &mut self.ruled {
            let refused = ruled.end_change(self.behaviour);
            if refused != 0 {
                let fields = ChangedFields::new(&B::SCHEMA, refused);
                refuse(self.events, self.net_id, fields);
            }
        }
    }
}

impl<B: NetworkBehaviour> Drop for BehaviourMut<'_, B> {
    #[inline]
    fn drop(&mut self) {
        self.behaviour.notice_replacements();
        if let Some(before) = self.before.take() {
            self.behaviour.withdraw_changes(before);
        }
        if const { B::SCHEMA.policy_bits().owner_write != 0 } {
            self.take_back();
        }
        if self.behaviour.sync_var_dirty_bits() != 0 {
            self.schedule.queue_dirty(self.net_id);
        }
    }
}

impl<B: NetworkBehaviour + fmt::Debug> fmt::Debug for BehaviourMut<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BehaviourMut")
            .field("net_id", &self.net_id)
            .field("behaviour", &self.behaviour)
            .finish_non_exhaustive()
    }
}
