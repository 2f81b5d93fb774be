//! Objects whose behaviours are out of their pool while callbacks run.

use std::collections::VecDeque;

use crate::{LifecycleCallback, NetId};

/// The stack of objects that are checked out, each by a callback of the object below it.
#[derive(Debug, Default)]
pub struct CheckedOut(Vec<CheckedOutObject>);

#[derive(Debug)]
struct CheckedOutObject {
    id: NetId,
    /// Callbacks that run when the present one returns.
    pending: VecDeque<LifecycleCallback>,
    departure: Option<Departure>,
}

/// The way in which an object leaves its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The object ceases to exist.
    Destroyed,
    /// The object leaves the view of this client and goes on existing on the server.
    Hidden,
}

impl CheckedOut {
    /// Returns the height of the stack.
    #[inline]
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Returns whether an object is checked out.
    #[inline]
    pub fn contains(&self, id: NetId) -> bool {
        self.0.iter().any(|entry| entry.id == id)
    }

    pub(super) fn push(&mut self, id: NetId) {
        self.0.push(CheckedOutObject {
            id,
            pending: VecDeque::new(),
            departure: None,
        });
    }

    /// Removes the top of the stack and returns its departure.
    pub(super) fn pop(&mut self) -> Option<Departure> {
        self.0.pop()?.departure
    }

    /// Queues callbacks for an object that is checked out. Returns whether it is.
    #[inline]
    pub fn defer(&mut self, id: NetId, callbacks: &[LifecycleCallback]) -> bool {
        let entry = self.0.iter_mut().find(|entry| entry.id == id);
        entry.is_some_and(|entry| {
            entry.pending.extend(callbacks);
            true
        })
    }

    /// Marks an object that is checked out for removal at its check-in. Returns whether this is its first
    /// departure.
    #[inline]
    pub fn depart(&mut self, id: NetId, departure: Departure) -> bool {
        let entry = self.0.iter_mut().find(|entry| entry.id == id);
        entry.is_some_and(|entry| {
            let is_first = entry.departure.is_none();
            entry.departure.get_or_insert(departure);
            is_first
        })
    }

    /// Returns the next callback for the top of the stack; for a departing object the last one is
    /// `Despawn`.
    pub(super) fn next_callback(&mut self, despawned: &mut bool) -> Option<LifecycleCallback> {
        let entry = self.0.last_mut()?;
        if *despawned {
            return None;
        }
        entry.pending.pop_front().or_else(|| {
            *despawned = entry.departure.is_some();
            despawned.then_some(LifecycleCallback::Despawn)
        })
    }
}
