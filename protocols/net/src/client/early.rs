//! `EarlyMessages`: messages that have arrived before their objects, and recently removed objects.

mod defer;

use std::collections::VecDeque;
use std::time::Duration;

use crate::{Framing, MessageType};
use syncvar_runtime::ordered::{IdMap, IdPairs};
use syncvar_runtime::{NetId, ReadError};

/// Most removed objects to remember.
const MAX_GONE: usize = 4096;

/// Messages for objects that have not arrived, in order of arrival.
#[derive(Debug, Default)]
pub(super) struct EarlyMessages {
    queues: IdMap<NetId, Queue>,
    /// Objects with a queue, in the order of their first message.
    order: IdPairs<u64, NetId>,
    /// Position of the next object in that order.
    next: u64,
    messages: usize,
    bytes: usize,
    gone: Gone,
    /// First error of an early message, for the packet that has released it.
    error: Option<ReadError>,
}

/// Early messages of one object.
#[derive(Debug)]
struct Queue {
    /// Position in the order of objects.
    position: u64,
    /// Time of the first update since the first message.
    since: Option<Duration>,
    messages: Vec<EarlyMessage>,
}

/// Message that has arrived before its object.
#[derive(Debug)]
pub(super) struct EarlyMessage {
    pub(super) kind: EarlyKind,
    pub(super) channel: u8,
    pub(super) bytes: Box<[u8]>,
}

/// Meaning of an early message's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlyKind {
    /// Delta of the object, without its id.
    Delta(Framing),
    /// Payload of a message.
    Message(MessageType),
}

impl EarlyKind {
    /// Returns whether the message removes its object.
    fn is_removal(self) -> bool {
        matches!(
            self,
            Self::Message(MessageType::ObjectDestroy | MessageType::ObjectHide)
        )
    }
}

/// Most early messages and bytes of a client.
#[derive(Clone, Copy, Debug)]
struct Limits {
    messages: usize,
    bytes: usize,
}

impl EarlyMessages {
    #[inline]
    fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// Returns whether an object has early messages.
    #[inline]
    pub(super) fn contains(&self, object: NetId) -> bool {
        !self.is_empty() && self.queues.contains(object)
    }

    /// Returns the objects with early messages by ascending id.
    fn objects(&self) -> Vec<NetId> {
        self.queues.keys().collect()
    }

    /// Returns whether one more message of this length stays within the limits.
    fn has_room(&self, length: usize, limits: Limits) -> bool {
        self.messages < limits.messages && self.bytes.saturating_add(length) <= limits.bytes
    }

    /// Returns the object with the oldest first message.
    fn oldest(&self) -> Option<NetId> {
        self.order.iter().next().map(|(_, object)| object)
    }

    /// Appends a message to its object's queue.
    fn push(&mut self, object: NetId, message: EarlyMessage) {
        self.messages += 1;
        self.bytes += message.bytes.len();
        let queue = self.queues.get_or_insert_with(object, || {
            let position = self.next;
            self.next += 1;
            self.order.insert(position, object);
            Queue {
                position,
                since: None,
                messages: Vec::new(),
            }
        });
        queue.messages.push(message);
    }

    /// Removes an object's messages and returns them in order of arrival.
    pub(super) fn take(&mut self, object: NetId) -> Option<Vec<EarlyMessage>> {
        let queue = self.queues.remove(object)?;
        self.order.remove(queue.position, object);
        self.messages -= queue.messages.len();
        self.bytes -= byte_count(&queue.messages);
        Some(queue.messages)
    }

    /// Drops the deltas of an object that a later snapshot includes.
    pub(super) fn drop_deltas(&mut self, object: NetId) {
        self.retain(object, |message| {
            !matches!(message.kind, EarlyKind::Delta(_))
        });
    }

    /// Keeps the messages of an object that pass a test. Returns the number of dropped ones.
    fn retain(&mut self, object: NetId, stays: impl Fn(&EarlyMessage) -> bool) -> usize {
        let Some(queue) = self.queues.get_mut(object) else {
            return 0;
        };
        let before = (queue.messages.len(), byte_count(&queue.messages));
        queue.messages.retain(stays);
        let dropped = before.0 - queue.messages.len();
        self.messages -= dropped;
        self.bytes -= before.1 - byte_count(&queue.messages);
        if queue.messages.is_empty() {
            self.take(object);
        }
        dropped
    }

