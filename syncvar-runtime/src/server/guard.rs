//! `BehaviourMut`: a behaviour for writing.

use std::ops::{Deref, DerefMut};

use super::schedule::Schedule;
use crate::{NetId, NetworkBehaviour};

/// A behaviour for writing; when it is dropped and anything has changed, the object is queued for
/// the next update.
#[derive(Debug)]
pub struct BehaviourMut<'a, B: NetworkBehaviour> {
    behaviour: &'a mut B,
    net_id: NetId,
    schedule: &'a mut Schedule,
}

impl<'a, B: NetworkBehaviour> BehaviourMut<'a, B> {
    pub(super) fn new(net_id: NetId, behaviour: &'a mut B, schedule: &'a mut Schedule) -> Self {
        Self {
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

impl<B: NetworkBehaviour> Drop for BehaviourMut<'_, B> {
    fn drop(&mut self) {
        self.behaviour.notice_replacements();
        if self.behaviour.sync_var_dirty_bits() != 0 {
            self.schedule.queue_dirty(self.net_id);
        }
    }
}
