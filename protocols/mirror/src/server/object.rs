//! What is kept for an object.

use syncvar_runtime::object::{Nanos, Slot};
use syncvar_runtime::relations::Place;
use syncvar_runtime::{Area, Behaviours, ConnectionId, Vector3};

use super::audience::{AudienceId, Audiences};
use crate::SceneId;

/// Who sees an object, whatever the interest management says. Mirror's `Visibility`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Those whom the interest management says; all, if there is none.
    #[default]
    ByDefault,
    /// Nobody but the owner.
    ForceHidden,
    /// All.
    ForceShown,
}

/// Who owned an object: a connection, or the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Former(pub(super) Option<ConnectionId>);

/// An object of the server.
#[derive(Debug)]
pub(super) struct Object {
    /// None while they are being called.
    pub(super) behaviours: Option<Behaviours>,
    /// Its position in the registry.
    pub(super) prefab: u32,
    /// 0 for one that clients make themselves.
    pub(super) scene_id: SceneId,
    pub(super) place: Place,
    pub(super) scale: Vector3,
    pub(super) owner: Option<ConnectionId>,
    /// Where it stands among what its owner owns.
    pub(super) owned_at: u64,
    /// Those who observe it: they are ready and have been sent it.
    pub(super) audience: AudienceId,
    pub(super) visibility: Visibility,
    pub(super) area: Option<Area>,
    /// Those who are shown it, or kept from it, in particular.
    pub(super) views: Vec<(ConnectionId, bool)>,
    /// Whether its callbacks have run, so that it can be observed.
    pub(super) spawned: bool,
    /// Whether it is in the list of those that may have changes.
    pub(super) queued: bool,
    /// Whether somebody was to be shown it and it could not be sent, and it has not changed since.
    pub(super) unshown: bool,
    /// Of components that the owner writes, those that its new owner is to be sent once.
    pub(super) handed_over: u64,
    /// Who owned it before it changed hands while it was being called.
    pub(super) former_owner: Option<Former>,
    /// The components all of which is to be sent as a change. Mirror's `SetDirty`.
    pub(super) everything_dirty: u64,
    /// How many operations of a collection, at most, somebody has been told are still to come.
    pub(super) promised: usize,
}

impl Object {
    /// Whether somebody is shown it, or kept from it, in particular.
    pub(super) fn view(&self, connection: ConnectionId) -> Option<bool> {
        let view = self.views.iter().find(|(known, _)| *known == connection);
        view.map(|(_, visible)| *visible)
    }

    /// The changes of these components have been sent, or are nobody's.
    pub(super) fn note_sent(&mut self, components: u64, now: Nanos) {
        self.everything_dirty &= !components;
        self.handed_over &= !components;
        self.for_each_of(components, |slot| slot.mark_sent(now));
        self.keep_promises();
    }

    /// The changes of these components have been sent, and are to be sent again.
    pub(super) fn note_repeated(&mut self, components: u64, now: Nanos) {
        self.for_each_of(components, |slot| slot.mark_repeated(now));
    }

    /// These components have been sent as they are: nothing of them is to be sent again. When their changes
    /// were sent last is another matter.
    pub(super) fn note_settled(&mut self, components: u64) {
        self.everything_dirty &= !components;
        self.handed_over &= !components;
        self.for_each_of(components, |slot| {
            let last_send = slot.last_send();
            slot.mark_sent(last_send);
        });
        self.keep_promises();
    }

    /// If nothing is pending any more, all operations that somebody was told are still to come have been
    /// sent.
    #[inline]
    fn keep_promises(&mut self) {
        if self.promised != 0 && self.behaviours.is_some() && !self.is_dirty() {
            self.promised = 0;
        }
    }

    /// Nobody observes it any more: nobody has to be told what is made of its collections.
    pub(super) fn forget_operations(&mut self) {
        self.promised = 0;
        if let Some(behaviours) = self.behaviours.as_mut() {
            let slots = behaviours.slots_mut();
            slots.for_each_mut(|slot| slot.set_observed(false));
        }
    }

    #[inline]
    fn for_each_of(&mut self, components: u64, mut action: impl FnMut(&mut dyn Slot)) {
        let Some(behaviours) = self.behaviours.as_mut().filter(|_| components != 0) else {
            return;
        };
        let slots = behaviours.slots_mut();
        let mut rest = components;
        while rest != 0 {
            let index = rest.trailing_zeros();
            rest &= rest - 1;
            if let Some(slot) = slots.slot_mut(index as usize) {
                action(slot);
            }
        }
    }

    /// Whether nobody observes it, and somebody could begin to: it is not being called.
    pub(super) fn is_unobserved(&self) -> bool {
        self.audience == Audiences::NOBODY && self.behaviours.is_some()
    }

    /// Whether there is something to be sent.
    pub(super) fn is_dirty(&self) -> bool {
        let behaviours = self.behaviours.as_ref();
        self.everything_dirty != 0
            || behaviours.is_some_and(|it| it.slots().iter().any(|slot| slot.dirty_bits() != 0))
    }
}
