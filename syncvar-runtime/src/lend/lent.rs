//! `LentObjects`: objects that are being called, and what has come up for them meanwhile.

use std::collections::VecDeque;

use crate::{LifecycleCallback, NetId};

/// The objects that are lent, each by a callback of the one before.
#[derive(Debug, Default)]
pub struct LentObjects(Vec<Lent>);

#[derive(Debug)]
struct Lent {
    id: NetId,
    /// Callbacks that run when those under way are done.
    waiting: VecDeque<LifecycleCallback>,
    leaving: Option<Leaving>,
}

/// An object that goes when it is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// It is gone for everyone.
    Destroyed,
    /// It still exists for others.
    Hidden,
}

impl LentObjects {
    /// How many are lent.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether an object is lent.
    pub fn contains(&self, id: NetId) -> bool {
        self.0.iter().any(|lent| lent.id == id)
    }

    /// An object is lent from now on.
    pub fn push(&mut self, id: NetId) {
        self.0.push(Lent {
            id,
            waiting: VecDeque::new(),
            leaving: None,
        });
    }

    /// The object that was lent last is given back. Returns how it goes, if it does.
    pub fn pop(&mut self) -> Option<Leaving> {
        self.0.pop()?.leaving
    }

    /// Leaves callbacks with an object that is lent. Returns whether it is.
    pub fn leave(&mut self, id: NetId, callbacks: &[LifecycleCallback]) -> bool {
        let lent = self.0.iter_mut().find(|lent| lent.id == id);
        lent.is_some_and(|lent| {
            lent.waiting.extend(callbacks);
            true
        })
    }

    /// Sees to it that an object goes when it is given back. Returns whether that is news.
    pub fn let_go(&mut self, id: NetId, leaving: Leaving) -> bool {
        let lent = self.0.iter_mut().find(|lent| lent.id == id);
        lent.is_some_and(|lent| {
            let is_news = lent.leaving.is_none();
            lent.leaving.get_or_insert(leaving);
            is_news
        })
    }

    /// The next callback for the object that was lent last. The last of all is that it goes.
    pub fn next(&mut self, despawned: &mut bool) -> Option<LifecycleCallback> {
        let lent = self.0.last_mut()?;
        if *despawned {
            return None;
        }
        lent.waiting.pop_front().or_else(|| {
            *despawned = lent.leaving.is_some();
            despawned.then_some(LifecycleCallback::Despawn)
        })
    }
}
