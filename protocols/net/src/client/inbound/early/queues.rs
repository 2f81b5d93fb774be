//! `EarlyQueues`: early messages by object, and the order of the objects.

use std::time::Duration;

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::ordered::{IdMap, IdPairs};

use crate::{Framing, MessageType};

/// Early messages by object.
#[derive(Debug, Default)]
pub(crate) struct EarlyQueues {
    queues: IdMap<NetId, EarlyQueue>,
    /// Objects with a queue, in the order of their first message.
    order: IdPairs<u64, NetId>,
    /// Position of the next object in that order.
    next: u64,
    messages: usize,
    bytes: usize,
}

/// Early messages of an object.
#[derive(Debug)]
struct EarlyQueue {
    /// Position in the order of objects.
    position: u64,
    /// Time of the first update since the first message.
    since: Option<Duration>,
    messages: Vec<EarlyMessage>,
}

/// Message that has arrived before its object.
#[derive(Debug)]
pub(crate) struct EarlyMessage {
    pub(crate) kind: EarlyKind,
    pub(crate) channel: u8,
    pub(crate) bytes: Box<[u8]>,
}

/// Meaning of an early message's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EarlyKind {
    /// Delta of the object, without its id.
    Delta(Framing),
    /// Payload of a message.
    Message(MessageType),
}

impl EarlyKind {
    /// Returns whether the message removes its object.
    pub(super) fn is_removal(self) -> bool {
        matches!(
            self,
            Self::Message(MessageType::ObjectDestroy | MessageType::ObjectHide)
        )
    }
}

/// Most early messages and bytes of a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct EarlyLimits {
    pub(super) messages: usize,
    pub(super) bytes: usize,
}

impl EarlyQueues {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// Returns whether an object has early messages.
    #[inline]
    pub(crate) fn contains(&self, object: NetId) -> bool {
        !self.is_empty() && self.queues.contains(object)
    }

    /// Returns the objects with early messages by ascending id.
    pub(crate) fn objects(&self) -> Vec<NetId> {
        self.queues.keys().collect()
    }

    /// Returns whether one more message of this length stays within the limits.
    pub(super) fn has_room(&self, length: usize, limits: EarlyLimits) -> bool {
        self.messages < limits.messages && self.bytes.saturating_add(length) <= limits.bytes
    }

    /// Returns the object with the oldest first message.
    pub(super) fn oldest(&self) -> Option<NetId> {
        self.order.iter().next().map(|(_, object)| object)
    }

    /// Appends a message to its object's queue.
    pub(super) fn push(&mut self, object: NetId, message: EarlyMessage) {
        self.messages += 1;
        self.bytes += message.bytes.len();
        let queue = self.queues.get_or_insert_with(object, || {
            let position = self.next;
            self.next += 1;
            self.order.insert(position, object);
            EarlyQueue {
                position,
                since: None,
                messages: Vec::new(),
            }
        });
        queue.messages.push(message);
    }

    /// Removes an object's messages and returns them in order of arrival.
    pub(crate) fn take(&mut self, object: NetId) -> Option<Vec<EarlyMessage>> {
        let queue = self.queues.remove(object)?;
        self.order.remove(queue.position, object);
        self.messages -= queue.messages.len();
        self.bytes -= byte_count(&queue.messages);
        Some(queue.messages)
    }

    /// Drops the deltas of an object that a later snapshot includes.
    pub(crate) fn drop_deltas(&mut self, object: NetId) {
        self.retain(object, |message| {
            !matches!(message.kind, EarlyKind::Delta(_))
        });
    }

    /// Keeps the messages of an object that pass a test. Returns the number of dropped messages.
    pub(super) fn retain(&mut self, object: NetId, stays: impl Fn(&EarlyMessage) -> bool) -> usize {
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
    pub(super) fn expired(&self, now: Duration, timeout: Duration) -> Option<NetId> {
        let oldest = self.oldest()?;
        let since = self.queues.get(oldest)?.since?;
        (now.saturating_sub(since) >= timeout).then_some(oldest)
    }

    /// Starts the timeout of the queues that have begun since the last update.
    pub(super) fn start_timeouts(&mut self, now: Duration) {
        for (_, object) in self.order.iter().rev() {
            match self.queues.get_mut(object) {
                Some(queue) if queue.since.is_none() => queue.since = Some(now),
                _ => break,
            }
        }
    }
}

fn byte_count(messages: &[EarlyMessage]) -> usize {
    messages.iter().map(|message| message.bytes.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::{EarlyKind, EarlyMessage, EarlyQueues};
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
        let mut queues = EarlyQueues::default();
        queues.push(NetId(2), message(3));
        queues.push(NetId(1), message(4));
        queues.push(NetId(2), message(5));
        assert_eq!((queues.messages, queues.bytes), (3, 12));
        assert_eq!(queues.oldest(), Some(NetId(2)));
        assert_eq!(queues.take(NetId(2)).map(|queue| queue.len()), Some(2));
        assert_eq!((queues.messages, queues.bytes), (1, 4));
        queues.drop_deltas(NetId(1));
        assert_eq!((queues.messages, queues.bytes), (0, 0));
        assert!(queues.is_empty() && queues.order.is_empty());
    }
}
