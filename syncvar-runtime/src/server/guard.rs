//! `BehaviourMut`: a behaviour for writing.

use std::ops::{Deref, DerefMut};

use super::schedule::Schedule;
use super::spawned::Spawned;
use crate::{NetId, NetworkBehaviour, NetworkIdentity};

/// A behaviour for writing; when it is dropped and anything has changed, the object is queued for
/// the next update.
#[derive(Debug)]
pub struct BehaviourMut<'a, B: NetworkBehaviour> {
    behaviour: &'a mut B,
    net_id: NetId,
    schedule: &'a mut Schedule,
}

impl<'a, B: NetworkBehaviour> BehaviourMut<'a, B> {
    pub(super) fn new(
        spawned: &'a mut Spawned,
        schedule: &'a mut Schedule,
        find: impl FnOnce(&'a mut NetworkIdentity) -> Option<&'a mut B>,
    ) -> Option<Self> {
        Some(Self {
            net_id: spawned.identity.net_id(),
            behaviour: find(&mut spawned.identity)?,
            schedule,
        })
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

impl<B: NetworkBehaviour> Drop for BehaviourMut<'_, B> {
    fn drop(&mut self) {
        self.behaviour.notice_replacements();
        if self.behaviour.sync_var_dirty_bits() != 0 {
            self.schedule.queue_dirty(self.net_id);
        }
    }
}
