//! `Events`: a bounded queue of events, for one consumer or several readers.

use std::collections::{VecDeque, vec_deque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use crate::recent_use::RecentUse;

/// Bounded queue of events, oldest first. At the limit the oldest event is dropped and counted.
///
/// Without readers, [`pop`](Self::pop) removes events. With readers, an event stays until each reader has read
/// it; `pop` then counts as one more reader, from its first call on. [`release`](Self::release) drops the events
/// that all have read.
#[derive(Debug)]
pub struct Events<E> {
    queue: VecDeque<E>,
    limit: usize,
    /// Limit without reservations.
    base: usize,
    missed: u64,
    /// Number of events that have left the queue: the index of the oldest queued one.
    gone: u64,
    readers: Vec<Weak<AtomicU64>>,
    /// Index of the event that `pop` returns next, while readers exist.
    next_pop: u64,
    /// Set by the first `pop`.
    popped: bool,
    use_of_queue: RecentUse,
}

/// Position of a consumer in the events of an end.
///
/// `event_reader` of a server or a client creates it, and `read_events` reads on from its position. Each consumer
/// has its own reader, so that several parts of a program read all events:
///
/// ```
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let mut sounds = net.client_mut(0).event_reader();
/// let mut log = net.client_mut(0).event_reader();
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// net.server.get_mut::<Door>(door).unwrap().open.set(true);
/// net.settle();
/// for changed in net.client(0).changes_of::<Door>(&mut sounds) {
///     assert!(changed.object() == door && changed.contains(Door::OPEN));
/// }
/// let mut seen = net.client(0).read_events(&mut log);
/// assert!(seen.any(|event| *event == ClientEvent::Spawned { object: door }));
/// ```
///
/// An event stays in memory until every reader has read it, at most `max_events` events. `poll_event` counts as
/// a reader, from its first call on. A reader that is no longer used is dropped.
#[derive(Debug)]
pub struct EventReader {
    position: Arc<AtomicU64>,
    missed: u64,
}

impl EventReader {
    /// Returns the number of events that were dropped before this reader read them.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

/// Iterator over the unread events of a reader. An event counts as read when it is returned.
#[derive(Debug)]
pub struct UnreadEvents<'a, E> {
    events: vec_deque::Iter<'a, E>,
    next: u64,
    reader: &'a EventReader,
}

impl<'a, E> Iterator for UnreadEvents<'a, E> {
    type Item = &'a E;

    fn next(&mut self) -> Option<&'a E> {
        let event = self.events.next()?;
        self.next += 1;
        self.reader.position.store(self.next, Ordering::Relaxed);
        Some(event)
    }
}

