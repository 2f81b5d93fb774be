//! Lifecycle events that wait for running callbacks.

use std::collections::VecDeque;

use crate::{LifecycleCallback, NetId};

/// A step in the life of an object that its behaviours learn of.
#[derive(Clone, Copy, Debug)]
pub enum LifecycleEvent {
    /// The spawn, with its three callbacks.
    Spawn,
    /// One callback.
    Call(LifecycleCallback),
    /// The despawn: the callback, and then the removal.
    Despawn,
}

impl LifecycleEvent {
    pub(super) fn callbacks(&self) -> &[LifecycleCallback] {
        match self {
            Self::Spawn => &LifecycleCallback::SPAWN[..],
            Self::Call(callback) => std::slice::from_ref(callback),
            Self::Despawn => &[],
        }
    }
}

/// Events that run when no object is checked out any more, oldest first.
#[derive(Debug, Default)]
pub(super) struct DeferredEvents {
    pub(super) queue: VecDeque<(NetId, LifecycleEvent)>,
    pub(super) running: bool,
}

impl DeferredEvents {
    pub(super) fn contains(&self, id: NetId) -> bool {
        self.queue.iter().any(|(deferred, _)| *deferred == id)
    }
}
