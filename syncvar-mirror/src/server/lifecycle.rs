//! What behaviours are told of the life of their objects.

use std::collections::VecDeque;

use syncvar_runtime::engine::{Leaving, Side, Slots, call_all};
use syncvar_runtime::{CallbackFailure, LifecycleCallback, NetId};

use super::{MirrorServer, MirrorServerEvent};

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

impl MirrorServer {
    /// Whether any behaviour of an object is told of its life.
    pub(super) fn has_lifecycle(&self, id: NetId) -> bool {
        let object = self.objects.get(id.0);
        let entry = object.and_then(|object| self.prefabs.get(object.prefab));
        entry.is_some_and(|entry| entry.lifecycle)
    }

    /// Tells the behaviours of an object something, now or when they can be told.
    pub(super) fn tell(&mut self, id: NetId, errand: Errand) {
        if !self.has_lifecycle(id) {
            return;
        }
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
        if self.lent.depth() > 0 {
            return;
        }
        self.run_local_calls();
        if self.late.errands.is_empty() || self.late.under_way {
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
            server.events.push(MirrorServerEvent::CallbackFailed {
                object: failure.object,
                behaviour: failure.behaviour,
                callback: failure.callback,
                message: failure.message,
            });
        };
        call_all(
            self,
            (|server| Side::Other(server), report),
            (object, slots),
            callback,
        );
    }
}
