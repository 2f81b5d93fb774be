//! `MirrorBehaviourMut`: a behaviour for writing.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, DerefMut};

use syncvar_runtime::{Behaviours, NetId, NetworkBehaviour};

use super::MirrorServer;
use super::audience::Audiences;
use super::object::Object;

/// A behaviour for writing; when it is dropped and anything has changed, the object is queued for the
/// next update.
pub struct MirrorBehaviourMut<'a, B: NetworkBehaviour> {
    behaviour: &'a mut B,
    /// What fields with a codec were, to see whether they have changed as far as they travel.
    before: Option<B::Previous>,
    net_id: NetId,
    observed: bool,
    /// How many operations somebody may pass over: see `Object::promised`.
    promised: usize,
    queued: &'a mut bool,
    dirty: &'a mut Vec<NetId>,
}

impl MirrorServer {
    /// The first behaviour of this type on an object, for writing. When the guard is dropped and
    /// something has changed, the object is queued for the next update.
    ///
    /// Nothing is asked of who owns the object: as in Mirror, what is written here to a component that
    /// the owner writes goes to all but the owner.
    #[inline]
    pub fn get_mut<B: NetworkBehaviour>(&mut self, id: NetId) -> Option<MirrorBehaviourMut<'_, B>> {
        self.guard(id, Behaviours::behaviour_mut)
    }

    /// The behaviour at a position of an object, for objects with two behaviours of one type.
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Option<MirrorBehaviourMut<'_, B>> {
        self.guard(id, |behaviours| {
            let slot = behaviours.slots_mut().slot_mut(index)?;
            let behaviour: &mut dyn Any = slot.behaviour_mut();
            behaviour.downcast_mut()
        })
    }

    #[inline]
    fn guard<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        find: impl FnOnce(&mut Behaviours) -> Option<&mut B>,
    ) -> Option<MirrorBehaviourMut<'_, B>> {
        let object = self.objects.get_mut(id.0)?;
        let Object {
            behaviours,
            queued,
            audience,
            unshown,
            promised,
            ..
        } = object;
        let observed = *audience != Audiences::NOBODY;
        // Whatever is changed, it may be that it can be sent then.
        if *unshown && !std::mem::replace(queued, true) {
            self.dirty.push(id);
        }
        let behaviour = find(behaviours.as_mut()?)?;
        Some(MirrorBehaviourMut {
            before: behaviour.before_change(),
            behaviour,
            net_id: id,
            observed,
            promised: *promised,
            queued,
            dirty: &mut self.dirty,
        })
    }

    /// Sees to it that the next update sends the whole component at this position, though perhaps nothing
    /// of it has changed. Mirror's `SetDirty`. Returns whether there is one.
    pub fn set_dirty(&mut self, id: NetId, component: usize) -> bool {
        let object = self.objects.get_mut(id.0);
        let entry = object.and_then(|object| Some((self.prefabs.get(object.prefab)?, object)));
        let Some((_, object)) = entry.filter(|(entry, _)| component < entry.components.len())
        else {
            return false;
        };
        object.everything_dirty |= 1 << component;
        self.queue_dirty(id);
        true
    }

    /// Has the next update look at an object.
    pub(super) fn queue_dirty(&mut self, id: NetId) {
        if let Some(object) = self.objects.get_mut(id.0)
            && !std::mem::replace(&mut object.queued, true)
        {
            self.dirty.push(id);
        }
    }
}

impl<B: NetworkBehaviour> Deref for MirrorBehaviourMut<'_, B> {
    type Target = B;

    fn deref(&self) -> &B {
        self.behaviour
    }
}

impl<B: NetworkBehaviour> DerefMut for MirrorBehaviourMut<'_, B> {
    fn deref_mut(&mut self) -> &mut B {
        self.behaviour
    }
}

impl<B: NetworkBehaviour> Drop for MirrorBehaviourMut<'_, B> {
    #[inline]
    fn drop(&mut self) {
        self.behaviour.notice_replacements();
        // Those that have taken the place of others.
        self.behaviour.set_verbatim(true, self.promised);
        if !self.observed {
            self.behaviour.set_observed(false);
        }
        if let Some(before) = self.before.take() {
            self.behaviour.withdraw_changes(before);
        }
        if self.behaviour.sync_var_dirty_bits() != 0 && !std::mem::replace(self.queued, true) {
            self.dirty.push(self.net_id);
        }
    }
}

impl<B: NetworkBehaviour + fmt::Debug> fmt::Debug for MirrorBehaviourMut<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MirrorBehaviourMut")
            .field("net_id", &self.net_id)
            .field("behaviour", &self.behaviour)
            .finish_non_exhaustive()
    }
}
