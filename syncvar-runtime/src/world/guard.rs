//! `WriteGuard`: access to a behaviour for writing.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::object::Tracked;
use crate::{BehaviourFields, NetId, NetworkBehaviour};

/// A behaviour for writing. Its drop finds the fields that have changed and reports them to a sink.
///
/// A leaked guard (`std::mem::forget`) leaves the changes in the fields; the next guard on the behaviour
/// reports them.
pub struct WriteGuard<'a, B: NetworkBehaviour, S: WriteSink> {
    tracked: Tracked<'a, B>,
    /// Values of the fields with a codec before the write; a write that travels as the same bytes is
    /// withdrawn.
    before: Option<B::Previous>,
    net_id: NetId,
    sink: S,
}

/// The receiver of the changes that a [`WriteGuard`] finds.
pub trait WriteSink {
    /// Sets up collections that were put in the place of collections, before writes without effect are
    /// withdrawn.
    #[inline]
    fn replaced<B: NetworkBehaviour>(&mut self, behaviour: &mut B) {
        let _ = behaviour;
    }

    /// Records or withdraws the changes of a behaviour.
    fn released<B: NetworkBehaviour>(&mut self, id: NetId, behaviour: &mut B);
}

impl<'a, B: NetworkBehaviour, S: WriteSink> WriteGuard<'a, B, S> {
    /// Begins a write.
    #[inline]
    pub fn new(net_id: NetId, tracked: Tracked<'a, B>, sink: S) -> Self {
        Self {
            before: tracked.behaviour.before_change(),
            tracked,
            net_id,
            sink,
        }
    }
}

impl<B: NetworkBehaviour, S: WriteSink> Deref for WriteGuard<'_, B, S> {
    type Target = B;

    #[inline]
    fn deref(&self) -> &B {
        self.tracked.behaviour
    }
}

impl<B: NetworkBehaviour, S: WriteSink> DerefMut for WriteGuard<'_, B, S> {
    #[inline]
    fn deref_mut(&mut self) -> &mut B {
        self.tracked.behaviour
    }
}

impl<B: NetworkBehaviour, S: WriteSink> Drop for WriteGuard<'_, B, S> {
    #[inline]
    fn drop(&mut self) {
        self.tracked.notice_replacements();
        let behaviour = &mut *self.tracked.behaviour;
        self.sink.replaced(behaviour);
        if let Some(before) = self.before.take() {
            behaviour.withdraw_changes(before);
        }
        self.sink.released(self.net_id, behaviour);
    }
}

impl<B: NetworkBehaviour, S: WriteSink> fmt::Debug for WriteGuard<'_, B, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteGuard")
            .field("net_id", &self.net_id)
            .field("behaviour", &B::SCHEMA.name)
            .finish_non_exhaustive()
    }
}
