//! `Mailbox`: messages and records between the thread of the program and the threads of zenoh.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Two queues of one receiver: messages, and records with a limit, above which the oldest is dropped.
#[derive(Debug)]
pub(crate) struct Mailbox<M, R> {
    queues: Mutex<Queues<M, R>>,
    filled: Condvar,
    max_records: usize,
}

#[derive(Debug)]
struct Queues<M, R> {
    messages: VecDeque<M>,
    records: VecDeque<R>,
    is_closed: bool,
}

/// An element of a [`Mailbox`].
#[derive(Debug)]
pub(crate) enum Mail<M, R> {
    Message(M),
    Record(R),
}

impl<M, R> Mailbox<M, R> {
    pub(crate) fn new(max_records: usize) -> Self {
        Self {
            queues: Mutex::new(Queues {
                messages: VecDeque::new(),
                records: VecDeque::new(),
                is_closed: false,
            }),
            filled: Condvar::new(),
            max_records,
        }
    }

    pub(crate) fn push(&self, message: M) {
        self.queues().messages.push_back(message);
        self.filled.notify_one();
    }

    /// Adds a record. Without room the oldest record is dropped.
    pub(crate) fn push_record(&self, record: R) {
        let mut queues = self.queues();
        if queues.records.len() >= self.max_records {
            queues.records.pop_front();
        }
        queues.records.push_back(record);
        self.filled.notify_one();
    }

    /// Takes the next element, messages first.
    pub(crate) fn take(&self) -> Option<Mail<M, R>> {
        self.queues().take()
    }

    /// Waits for the next element. `None` once the mailbox is closed.
    pub(crate) fn wait(&self) -> Option<Mail<M, R>> {
        let mut queues = self.queues();
        loop {
            if queues.is_closed {
                return None;
            }
            if let Some(mail) = queues.take() {
                return Some(mail);
            }
            let filled = self.filled.wait(queues);
            queues = filled.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends [`wait`](Self::wait).
    pub(crate) fn close(&self) {
        self.queues().is_closed = true;
        self.filled.notify_all();
    }

    fn queues(&self) -> MutexGuard<'_, Queues<M, R>> {
        // No statement under the lock can leave the queues half changed.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M, R> Queues<M, R> {
    fn take(&mut self) -> Option<Mail<M, R>> {
        let message = self.messages.pop_front().map(Mail::Message);
        message.or_else(|| self.records.pop_front().map(Mail::Record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_records_make_room() {
        let mailbox = Mailbox::new(2);
        for number in 0..4 {
            mailbox.push_record(number);
            mailbox.push(number);
        }
        let mut taken = Vec::new();
        while let Some(mail) = mailbox.take() {
            match mail {
                Mail::Message(number) => taken.push(("message", number)),
                Mail::Record(number) => taken.push(("record", number)),
            }
        }
        let expected = [0, 1, 2, 3].map(|number| ("message", number));
        assert_eq!(taken[..4], expected);
        assert_eq!(taken[4..], [("record", 2), ("record", 3)]);
    }
}
