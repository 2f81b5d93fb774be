//! A queue of events that cannot grow without bound when nobody asks for them.

use std::collections::VecDeque;

/// Events, oldest first. When the limit is reached the oldest one goes and is counted.
#[derive(Debug)]
pub struct Events<E> {
    queue: VecDeque<E>,
    limit: usize,
    /// The limit without what was reserved.
    base: usize,
    missed: u64,
    /// How many have gone, polled or not.
    gone: u64,
}

impl<E> Events<E> {
    /// A queue for so many events.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            queue: VecDeque::new(),
            limit,
            base: limit,
            missed: 0,
            gone: 0,
        }
    }

    /// Adds an event; where there is no room, the oldest one goes.
    #[inline]
    pub fn push(&mut self, event: E) {
        if self.queue.len() < self.limit {
            self.queue.push_back(event);
        } else {
            self.push_out(event);
        }
    }

    /// Adds an event where there is no room.
    #[cold]
    fn push_out(&mut self, event: E) {
        self.missed += 1;
        if self.pop().is_some() {
            self.queue.push_back(event);
        }
    }

    /// As [`push`](Self::push), for events that others can cause as often as they like: these get
    /// half of the room and no more, and never drive another event out.
    pub fn push_minor(&mut self, event: E) {
        if self.queue.len() < self.limit / 2 {
            self.queue.push_back(event);
        } else {
            self.missed += 1;
        }
    }

    /// Raises the limit to so many events more than it was in the beginning.
    pub fn reserve(&mut self, count: usize) {
        self.limit = self.limit.max(self.base.saturating_add(count));
    }

    /// The oldest one.
    pub fn pop(&mut self) -> Option<E> {
        let event = self.queue.pop_front()?;
        self.gone += 1;
        Some(event)
    }

    /// How many have gone, polled or not: the number of the oldest one.
    pub fn gone(&self) -> u64 {
        self.gone
    }

    /// How many there have been in all: the number of the next one.
    pub fn total(&self) -> u64 {
        self.gone + self.queue.len() as u64
    }

    /// How many have been dropped because nobody asked for them.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

#[cfg(test)]
mod tests {
    use super::Events;

    #[test]
    fn minor_events_leave_room_for_the_others() {
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
    fn events_are_numbered_whatever_becomes_of_them() {
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
    fn the_oldest_events_go_when_nobody_asks() {
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
