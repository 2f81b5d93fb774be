//! Whose turn it is: callbacks that come up while others are under way.

use std::collections::VecDeque;

use super::{Leaving, LentObjects};
use crate::object::Slots;
use crate::{ConnectionId, LifecycleCallback, NetId};

/// So many objects are called at most, each by a callback of the one before: every one of them takes
/// some of the thread's stack.
const DEEPEST: usize = 64;

/// What is to be told to an object.
#[derive(Clone, Copy, Debug)]
pub enum Errand {
    /// That it is spawned.
    Spawn,
    /// This.
    Call(LifecycleCallback),
    /// That it goes, and then it does.
    Despawn,
}

/// What is to be told when those who are being called have been, in order.
#[derive(Debug, Default)]
pub struct Late {
    errands: VecDeque<(NetId, Errand)>,
    under_way: bool,
}

/// A server or a client, which lends objects to their callbacks.
pub trait Lends: Sized {
    /// The objects that are lent.
    fn lent(&mut self) -> &mut LentObjects;

    /// Lends the behaviours of an object to something that has the whole server or client at hand. Does
    /// nothing if there is no such object, or if it is lent already.
    fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R>;

    /// Runs a callback of every behaviour of an object that is lent.
    fn call_all(&mut self, id: NetId, slots: &mut dyn Slots, callback: LifecycleCallback);

    /// Runs the callbacks that have come up for the object that was lent last.
    fn run_waiting(&mut self, id: NetId, slots: &mut dyn Slots) {
        let mut despawned = false;
        while let Some(callback) = self.lent().next(&mut despawned) {
            self.call_all(id, slots, callback);
        }
    }
}

/// A server, which tells objects of their life from within the callbacks of others.
pub trait Tells: Lends {
    /// Whether any behaviour of an object is told of its life.
    fn has_lifecycle(&self, id: NetId) -> bool;

    /// What is to be told later.
    fn late(&mut self) -> &mut Late;

    /// Tells the behaviours of an object something, now or when they can be told.
    #[inline]
    fn tell(&mut self, id: NetId, errand: Errand) {
        if self.has_lifecycle(id) {
            self.tell_in_turn(id, errand);
        }
    }

    /// Tells them who owns the object. The server owns what no connection owns.
    fn tell_ownership(
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

    /// The same for an object that is told of its life.
    #[inline(never)]
    fn tell_in_turn(&mut self, id: NetId, errand: Errand) {
        let is_late = self.late().errands.iter().any(|(late, _)| *late == id);
        if is_late || self.lent().depth() >= DEEPEST && !self.lent().contains(id) {
            self.late().errands.push_back((id, errand));
        } else {
            self.tell_now(id, errand);
        }
    }

    /// The same at once, or when the object is given back.
    fn tell_now(&mut self, id: NetId, errand: Errand) {
        let callbacks = match &errand {
            Errand::Spawn => &LifecycleCallback::SPAWN[..],
            Errand::Call(callback) => std::slice::from_ref(callback),
            Errand::Despawn => &[],
        };
        if self.lent().leave(id, callbacks) {
            return;
        }
        self.lend(id, |slots, server| {
            for callback in callbacks {
                server.call_all(id, slots, *callback);
            }
            if let Errand::Despawn = errand {
                server.lent().let_go(id, Leaving::Destroyed);
            }
        });
    }

    /// Tells what had to wait, if nothing is lent any more.
    fn run_late(&mut self) {
        let late = self.late();
        if late.errands.is_empty() || late.under_way || self.lent().depth() > 0 {
            return;
        }
        self.late().under_way = true;
        while let Some((id, errand)) = self.late().errands.pop_front() {
            self.tell_now(id, errand);
        }
        self.late().under_way = false;
    }
}