impl<E> Events<E> {
    /// Creates a queue with a limit.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            queue: VecDeque::new(),
            limit,
            base: limit,
            missed: 0,
            gone: 0,
            readers: Vec::new(),
            next_pop: 0,
            popped: false,
            use_of_queue: RecentUse::default(),
        }
    }

    /// Appends an event. A full queue drops its oldest one.
    #[inline]
    pub fn push(&mut self, event: E) {
        let length = self.queue.len();
        if length < self.limit && length < self.queue.capacity() {
            self.queue.push_back(event);
        } else {
            self.push_slowly(event);
        }
    }

    /// Appends an event to a queue that is full, or whose memory is.
    #[cold]
    #[inline(never)]
    fn push_slowly(&mut self, event: E) {
        if self.queue.len() >= self.limit {
            self.release();
        }
        if self.queue.len() >= self.limit {
            self.miss();
            if self.remove_oldest().is_none() {
                return;
            }
        }
        self.queue.push_back(event);
    }

    /// Appends an event that a peer can cause at any rate. Such events fill at most half of the queue and
    /// displace no event. Returns whether the event was appended.
    #[inline]
    pub fn push_minor(&mut self, event: E) -> bool {
        if self.queue.len() >= self.limit / 2 {
            self.release();
        }
        let fits = self.queue.len() < self.limit / 2;
        if fits {
            self.queue.push_back(event);
        } else {
            self.miss();
        }
        fits
    }

    /// Counts a dropped event. Warns of the first; a limit of 0 is a program without events.
    #[cold]
    fn miss(&mut self) {
        if self.missed == 0 && self.limit > 0 {
            tracing::warn!(
                max_events = self.base,
                "the queue of events is full and drops events: read them in each frame, by `poll_event` or a reader, or raise \
                 `max_events`"
            );
        }
        self.missed += 1;
    }

    /// Raises the limit to `count` events above the initial one. They will be appended at once: the queue takes
    /// their memory.
    #[inline]
    pub fn reserve(&mut self, count: usize) {
        self.limit = self.limit.max(self.base.saturating_add(count));
        self.queue.reserve(count);
    }

    /// Returns the oldest event that `pop` has not returned.
    #[inline]
    pub fn pop(&mut self) -> Option<E>
    where
        E: Clone,
    {
        self.popped = true;
        if self.readers.is_empty() {
            self.remove_oldest()
        } else {
            self.pop_shared()
        }
    }

    /// Returns the next event, which the readers may read too.
    #[cold]
    fn pop_shared(&mut self) -> Option<E>
    where
        E: Clone,
    {
        self.next_pop = self.next_pop.max(self.gone);
        let event = self.queue.get(self.offset(self.next_pop))?.clone();
        self.next_pop += 1;
        Some(event)
    }

    /// Removes and returns the oldest event.
    #[inline]
    fn remove_oldest(&mut self) -> Option<E> {
        let Some(event) = self.queue.pop_front() else {
            // The next events use the memory of the last events again: the whole queue is too large for the cache.
            self.queue.clear();
            return None;
        };
        self.gone += 1;
        Some(event)
    }

    /// Returns the place of an event in the queue.
    fn offset(&self, index: u64) -> usize {
        usize::try_from(index.saturating_sub(self.gone)).unwrap_or(usize::MAX)
    }

    /// Creates a reader. It begins with the oldest queued event.
    pub fn reader(&mut self) -> EventReader {
        self.release();
        if self.readers.is_empty() {
            self.next_pop = self.gone;
        }
        let position = Arc::new(AtomicU64::new(self.gone));
        self.readers.push(Arc::downgrade(&position));
        EventReader {
            position,
            missed: 0,
        }
    }

    /// Returns the events that a reader has not read.
    ///
    /// # Panics
    ///
    /// In debug builds, if a different end created the reader.
    pub fn read<'a>(&'a self, reader: &'a mut EventReader) -> UnreadEvents<'a, E> {
        let mut readers = self.readers.iter();
        debug_assert!(
            readers.any(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(&reader.position))),
            "an `EventReader` reads the events of the end that created it: call its `event_reader`"
        );
        let read = reader.position.load(Ordering::Relaxed);
        let next = read.max(self.gone);
        reader.missed += next - read;
        let offset = self.offset(next).min(self.queue.len());
        UnreadEvents {
            events: self.queue.range(offset..),
            next,
            reader,
        }
    }

    /// Drops the events that all readers have read, `pop` included once it was called. Without readers, events
    /// wait for `pop`.
    #[inline]
    pub fn release(&mut self) {
        if !self.readers.is_empty() {
            self.forget(self.first_unread());
            self.readers.retain(|reader| reader.strong_count() > 0);
        }
    }

    /// Returns the index of the oldest event that a reader has not read, `pop` included.
    pub fn first_unread(&self) -> u64 {
        if self.readers.is_empty() {
            return self.gone;
        }
        let positions = self.readers.iter().filter_map(Weak::upgrade);
        let positions = positions.map(|position| position.load(Ordering::Relaxed));
        let popped = self.popped.then_some(self.next_pop);
        let first = positions.chain(popped).min();
        first.unwrap_or(self.gone).max(self.gone)
    }

    /// Drops the first `count` events, read or not.
    pub fn forget(&mut self, count: u64) {
        let used = self.queue.len();
        while self.gone < count && self.remove_oldest().is_some() {}
        if let Some(enough) = self.use_of_queue.count(used, self.queue.capacity()) {
            self.queue.shrink_to(enough);
        }
    }

    /// Returns the number of events so far, which is the index of the next event.
    #[inline]
    pub fn total(&self) -> u64 {
        self.gone + self.queue.len() as u64
    }

    /// Returns the number of events dropped because the queue was full.
    #[inline]
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

#[cfg(test)]
mod tests;
