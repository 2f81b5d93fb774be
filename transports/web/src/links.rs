//! `LinkKey`: the connections of a thread, outside of their peers.
//!
//! The objects of a browser belong to one thread. A peer holds the key of its connection instead, so that it is
//! `Send`, as the resources of an engine are.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::link::Link;

thread_local! {
    static LINKS: RefCell<BTreeMap<u32, Link>> = const { RefCell::new(BTreeMap::new()) };
}

/// Key of a connection. Its drop ends the connection, unless it happens on a different thread.
pub(crate) struct LinkKey(u32);

impl LinkKey {
    /// Keeps a connection.
    pub(crate) fn new(link: Link) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let key = NEXT.fetch_add(1, Ordering::Relaxed);
        LINKS.with_borrow_mut(|links| links.insert(key, link));
        Self(key)
    }

    /// Returns the connection; `None` on a thread that has not made it.
    pub(crate) fn link(&self) -> Option<Link> {
        LINKS.with_borrow(|links| links.get(&self.0).cloned())
    }
}

impl Drop for LinkKey {
    fn drop(&mut self) {
        // The thread may be at its end.
        let link = LINKS.try_with(|links| links.borrow_mut().remove(&self.0));
        if let Ok(Some(link)) = link {
            link.close("");
        }
    }
}
