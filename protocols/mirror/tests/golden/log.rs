//! What the classes write down when they are called, in one order for the whole thread.
//!
//! A hook does not know of which object it is: an instance has a number of its own, and a callback that
//! does know says which object that is.

use std::cell::{Cell, RefCell};

use serde_json::Value;

/// One entry.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) instance: u64,
    pub(crate) class: &'static str,
    /// What kind of entry, as the recordings call it.
    pub(crate) event: &'static str,
    pub(crate) arguments: Value,
}

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(1) };
    static ENTRIES: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

/// The place in a behaviour from which it writes.
#[derive(Debug)]
pub(crate) struct Log(u64);

impl Default for Log {
    fn default() -> Self {
        Self(NEXT.replace(NEXT.get() + 1))
    }
}

impl Log {
    pub(crate) fn write(&self, class: &'static str, event: &'static str, arguments: Value) {
        let instance = self.0;
        let entry = Entry {
            instance,
            class,
            event,
            arguments,
        };
        ENTRIES.with_borrow_mut(|entries| entries.push(entry));
    }
}

/// Everything since this was last asked for.
pub(crate) fn take() -> Vec<Entry> {
    ENTRIES.take()
}
