//! `Events`: a bounded queue of events.

use std::collections::VecDeque;

/// Bounded queue of events, oldest first. At the limit the oldest event is dropped and counted.
#[derive(Debug)]
pub struct Events<E> {
    queue: VecDeque<E>,
    limit: usize,
    /// Limit without reservations.
    base: usize,
    missed: u64,
    /// Number of polled and dropped events.
    gone: u64,
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
        }
    }

    /// Appends an event. A full queue drops its oldest one.
    #[inline]
    pub fn push(&mut self, event: E) {
        if self.queue.len() < self.limit {
            self.queue.push_back(event);
        } else {
            self.push_out(event);
        }
    }

    /// Appends an event to a full queue.
    #[cold]
    fn push_out(&mut self, event: E) {
        self.missed += 1;
        if self.pop().is_some() {
            self.queue.push_back(event);
        }
    }

    /// Appends an event that a peer can cause at any rate. Such events fill at most half of the queue and
    /// never displace another event.
    #[inline]
    pub fn push_minor(&mut self, event: E) {
        if self.queue.len() < self.limit / 2 {
            self.queue.push_back(event);
        } else {
            self.missed += 1;
        }
    }

    /// Raises the limit to `count` events above the initial one.
    #[inline]
    pub fn reserve(&mut self, count: usize) {
        self.limit = self.limit.max(self.base.saturating_add(count));
    }

    /// Removes and returns the oldest event.
    #[inline]
    pub fn pop(&mut self) -> Option<E> {
        let event = self.queue.pop_front()?;
        self.gone += 1;
        Some(event)
    }

    /// Returns the number of polled and dropped events, which is the index of the oldest queued one.
    #[inline]
    pub fn gone(&self) -> u64 {
        self.gone
    }

    /// Returns the number of all events so far, which is the index of the next one.
    #[inline]
    pub fn total(&self) -> u64 {
        self.gone + self.queue.len() as u64
    }

    /// Returns the number of dropped events.
    #[inline]
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

#[cfg(test)]
mod tests {
    use super::Events;

    #[test]
    fn minor_events_fill_half_of_the_queue() {
        let mut events = Events::with_limit(4);
        events.push(1);
        (0..100).for_each(|_| events.push_minor(0));
        (2..=3).for_each(|event| events.push(event));
        assert_eq!(events.missed(), 99);
        assert_eq!(
            std::iter::from_fn(|| events.pop()).collect::<Vec<_>>(),
            [1, 0, 2, 3]
        );
    }

    #[test]
    fn polled_and_dropped_events_keep_their_numbers() {
        let mut events = Events::with_limit(2);
        (0..5).for_each(|event| events.push(event));
        assert_eq!((events.gone(), events.total()), (3, 5));
        assert_eq!(events.pop(), Some(3));
        events.push_minor(9);
        assert_eq!((events.gone(), events.total()), (4, 5));
        (5..=5).for_each(|event| events.push(event));
        assert_eq!((events.gone(), events.total()), (4, 6));
    }

    #[test]
    fn full_queue_drops_the_oldest_events() {
        let mut events = Events::with_limit(3);
        for event in 1..=5 {
            events.push(event);
        }
        assert_eq!(events.missed(), 2);
        assert_eq!(
            std::iter::from_fn(|| events.pop()).collect::<Vec<_>>(),
            [3, 4, 5]
        );
    }
}
