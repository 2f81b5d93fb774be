//! What behaviours are told of the life of their objects.

use std::collections::VecDeque;

use super::full_state::Kind;
use super::{ConnectionId, NetworkServer, ServerEvent};
use crate::NetId;
use crate::context::Side;
use crate::identity::{Place, Slots};
use crate::lifecycle::{CallbackFailure, Leaving, LifecycleCallback, call_all};

/// So many objects are called at most, each by a callback of the one before: every one of them takes
/// some of the thread's stack.
const DEEPEST: usize = 64;

/// What is to be told to an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Errand {
    /// That it is spawned.
    Spawn,
    Call(LifecycleCallback),
    /// That it goes, and then it does.
    Despawn,
}

/// What is to be told when those who are being called have been, in order.
#[derive(Debug, Default)]
pub(super) struct Late {
    errands: VecDeque<(NetId, Errand)>,
    under_way: bool,
}

impl NetworkServer {
    /// The kind of an object.
    fn kind_of(&self, id: NetId) -> Option<&Kind> {
        let prefab = self.pools.prefab(self.objects.get(id.0)?.at.pool);
        self.kinds.get(prefab as usize)
    }

    /// The name of the prefab that an object was made from.
    pub(crate) fn prefab_name(&self, id: NetId) -> Option<&str> {
        let prefab = self.pools.prefab(self.objects.get(id.0)?.at.pool);
        Some(&self.prefabs.get(prefab)?.name)
    }

    /// Where an object stands.
    pub(crate) fn place(&self, id: NetId) -> Place {
        self.places.get(id.0).copied().unwrap_or_default()
    }

    /// Whether any behaviour of an object is told of its life.
    pub(super) fn has_lifecycle(&self, id: NetId) -> bool {
        self.kind_of(id).is_some_and(|kind| kind.lifecycle)
    }

    /// Those of some objects that are told of their life.
    pub(super) fn with_lifecycle(&self, ids: &[NetId]) -> Vec<NetId> {
        let told = ids.iter().filter(|id| self.has_lifecycle(**id));
        told.copied().collect()
    }

    /// Runs a callback of each of these objects that has one.
    pub(crate) fn call_lifecycle(&mut self, ids: &[NetId], callback: LifecycleCallback) {
        for id in ids {
            self.tell(*id, Errand::Call(callback));
        }
    }

    /// The server owns what no connection owns.
    pub(super) fn tell_ownership(
        &mut self,
        id: NetId,
        former: Option<ConnectionId>,
        owner: Option<ConnectionId>,
    ) {
        match (former, owner) {
            (None, Some(_)) => self.tell(id, Errand::Call(LifecycleCallback::LostOwnership)),
            (Some(_), None) => self.tell(id, Errand::Call(LifecycleCallback::GainedOwnership)),
            _ => {}
        }
    }

    /// Tells the behaviours of an object something, now or when they can be told.
    #[inline]
    pub(super) fn tell(&mut self, id: NetId, errand: Errand) {
        if self.has_lifecycle(id) {
            self.tell_in_turn(id, errand);
        }
    }

    #[inline(never)]
    fn tell_in_turn(&mut self, id: NetId, errand: Errand) {
        let is_late = self.late.errands.iter().any(|(late, _)| *late == id);
        if is_late || self.lent.depth() >= DEEPEST && !self.lent.contains(id) {
            self.late.errands.push_back((id, errand));
        } else {
            self.tell_now(id, errand);
        }
    }

    fn tell_now(&mut self, id: NetId, errand: Errand) {
        let callbacks = match &errand {
            Errand::Spawn => &LifecycleCallback::SPAWN[..],
            Errand::Call(callback) => std::slice::from_ref(callback),
            Errand::Despawn => &[],
        };
        if self.lent.leave(id, callbacks) {
            return;
        }
        self.lend(id, |slots, server| {
            for callback in callbacks {
                server.call_all(id, slots, *callback);
            }
            if let Errand::Despawn = errand {
                server.lent.let_go(id, Leaving::Destroyed);
            }
        });
    }

    /// Runs the callbacks that have come up for the object that was lent last.
    pub(super) fn run_waiting(&mut self, id: NetId, slots: &mut dyn Slots) {
        let mut despawned = false;
        while let Some(callback) = self.lent.next(&mut despawned) {
            self.call_all(id, slots, callback);
        }
    }

    /// Does what had to wait until nothing is lent any more.
    pub(super) fn run_late(&mut self) {
        if self.late.errands.is_empty() || self.lent.depth() > 0 || self.late.under_way {
            return;
        }
        self.late.under_way = true;
        while let Some((id, errand)) = self.late.errands.pop_front() {
            self.tell_now(id, errand);
        }
        self.late.under_way = false;
    }

    /// Runs a callback of every behaviour of an object that is lent.
    fn call_all(&mut self, object: NetId, slots: &mut dyn Slots, callback: LifecycleCallback) {
        let report = |server: &mut Self, failure: CallbackFailure| {
            server.events.push(ServerEvent::CallbackFailed {
                object: failure.object,
                behaviour: failure.behaviour,
                callback: failure.callback,
                message: failure.message,
            });
        };
        call_all(
            self,
            (|server| Side::Server(server), report),
            (object, slots),
            callback,
        );
    }

    /// The full state of an object has been written: if that has changed it, by its `on_synchronize`,
    /// the next update looks at it.
    #[inline]
    pub(super) fn look_again(&mut self, id: NetId, kind: Kind) {
        if kind.synchronize {
            self.queue_changed(id);
        }
    }

    #[inline(never)]
    fn queue_changed(&mut self, id: NetId) {
        let at = self.objects.get(id.0).map(|spawned| spawned.at);
        let slots = at.and_then(|at| self.pools.slots(at));
        if slots.is_some_and(|slots| slots.iter().any(|slot| slot.dirty_bits() != 0)) {
            self.schedule.queue_dirty(id);
        }
    }
}