    /// Returns an object with expired messages. Call until it returns `None`.
    fn expired(&self, now: Duration, timeout: Duration) -> Option<NetId> {
        let oldest = self.oldest()?;
        let since = self.queues.get(oldest)?.since?;
        (now.saturating_sub(since) >= timeout).then_some(oldest)
    }

    /// Starts the timeout of the queues that have begun since the last update.
    fn start_timeouts(&mut self, now: Duration) {
        for (_, object) in self.order.iter().rev() {
            match self.queues.get_mut(object) {
                Some(queue) if queue.since.is_none() => queue.since = Some(now),
                _ => break,
            }
        }
    }

    /// Remembers that an object has been removed, or cannot be made.
    pub(super) fn remember_gone(&mut self, object: NetId) {
        self.gone.insert(object);
    }

    /// Forgets an earlier removal of an object that has arrived.
    #[inline]
    pub(super) fn forget_gone(&mut self, object: NetId) {
        if !self.gone.positions.is_empty() {
            self.gone.positions.remove(object);
        }
    }

    /// Returns whether an object has recently been removed.
    fn is_gone(&self, object: NetId) -> bool {
        self.gone.positions.contains(object)
    }

    /// Keeps the error of an early message, unless an error is kept already.
    fn keep_error(&mut self, result: Result<(), ReadError>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    /// Returns the first error of the early messages that have been handled.
    #[inline]
    pub(super) fn take_error(&mut self) -> Result<(), ReadError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

fn byte_count(messages: &[EarlyMessage]) -> usize {
    messages.iter().map(|message| message.bytes.len()).sum()
}

/// Recently removed objects; the oldest are forgotten.
#[derive(Debug, Default)]
struct Gone {
    positions: IdMap<NetId, u64>,
    /// Positions and objects, oldest first. Objects that have arrived again stay in it.
    order: VecDeque<(u64, NetId)>,
    next: u64,
}

impl Gone {
    fn insert(&mut self, object: NetId) {
        if self.order.len() >= MAX_GONE
            && let Some((position, oldest)) = self.order.pop_front()
            && self.positions.get(oldest) == Some(&position)
        {
            self.positions.remove(oldest);
        }
        self.positions.insert(object, self.next);
        self.order.push_back((self.next, object));
        self.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{EarlyKind, EarlyMessage, EarlyMessages, Gone, MAX_GONE};
    use crate::Framing;
    use syncvar_runtime::NetId;

    fn message(length: usize) -> EarlyMessage {
        EarlyMessage {
            kind: EarlyKind::Delta(Framing::Unet),
            channel: 0,
            bytes: vec![0; length].into(),
        }
    }

    #[test]
    fn counts_match_the_queued_messages() {
        let mut early = EarlyMessages::default();
        early.push(NetId(2), message(3));
        early.push(NetId(1), message(4));
        early.push(NetId(2), message(5));
        assert_eq!((early.messages, early.bytes), (3, 12));
        assert_eq!(early.oldest(), Some(NetId(2)));
        assert_eq!(early.take(NetId(2)).map(|queue| queue.len()), Some(2));
        assert_eq!((early.messages, early.bytes), (1, 4));
        early.drop_deltas(NetId(1));
        assert_eq!((early.messages, early.bytes), (0, 0));
        assert!(early.is_empty() && early.order.is_empty());
    }

    #[test]
    fn memory_of_removed_objects_is_bounded() {
        let mut gone = Gone::default();
        for number in 1..=10 * MAX_GONE {
            gone.insert(NetId(u32::try_from(number).unwrap()));
            gone.insert(NetId(1));
        }
        assert_eq!(gone.order.len(), MAX_GONE);
        assert!(gone.positions.len() <= MAX_GONE);
        assert!(gone.positions.contains(NetId(1)), "removed again");
        assert!(!gone.positions.contains(NetId(2)));
    }
}
